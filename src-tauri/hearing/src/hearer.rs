//! The task that hears: frames in, [`HearingEvent`]s out.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{
    FRAME_SAMPLES, Frame, HearingEvent, Language, SAMPLE_RATE_HZ, Stage, TalkOrder, Utterance, UtteranceId,
    energy_dbfs,
};

use crate::activity::VoiceActivity;
use crate::config::{HearingConfig, frames};
use crate::endpoint::{Completeness, completeness};
use crate::kept::{Kept, KeptSpeech};
use crate::recogniser::{PassDone, Recogniser, RunningPass};
use crate::segmenter::{Segmenter, SegmenterEvent, SpokenSound};
use crate::speech_to_text::{DecodeEffort, DecodeRequest, SpeechToText, TranscribeError, Transcription};
use crate::trust;

/// New sound before the next words are shown: often enough to read along, seldom enough that the decoder is free most
/// of the time when speech ends. A pass takes 0.35 s on two cores and cannot be left before its encoder is done.
const PARTIAL_EVERY_SAMPLES: usize = SAMPLE_RATE_HZ as usize;

/// A language found in less sound than this is found again at the next pass.
const SAMPLES_TO_TELL_LANGUAGE: usize = SAMPLE_RATE_HZ as usize * 3 / 2;

/// Frames between two levels: ten levels a second.
const LEVEL_FRAMES: usize = 5;

/// When no frame arrives for so long while somebody speaks, the microphone is gone and the utterance ends here.
const FRAMES_OVERDUE: Duration = Duration::from_millis(500);

/// The longest utterance while the talk key is held. Source: recognisers of the Whisper family take 30 s at once.
const MAX_UTTERANCE_WHILE_HELD: Duration = Duration::from_secs(29);

/// What the hearer runs on.
pub struct HearerInputs {
    /// The sound of the room. The hearer ends when this closes.
    pub frames: mpsc::Receiver<Frame>,
    /// The settings; changes apply at once.
    pub config: watch::Receiver<HearingConfig>,
    /// The recogniser; a new one is used from the next pass on.
    pub engine: watch::Receiver<Arc<dyn SpeechToText>>,
    /// Is our own voice out?
    pub voice_is_out: watch::Receiver<bool>,
    /// What the talk key says.
    pub orders: mpsc::Receiver<TalkOrder>,
    /// Tells speech from everything else.
    pub activity: Box<dyn VoiceActivity>,
    /// Where the events go. When it is full the hearer waits: utterances are never dropped.
    pub events: mpsc::Sender<HearingEvent>,
}

/// Hears until `stop` is cancelled or the frames end.
///
/// Not cancel-safe: end it with `stop`, for a drop can lose the utterance being decoded.
pub async fn run(inputs: HearerInputs, stop: CancellationToken) {
    let (recogniser, results) = Recogniser::start();
    let config = inputs.config.borrow().clone();
    let mut hearer = Hearer {
        segmenter: Segmenter::new(config.clone()),
        config,
        activity: inputs.activity,
        engine: inputs.engine,
        config_changes: inputs.config,
        voice_is_out: inputs.voice_is_out,
        orders: inputs.orders,
        is_held: false,
        frames: inputs.frames,
        events: inputs.events,
        recogniser,
        results,
        turn: None,
        closing: VecDeque::new(),
        kept: KeptSpeech::new(),
        is_troubled: false,
        next_utterance: 0,
        level: Level::default(),
    };
    hearer.listen(&stop).await;
    hearer.turn = None;
    hearer.closing.clear();
    hearer.kept.call_off();
    drop(hearer.results);
    hearer.recogniser.finish().await;
}

#[expect(clippy::large_enum_variant, reason = "made and taken apart once a frame, never stored")]
enum Event {
    Frame(Frame),
    /// No frame came in time.
    Overdue,
    Pass(PassDone),
    Order(TalkOrder),
    Configured,
    EngineChanged,
    RetryDue,
    /// The sound came to its end; what was said may still be decoded.
    SoundEnded,
    Stopped,
}

struct Hearer {
    config: HearingConfig,
    segmenter: Segmenter,
    activity: Box<dyn VoiceActivity>,
    engine: watch::Receiver<Arc<dyn SpeechToText>>,
    config_changes: watch::Receiver<HearingConfig>,
    voice_is_out: watch::Receiver<bool>,
    orders: mpsc::Receiver<TalkOrder>,
    /// The talk key is held: no pause ends the utterance under way.
    is_held: bool,
    frames: mpsc::Receiver<Frame>,
    events: mpsc::Sender<HearingEvent>,
    recogniser: Recogniser,
    results: mpsc::Receiver<PassDone>,
    /// The utterance under way.
    turn: Option<Turn>,
    /// Utterances that ended and wait for their final pass, oldest first.
    closing: VecDeque<Closing>,
    kept: KeptSpeech,
    is_troubled: bool,
    next_utterance: u64,
    level: Level,
}

/// The utterance under way.
struct Turn {
    id: UtteranceId,
    partial: Option<RunningPass>,
    /// Sound that the newest partial pass covered, in samples.
    shown_until: usize,
    /// The final pass, begun at the first hint of an end.
    last: LastPass,
    language: Option<Language>,
    /// The user said that it is over: the first silence ends it.
    is_ending: bool,
}

enum LastPass {
    NotBegun,
    Running(RunningPass),
    Done(Transcription),
    Failed,
}

struct Closing {
    id: UtteranceId,
    sound: SpokenSound,
    pass: RunningPass,
}

impl Hearer {
    async fn listen(&mut self, stop: &CancellationToken) {
        loop {
            match self.next_event(stop).await {
                Event::Frame(frame) => self.hear(&frame).await,
                Event::Overdue => {
                    self.close_turn().await;
                    self.segmenter.reset();
                    self.activity.reset();
                }
                Event::Pass(done) => self.take_in(done).await,
                Event::Order(order) => self.obey(order).await,
                Event::Configured => {
                    self.config = self.config_changes.borrow_and_update().clone();
                    self.segmenter.configure(self.config.clone());
                }
                Event::EngineChanged => {
                    self.engine.mark_unchanged();
                    self.try_kept_again();
                }
                Event::RetryDue => self.try_kept_again(),
                Event::SoundEnded => {
                    self.close_turn().await;
                    return self.decode_the_rest(stop).await;
                }
                Event::Stopped => return,
            }
        }
    }

    /// Waits for the words of what was said last.
    async fn decode_the_rest(&mut self, stop: &CancellationToken) {
        while !self.closing.is_empty() {
            let Some(Some(done)) = stop.run_until_cancelled(self.results.recv()).await else { return };
            self.take_in(done).await;
        }
    }

    async fn next_event(&mut self, stop: &CancellationToken) -> Event {
        let somebody_speaks = self.turn.is_some();
        let next_retry = self.kept.next_retry();
        let retry_at = next_retry.unwrap_or_else(tokio::time::Instant::now);
        tokio::select! {
            biased; // Shutdown first: a talkative room must not keep us alive.
            () = stop.cancelled() => Event::Stopped,
            Some(done) = self.results.recv() => Event::Pass(done),
            Some(order) = self.orders.recv() => Event::Order(order),
            Ok(()) = self.config_changes.changed() => Event::Configured,
            Ok(()) = self.engine.changed() => Event::EngineChanged,
            frame = self.frames.recv() => frame.map_or(Event::SoundEnded, Event::Frame),
            () = tokio::time::sleep(FRAMES_OVERDUE), if somebody_speaks => Event::Overdue,
            () = tokio::time::sleep_until(retry_at), if next_retry.is_some() => Event::RetryDue,
        }
    }

    async fn obey(&mut self, order: TalkOrder) {
        self.is_held = order == TalkOrder::Hold;
        if order == TalkOrder::Discard {
            if let (Some(turn), Some(sound)) = (self.turn.take(), self.segmenter.end()) {
                self.report(HearingEvent::Nothing { utterance: turn.id, at: sound.ended_at }).await;
            }
        } else if let Some(turn) = &mut self.turn {
            turn.is_ending = order == TalkOrder::Finish;
        }
        self.report(HearingEvent::TalkKey(order)).await;
        self.close_turn_if_over().await;
    }

    fn longest_utterance(&self) -> Duration {
        match (self.is_held, *self.voice_is_out.borrow()) {
            (true, _) => MAX_UTTERANCE_WHILE_HELD,
            (false, true) => self.config.max_utterance_while_speaking,
            (false, false) => self.config.max_utterance,
        }
    }

    async fn hear(&mut self, frame: &Frame) {
        if let Some(dbfs) = self.level.take_in(&frame.samples) {
            // A level is only for the eye: when nobody keeps up, the next one will do.
            let _ = self.events.try_send(HearingEvent::Level { dbfs });
        }
        let is_voiced = self.activity.is_voiced(&frame.samples);
        match self.segmenter.push(frame, is_voiced, self.longest_utterance()) {
            Some(SegmenterEvent::Began { at }) => {
                let id = UtteranceId(self.next_utterance);
                self.next_utterance += 1;
                self.turn = Some(Turn {
                    id,
                    partial: None,
                    shown_until: 0,
                    last: LastPass::NotBegun,
                    language: self.config.language.clone(),
                    is_ending: false,
                });
                self.report(HearingEvent::SpeechStarted { utterance: id, at }).await;
            }
            Some(SegmenterEvent::MayBeOver) => self.begin_last_pass(),
            Some(SegmenterEvent::WentOn) => {
                if let Some(turn) = &mut self.turn
                    && let LastPass::Running(pass) = std::mem::replace(&mut turn.last, LastPass::NotBegun)
                {
                    // It misses the words to come, but has some for the screen.
                    turn.partial = Some(pass);
                }
            }
            Some(SegmenterEvent::TooLong) => {
                if let Some(turn) = &mut self.turn {
                    turn.last = LastPass::NotBegun;
                }
                self.close_turn().await;
                return;
            }
            None => self.show_words_so_far(),
        }
        self.close_turn_if_over().await;
    }

    /// Begins a pass for the screen when there is enough new sound and the decoder is free.
    fn show_words_so_far(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        let samples = self.segmenter.samples();
        let is_speaking = self.segmenter.silent_frames() == Some(0);
        let is_free =
            turn.partial.is_none() && matches!(turn.last, LastPass::NotBegun) && self.closing.is_empty();
        if !is_speaking || !is_free || samples.len() < turn.shown_until + PARTIAL_EVERY_SAMPLES {
            return;
        }
        turn.shown_until = samples.len();
        let request = DecodeRequest { language: turn.language.clone(), effort: DecodeEffort::Partial };
        turn.partial = self.recogniser.begin(self.engine.borrow().clone(), samples.to_vec(), request);
    }

    fn begin_last_pass(&mut self) {
        if !self.segmenter.is_long_enough() {
            return;
        }
        let Some(turn) = &mut self.turn else { return };
        turn.partial = None;
        let samples = self.segmenter.samples().to_vec();
        turn.shown_until = samples.len();
        let request = DecodeRequest { language: turn.language.clone(), effort: DecodeEffort::Final };
        let pass = self.recogniser.begin(self.engine.borrow().clone(), samples, request);
        turn.last = pass.map_or(LastPass::NotBegun, LastPass::Running);
    }

    async fn close_turn_if_over(&mut self) {
        let (Some(turn), Some(silent)) = (&self.turn, self.segmenter.silent_frames()) else { return };
        if self.is_held {
            return;
        }
        let enough = match &turn.last {
            _ if turn.is_ending => self.config.hint,
            LastPass::Done(words) => match completeness(&joined(words)) {
                Completeness::Complete => self.config.early_endpoint,
                Completeness::Unsure => (self.config.early_endpoint + self.config.endpoint) / 2,
                Completeness::Unfinished => self.config.endpoint,
            },
            LastPass::NotBegun | LastPass::Running(_) | LastPass::Failed => self.config.endpoint,
        };
        if silent >= frames(enough) {
            self.close_turn().await;
        }
    }

    /// Ends the utterance under way: hands on its words, or waits for them.
    async fn close_turn(&mut self) {
        let is_long_enough = self.segmenter.is_long_enough();
        if matches!(self.turn, Some(Turn { last: LastPass::NotBegun, .. })) {
            self.begin_last_pass();
        }
        let (Some(turn), Some(sound)) = (self.turn.take(), self.segmenter.end()) else { return };
        match turn.last {
            LastPass::Done(words) => self.hand_on(turn.id, &sound, &words).await,
            LastPass::Failed => self.kept.keep(Kept { id: turn.id, sound }),
            LastPass::Running(pass) => {
                self.closing.push_back(Closing { id: turn.id, sound, pass });
            }
            LastPass::NotBegun if is_long_enough => {
                // So many passes wait that this one found no room: it is decoded with the kept ones.
                self.kept.keep(Kept { id: turn.id, sound });
            }
            LastPass::NotBegun => {
                self.report(HearingEvent::Nothing { utterance: turn.id, at: sound.ended_at }).await;
            }
        }
    }

    async fn take_in(&mut self, done: PassDone) {
        if let Some(id) = self.kept.tried_by(done.id) {
            return self.take_in_retry(id, done.outcome).await;
        }
        if let Some(at) = self.closing.iter().position(|closing| closing.pass.id == done.id) {
            return self.take_in_closing(at, done).await;
        }
        let Some(turn) = &mut self.turn else { return };
        if turn.partial.as_ref().is_some_and(|pass| pass.id == done.id) {
            turn.partial = None;
            // A partial pass that failed costs nothing but a look: the final one decides.
            let Ok(words) = done.outcome else { return };
            if turn.shown_until >= SAMPLES_TO_TELL_LANGUAGE {
                turn.language.clone_from(&words.language);
            }
            self.show(&words).await;
        } else if matches!(&turn.last, LastPass::Running(pass) if pass.id == done.id) {
            match done.outcome {
                Ok(words) => {
                    self.recovered().await;
                    self.show(&words).await;
                    let second = self.think_twice(done.effort, &words, None);
                    if let Some(turn) = &mut self.turn {
                        turn.last = second.map_or(LastPass::Done(words), LastPass::Running);
                    }
                    self.close_turn_if_over().await;
                }
                Err(error) => {
                    turn.last = LastPass::Failed;
                    self.report_trouble(&error).await;
                }
            }
        }
    }

    async fn take_in_closing(&mut self, at: usize, done: PassDone) {
        let Some(closing) = self.closing.remove(at) else { return };
        match done.outcome {
            Ok(words) => {
                self.recovered().await;
                if let Some(pass) = self.think_twice(done.effort, &words, Some(&closing.sound)) {
                    return self.closing.insert(at, Closing { pass, ..closing });
                }
                self.hand_on(closing.id, &closing.sound, &words).await;
            }
            Err(error) => {
                self.kept.keep(Kept { id: closing.id, sound: closing.sound });
                self.report_trouble(&error).await;
            }
        }
    }

    /// Begins a thorough pass over this sound, or that of the utterance under way, where a final one left doubt.
    fn think_twice(
        &mut self,
        effort: DecodeEffort,
        words: &Transcription,
        sound: Option<&SpokenSound>,
    ) -> Option<RunningPass> {
        let is_doubtful = words
            .segments
            .iter()
            .any(|segment| trust::is_doubtful(&segment.text, segment.avg_logprob, &self.config.commands));
        if effort != DecodeEffort::Final || !is_doubtful {
            return None;
        }
        let samples = sound.map_or_else(|| self.segmenter.samples(), |sound| &sound.samples).to_vec();
        let request = DecodeRequest { language: words.language.clone(), effort: DecodeEffort::Thorough };
        self.recogniser.begin(self.engine.borrow().clone(), samples, request)
    }

    /// Shows words of the utterance under way.
    async fn show(&mut self, words: &Transcription) {
        let text = trust::believed(&self.config, words).0;
        if let (Some(turn), false) = (&self.turn, text.is_empty()) {
            let utterance = turn.id;
            self.report(HearingEvent::Partial { utterance, text }).await;
        }
    }

    async fn hand_on(&mut self, id: UtteranceId, sound: &SpokenSound, words: &Transcription) {
        let (text, confidence) = trust::believed(&self.config, words);
        let event = if text.is_empty() {
            HearingEvent::Nothing { utterance: id, at: sound.ended_at }
        } else {
            HearingEvent::Heard(Utterance {
                id,
                text,
                language: words.language.clone(),
                started_at: sound.started_at,
                ended_at: sound.ended_at,
                energy_rms: sound.energy_rms,
                confidence,
            })
        };
        self.report(event).await;
    }

    fn try_kept_again(&mut self) {
        let Some(oldest) = self.kept.due() else { return };
        let (id, samples) = (oldest.id, oldest.sound.samples.clone());
        let request = DecodeRequest { language: self.config.language.clone(), effort: DecodeEffort::Final };
        if let Some(pass) = self.recogniser.begin(self.engine.borrow().clone(), samples, request) {
            self.kept.tries(id, pass);
        }
    }

    async fn take_in_retry(&mut self, id: UtteranceId, outcome: Result<Transcription, TranscribeError>) {
        match outcome {
            Ok(words) => {
                self.recovered().await;
                if let Some(kept) = self.kept.take(id) {
                    self.hand_on(id, &kept.sound, &words).await;
                }
                self.try_kept_again();
            }
            Err(error) => self.report_trouble(&error).await,
        }
    }

    async fn report_trouble(&mut self, error: &TranscribeError) {
        if matches!(error, TranscribeError::Stopped) || self.is_troubled {
            return;
        }
        self.is_troubled = true;
        tracing::warn!(%error, "speech was not recognised");
        self.report(HearingEvent::Trouble(error.trouble())).await;
    }

    async fn recovered(&mut self) {
        if std::mem::take(&mut self.is_troubled) {
            self.report(HearingEvent::Recovered(Stage::Recognition)).await;
        }
    }

    async fn report(&mut self, event: HearingEvent) {
        // A closed channel means that the assistant is going: nobody is left to tell.
        let _ = self.events.send(event).await;
    }
}

fn joined(words: &Transcription) -> String {
    words.segments.iter().map(|segment| segment.text.trim()).collect::<Vec<_>>().join(" ")
}

/// Collects frames until a level is due.
#[derive(Default)]
struct Level {
    samples: Vec<f32>,
}

impl Level {
    fn take_in(&mut self, samples: &[f32; FRAME_SAMPLES]) -> Option<f32> {
        self.samples.extend_from_slice(samples);
        if self.samples.len() < LEVEL_FRAMES * FRAME_SAMPLES {
            return None;
        }
        let dbfs = energy_dbfs(&self.samples).ok();
        self.samples.clear();
        dbfs
    }
}
