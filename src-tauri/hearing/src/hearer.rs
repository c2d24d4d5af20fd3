//! The task that hears: frames in, [`HearingEvent`]s out.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{
    FRAME_SAMPLES, Frame, HearingEvent, Language, SAMPLE_RATE_HZ, Stage, Utterance, UtteranceId, energy_dbfs,
};

use crate::activity::VoiceActivity;
use crate::config::{HearingConfig, frames};
use crate::endpoint::{Completeness, completeness};
use crate::recogniser::{PassDone, Recogniser, RunningPass};
use crate::segmenter::{Segmenter, SegmenterEvent, SpokenSound};
use crate::speech_to_text::{DecodeEffort, DecodeRequest, SpeechToText, TranscribeError, Transcription};
use crate::trust;

/// New sound before the next words are shown: often enough to read along, seldom enough to leave the cores idle
/// half the time on a machine where a pass takes 0.3 s.
const PARTIAL_EVERY_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 7 / 10;

/// A language found in less sound than this is found again at the next pass.
const SAMPLES_TO_TELL_LANGUAGE: usize = SAMPLE_RATE_HZ as usize * 3 / 2;

/// Frames between two levels: ten levels a second.
const LEVEL_FRAMES: usize = 5;

/// When no frame arrives for so long while somebody speaks, the microphone is gone and the utterance ends here.
const FRAMES_OVERDUE: Duration = Duration::from_millis(500);

/// Utterances kept while recognition does not work: about half a minute of speech.
const KEPT_UTTERANCES: usize = 3;
/// What was said longer ago is no longer answered.
const KEPT_FOR: Duration = Duration::from_secs(120);
/// Kept utterances are tried again so often.
const RETRY_EVERY: Duration = Duration::from_secs(5);

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
        frames: inputs.frames,
        events: inputs.events,
        recogniser,
        results,
        turn: None,
        closing: VecDeque::new(),
        kept: VecDeque::new(),
        retry: None,
        retry_at: tokio::time::Instant::now(),
        is_troubled: false,
        next_utterance: 0,
        level: Level::default(),
    };
    hearer.listen(&stop).await;
    hearer.turn = None;
    hearer.closing.clear();
    hearer.retry = None;
    drop(hearer.results);
    hearer.recogniser.finish().await;
}

#[expect(clippy::large_enum_variant, reason = "made and taken apart once a frame, never stored")]
enum Event {
    Frame(Frame),
    /// No frame came in time.
    Overdue,
    Pass(PassDone),
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
    frames: mpsc::Receiver<Frame>,
    events: mpsc::Sender<HearingEvent>,
    recogniser: Recogniser,
    results: mpsc::Receiver<PassDone>,
    /// The utterance under way.
    turn: Option<Turn>,
    /// Utterances that ended and wait for their final pass, oldest first.
    closing: VecDeque<Closing>,
    /// Utterances that could not be recognised, oldest first.
    kept: VecDeque<Kept>,
    /// The kept utterance being tried again.
    retry: Option<RunningPass>,
    retry_at: tokio::time::Instant,
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
    pass: Option<RunningPass>,
}

struct Kept {
    id: UtteranceId,
    sound: SpokenSound,
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
        let waits_to_retry = !self.kept.is_empty() && self.retry.is_none();
        tokio::select! {
            biased; // Shutdown first: a talkative room must not keep us alive.
            () = stop.cancelled() => Event::Stopped,
            Some(done) = self.results.recv() => Event::Pass(done),
            Ok(()) = self.config_changes.changed() => Event::Configured,
            Ok(()) = self.engine.changed() => Event::EngineChanged,
            frame = self.frames.recv() => frame.map_or(Event::SoundEnded, Event::Frame),
            () = tokio::time::sleep(FRAMES_OVERDUE), if somebody_speaks => Event::Overdue,
            () = tokio::time::sleep_until(self.retry_at), if waits_to_retry => Event::RetryDue,
        }
    }

    async fn hear(&mut self, frame: &Frame) {
        if let Some(dbfs) = self.level.take_in(&frame.samples) {
            // A level is only for the eye: when nobody keeps up, the next one will do.
            let _ = self.events.try_send(HearingEvent::Level { dbfs });
        }
        let is_voiced = self.activity.is_voiced(&frame.samples);
        let voice_is_out = *self.voice_is_out.borrow();
        match self.segmenter.push(frame, is_voiced, voice_is_out) {
            Some(SegmenterEvent::Began { at }) => {
                let id = UtteranceId(self.next_utterance);
                self.next_utterance += 1;
                self.turn = Some(Turn {
                    id,
                    partial: None,
                    shown_until: 0,
                    last: LastPass::NotBegun,
                    language: self.config.language.clone(),
                });
                self.report(HearingEvent::SpeechStarted { utterance: id, at }).await;
            }
            Some(SegmenterEvent::MayBeOver) => self.begin_last_pass(),
            Some(SegmenterEvent::WentOn) => {
                if let Some(turn) = &mut self.turn {
                    // Dropping the pass calls it off: it misses the words to come.
                    turn.last = LastPass::NotBegun;
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
        let request = DecodeRequest { language: turn.language.clone(), effort: DecodeEffort::Final };
        let samples = self.segmenter.samples().to_vec();
        let pass = self.recogniser.begin(self.engine.borrow().clone(), samples, request);
        turn.last = pass.map_or(LastPass::NotBegun, LastPass::Running);
    }

    async fn close_turn_if_over(&mut self) {
        let (Some(turn), Some(silent)) = (&self.turn, self.segmenter.silent_frames()) else { return };
        let enough = match &turn.last {
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
            LastPass::Failed => self.keep(Kept { id: turn.id, sound }),
            LastPass::Running(pass) => {
                self.closing.push_back(Closing { id: turn.id, sound, pass: Some(pass) });
            }
            LastPass::NotBegun if is_long_enough => {
                // So many passes wait that this one found no room: it is decoded with the kept ones.
                self.keep(Kept { id: turn.id, sound });
            }
            LastPass::NotBegun => {
                self.report(HearingEvent::Nothing { utterance: turn.id, at: sound.ended_at }).await;
            }
        }
    }

    async fn take_in(&mut self, done: PassDone) {
        if self.retry.as_ref().is_some_and(|pass| pass.id == done.id) {
            self.retry = None;
            return self.take_in_retry(done.outcome).await;
        }
        let closing =
            self.closing.iter().position(|c| c.pass.as_ref().is_some_and(|pass| pass.id == done.id));
        if let Some(closing) = closing.and_then(|i| self.closing.remove(i)) {
            return match done.outcome {
                Ok(words) => {
                    self.recovered().await;
                    self.hand_on(closing.id, &closing.sound, &words).await;
                }
                Err(error) => {
                    self.keep(Kept { id: closing.id, sound: closing.sound });
                    self.report_trouble(&error).await;
                }
            };
        }
        let Some(turn) = &mut self.turn else { return };
        if turn.partial.as_ref().is_some_and(|pass| pass.id == done.id) {
            turn.partial = None;
            // A partial pass that failed costs nothing but a look: the final one decides.
            let Ok(words) = done.outcome else { return };
            if turn.shown_until >= SAMPLES_TO_TELL_LANGUAGE {
                turn.language.clone_from(&words.language);
            }
            let (utterance, text) = (turn.id, believed(&self.config, &words).0);
            if !text.is_empty() {
                self.report(HearingEvent::Partial { utterance, text }).await;
            }
        } else if matches!(&turn.last, LastPass::Running(pass) if pass.id == done.id) {
            match done.outcome {
                Ok(words) => {
                    let (utterance, text) = (turn.id, believed(&self.config, &words).0);
                    turn.last = LastPass::Done(words);
                    self.recovered().await;
                    if !text.is_empty() {
                        self.report(HearingEvent::Partial { utterance, text }).await;
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

    async fn hand_on(&mut self, id: UtteranceId, sound: &SpokenSound, words: &Transcription) {
        let (text, confidence) = believed(&self.config, words);
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

    fn keep(&mut self, kept: Kept) {
        self.retry_at = tokio::time::Instant::now() + RETRY_EVERY;
        self.kept.push_back(kept);
        while self.kept.len() > KEPT_UTTERANCES {
            self.kept.pop_front();
        }
    }

    fn try_kept_again(&mut self) {
        self.retry_at = tokio::time::Instant::now() + RETRY_EVERY;
        let now = Instant::now();
        self.kept.retain(|kept| now.saturating_duration_since(kept.sound.ended_at) < KEPT_FOR);
        let Some(oldest) = self.kept.front() else { return };
        if self.retry.is_none() {
            let request =
                DecodeRequest { language: self.config.language.clone(), effort: DecodeEffort::Final };
            let samples = oldest.sound.samples.clone();
            self.retry = self.recogniser.begin(self.engine.borrow().clone(), samples, request);
        }
    }

    async fn take_in_retry(&mut self, outcome: Result<Transcription, TranscribeError>) {
        match outcome {
            Ok(words) => {
                self.recovered().await;
                if let Some(kept) = self.kept.pop_front() {
                    self.hand_on(kept.id, &kept.sound, &words).await;
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

/// The words of a transcription that both filters let through, and how sure they are.
fn believed(config: &HearingConfig, words: &Transcription) -> (String, f32) {
    let mut text = String::new();
    let mut least_sure: f32 = 1.0;
    for segment in &words.segments {
        let lower = segment.text.to_lowercase();
        let names_us = config.names.iter().any(|name| lower.contains(name.as_str()));
        let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
        let is_command = config.commands.iter().any(|command| command == bare);
        let bar = match (is_command, names_us) {
            (true, _) => 0.0,
            (_, true) => config.min_confidence / 2.0,
            _ => config.min_confidence,
        };
        let is_kept =
            trust::keep_segment(segment.avg_logprob, segment.no_speech_prob, bar, config.no_speech_threshold);
        if !is_kept || is_sound_label(&segment.text) {
            continue;
        }
        least_sure = least_sure.min(trust::confidence(segment.avg_logprob, segment.no_speech_prob));
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(segment.text.trim());
    }
    if trust::is_repetitive(&text) {
        text.clear();
    }
    (text, least_sure)
}

/// Whisper writes sounds that are no words in brackets: `[Music]`, `(coughs)`, `*sighs*`.
fn is_sound_label(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.');
    [('[', ']'), ('(', ')'), ('*', '*')].iter().any(|(open, close)| {
        text.len() > 1
            && text.starts_with(*open)
            && text.ends_with(*close)
            && text.matches(*open).count() <= 2
    })
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

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::{HearingSettings, ListeningSettings};

    use super::*;
    use crate::speech_to_text::RecognisedSegment;

    #[rstest]
    #[case::sure("what time is it", -0.2, "what time is it")]
    #[case::not_sure("what time is it", -0.8, "")]
    #[case::not_sure_but_names_us("jarvis what time is it", -0.8, "jarvis what time is it")]
    #[case::a_command_however_unsure("Stop!", -1.2, "Stop!")]
    #[case::a_sound("[Music]", -0.1, "")]
    #[case::a_loop("no no no no no", -0.1, "")]
    fn believes_words(#[case] text: &str, #[case] avg_logprob: f32, #[case] expected: &str) {
        let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
        let segment = RecognisedSegment {
            text: text.into(),
            avg_logprob: Some(avg_logprob),
            no_speech_prob: Some(0.0),
        };
        let words = Transcription { segments: vec![segment], language: None };

        assert_eq!(believed(&config, &words).0, expected);
    }
}
