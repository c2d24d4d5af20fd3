//! The hearing task: frames in, [`HearingEvent`]s out.

mod name_check; // utterances that are decoded once the name was spotted
mod reporting; // of what was heard
mod retrying; // utterances that recognition failed on

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{Frame, HearingEvent, SAMPLE_RATE_HZ, TalkOrder, UtteranceId};

use crate::activity::VoiceActivity;
use crate::config::{HearingConfig, frames};
use crate::current_utterance::{ClosingUtterance, CurrentUtterance, FinalPass, VoteId};
use crate::decoder::{DecoderThread, FinishedPass, PassOutcome, PassWork, RunningPass};
use crate::endpoint_vote::EndpointVotes;
use crate::filters::{self, AcceptedWords, Doubt};
use crate::inputs::HearingInputs;
use crate::level::LevelMeter;
use crate::name_gate::NameGate;
use crate::pace::DecodingPace;
use crate::pass_timing::PassClock;
use crate::retry::{RetryQueue, UndecodedUtterance};
use crate::segmenter::{Segmenter, SegmenterEvent, SpeechLimits, UtteranceAudio};
use crate::speech_to_text::{DecodeEffort, DecodeRequest, SpeechToText, TranscribeError};
use crate::wordless::WordlessSound;

/// The part of a stop word that is voiced, as a divisor: "Stop!" lasts 0.35 s, and is voiced for 0.14 s.
const VOICED_PART_OF_STOP: u32 = 2;
/// The least sound that decides the language of an utterance; after a shorter pass, the next one detects it again.
const MIN_LANGUAGE_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 3 / 2;

/// When no frame arrives for this long while the user speaks, the microphone has failed and the utterance ends.
const FRAME_TIMEOUT: Duration = Duration::from_millis(500);

/// The longest utterance while the talk key is held. Source: recognisers of the Whisper family take 30 s at once.
const MAX_UTTERANCE_WHILE_HELD: Duration = Duration::from_secs(29);

/// Runs until `stop` is cancelled or the frames end.
///
/// Not cancel-safe: end it with `stop`, because a drop can lose the utterance that is being decoded.
pub async fn run(inputs: HearingInputs, stop: CancellationToken) {
    let (decoder, results) = DecoderThread::start();
    let config = inputs.config.borrow().clone();
    let mut task = HearingTask {
        segmenter: Segmenter::new(config.clone()),
        config,
        activity: inputs.activity,
        engine: inputs.engine,
        gate: NameGate::new(inputs.keyword_spotter, inputs.needs_all_words),
        config_changes: inputs.config,
        is_voice_playing: inputs.is_voice_playing,
        orders: inputs.orders,
        is_key_held: false,
        frames: inputs.frames,
        events: inputs.events,
        decoder,
        pace: DecodingPace::default(),
        clock: PassClock::new(inputs.timing),
        results,
        votes: EndpointVotes::new(inputs.endpoint_model, inputs.timing),
        current: None,
        wordless: WordlessSound::default(),
        closing: VecDeque::new(),
        retries: RetryQueue::new(),
        is_failing: false,
        next_id: 0,
        level: LevelMeter::default(),
    };
    task.run(&stop).await;
    task.current = None;
    task.closing.clear();
    task.retries.cancel();
    drop(task.results);
    task.votes.finish().await;
    task.decoder.finish().await;
}

#[expect(clippy::large_enum_variant, reason = "made and taken apart once a frame, never stored")]
enum HearingInput {
    Frame(Frame),
    /// No frame came within [`FRAME_TIMEOUT`].
    FrameTimeout,
    PassFinished(FinishedPass),
    /// The sound says with this probability that the user has finished; `None` if that failed.
    Vote(VoteId, Option<f32>),
    Order(TalkOrder),
    ConfigChanged,
    EngineChanged,
    RetryDue,
    /// The stream of frames ended; the last utterances may still be decoding.
    FramesEnded,
    Stopped,
}

struct HearingTask {
    config: HearingConfig,
    segmenter: Segmenter,
    activity: Box<dyn VoiceActivity>,
    engine: watch::Receiver<Arc<dyn SpeechToText>>,
    gate: NameGate,
    config_changes: watch::Receiver<HearingConfig>,
    is_voice_playing: watch::Receiver<bool>,
    orders: mpsc::Receiver<TalkOrder>,
    /// While the talk key is held, no pause ends the current utterance.
    is_key_held: bool,
    frames: mpsc::Receiver<Frame>,
    events: mpsc::Sender<HearingEvent>,
    decoder: DecoderThread,
    pace: DecodingPace,
    clock: PassClock,
    results: mpsc::Receiver<FinishedPass>,
    votes: EndpointVotes,
    current: Option<CurrentUtterance>,
    /// The last utterance, if recognition found no words in it.
    wordless: WordlessSound,
    /// Oldest first.
    closing: VecDeque<ClosingUtterance>,
    retries: RetryQueue,
    /// Recognition failed, and the user was told.
    is_failing: bool,
    next_id: u64,
    level: LevelMeter,
}

impl HearingTask {
    async fn run(&mut self, stop: &CancellationToken) {
        loop {
            match self.next_event(stop).await {
                HearingInput::Frame(frame) => self.push_frame(&frame).await,
                HearingInput::FrameTimeout => {
                    self.end_current().await;
                    self.segmenter.reset();
                    self.activity.reset();
                }
                HearingInput::PassFinished(pass) => self.accept_result(pass).await,
                HearingInput::Vote(id, finished) => {
                    if let Some(current) = &mut self.current {
                        current.accept_vote(id, finished);
                    }
                    self.end_current_if_silent().await;
                }
                HearingInput::Order(order) => self.apply_order(order).await,
                HearingInput::ConfigChanged => {
                    self.config = self.config_changes.borrow_and_update().clone();
                    self.segmenter.configure(self.config.clone());
                }
                HearingInput::EngineChanged => {
                    self.engine.mark_unchanged();
                    self.retry_next();
                }
                HearingInput::RetryDue => self.retry_next(),
                HearingInput::FramesEnded => {
                    self.end_current().await;
                    return self.finish_closing(stop).await;
                }
                HearingInput::Stopped => return,
            }
        }
    }

    /// Waits until the utterances that ended are decoded.
    async fn finish_closing(&mut self, stop: &CancellationToken) {
        while !self.closing.is_empty() {
            let Some(Some(pass)) = stop.run_until_cancelled(self.results.recv()).await else { return };
            self.accept_result(pass).await;
        }
    }

    async fn next_event(&mut self, stop: &CancellationToken) -> HearingInput {
        let next_retry = self.retries.next_retry();
        let retry_at = next_retry.unwrap_or_else(tokio::time::Instant::now);
        let takes_frames = self.clock.takes_frames() && self.votes.takes_frames();
        let may_time_out = self.current.is_some() && self.clock.is_live();
        tokio::select! {
            biased; // Shutdown first: a constant stream of frames must not delay it.
            () = stop.cancelled() => HearingInput::Stopped,
            Some(pass) = self.results.recv(), if self.clock.takes_results() => HearingInput::PassFinished(pass),
            (id, finished) = self.votes.next() => HearingInput::Vote(id, finished),
            Some(order) = self.orders.recv() => HearingInput::Order(order),
            Ok(()) = self.config_changes.changed() => HearingInput::ConfigChanged,
            Ok(()) = self.engine.changed() => HearingInput::EngineChanged,
            frame = self.frames.recv(), if takes_frames => frame.map_or(HearingInput::FramesEnded, HearingInput::Frame),
            () = tokio::time::sleep(FRAME_TIMEOUT), if may_time_out => HearingInput::FrameTimeout,
            () = tokio::time::sleep_until(retry_at), if next_retry.is_some() => HearingInput::RetryDue,
        }
    }

    async fn apply_order(&mut self, order: TalkOrder) {
        self.is_key_held = order == TalkOrder::Hold;
        if order == TalkOrder::Discard {
            if let (Some(current), Some(audio)) = (self.current.take(), self.segmenter.end()) {
                self.report(HearingEvent::Nothing { utterance: current.id, at: audio.ended_at }).await;
            }
            self.segmenter.forget_pre_roll();
        } else if let Some(current) = &mut self.current {
            current.is_ending = order == TalkOrder::Finish;
        }
        self.report(HearingEvent::TalkKey(order)).await;
        self.end_current_if_silent().await;
    }

    fn speech_limits(&self) -> SpeechLimits {
        let max_length = match (self.is_key_held, *self.is_voice_playing.borrow()) {
            (true, _) => MAX_UTTERANCE_WHILE_HELD,
            (false, true) => self.config.max_utterance_while_speaking,
            (false, false) => self.config.max_utterance,
        };
        SpeechLimits {
            pause: self.pace.final_pass_silence(self.segmenter.voiced(), &self.config),
            max_length,
        }
    }

    /// Returns `true` if the current utterance is longer than a click or a cough. Over our voice a bare stop word is enough.
    fn is_long_enough(&self) -> bool {
        let divisor = if *self.is_voice_playing.borrow() { VOICED_PART_OF_STOP } else { 1 };
        self.segmenter.is_voiced_for(self.config.min_utterance / divisor)
    }

    async fn push_frame(&mut self, frame: &Frame) {
        self.clock.count_frame();
        self.votes.count_frame();
        if let Some(dbfs) = self.level.push(&frame.samples) {
            // A lost level does no harm: the next one follows in a tenth of a second.
            let _ = self.events.try_send(HearingEvent::Level { dbfs });
        }
        let is_voiced = self.activity.is_voiced(&frame.samples);
        match self.segmenter.push(frame, is_voiced, self.speech_limits()) {
            Some(SegmenterEvent::SpeechStarted { at }) => {
                let id = UtteranceId(self.next_id);
                self.next_id += 1;
                let language = self.config.language.clone();
                self.current = Some(CurrentUtterance::new(id, language, self.gate.is_open()));
                let at = self.prepend_wordless(at);
                self.report(HearingEvent::SpeechStarted { utterance: id, at }).await;
            }
            Some(SegmenterEvent::PauseStarted) => self.begin_final_pass(),
            Some(SegmenterEvent::SpeechResumed) => {
                if let Some(current) = &mut self.current
                    && let FinalPass::Running(pass) =
                        std::mem::replace(&mut current.final_pass, FinalPass::NotStarted)
                {
                    // The pass misses the words that follow, but its words are good enough for the screen.
                    current.partial_pass = Some(pass);
                }
            }
            Some(SegmenterEvent::MaxLengthReached) => {
                if let Some(current) = &mut self.current {
                    current.final_pass = FinalPass::NotStarted;
                }
                self.end_current().await;
                return;
            }
            None => self.begin_partial_pass_if_due(),
        }
        self.decode_if_needed();
        if let (Some(current), false) = (&mut self.current, self.is_key_held) {
            self.votes.ask_in_pause(current, &self.segmenter, &self.config);
        }
        self.end_current_if_silent().await;
    }

    /// Begins a partial pass when there is enough new sound and the decoder is free.
    fn begin_partial_pass_if_due(&mut self) {
        let Some(current) = &mut self.current else { return };
        let samples = self.segmenter.samples();
        let is_speaking = self.segmenter.silent_frames() == Some(0);
        let is_decoder_free = current.can_start_partial_pass() && self.closing.is_empty();
        let has_new_sound = samples.len() >= current.samples_decoded + self.pace.partial_pass_samples();
        if !is_speaking || !is_decoder_free || !has_new_sound {
            return;
        }
        let pass = self.begin_current_pass(DecodeEffort::Partial);
        if let Some(current) = &mut self.current {
            current.partial_pass = pass;
        }
    }

    fn begin_final_pass(&mut self) {
        if !self.is_long_enough() {
            return;
        }
        let Some(current) = &mut self.current else { return };
        current.partial_pass = None;
        let pass = self.begin_current_pass(DecodeEffort::Final);
        if let Some(current) = &mut self.current {
            current.final_pass = pass.map_or(FinalPass::NotStarted, FinalPass::Running);
        }
    }

    /// Queues a pass over the current utterance: it decodes, or looks for the name.
    fn begin_current_pass(&mut self, effort: DecodeEffort) -> Option<RunningPass> {
        let current = self.current.as_mut()?;
        let samples = self.segmenter.samples();
        current.samples_decoded = samples.len();
        if let Some(check) = self.gate.check(current, samples, &self.config.names) {
            let pass = self.decoder.begin(PassWork::FindName(check))?;
            self.clock.queue_check();
            return Some(pass);
        }
        let request = self.config.request(current.language.clone(), effort);
        let samples = samples.to_vec();
        self.begin_pass(samples, request)
    }

    /// Queues a pass; `None` when the queue is full.
    fn begin_pass(&mut self, samples: Vec<f32>, request: DecodeRequest) -> Option<RunningPass> {
        let engine = self.engine.borrow().clone();
        let pass = self.decoder.begin(PassWork::Decode { engine, samples, request })?;
        self.clock.queue_pass();
        Some(pass)
    }

    /// Puts the sound of the last utterance before the current one, if recognition found no words in it and it ended
    /// just before `started_at`. Returns the start of the current utterance.
    fn prepend_wordless(&mut self, started_at: Instant) -> Instant {
        let Some(before) = self.wordless.take_before(started_at) else { return started_at };
        // Sound while our own voice plays is mostly ours, and it would fill the short utterances of that time.
        if *self.is_voice_playing.borrow() {
            return started_at;
        }
        let earlier = before.started_at;
        self.segmenter.prepend(before);
        if let Some(current) = &mut self.current {
            // A pass that runs or has ended misses the sound before.
            current.partial_pass = None;
            current.samples_checked = 0;
            let is_paused = !matches!(current.final_pass, FinalPass::NotStarted);
            current.final_pass = FinalPass::NotStarted;
            if is_paused {
                self.begin_final_pass();
            }
        }
        earlier
    }

    async fn end_current_if_silent(&mut self) {
        let (Some(current), Some(silent_frames)) = (&self.current, self.segmenter.silent_frames()) else {
            return;
        };
        if !self.is_key_held && silent_frames >= frames(current.closing_silence(&self.config)) {
            self.end_current().await;
        }
    }

    /// Ends the current utterance: reports its words, or waits for them.
    async fn end_current(&mut self) {
        let is_long_enough = self.is_long_enough();
        if matches!(self.current, Some(CurrentUtterance { final_pass: FinalPass::NotStarted, .. })) {
            self.begin_final_pass();
        }
        let (Some(current), Some(audio)) = (self.current.take(), self.segmenter.end()) else { return };
        match current.final_pass {
            FinalPass::Done(words) => self.report_utterance(current.id, audio, &words).await,
            FinalPass::Uncalled => self.keep_uncalled(UndecodedUtterance { id: current.id, audio }).await,
            FinalPass::Failed => self.postpone(UndecodedUtterance { id: current.id, audio }).await,
            FinalPass::Running(pass) => {
                self.closing.push_back(ClosingUtterance { id: current.id, audio, pass });
            }
            FinalPass::NotStarted if is_long_enough => {
                // The queue of passes is full: decode the utterance later.
                self.postpone(UndecodedUtterance { id: current.id, audio }).await;
            }
            FinalPass::NotStarted => {
                self.report(HearingEvent::Nothing { utterance: current.id, at: audio.ended_at }).await;
            }
        }
    }

    async fn accept_result(&mut self, pass: FinishedPass) {
        let duration = self.clock.end_pass(pass.duration);
        let (words, effort, is_prompted) = match pass.outcome {
            PassOutcome::Words { words, effort, is_prompted } => (words, effort, is_prompted),
            PassOutcome::Name(found) => return self.accept_name_check(pass.id, found).await,
        };
        if words.is_ok() && effort != DecodeEffort::Thorough {
            self.pace.record_pass(duration);
        }
        let outcome = words.map(|words| filters::accepted_words(&self.config, &words, is_prompted));
        if let Some(id) = self.retries.end_running(pass.id) {
            return self.accept_retry_result(id, outcome).await;
        }
        if let Some(index) = self.closing.iter().position(|closing| closing.pass.id == pass.id) {
            return self.accept_closing_result(index, effort, outcome).await;
        }
        let Some(current) = &mut self.current else { return };
        if current.partial_pass.as_ref().is_some_and(|partial| partial.id == pass.id) {
            current.partial_pass = None;
            // A failed partial pass is ignored: the final pass decides.
            let Ok(words) = outcome else { return };
            if words.is_language_sure && current.samples_decoded >= MIN_LANGUAGE_SAMPLES {
                current.language.clone_from(&words.language);
            }
            self.report_partial(&words).await;
        } else if matches!(&current.final_pass, FinalPass::Running(last) if last.id == pass.id) {
            match outcome {
                Ok(words) => {
                    self.report_recovery().await;
                    self.report_partial(&words).await;
                    let second_pass = self.begin_second_pass_if_doubtful(effort, &words, None);
                    if let Some(current) = &mut self.current {
                        current.final_pass = second_pass.map_or(FinalPass::Done(words), FinalPass::Running);
                    }
                    self.end_current_if_silent().await;
                }
                Err(error) => {
                    current.final_pass = FinalPass::Failed;
                    self.report_failure(&error).await;
                }
            }
        }
    }

    async fn accept_closing_result(
        &mut self,
        index: usize,
        effort: DecodeEffort,
        outcome: Result<AcceptedWords, TranscribeError>,
    ) {
        let Some(closing) = self.closing.remove(index) else { return };
        match outcome {
            Ok(words) => {
                self.report_recovery().await;
                let second_pass = self.begin_second_pass_if_doubtful(effort, &words, Some(&closing.audio));
                if let Some(pass) = second_pass {
                    return self.closing.insert(index, ClosingUtterance { pass, ..closing });
                }
                self.report_utterance(closing.id, closing.audio, &words).await;
            }
            Err(error) => {
                self.report_failure(&error).await;
                self.postpone(UndecodedUtterance { id: closing.id, audio: closing.audio }).await;
            }
        }
    }

    /// Begins a thorough pass when the words of a final pass are doubtful. The language is detected anew, over the whole
    /// utterance. `audio` is that of a closing utterance; `None` means the current one.
    fn begin_second_pass_if_doubtful(
        &mut self,
        effort: DecodeEffort,
        words: &AcceptedWords,
        audio: Option<&UtteranceAudio>,
    ) -> Option<RunningPass> {
        let doubt = words.doubt.filter(|_| effort == DecodeEffort::Final)?;
        let samples = audio.map_or_else(|| self.segmenter.samples(), |audio| &audio.samples).to_vec();
        let mut request = self.config.request(self.config.language.clone(), DecodeEffort::Thorough);
        if doubt == Doubt::PromptEcho {
            request.name = None;
        }
        self.begin_pass(samples, request)
    }
}
