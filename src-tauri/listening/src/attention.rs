//! Whom an utterance was meant for. Holds no clock, no channel and no model.
//!
//! Source: behaviour reference, section 1.8 without a judge, and section 11 rows 1, 5 and 6.

use std::time::{Duration, Instant};

use vocabulary::Utterance;

use crate::config::ListeningConfig;
use crate::echo::{self, EchoConfig, Heard, OwnSpeech};
use crate::hot_window::HotWindow;
use crate::stop::is_stop_command;
use crate::transcript::Transcript;

/// How long the transcript reaches back. Source: behaviour reference, section 1.3.
const TRANSCRIPT_KEPT_FOR: Duration = Duration::from_secs(120);

/// Speech that goes on so soon after a query belongs to it: we took a pause for the end. Measured from the end of
/// the query to the back-dated start of what follows.
const GOES_ON_WITHIN: Duration = Duration::from_millis(1200);

/// How loud a quiet room is until we know better, root mean square. Source: behaviour reference, section 1.7.
const QUIET_RMS: f32 = 0.0045;

/// How fast we speak where no duration is known: 200 words a minute.
const WORDS_A_SECOND: f64 = 200.0 / 60.0;

/// A follow-up after echo was cut away needs at least so many words to be taken for one.
const MIN_SALVAGED_WORDS: usize = 3;

/// What an utterance was.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Meant for us: answer this.
    Directed {
        /// What is asked, without our name.
        query: String,
        /// It goes on with the newest query, which is answered no longer: this holds the words of both.
        continues_previous: bool,
    },
    /// Our name and nothing else: we listen.
    Called,
    /// A command to fall silent.
    Stop,
    /// Our own voice.
    Echo,
    /// Not meant for us.
    Overheard,
}

/// What changed about the hot window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HotWindowChange {
    /// It opened, for so long.
    Opened(Duration),
    /// It closed.
    Closed,
}

/// The rules of attention.
pub struct Attention {
    config: ListeningConfig,
    transcript: Transcript,
    window: HotWindow,
    /// When the window opens, while it is about to.
    opens_at: Option<Instant>,
    /// When the window closes, while it is open.
    closes_at: Option<Instant>,
    own: Option<OwnSpeech>,
    is_speaking: bool,
    /// The newest query, while its reply has not begun to sound.
    unanswered: Option<Said>,
    /// What was overheard last: our name alone right after it means that it was for us.
    overheard: Option<Said>,
    /// What began before this was thrown away by the user.
    thrown_away_until: Option<Instant>,
}

struct Said {
    text: String,
    ended_at: Instant,
}

impl Said {
    /// Does `utterance` follow so closely that it belongs to this?
    fn is_continued_by(&self, utterance: &Utterance) -> bool {
        utterance.started_at.saturating_duration_since(self.ended_at) <= GOES_ON_WITHIN
    }
}

impl Attention {
    /// Attention that waits for the wake word.
    pub fn new(config: ListeningConfig) -> Self {
        Self {
            config,
            transcript: Transcript::new(TRANSCRIPT_KEPT_FOR),
            window: HotWindow::default(),
            opens_at: None,
            closes_at: None,
            own: None,
            is_speaking: false,
            unanswered: None,
            overheard: None,
            thrown_away_until: None,
        }
    }

    /// Runs on new settings from the next utterance on.
    pub fn configure(&mut self, config: ListeningConfig) {
        self.config = config;
    }

    /// Our voice began to sound.
    pub fn speech_started(&mut self, at: Instant) {
        self.is_speaking = true;
        self.unanswered = None;
        self.own = Some(OwnSpeech {
            text: String::new(),
            started_at: at,
            finished_at: None,
            lasts: Some(Duration::ZERO),
            quiet_rms: QUIET_RMS,
        });
    }

    /// A sentence sounds.
    pub fn sentence_spoken(&mut self, text: &str, at: Instant, lasts: Duration) {
        if let Some(own) = &mut self.own {
            if !own.text.is_empty() {
                own.text.push(' ');
            }
            own.text.push_str(text);
            own.lasts = Some((at + lasts).saturating_duration_since(own.started_at));
        }
    }

    /// Our voice ended by itself: the hot window is about to open. Says when to call [`Attention::tick`].
    pub fn speech_finished(&mut self, at: Instant) -> Option<Instant> {
        self.fell_silent(at);
        self.config.hot_window?;
        self.window = HotWindow { is_about_to_open: true, span_start: Some(at), ..HotWindow::default() };
        self.opens_at = Some(at + self.config.echo_tolerance);
        self.opens_at
    }

    /// Our voice was cut short: no hot window opens.
    pub fn speech_interrupted(&mut self, at: Instant) {
        self.fell_silent(at);
    }

    fn fell_silent(&mut self, at: Instant) {
        self.is_speaking = false;
        if let Some(own) = &mut self.own {
            own.finished_at = Some(at);
        }
    }

    /// When [`Attention::tick`] has something to do next.
    pub fn next_tick(&self) -> Option<Instant> {
        self.opens_at.or(self.closes_at)
    }

    /// Opens and closes the hot window when it is time.
    pub fn tick(&mut self, now: Instant) -> Option<HotWindowChange> {
        if self.opens_at.is_some_and(|at| at <= now) {
            self.opens_at = None;
            let lasts = self.config.hot_window?;
            return Some(self.open(now, lasts));
        }
        if self.closes_at.is_some_and(|at| at <= now) {
            return self.close(now);
        }
        None
    }

    fn open(&mut self, now: Instant, lasts: Duration) -> HotWindowChange {
        self.window.is_open = true;
        self.window.is_about_to_open = false;
        self.window.span_start = self.window.span_start.or(Some(now));
        self.closes_at = Some(now + lasts);
        HotWindowChange::Opened(lasts)
    }

    fn close(&mut self, now: Instant) -> Option<HotWindowChange> {
        self.opens_at = None;
        self.closes_at = None;
        self.window.is_about_to_open = false;
        let was_open = std::mem::take(&mut self.window.is_open);
        if was_open {
            self.window.span_end = Some(now);
        }
        was_open.then_some(HotWindowChange::Closed)
    }

    /// A query came in by another door, or was taken: the window has done its work.
    pub fn query_accepted(&mut self, now: Instant) -> Option<HotWindowChange> {
        let change = self.close(now);
        self.window = HotWindow::default();
        change
    }

    /// Judges by when the utterance *started*: recognition can take longer than the window stays open, and a slow
    /// machine must not make us deaf to a follow-up.
    pub fn judge(&mut self, utterance: &Utterance, now: Instant) -> Verdict {
        let during_speech = self.may_hold_own_voice(utterance);
        self.transcript.add(&utterance.text, utterance.started_at, utterance.ended_at, during_speech, now);
        let verdict = self.verdict(utterance, during_speech);
        match &verdict {
            Verdict::Directed { query, .. } => {
                self.unanswered = Some(Said { text: query.clone(), ended_at: utterance.ended_at });
                self.transcript.mark_processed(&utterance.text);
            }
            Verdict::Stop => self.unanswered = None,
            Verdict::Called => {
                self.window.span_start = Some(utterance.ended_at);
            }
            Verdict::Echo | Verdict::Overheard => {}
        }
        let is_thrown_away = self.is_thrown_away(utterance);
        self.overheard = (verdict == Verdict::Overheard && !is_thrown_away)
            .then(|| Said { text: utterance.text.clone(), ended_at: utterance.ended_at });
        verdict
    }

    fn is_thrown_away(&self, utterance: &Utterance) -> bool {
        self.thrown_away_until.is_some_and(|until| utterance.started_at < until)
    }

    /// Was our own voice out, or its echo still in the room, when this began?
    fn may_hold_own_voice(&self, utterance: &Utterance) -> bool {
        let echoes = self
            .own
            .as_ref()
            .and_then(|own| own.finished_at)
            .is_some_and(|finished_at| utterance.started_at < finished_at + self.config.echo_tolerance);
        self.is_speaking || echoes
    }

    fn verdict(&mut self, utterance: &Utterance, during_speech: bool) -> Verdict {
        if self.is_thrown_away(utterance) {
            return Verdict::Overheard;
        }
        let in_hot_window = self.window.holds(Some(utterance.started_at), Some(utterance.ended_at));
        let lower = utterance.text.to_lowercase();
        let is_stop = is_stop_command(&lower, &self.config.stop_words, self.config.stop_fuzzy_ratio);
        let is_echo = self.is_echo(utterance, during_speech, in_hot_window);
        if during_speech && is_stop && !is_echo {
            return Verdict::Stop;
        }
        let mut text = utterance.text.clone();
        if is_echo {
            match self.users_part(&text) {
                Some(rest) => {
                    self.transcript.replace_last(&rest);
                    text = rest;
                }
                None => return Verdict::Echo,
            }
        }
        if let Some(unanswered) = &self.unanswered {
            if is_stop && self.config.wake_word.query_in(&text).split_whitespace().count() <= 2 {
                return Verdict::Stop;
            }
            if !self.is_speaking && unanswered.is_continued_by(utterance) {
                let more = self.config.wake_word.query_in(&text);
                return Verdict::Directed {
                    query: format!("{} {more}", unanswered.text),
                    continues_previous: true,
                };
            }
        }
        if self.config.wake_word.is_in(&text.to_lowercase()) {
            let query = self.config.wake_word.query_in(&text);
            return match query.is_empty() {
                // "Tell me a joke … Jarvis": a pause before the name took the sentence apart.
                true => match &self.overheard {
                    Some(said) if said.is_continued_by(utterance) => {
                        Verdict::Directed { query: said.text.trim().to_owned(), continues_previous: false }
                    }
                    _ => Verdict::Called,
                },
                false
                    if is_stop_command(&query.to_lowercase(), &self.config.stop_words, 1.0)
                        && query.split_whitespace().count() <= 2 =>
                {
                    Verdict::Stop
                }
                false => Verdict::Directed { query, continues_previous: false },
            };
        }
        if in_hot_window && !self.is_speaking {
            return Verdict::Directed { query: text.trim().to_owned(), continues_previous: false };
        }
        Verdict::Overheard
    }

    fn is_echo(&self, utterance: &Utterance, during_speech: bool, in_hot_window: bool) -> bool {
        let Some(own) = &self.own else { return false };
        let heard = Heard {
            text: &utterance.text,
            started_at: utterance.started_at,
            energy_rms: utterance.energy_rms,
            // Speech that began while we spoke is compared with what we spoke, whether we still do or not.
            during_speech: self.is_speaking
                || own.finished_at.is_some_and(|finished_at| utterance.started_at < finished_at),
            in_hot_window,
        };
        let config = EchoConfig {
            tolerance: self.config.echo_tolerance,
            energy_threshold: self.config.echo_energy_threshold,
            words_a_second: WORDS_A_SECOND,
        };
        if !echo::may_be_own_words(&heard, own, &config) {
            return false;
        }
        let is_recent = own.finished_at.is_none_or(|finished_at| {
            utterance.started_at.saturating_duration_since(finished_at) < Duration::from_secs(2)
        });
        let is_pure =
            is_recent && (during_speech || in_hot_window) && echo::is_pure_echo(&utterance.text, &own.text);
        is_pure || echo::is_echo(&heard, own, &config)
    }

    /// The user's words behind our own, where one utterance holds both.
    fn users_part(&self, text: &str) -> Option<String> {
        let own = self.own.as_ref()?;
        let rest = echo::without_leading_echo(text, &own.text)?;
        (rest.split_whitespace().count() >= MIN_SALVAGED_WORDS).then_some(rest)
    }

    /// After our name alone a query is welcome without it. Says when to call [`Attention::tick`].
    pub fn await_query(&mut self, now: Instant) -> HotWindowChange {
        /// Long enough to think of the question. Source: behaviour reference, `voice_collect_seconds`.
        const AFTER_CALL: Duration = Duration::from_millis(4500);
        self.opens_at = None;
        self.open(now, AFTER_CALL.max(self.config.hot_window.unwrap_or_default()))
    }

    /// While the talk key is held a query is welcome without our name.
    pub fn hold(&mut self, now: Instant) -> HotWindowChange {
        /// Nobody holds a key for longer; a key whose release was lost must not keep us listening.
        const LONGEST_HOLD: Duration = Duration::from_secs(60);
        self.opens_at = None;
        if !self.window.is_open {
            self.window.span_start = Some(now);
        }
        // What is said now stands for itself.
        self.unanswered = None;
        self.open(now, LONGEST_HOLD)
    }

    /// The talk key was let go of: what is being said is still welcome, nothing new is.
    pub fn let_go(&mut self, now: Instant) {
        /// Voice that began just before is noticed within this. Source: two frames of voice, and the pre-roll.
        const NOTICED_WITHIN: Duration = Duration::from_millis(400);
        if self.window.is_open {
            self.closes_at = Some(now + NOTICED_WITHIN);
        }
    }

    /// The user wants nothing any more: what is being said is thrown away, and the window closes.
    pub fn throw_away(&mut self, now: Instant) -> Option<HotWindowChange> {
        self.thrown_away_until = Some(now);
        self.unanswered = None;
        self.query_accepted(now)
    }

    /// The last two minutes of the room.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::ListeningSettings;
    use vocabulary::UtteranceId;

    use super::*;

    fn attention() -> Attention {
        Attention::new(ListeningConfig::try_from(&ListeningSettings::default()).unwrap())
    }

    /// A second of speech that began `secs` after `zero`.
    fn utterance(text: &str, zero: Instant, secs: f64) -> Utterance {
        let started_at = zero + Duration::from_secs_f64(secs);
        Utterance {
            id: UtteranceId(0),
            text: text.into(),
            language: None,
            started_at,
            ended_at: started_at + Duration::from_secs(1),
            energy_rms: 0.05,
            confidence: 0.9,
        }
    }

    /// Attention after a reply of five seconds that ended at ten.
    fn after_reply() -> (Attention, Instant) {
        let mut attention = attention();
        let zero = Instant::now();
        let at = |secs| zero + Duration::from_secs(secs);
        attention.speech_started(at(5));
        attention.sentence_spoken("It is twenty past four in the afternoon.", at(5), Duration::from_secs(5));
        attention.speech_finished(at(10));
        attention.tick(at(11));
        (attention, zero)
    }

    fn directed(query: &str) -> Verdict {
        Verdict::Directed { query: query.into(), continues_previous: false }
    }

    #[rstest]
    #[case::wake_word_first("Jarvis, what time is it?", directed("what time is it?"))]
    #[case::wake_word_last("What time is it, Jarvis?", directed("What time is it?"))]
    #[case::name_alone("Jarvis.", Verdict::Called)]
    #[case::no_wake_word("What time is it?", Verdict::Overheard)]
    #[case::stop_by_name("Jarvis, stop.", Verdict::Stop)]
    #[case::stop_when_nothing_is_under_way("stop", Verdict::Overheard)]
    fn waits_for_the_wake_word(#[case] text: &str, #[case] expected: Verdict) {
        let zero = Instant::now();

        assert_eq!(attention().judge(&utterance(text, zero, 0.0), zero), expected);
    }

    #[rstest]
    #[case::follow_up_in_the_hot_window("and what about tomorrow", 12.0, directed("and what about tomorrow"))]
    #[case::our_own_last_words("past four in the afternoon", 10.5, Verdict::Echo)]
    fn a_follow_up_needs_no_wake_word(#[case] text: &str, #[case] secs: f64, #[case] expected: Verdict) {
        let (mut attention, zero) = after_reply();

        assert_eq!(attention.judge(&utterance(text, zero, secs), zero + Duration::from_secs(12)), expected);
    }

    #[rstest]
    #[case::said_before_it_closed(13.9, directed("and tomorrow then"))]
    #[case::said_after_it_closed(14.5, Verdict::Overheard)]
    fn a_late_transcript_counts_by_when_it_was_said(#[case] secs: f64, #[case] expected: Verdict) {
        let (mut attention, zero) = after_reply();
        let late = zero + Duration::from_secs(14);
        attention.tick(late);

        assert_eq!(attention.judge(&utterance("and tomorrow then", zero, secs), late), expected);
    }

    #[rstest]
    #[case::stop("Stop.", Verdict::Stop)]
    #[case::our_own_words("twenty past four", Verdict::Echo)]
    #[case::somebody_else("pass me the salt please", Verdict::Overheard)]
    #[case::barge_in("Jarvis, what about York?", directed("what about York?"))]
    fn while_speaking_only_stop_and_the_name_get_through(#[case] text: &str, #[case] expected: Verdict) {
        let mut attention = attention();
        let zero = Instant::now();
        attention.speech_started(zero);
        attention.sentence_spoken("It is twenty past four in the afternoon.", zero, Duration::from_secs(3));

        assert_eq!(attention.judge(&utterance(text, zero, 0.5), zero), expected);
    }

    #[test]
    fn a_word_that_looks_like_a_stop_word_hides_none() {
        let mut attention = attention();
        let zero = Instant::now();
        attention.speech_started(zero);
        let story = "This is a long story about a small boat on a wide river.";
        attention.sentence_spoken(story, zero, Duration::from_secs(3));

        assert_eq!(attention.judge(&utterance("Stop", zero, 1.0), zero), Verdict::Stop);
    }

    #[test]
    fn a_stop_word_of_our_own_stops_nothing() {
        let mut attention = attention();
        let zero = Instant::now();
        attention.speech_started(zero);
        attention.sentence_spoken("The next stop is Leeds.", zero, Duration::from_secs(2));

        assert_eq!(attention.judge(&utterance("next stop", zero, 0.4), zero), Verdict::Echo);
    }

    #[test]
    fn speech_that_goes_on_belongs_to_the_query() {
        let mut attention = attention();
        let zero = Instant::now();
        attention.judge(&utterance("Jarvis, what is the weather?", zero, 0.0), zero);

        let verdict = attention.judge(&utterance("in Leeds tomorrow", zero, 1.7), zero);

        let query = "what is the weather? in Leeds tomorrow".to_owned();
        assert_eq!(verdict, Verdict::Directed { query, continues_previous: true });
    }

    #[rstest]
    #[case::right_after(1.5, directed("Tell me a joke."))]
    #[case::later(3.0, Verdict::Called)]
    fn the_name_after_a_pause_belongs_to_the_sentence_before(#[case] secs: f64, #[case] expected: Verdict) {
        let mut attention = attention();
        let zero = Instant::now();
        attention.judge(&utterance("Tell me a joke.", zero, 0.0), zero);

        assert_eq!(attention.judge(&utterance("Jarvis.", zero, secs), zero), expected);
    }

    #[test]
    fn after_the_name_alone_the_query_needs_no_name() {
        let mut attention = attention();
        let zero = Instant::now();
        attention.judge(&utterance("Jarvis.", zero, 0.0), zero);
        attention.await_query(zero + Duration::from_secs(1));

        let verdict =
            attention.judge(&utterance("what time is it", zero, 2.0), zero + Duration::from_secs(3));

        assert_eq!(verdict, directed("what time is it"));
    }

    #[test]
    fn while_the_talk_key_is_held_no_name_is_needed() {
        let mut attention = attention();
        let zero = Instant::now();
        let at = |secs| zero + Duration::from_secs_f64(secs);
        attention.hold(at(0.0));
        attention.let_go(at(5.0));
        let closed = attention.tick(at(5.5));

        assert_eq!(closed, Some(HotWindowChange::Closed));
        let long = Utterance { ended_at: at(4.9), ..utterance("what time is it in Leeds", zero, 1.0) };
        assert_eq!(attention.judge(&long, at(5.6)), directed("what time is it in Leeds"));
        assert_eq!(attention.judge(&utterance("pass the salt", zero, 7.0), at(8.0)), Verdict::Overheard);
    }

    #[rstest]
    #[case::being_said("what time is it", 0.5, Verdict::Overheard)]
    #[case::with_the_name("Jarvis, what time is it?", 0.5, Verdict::Overheard)]
    #[case::said_later("Jarvis, what time is it?", 1.5, directed("what time is it?"))]
    fn what_is_thrown_away_is_not_answered(#[case] text: &str, #[case] secs: f64, #[case] expected: Verdict) {
        let mut attention = attention();
        let zero = Instant::now();
        attention.hold(zero);
        attention.throw_away(zero + Duration::from_secs(1));

        assert_eq!(attention.judge(&utterance(text, zero, secs), zero + Duration::from_secs(3)), expected);
    }

    #[test]
    fn the_name_alone_brings_nothing_back_that_was_thrown_away() {
        let mut attention = attention();
        let zero = Instant::now();
        attention.throw_away(zero + Duration::from_secs(1));
        attention.judge(&utterance("Tell me a joke.", zero, 0.5), zero);

        assert_eq!(attention.judge(&utterance("Jarvis.", zero, 2.0), zero), Verdict::Called);
    }

    #[test]
    fn an_interrupted_reply_opens_no_window() {
        let mut attention = attention();
        let zero = Instant::now();
        attention.speech_started(zero);
        attention.speech_interrupted(zero + Duration::from_secs(1));

        assert_eq!(attention.next_tick(), None);
        assert_eq!(attention.judge(&utterance("what now then", zero, 3.0), zero), Verdict::Overheard);
    }
}
