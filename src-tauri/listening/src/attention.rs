//! The rules that decide whom an utterance was meant for. No clock, no channel and no model in here.
//!
//! Source: behaviour reference, section 1.8 without a judge, and section 11 rows 1, 5 and 6.

use std::time::{Duration, Instant};

use vocabulary::Utterance;

use crate::config::ListeningConfig;
use crate::hot_window::{HotWindowChange, HotWindowTimer};
use crate::own_voice::OwnVoice;
use crate::stop::{is_stop_command, is_stop_in_any_language};
use crate::transcript::Transcript;

/// The length of the transcript. Source: behaviour reference, section 1.3.
const TRANSCRIPT_LENGTH: Duration = Duration::from_secs(120);

/// Speech that follows a query within this time continues it: the pause was not the end. Measured from the end of the
/// query to the back-dated start of the next utterance.
const MAX_CONTINUATION_GAP: Duration = Duration::from_millis(1200);

/// The longest text, in words, that can be a stop command while a query is unanswered, after the wake word, or in the hot
/// window: "stop the timer" is a query.
const MAX_STOP_WORDS: usize = 2;

/// Whom an utterance was meant for.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Meant for us: answer it.
    Directed {
        /// What the user asks, without the wake word.
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
}

/// Judges utterances.
pub struct Attention {
    config: ListeningConfig,
    transcript: Transcript,
    hot_window: HotWindowTimer,
    own_voice: OwnVoice,
    /// The newest query, until we start to speak the reply.
    unanswered: Option<PastUtterance>,
    /// The newest utterance, if it was overheard. When the wake word alone follows, it was meant for us.
    overheard: Option<PastUtterance>,
    /// Utterances that started before this were discarded by the user.
    discarded_until: Option<Instant>,
}

struct PastUtterance {
    text: String,
    ended_at: Instant,
}

impl PastUtterance {
    fn is_continued_by(&self, utterance: &Utterance) -> bool {
        utterance.started_at.saturating_duration_since(self.ended_at) <= MAX_CONTINUATION_GAP
    }
}

impl Attention {
    /// The initial state: the hot window is closed.
    pub fn new(config: ListeningConfig) -> Self {
        Self {
            config,
            transcript: Transcript::new(TRANSCRIPT_LENGTH),
            hot_window: HotWindowTimer::default(),
            own_voice: OwnVoice::default(),
            unanswered: None,
            overheard: None,
            discarded_until: None,
        }
    }

    /// Uses new settings from the next utterance on.
    pub fn configure(&mut self, config: ListeningConfig) {
        self.config = config;
    }

    /// Notes the level of the microphone, in decibels relative to full scale: an echo is not much louder than the room.
    pub fn hear_level(&mut self, dbfs: f32) {
        self.own_voice.hear_level(dbfs);
    }

    /// Notes that we started to speak.
    pub fn speech_started(&mut self, at: Instant) {
        self.unanswered = None;
        self.own_voice.start(at);
    }

    /// Notes that we started to speak a sentence.
    pub fn sentence_spoken(&mut self, text: &str, at: Instant, duration: Duration) {
        self.own_voice.add_sentence(text, at, duration);
    }

    /// Notes that we spoke a reply to its end. Returns when to call [`Attention::tick`] to open the hot window.
    pub fn speech_finished(&mut self, at: Instant) -> Option<Instant> {
        self.own_voice.stop(at);
        self.config.hot_window?;
        Some(self.hot_window.schedule(at, self.config.echo_tolerance))
    }

    /// Notes that our speech was interrupted: no hot window opens.
    pub fn speech_interrupted(&mut self, at: Instant) {
        self.own_voice.stop(at);
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

    /// Decides whom an utterance was meant for. The *start* of the utterance counts: recognition can take longer than
    /// the hot window is open, and a slow machine must not lose a follow-up.
    pub fn judge(&mut self, utterance: &Utterance, now: Instant) -> Verdict {
        let may_contain_echo = self.own_voice.may_be_heard_in(utterance, &self.config);
        self.transcript.add(&utterance.text, utterance.started_at, utterance.ended_at, may_contain_echo, now);
        let verdict = self.verdict(utterance, may_contain_echo);
        match &verdict {
            Verdict::Directed { query, .. } => {
                self.unanswered = Some(PastUtterance { text: query.clone(), ended_at: utterance.ended_at });
                self.transcript.mark_processed(&utterance.text);
            }
            Verdict::Stop => self.unanswered = None,
            Verdict::WakeWordOnly => self.hot_window.start_span(utterance.ended_at),
            Verdict::Echo | Verdict::Overheard => {}
        }
        let can_be_completed = verdict == Verdict::Overheard && !self.is_discarded(utterance);
        self.overheard = can_be_completed
            .then(|| PastUtterance { text: utterance.text.clone(), ended_at: utterance.ended_at });
        verdict
    }

    fn is_discarded(&self, utterance: &Utterance) -> bool {
        self.discarded_until.is_some_and(|until| utterance.started_at < until)
    }

    fn verdict(&mut self, utterance: &Utterance, may_contain_echo: bool) -> Verdict {
        if self.is_discarded(utterance) {
            return Verdict::Overheard;
        }
        let in_hot_window = self.hot_window.contains(utterance);
        let is_stop = self.is_stop(&utterance.text, self.config.stop_fuzzy_ratio);
        let is_echo = self.own_voice.is_echo(utterance, may_contain_echo, in_hot_window, &self.config);
        if may_contain_echo && is_stop && !is_echo {
            return Verdict::Stop;
        }
        let mut text = utterance.text.clone();
        if is_echo {
            let Some(user_words) = self.own_voice.user_words(utterance, &self.config) else {
                return Verdict::Echo;
            };
            self.transcript.replace_last(&user_words);
            text = user_words;
        }
        let query = self.config.wake_word.query_in(&text);
        if let Some(unanswered) = &self.unanswered {
            if is_stop && query.split_whitespace().count() <= MAX_STOP_WORDS {
                return Verdict::Stop;
            }
            if !self.own_voice.is_speaking() && unanswered.is_continued_by(utterance) {
                let query = format!("{} {query}", unanswered.text);
                return Verdict::Directed { query, continues_previous: true };
            }
        }
        if self.config.wake_word.is_in(&text.to_lowercase()) {
            return self.verdict_after_wake_word(query, utterance);
        }
        if in_hot_window && !self.own_voice.is_speaking() {
            return self.stop_or_query(text.trim().to_owned());
        }
        Verdict::Overheard
    }

    /// The verdict on a query that continues no other: a short text with a stop word wants silence, not an answer.
    fn stop_or_query(&self, query: String) -> Verdict {
        let is_stop = self.is_stop(&query, 1.0) && query.split_whitespace().count() <= MAX_STOP_WORDS;
        if is_stop { Verdict::Stop } else { Verdict::Directed { query, continues_previous: false } }
    }

    /// The verdict on an utterance with the wake word. `query` is its text without it.
    fn verdict_after_wake_word(&self, query: String, utterance: &Utterance) -> Verdict {
        if query.is_empty() {
            // "Tell me a joke … Jarvis": a pause before the wake word divided the sentence.
            return match &self.overheard {
                Some(overheard) if overheard.is_continued_by(utterance) => {
                    Verdict::Directed { query: overheard.text.trim().to_owned(), continues_previous: false }
                }
                _ => Verdict::WakeWordOnly,
            };
        }
        self.stop_or_query(query)
    }

    /// Whether the text is a stop command. An empty list of stop words turns those of all languages off too.
    fn is_stop(&self, text: &str, fuzzy_ratio: f64) -> bool {
        let stop_words = &self.config.stop_words;
        let is_in_settings = is_stop_command(&text.to_lowercase(), stop_words, fuzzy_ratio);
        let in_any_language =
            || !stop_words.is_empty() && is_stop_in_any_language(&self.config.wake_word.query_in(text));
        is_in_settings || in_any_language()
    }

    /// Opens the hot window for a query: the user said the wake word alone, tapped the talk key, or was asked a question.
    pub fn await_query(&mut self, now: Instant) -> HotWindowChange {
        /// Time to think of the question. Source: behaviour reference, `voice_collect_seconds`.
        const MIN_OPEN: Duration = Duration::from_millis(4500);
        self.hot_window.open(now, MIN_OPEN.max(self.config.hot_window.unwrap_or_default()))
    }

    /// Opens the hot window while the talk key is held.
    pub fn hold_key(&mut self, now: Instant) -> HotWindowChange {
        /// Longer than any user holds a key: if its release was lost, listening must end.
        const MAX_HOLD: Duration = Duration::from_secs(60);
        if !self.hot_window.is_open() {
            self.hot_window.start_span(now);
        }
        // The next words are a new query.
        self.unanswered = None;
        self.hot_window.open(now, MAX_HOLD)
    }

    /// Closes the hot window soon after the talk key was released: the current utterance still counts.
    pub fn release_key(&mut self, now: Instant) {
        /// Speech that started just before is reported within this time. Source: two voiced frames, and the pre-roll.
        const MAX_DETECTION_DELAY: Duration = Duration::from_millis(400);
        self.hot_window.close_at(now + MAX_DETECTION_DELAY);
    }

    /// Discards the current utterance and closes the hot window.
    pub fn discard(&mut self, now: Instant) -> Option<HotWindowChange> {
        self.discarded_until = Some(now);
        self.unanswered = None;
        self.close_hot_window(now)
    }

    /// The transcript of the last two minutes.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}

#[cfg(test)]
mod tests;
