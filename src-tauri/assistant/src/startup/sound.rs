//! Microphone, hearing, listening and voice.

use std::sync::Arc;

use audio::{Loudspeaker, Microphone, PlayedSound};
use hearing::{
    Earshot, EndpointModel, EnrolledVoices, HearingConfig, HearingInputs, KeywordSpotter, PassTiming,
    SpeechToText,
};
use listening::judge::IntentJudge;
use listening::{DoorEvent, ListeningConfig, ListeningEvent, ListeningInputs};
use parking_lot::Mutex;
use settings::{Settings, SettingsFile};
use speaking::TextToSpeech;
use tokio::sync::{Semaphore, mpsc, watch};
use vocabulary::{Frame, Stage, TalkOrder, Trouble};

use super::context::Startup;
use crate::builder::Choose;
use crate::command::Command;
use crate::models_in_use::endpoint_model::EndpointModelChoice;
use crate::models_in_use::first_stage::{self, FirstStage};
use crate::models_in_use::recogniser::RecogniserChoice;
use crate::other_programs::node_role::NodeRole;
use crate::settings_observer::SettingsObserver;
use crate::sound_paths::capture::{self, CaptureStatus, CaptureTarget, OwnSound};
use crate::sound_paths::satellite::SatelliteService;
use crate::sound_paths::speech_service::SpeechService;
use crate::sound_paths::stream_hearing::{HearingModels, StreamHearing};
use crate::sound_paths::voice::{SpeechOutput, SpeechOutputParts, voices};

/// 1.3 s of sound waiting for hearing; then the capture's own queue drops its oldest frames.
const FRAMES: usize = 64;
/// Events waiting for listening, and from it: they wait when it is full, for an utterance must not be lost.
const HEARD: usize = 256;
/// Orders of the talk key waiting for hearing; when it is full they wait in the coordinator.
const TALK_ORDERS: usize = 8;
/// Typed queries and questions that listening has not taken yet: a person types few. What does not fit is left out.
const DOOR_EVENTS: usize = 32;

/// The way in for sound.
pub(super) struct SoundInputs {
    pub microphone: Choose<dyn Microphone>,
    /// Our own sound that it hears.
    pub played: Option<PlayedSound>,
    /// In place of the recogniser that the settings name.
    pub recogniser: Option<Arc<dyn SpeechToText>>,
    /// Tells whom an utterance was meant for, if the rules are unsure.
    pub judge: Arc<dyn IntentJudge>,
    /// The way the time of recognition is counted.
    pub pass_timing: PassTiming,
}

/// The way from the microphone to queries, at work.
pub(super) struct Sound {
    pub capture: watch::Sender<CaptureTarget>,
    /// The recogniser in use.
    pub recogniser: watch::Receiver<Arc<dyn SpeechToText>>,
    /// Hearing of sound from elsewhere.
    pub streams: Arc<StreamHearing>,
    pub lines: SoundLines,
}

/// The channels between the coordinator and the way from the microphone to queries.
pub(super) struct SoundLines {
    pub capture_status: mpsc::Receiver<CaptureStatus>,
    pub listened: mpsc::Receiver<ListeningEvent>,
    pub doors: mpsc::Sender<DoorEvent>,
    pub talk_orders: mpsc::Sender<TalkOrder>,
    /// The name that calls us, as the settings have it.
    pub listening: watch::Receiver<ListeningConfig>,
}

/// The capture of the microphone, at work.
struct Capture {
    target: watch::Sender<CaptureTarget>,
    frames: mpsc::Receiver<Frame>,
    status: mpsc::Receiver<CaptureStatus>,
}

impl Startup {
    /// Starts speech output; a silent one if there is no loudspeaker.
    pub fn open_voice(
        &mut self,
        loudspeaker: Option<Choose<dyn Loudspeaker>>,
        voice: Option<Arc<dyn TextToSpeech>>,
        node: &NodeRole,
    ) -> SpeechOutput {
        let Some(loudspeaker) = loudspeaker else { return SpeechOutput::silent() };
        let parts = SpeechOutputParts {
            settings: &self.settings,
            loudspeaker,
            voices: node.voices(voices(voice, &self.store)),
            commands: self.commands.clone(),
        };
        let (speech_output, observers) = SpeechOutput::open(parts, &self.tasks, &self.stop);
        self.observers.extend(observers);
        speech_output
    }

    /// Recognition and voices for other programs, beside those of the conversation.
    pub fn speech_service(
        &self,
        file: &Arc<SettingsFile>,
        voice: Option<Arc<dyn TextToSpeech>>,
        recogniser: watch::Receiver<Arc<dyn SpeechToText>>,
    ) -> Arc<SpeechService> {
        Arc::new(SpeechService {
            recogniser,
            voices: voices(voice, &self.store),
            settings: Arc::clone(file),
            last_voices: Mutex::default(),
            recordings: Semaphore::new(1),
            tasks: self.tasks.clone(),
            stop: self.stop.child_token(),
        })
    }

    /// The way for sound of satellites.
    pub fn satellites(
        &self,
        hearing: &Arc<StreamHearing>,
        speech: &Arc<SpeechService>,
        judge: Arc<dyn IntentJudge>,
    ) -> SatelliteService {
        SatelliteService {
            hearing: Arc::clone(hearing),
            speech: Arc::clone(speech),
            judge,
            commands: self.commands.clone(),
            stop: self.stop.child_token(),
        }
    }

    /// Starts capture, hearing and listening. The microphone stays closed until a door opens it.
    pub fn open_sound(
        &mut self,
        inputs: SoundInputs,
        speech_output: &SpeechOutput,
        voices: &Arc<EnrolledVoices>,
    ) -> Sound {
        let (heard, to_listener) = mpsc::channel(HEARD);
        let (events, listened) = mpsc::channel(HEARD);
        let (talk_orders, orders) = mpsc::channel(TALK_ORDERS);
        let (doors, door_events) = mpsc::channel(DOOR_EVENTS);
        let (needs_all_words, needed) = watch::channel(false);
        let (config, listening) = (self.follow(hearing_config), self.follow(listening_config));
        let Capture { target: capture, frames, status: capture_status } =
            self.open_capture(inputs.microphone, inputs.played);
        let models = self.follow_hearing_models(inputs.recogniser, voices);
        let streams = self.open_streams(models.clone(), config.clone(), listening.clone());
        let recogniser = models.recogniser.clone();
        let hearing = HearingInputs {
            frames,
            config,
            engine: models.recogniser,
            keyword_spotter: models.keyword_spotter,
            needs_all_words: needed,
            endpoint_model: models.endpoint_model,
            is_voice_playing: speech_output.is_out(),
            orders,
            activity: Box::new(Earshot::new()),
            timing: inputs.pass_timing,
            events: heard,
        };
        self.tasks.spawn(hearing::run(hearing, self.stop.child_token()));
        let listener = ListeningInputs {
            heard: to_listener,
            speech: speech_output.subscribe(),
            doors: door_events,
            judge: Some(inputs.judge),
            config: listening.clone(),
            needs_all_words,
            events,
        };
        self.tasks.spawn(listening::run(listener, self.stop.child_token()));
        let lines = SoundLines { capture_status, listened, doors, talk_orders, listening };
        Sound { capture, recogniser, streams, lines }
    }

    /// Starts the capture of the microphone, which is closed at first.
    fn open_capture(&mut self, microphone: Choose<dyn Microphone>, played: Option<PlayedSound>) -> Capture {
        let (frames, frames_to_hear) = mpsc::channel(FRAMES);
        let (status, capture_status) = mpsc::channel(HEARD);
        let (capture, target, observer) = follow_microphone(&self.settings, microphone);
        self.observers.push(observer);
        let is_cancelled = self.follow(|settings| Ok(settings.hearing.echo_cancelling));
        let own_sound = played.map(|played| OwnSound { played, is_cancelled });
        self.tasks.spawn(capture::run(target, own_sound, frames, status, self.stop.child_token()));
        Capture { target: capture, frames: frames_to_hear, status: capture_status }
    }

    fn open_streams(
        &self,
        models: HearingModels,
        config: watch::Receiver<HearingConfig>,
        listening: watch::Receiver<ListeningConfig>,
    ) -> Arc<StreamHearing> {
        let (tasks, stop) = (self.tasks.clone(), self.stop.child_token());
        Arc::new(StreamHearing::new(models, config, listening, tasks, stop))
    }

    fn follow_hearing_models(
        &mut self,
        recogniser: Option<Arc<dyn SpeechToText>>,
        voices: &Arc<EnrolledVoices>,
    ) -> HearingModels {
        HearingModels {
            recogniser: self.follow_recogniser(recogniser, voices),
            keyword_spotter: self.follow_first_stage(),
            endpoint_model: self.follow_endpoint_model(),
        }
    }

    fn follow_recogniser(
        &mut self,
        instead: Option<Arc<dyn SpeechToText>>,
        voices: &Arc<EnrolledVoices>,
    ) -> watch::Receiver<Arc<dyn SpeechToText>> {
        if let Some(recogniser) = instead {
            // The last value can still be read once its sender is gone.
            return watch::channel(recogniser).1;
        }
        let choice = RecogniserChoice::new(&self.settings, &self.store);
        let (voices, commands) = (Arc::clone(voices), self.commands.clone());
        let report = move |trouble: Option<Trouble>| {
            let command = trouble.map_or(Command::Recovered(Stage::EnrolledVoices), Command::Trouble);
            // When the coordinator cannot keep up, the next utterance reports again.
            commands.try_send(command).is_ok()
        };
        let changed = self.commands.clone();
        let engine_of = move |choice: &RecogniserChoice| choice.engine_beside(&voices, report.clone());
        let (engine, engines) = watch::channel(engine_of(&choice));
        let store = self.store.clone();
        self.observers.push(SettingsObserver::new(
            &self.settings,
            move |settings| RecogniserChoice::new(settings, &store),
            move |choice| {
                engine.send_replace(engine_of(choice));
                // The new one reports its own trouble.
                let _ = changed.try_send(Command::Recovered(Stage::EnrolledVoices));
            },
        ));
        engines
    }

    fn follow_endpoint_model(&mut self) -> watch::Receiver<Option<Arc<dyn EndpointModel>>> {
        let choice = EndpointModelChoice::new(&self.settings, &self.store);
        let (model, models) = watch::channel(choice.model());
        let store = self.store.clone();
        self.observers.push(SettingsObserver::new(
            &self.settings,
            move |settings| EndpointModelChoice::new(settings, &store),
            move |choice| {
                model.send_replace(choice.model());
            },
        ));
        models
    }

    fn follow_first_stage(&mut self) -> watch::Receiver<Option<Arc<dyn KeywordSpotter>>> {
        // The stage follows the settings below; this tells the user why it cannot.
        self.follow(first_stage::is_usable);
        let (spotter, spotters) = watch::channel(FirstStage::new(&self.settings, &self.store).spotter());
        let store = self.store.clone();
        self.observers.push(SettingsObserver::new(
            &self.settings,
            move |settings| FirstStage::new(settings, &store),
            move |stage| {
                spotter.send_replace(stage.spotter());
            },
        ));
        spotters
    }
}

fn hearing_config(settings: &Settings) -> Result<HearingConfig, String> {
    HearingConfig::new(&settings.hearing, &settings.listening).map_err(|error| error.to_string())
}

fn listening_config(settings: &Settings) -> Result<ListeningConfig, String> {
    ListeningConfig::try_from(settings).map_err(|error| error.to_string())
}

/// The microphone to capture, and what keeps it the one of the settings.
fn follow_microphone(
    settings: &Settings,
    choose: Choose<dyn Microphone>,
) -> (watch::Sender<CaptureTarget>, watch::Receiver<CaptureTarget>, SettingsObserver) {
    let microphone = choose(&settings.audio.microphone);
    let (capture, target) = watch::channel(CaptureTarget { is_open: false, microphone });
    let followed = capture.clone();
    let observer = SettingsObserver::new(
        settings,
        |settings| settings.audio.microphone.clone(),
        move |device| followed.send_modify(|target| target.microphone = choose(device)),
    );
    (capture, target, observer)
}

#[cfg(test)]
mod tests {
    use audio::CardMicrophone;

    use super::*;

    #[test]
    fn chosen_microphone_is_used_at_once() {
        let chosen = Arc::new(Mutex::new(Vec::new()));
        let choose: Choose<dyn Microphone> = {
            let chosen = Arc::clone(&chosen);
            Arc::new(move |device| {
                chosen.lock().push(device.to_owned());
                Arc::new(CardMicrophone::new(device.to_owned()))
            })
        };
        let mut settings = Settings::default();
        let (_capture, mut target, mut observer) = follow_microphone(&settings, choose);
        let first = Arc::clone(&target.borrow_and_update().microphone);

        settings.audio.volume = 0.5;
        observer.observe(&settings).unwrap();
        let is_left_alone = !target.has_changed().unwrap();
        settings.audio.microphone = "Blue Yeti".into();
        observer.observe(&settings).unwrap();

        assert!(is_left_alone && !Arc::ptr_eq(&first, &target.borrow_and_update().microphone));
        assert_eq!(*chosen.lock(), ["", "Blue Yeti"]);
    }
}
