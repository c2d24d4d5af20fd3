//! The rules that decide whom an utterance was meant for. No clock, no channel and no model in here.
//!
//! [`crate::decision`] decides; here are the state that it needs, and what goes beyond it: continued and corrected
//! queries, the wake word after a sentence, and stop commands while nothing is spoken.
//!
//! Source: docs/behaviour/listening.md#decision.

mod doubt;
mod past_utterance;
mod talk_key;

use std::time::{Duration, Instant};

use vocabulary::{Utterance, VoiceMatch};

pub use self::doubt::Doubt;
use self::doubt::Moment;
use self::past_utterance::PastUtterance;
use crate::config::ListeningConfig;
use crate::decision::{self, Assessment, Decision, EchoSign, IgnoreReason, Judgement, NextStep};
use crate::hot_window::{HotWindowChange, HotWindowTimer};
use crate::judge::{IntentVerdict, JudgeInput, JudgePrompt};
use crate::overlap::{Overlap, Span};
use crate::own_voice::OwnVoice;
use crate::stop::{is_lone_stop_word, is_stop_command, is_stop_in_any_language};
use crate::transcript::Transcript;

/// A correction ("No, I meant Paris") belongs to a query that ended no longer ago.
const MAX_CORRECTION_GAP: Duration = Duration::from_secs(30);

/// The user takes a query back no later than this after its end. Source: the slowest models that we support begin to answer
/// within two minutes.
const MAX_THINKING: Duration = Duration::from_secs(120);

/// The longest text, in words, that can be a stop command while a query is unanswered, after the wake word, or in the hot
/// window: "stop the timer" is a query.
const MAX_STOP_WORDS: usize = 2;

/// Whom an utterance was meant for.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Meant for us: answer it.
    Directed {
        /// The question, without the wake word.
        query: String,
        /// The query contains the words of the previous one and replaces it.
        continues_previous: bool,
    },
    /// The wake word alone: a query should follow.
    WakeWordOnly,
    /// A command to stop speaking.
    Stop,
    /// Our own voice.
    Echo,
    /// Not meant for us.
    Overheard,
    /// The rules are unsure: the intent judge knows. [`Attention::resolve`] takes its answer.
    Unsure(Box<Doubt>),
}

/// Judges utterances.
pub struct Attention {
    config: ListeningConfig,
    transcript: Transcript,
    hot_window: HotWindowTimer,
    own_voice: OwnVoice,
    /// The newest query, until we start to speak the reply.
    unanswered: Option<PastUtterance>,
    /// The newest utterance that waits for the intent judge, without the wake word.
    doubted: Option<PastUtterance>,
    /// The query whose reply we speak.
    being_answered: Option<PastUtterance>,
    /// The newest utterance, if it was overheard. When the wake word alone follows, it was meant for us.
    overheard: Option<PastUtterance>,
    /// Utterances that started before this were discarded by the user.
    discarded_until: Option<Instant>,
    /// The hot window was opened by the talk key: whoever presses it is answered.
    is_opened_by_key: bool,
}

impl Attention {
    /// The initial state: the hot window is closed.
    pub fn new(config: ListeningConfig) -> Self {
        Self {
            transcript: Transcript::new(config.transcript_length),
            config,
            hot_window: HotWindowTimer::default(),
            own_voice: OwnVoice::default(),
            unanswered: None,
            doubted: None,
            being_answered: None,
            overheard: None,
            discarded_until: None,
            is_opened_by_key: false,
        }
    }

    /// Uses new settings from the next utterance on.
    pub fn configure(&mut self, config: ListeningConfig) {
        self.transcript.set_max_age(config.transcript_length);
        self.config = config;
    }

    /// The time that the intent judge may take.
    pub(crate) fn judge_timeout(&self) -> Duration {
        self.config.judge_timeout.unwrap_or_default()
    }

    /// Notes the level of the microphone, in decibels relative to full scale: an echo is not much louder than the room.
    pub fn hear_level(&mut self, dbfs: f32) {
        self.own_voice.hear_level(dbfs);
    }

    /// Notes that we started to speak.
    pub fn speech_started(&mut self, at: Instant) {
        // A reply that goes on after a pause, or a sound of ours, answers no other query.
        self.being_answered = self.unanswered.take().or(self.being_answered.take());
        self.own_voice.start(at);
    }

    /// Notes that we started to speak a sentence.
    pub fn sentence_spoken(&mut self, text: &str, at: Instant, duration: Duration) {
        self.own_voice.add_sentence(text, at, duration);
    }

    /// Notes that we spoke a reply to its end. Returns when to call [`Attention::tick`] to open the hot window.
    pub fn speech_finished(&mut self, at: Instant) -> Option<Instant> {
        self.own_voice.stop(at);
        self.is_opened_by_key = false;
        self.config.hot_window?;
        Some(self.hot_window.schedule(at, self.config.echo_tolerance))
    }

    /// Notes that our speech was interrupted: no hot window opens.
    pub fn speech_interrupted(&mut self, at: Instant) {
        self.own_voice.interrupt(at);
    }

    /// When to call [`Attention::tick`] next.
    pub fn next_tick(&self) -> Option<Instant> {
        self.hot_window.next_tick()
    }

    /// Opens and closes the hot window when it is time.
    pub fn tick(&mut self, now: Instant) -> Option<HotWindowChange> {
        self.hot_window.tick(now, self.config.hot_window)
    }

    /// Closes the hot window: a query was accepted, or the user wants silence.
    pub fn close_hot_window(&mut self, now: Instant) -> Option<HotWindowChange> {
        self.hot_window.reset(now)
    }

    /// Returns `true` if words that are still being said may become a query: the name is among them, or none is needed.
    pub fn may_become_query(&self, words_so_far: &str) -> bool {
        let is_called = || self.config.wake_word.is_in(&words_so_far.to_lowercase());
        self.hot_window.is_open() || !self.own_voice.is_speaking() && is_called()
    }

    /// Returns `true` while an utterance may matter that has no name in it: in the hot window, while we speak, and while we
    /// think about a query, which the user may continue, correct or take back.
    pub fn needs_all_words(&self, now: Instant) -> bool {
        let is_pending =
            |query: &PastUtterance| now.saturating_duration_since(query.ended_at) <= MAX_THINKING;
        self.hot_window.is_open_or_about_to()
            || self.own_voice.is_speaking()
            || self.unanswered.iter().chain(&self.doubted).any(is_pending)
    }

    /// Decides whom an utterance was meant for. The *start* of the utterance counts: recognition can take longer than
    /// the hot window is open, and a slow machine must not lose a follow-up.
    pub fn judge(&mut self, utterance: &Utterance, now: Instant) -> Verdict {
        let may_contain_echo = self.own_voice.may_be_heard_in(utterance, &self.config);
        self.transcript.add(&utterance.text, utterance.started_at, utterance.ended_at, may_contain_echo, now);
        let verdict = self.verdict(utterance, now);
        let verdict = self.for_voice(utterance, verdict);
        let text = self.transcript.last(1).next().map(|segment| segment.text.clone()).unwrap_or_default();
        self.note(utterance, &text, &verdict);
        verdict
    }

    /// Adds talk from before a request to the transcript. It is context: nobody called us, so it is answered in no case.
    pub fn add_talk(&mut self, talk: &Utterance, now: Instant) {
        let may_contain_echo = self.own_voice.may_be_heard_in(talk, &self.config);
        self.transcript.add(&talk.text, talk.started_at, talk.ended_at, may_contain_echo, now);
    }

    /// Decides about an utterance that the rules were unsure of, with the answer of the intent judge. Without one, the
    /// rules decide alone.
    pub fn resolve(&mut self, doubt: &Doubt, answer: Option<&str>) -> Verdict {
        let utterance = &doubt.utterance;
        let wake_word = &self.config.wake_word;
        let verdict = answer
            .and_then(|answer| IntentVerdict::parse(answer, &wake_word.display_name(), wake_word.names()));
        let judged = verdict.as_ref().map_or(Judgement::NoVerdict, Judgement::Verdict);
        let verdict = if self.is_discarded(utterance) {
            Verdict::Overheard
        } else {
            self.conclude(utterance, &doubt.assessment, &doubt.moment, judged)
        };
        if self.doubted.as_ref().is_some_and(|doubted| doubted.ended_at == utterance.ended_at) {
            self.doubted = None;
        }
        self.note(utterance, &doubt.assessment.text, &verdict);
        verdict
    }

    /// Forgets what the user asked before: the next words are no part of it.
    fn forget_queries(&mut self) {
        self.unanswered = None;
        self.doubted = None;
        self.being_answered = None;
    }

    /// Notes that no utterance waits for the intent judge any more.
    pub(crate) fn forget_doubt(&mut self) {
        self.doubted = None;
    }

    /// Remembers what follows from a verdict. `text` is that of the segment in the transcript.
    fn note(&mut self, utterance: &Utterance, text: &str, verdict: &Verdict) {
        if matches!(verdict, Verdict::Directed { .. } | Verdict::Stop | Verdict::WakeWordOnly) {
            self.transcript.mark_processed(text);
        }
        match verdict {
            Verdict::Directed { query, .. } => {
                self.unanswered = Some(PastUtterance { text: query.clone(), ended_at: utterance.ended_at });
                self.forget_doubt_before(utterance);
            }
            Verdict::Stop => self.forget_queries(),
            Verdict::WakeWordOnly => {
                self.hot_window.start_span(utterance.ended_at);
                self.forget_doubt_before(utterance);
            }
            Verdict::Unsure(doubt) => {
                let text = doubt.words(&self.config);
                self.doubted = Some(PastUtterance { text, ended_at: utterance.ended_at });
            }
            Verdict::Echo | Verdict::Overheard => {}
        }
        if self.overheard.as_ref().is_some_and(|newer| newer.ended_at > utterance.ended_at) {
            return;
        }
        let is_of_stranger = utterance.voice == VoiceMatch::Unknown;
        let can_be_completed =
            *verdict == Verdict::Overheard && !is_of_stranger && !self.is_discarded(utterance);
        self.overheard =
            can_be_completed.then(|| PastUtterance { text: text.to_owned(), ended_at: utterance.ended_at });
    }

    fn forget_doubt_before(&mut self, utterance: &Utterance) {
        self.doubted = self.doubted.take().filter(|doubted| doubted.ended_at > utterance.ended_at);
    }

    /// The verdict that is left when the speaker is not one of the enrolled ones: only a stop is obeyed, and whoever
    /// presses the talk key is answered.
    fn for_voice(&self, utterance: &Utterance, verdict: Verdict) -> Verdict {
        let by_key = || self.is_opened_by_key && self.hot_window.contains(utterance);
        match verdict {
            Verdict::Stop | Verdict::Echo => verdict,
            _ if utterance.voice == VoiceMatch::Unknown && !by_key() => Verdict::Overheard,
            _ => verdict,
        }
    }

    fn is_discarded(&self, utterance: &Utterance) -> bool {
        self.discarded_until.is_some_and(|until| utterance.started_at < until)
    }

    fn verdict(&mut self, utterance: &Utterance, now: Instant) -> Verdict {
        if self.is_discarded(utterance) {
            return Verdict::Overheard;
        }
        let Some(moment) = self.moment(utterance) else { return Verdict::Echo };
        let assessment = decision::assess(&moment.situation(), &self.config.rules());
        if assessment.text != utterance.text.trim() {
            self.transcript.replace_last(&assessment.text);
        }
        let is_query_unanswered =
            (self.unanswered.is_some() || self.doubted.is_some()) && !moment.is_speaking;
        if is_query_unanswered && self.takes_back(&assessment.text) {
            return Verdict::Stop;
        }
        if moment.goes_on_with_doubt || self.is_in_doubt(utterance, &assessment, &moment) {
            let prompt = self.prompt(moment.in_hot_window, now);
            return Verdict::Unsure(Box::new(Doubt {
                utterance: utterance.clone(),
                prompt,
                assessment,
                moment,
            }));
        }
        // In the hot window the words alone are enough.
        let judged = if moment.in_hot_window { Judgement::NoVerdict } else { Judgement::NotAsked };
        self.conclude(utterance, &assessment, &moment, judged)
    }

    /// The state for a decision. `None` when the utterance is a late echo and nothing else.
    fn moment(&self, utterance: &Utterance) -> Option<Moment> {
        // Recognition may end after the window opened: what was said over our voice needs the wake word all the same.
        let overlap = self.own_voice.overlap_with(utterance, &self.config);
        let in_hot_window = self.hot_window.contains(utterance) && overlap != Overlap::All;
        let is_late_echo = self.own_voice.is_late_echo(utterance, in_hot_window, &self.config);
        let text = if is_late_echo {
            self.own_voice.user_words(utterance, &self.config)?
        } else {
            utterance.text.trim().to_owned()
        };
        let own_speech = self.own_voice.heard_in(utterance);
        let heard_secs = own_speech.map_or(Span::default(), |(_, heard_secs)| heard_secs);
        let is_speaking = self.own_voice.is_speaking();
        let is_called = self.config.wake_word.is_in(&text.to_lowercase());
        let goes_on =
            |doubted: &&PastUtterance| !is_speaking && !is_called && doubted.is_continued_by(utterance);
        let doubted = self.doubted.as_ref().filter(goes_on);
        let pending_query = doubted.or_else(|| self.query_that_goes_on(utterance, &text));
        let (pending_query, goes_on_with_doubt) =
            (pending_query.map(|query| query.text.clone()), doubted.is_some());
        Some(Moment {
            text,
            // A window that opened before our voice began is over.
            in_hot_window: in_hot_window && !is_speaking,
            is_speaking,
            echo_sign: if is_late_echo {
                EchoSign::None
            } else {
                self.own_voice.echo_sign(utterance, overlap)
            },
            own_speech: own_speech.map(|(own_speech, _)| own_speech.clone()),
            heard_secs,
            energy_rms: f64::from(utterance.energy_rms),
            pending_query,
            goes_on_with_doubt,
        })
    }

    /// The query that an utterance continues or corrects, while we think about it or speak its reply.
    fn query_that_goes_on(&self, utterance: &Utterance, text: &str) -> Option<&PastUtterance> {
        let is_corrected = |query: &&PastUtterance| {
            languages::is_correction(text)
                && utterance.started_at.saturating_duration_since(query.ended_at) <= MAX_CORRECTION_GAP
        };
        if self.own_voice.is_speaking() {
            return self.being_answered.as_ref().filter(is_corrected);
        }
        let unanswered = self.unanswered.as_ref();
        unanswered.filter(|query| query.is_continued_by(utterance) || is_corrected(query))
    }

    /// Returns `true` if the intent judge has to be asked: the name may be talked about, or the words point to what
    /// others said. Everything else is clear without a model.
    fn is_in_doubt(&self, utterance: &Utterance, assessment: &Assessment, moment: &Moment) -> bool {
        if self.config.judge_timeout.is_none() || assessment.next != NextStep::Judge {
            return false;
        }
        let text = &assessment.text;
        let wake_word = &self.config.wake_word;
        let is_called = wake_word.is_in(&text.to_lowercase());
        let query = if is_called { wake_word.query_in(text) } else { text.clone() };
        if query.is_empty() || self.is_short_stop(text, 1.0) {
            return false;
        }
        let may_be_talk_about_us =
            is_called && !moment.in_hot_window && !wake_word.is_address_in(text, utterance.language.as_ref());
        let refers_to_talk = || {
            (is_called || moment.in_hot_window) && languages::points_back(&query) && self.has_overheard_talk()
        };
        may_be_talk_about_us || refers_to_talk()
    }

    /// Returns `true` if others spoke before the newest utterance.
    fn has_overheard_talk(&self) -> bool {
        self.transcript.all().rev().skip(1).any(|segment| !segment.is_processed && !segment.may_contain_echo)
    }

    fn prompt(&self, in_hot_window: bool, now: Instant) -> JudgePrompt {
        JudgePrompt::new(&JudgeInput {
            wake_word: &self.config.wake_word,
            segments: self.transcript.all().collect(),
            in_hot_window,
            spoken: self.own_voice.last_words(),
            now,
        })
    }

    fn conclude(
        &self,
        utterance: &Utterance,
        assessment: &Assessment,
        moment: &Moment,
        judged: Judgement<'_>,
    ) -> Verdict {
        match decision::conclude(assessment, &moment.situation(), &self.config.rules(), judged) {
            // The judge wrote the query: a name that is left in it belongs there.
            Decision::Accept(query) if matches!(judged, Judgement::Verdict(v) if v.query.trim() == query) => {
                Verdict::Directed { query, continues_previous: false }
            }
            Decision::Accept(_) => self.accept_words(&assessment.text, utterance),
            Decision::Append(query) => {
                Verdict::Directed { query, continues_previous: !moment.goes_on_with_doubt }
            }
            Decision::Interrupt => Verdict::Stop,
            Decision::Ignore(IgnoreReason::Echo) => Verdict::Echo,
            Decision::Ignore(IgnoreReason::Silence | IgnoreReason::Overheard) => Verdict::Overheard,
        }
    }

    /// The verdict on words that were meant for us, as they were heard.
    fn accept_words(&self, text: &str, utterance: &Utterance) -> Verdict {
        let query = self.config.wake_word.query_in(text);
        if query.is_empty() {
            // "Tell me a joke … Jarvis": a pause before the wake word divided the sentence.
            return match &self.overheard {
                Some(overheard) if overheard.is_continued_by(utterance) => {
                    Verdict::Directed { query: overheard.text.trim().to_owned(), continues_previous: false }
                }
                _ => Verdict::WakeWordOnly,
            };
        }
        if self.is_short_stop(&query, 1.0) {
            return Verdict::Stop;
        }
        Verdict::Directed { query, continues_previous: false }
    }

    /// Returns `true` if the user no longer wants an answer to the query that we think about.
    fn takes_back(&self, text: &str) -> bool {
        self.is_short_stop(text, self.config.stop_fuzzy_ratio)
            || languages::is_dismissal(&self.config.wake_word.query_in(text))
    }

    /// Returns `true` if a short text wants silence, not an answer. `text` may contain the wake word.
    fn is_short_stop(&self, text: &str, fuzzy_ratio: f64) -> bool {
        let query = self.config.wake_word.query_in(text);
        query.split_whitespace().count() <= MAX_STOP_WORDS && self.is_stop(text, fuzzy_ratio)
    }

    /// Returns `true` if the text is a stop command. An empty list of stop words turns those of all languages off too.
    fn is_stop(&self, text: &str, fuzzy_ratio: f64) -> bool {
        let stop_words = &self.config.stop_words;
        let lower = text.to_lowercase();
        let is_in_settings = is_stop_command(&lower, stop_words, fuzzy_ratio)
            || is_lone_stop_word(&lower, &self.config.lone_stop_words, fuzzy_ratio);
        let in_any_language =
            || !stop_words.is_empty() && is_stop_in_any_language(&self.config.wake_word.query_in(text));
        is_in_settings || in_any_language()
    }

    /// Opens the hot window for a query: the user said the wake word alone, or was asked a question.
    pub fn await_query(&mut self, now: Instant) -> HotWindowChange {
        /// Time to think of the question. Source: `voice_collect_seconds` of imported settings.
        const MIN_OPEN: Duration = Duration::from_millis(4500);
        self.is_opened_by_key = false;
        self.hot_window.open(now, MIN_OPEN.max(self.config.hot_window.unwrap_or_default()))
    }

    /// The transcript of the last two minutes.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}

#[cfg(test)]
mod tests;
