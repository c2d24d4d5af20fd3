//! Satellites: microphones and loudspeakers in other rooms.
//!
//! A door connects to a satellite, and passes its sound in and ours out. What is heard there goes the way of the microphone of
//! this machine: hearing, listening, a query of the user, a reply. Each satellite has an own way, with an own follow-up window
//! and an own echo; replies go back to it alone, and share the conversation of this machine.

mod session; // the task of one satellite: start here
mod speaker; // sentences as sound, at the pace of the loudspeaker
mod event; // messages between a door and a session

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use listening::judge::IntentJudge;
use listening::{DoorEvent, ListeningEvent, ListeningInputs};
use tokio::sync::{Notify, broadcast, mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use vocabulary::{HearingEvent, SAMPLE_RATE_HZ, SpeechEvent};

use crate::command::Command;
use crate::replies::SatelliteChannel;
use crate::sound_paths::speech_service::SpeechService;
use crate::sound_paths::stream_hearing::{SoundStream, StreamHearing, StreamRefused};
pub use event::{SatelliteEvent, SatelliteStage};
use session::{Session, SessionInputs};
use speaker::{Speaker, SpeakerInputs};

/// Events of our voice that a reader may fall behind by: those of some replies.
const SPEECH_EVENTS: usize = 128;

/// Sentences that wait to be spoken: those of the longest answers. Then the reply waits.
const SENTENCES: usize = 256;

/// Turns of replies that wait for the session. A reply has few.
const TURNS: usize = 16;

/// Events of listening that wait for the session.
const LISTENED: usize = 256;

/// Orders of the door that wait for the session, and events that wait for the door: then the voice waits.
const DOOR: usize = 32;

/// The parts of the assistant that all satellites use.
pub(crate) struct SatelliteService {
    pub hearing: Arc<StreamHearing>,
    pub speech: Arc<SpeechService>,
    pub judge: Arc<dyn IntentJudge>,
    pub commands: mpsc::Sender<Command>,
    pub stop: CancellationToken,
}

/// The way in for a satellite. Dropping it ends the reply there, and its events.
pub struct SatelliteInput {
    sound: SoundStream,
    stages: mpsc::Sender<SatelliteStage>,
    played: Arc<Notify>,
    rate_hz: Arc<AtomicU32>,
    _stop: DropGuard,
}

impl SatelliteInput {
    /// The loudspeaker of the satellite plays sound of this rate; without one, it gets that of the voice.
    pub fn play_at(&self, rate_hz: u32) {
        self.rate_hz.store(rate_hz, Ordering::Relaxed);
    }

    /// The satellite sends sound from here on.
    pub async fn begin(&mut self, stage: SatelliteStage) {
        // A session that has ended takes nothing.
        let _ = self.stages.send(stage).await;
    }

    /// Adds mono samples that were captured just now. Waits while hearing is behind.
    ///
    /// # Errors
    ///
    /// [`StreamRefused`] when the rate is none of sound.
    pub async fn push(&mut self, samples: &[f32], rate_hz: u32) -> Result<(), StreamRefused> {
        self.sound.push_live(samples, rate_hz).await
    }

    /// The satellite has played all sound up to a [`SatelliteEvent::SoundEnded`].
    pub fn played(&self) {
        self.played.notify_one();
    }
}

impl SatelliteService {
    /// Opens the way for a satellite. Its events come until the input is dropped, or the assistant ends.
    ///
    /// # Errors
    ///
    /// [`StreamRefused`]; then nothing is heard.
    pub fn open(&self) -> Result<(SatelliteInput, mpsc::Receiver<SatelliteEvent>), StreamRefused> {
        let stop = self.stop.child_token();
        let (is_out, is_voice_playing) = watch::channel(false);
        let (needs_all_words, needed) = watch::channel(false);
        let (sound, heard) = self.hearing.open(SAMPLE_RATE_HZ, is_voice_playing, needed)?;
        let (own_words, spoken) = broadcast::channel(SPEECH_EVENTS);
        let (doors, listened) = self.listen(heard, spoken, needs_all_words, &stop);
        let (orders, speaker_orders) = mpsc::channel(SENTENCES);
        let (silence, silenced) = watch::channel(None);
        let (finished, spoken_out) = mpsc::channel(TURNS);
        let (events, to_door) = mpsc::channel(DOOR);
        let (played, rate_hz) = (Arc::<Notify>::default(), Arc::<AtomicU32>::default());
        let speaker = SpeakerInputs {
            orders: speaker_orders,
            silenced,
            played: Arc::clone(&played),
            rate_hz: Arc::clone(&rate_hz),
            speech: Arc::clone(&self.speech),
            own_words,
            is_out,
            finished,
            events: events.clone(),
        };
        let (stages, stage_orders) = mpsc::channel(DOOR);
        let (turns, reply_turns) = mpsc::channel(TURNS);
        let session = SessionInputs {
            stages: stage_orders,
            listened,
            doors,
            turns: reply_turns,
            spoken_out,
            silence,
            channel: Arc::new(SatelliteChannel { orders, turns }),
            listening: self.hearing.listening.clone(),
            commands: self.commands.clone(),
            events,
        };
        self.hearing.tasks.spawn(Speaker::new(speaker).run(stop.clone()));
        self.hearing.tasks.spawn(Session::new(session).run(stop.clone()));
        Ok((SatelliteInput { sound, stages, played, rate_hz, _stop: stop.drop_guard() }, to_door))
    }

    /// Decides which of the words are directed at us, as at this machine.
    fn listen(
        &self,
        heard: mpsc::Receiver<HearingEvent>,
        spoken: broadcast::Receiver<SpeechEvent>,
        needs_all_words: watch::Sender<bool>,
        stop: &CancellationToken,
    ) -> (mpsc::Sender<DoorEvent>, mpsc::Receiver<ListeningEvent>) {
        let (doors, door_events) = mpsc::channel(DOOR);
        let (events, listened) = mpsc::channel(LISTENED);
        let inputs = ListeningInputs {
            heard,
            speech: spoken,
            doors: door_events,
            judge: Some(Arc::clone(&self.judge)),
            config: self.hearing.listening.clone(),
            needs_all_words,
            events,
        };
        self.hearing.tasks.spawn(listening::run(inputs, stop.clone()));
        (doors, listened)
    }
}
