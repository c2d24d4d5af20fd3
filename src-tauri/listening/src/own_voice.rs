//! The words of the last replies, and the test if an utterance is their echo.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use vocabulary::Utterance;

use crate::config::ListeningConfig;
use crate::decision::EchoSign;
use crate::echo::{self, HeardSpeech, OwnSpeech, SentenceTime};
use crate::overlap::{Margins, Overlap, Span};
use crate::room_level::RoomLevel;

/// An utterance may contain our words up to this long after we stopped.
const MAX_ECHO_DELAY: Duration = Duration::from_secs(2);

/// The replies before the newest one that are kept: as many as are spoken while a busy machine recognises one utterance.
const MAX_EARLIER_REPLIES: usize = 4;

/// An utterance is our own voice by its sound when at least this share of its voiced frames is.
const MIN_ECHO_SHARE: f32 = 0.8;

/// The last spoken replies.
#[derive(Default)]
pub(crate) struct OwnVoice {
    /// The newest one.
    reply: Option<SpokenReply>,
    /// Those before it, the newest last.
    earlier: VecDeque<SpokenReply>,
    is_speaking: bool,
    room: RoomLevel,
}

struct SpokenReply {
    started_at: Instant,
    finished_at: Option<Instant>,
    /// It was not spoken to its end.
    is_interrupted: bool,
    /// Its times count from `started_at`.
    speech: OwnSpeech,
}

impl SpokenReply {
    /// Seconds from the start of the reply to `at`, negative before it.
    fn secs(&self, at: Instant) -> f64 {
        let after = at.saturating_duration_since(self.started_at).as_secs_f64();
        after - self.started_at.saturating_duration_since(at).as_secs_f64()
    }

    /// The time of an utterance on the timeline of this reply.
    fn span(&self, utterance: &Utterance) -> Span {
        Span { started_secs: self.secs(utterance.started_at), ended_secs: self.secs(utterance.ended_at) }
    }

    /// Returns `true` if an utterance started no later than a moment after this reply ended.
    fn is_recent(&self, utterance: &Utterance) -> bool {
        self.finished_at.is_none_or(|finished_at| {
            utterance.started_at.saturating_duration_since(finished_at) < MAX_ECHO_DELAY
        })
    }
}

impl OwnVoice {
    pub fn is_speaking(&self) -> bool {
        self.is_speaking
    }

    /// Notes the level of the microphone. Our own voice is not the room.
    pub fn hear_level(&mut self, dbfs: f32) {
        if !self.is_speaking {
            self.room.push(dbfs);
        }
    }

    pub fn start(&mut self, at: Instant) {
        self.is_speaking = true;
        let speech = OwnSpeech {
            duration_secs: Some(0.0),
            background_rms: f64::from(self.room.rms()),
            ..OwnSpeech::default()
        };
        self.earlier.extend(self.reply.take());
        if self.earlier.len() > MAX_EARLIER_REPLIES {
            self.earlier.pop_front();
        }
        self.reply = Some(SpokenReply { started_at: at, finished_at: None, is_interrupted: false, speech });
    }

    /// Adds a sentence that starts to sound at `at`.
    pub fn add_sentence(&mut self, text: &str, at: Instant, duration: Duration) {
        let Some(reply) = &mut self.reply else { return };
        let (started_secs, ended_secs) = (reply.secs(at), reply.secs(at + duration));
        let speech = &mut reply.speech;
        if !speech.text.is_empty() {
            speech.text.push(' ');
        }
        speech.text.push_str(text);
        speech.duration_secs = Some(ended_secs);
        let words = text.split_whitespace().count();
        speech.sentences.push(SentenceTime { words, started_secs, ended_secs });
    }

    /// The reply that may sound in an utterance: the one that was spoken during most of it, else the newest. A busy machine may
    /// recognise words long after they were said.
    fn reply_near(&self, utterance: &Utterance) -> Option<&SpokenReply> {
        let newest = self.reply.as_ref()?;
        let shared = |reply: &SpokenReply| {
            let until = reply.finished_at.map_or(utterance.ended_at, |at| at.min(utterance.ended_at));
            until.saturating_duration_since(reply.started_at.max(utterance.started_at))
        };
        // Of two with the same share, the later one counts.
        self.earlier.iter().chain([newest]).max_by_key(|reply| shared(reply))
    }

    pub fn stop(&mut self, at: Instant) {
        self.is_speaking = false;
        if let Some(reply) = &mut self.reply {
            reply.finished_at = Some(at);
            reply.speech.finished_secs = Some(reply.secs(at));
        }
    }

    pub fn interrupt(&mut self, at: Instant) {
        self.stop(at);
        if let Some(reply) = &mut self.reply {
            reply.is_interrupted = true;
        }
    }

    /// Returns `true` if we were speaking, or our echo could still be heard, when this utterance started.
    pub fn may_be_heard_in(&self, utterance: &Utterance, config: &ListeningConfig) -> bool {
        let has_recent_echo = self
            .reply_near(utterance)
            .and_then(|reply| reply.finished_at)
            .is_some_and(|finished_at| utterance.started_at < finished_at + config.echo_tolerance);
        self.is_speaking || has_recent_echo
    }

    /// The part of this utterance that was said over our voice. No follow-up window opens after an interrupted reply: one that
    /// is open then was asked for, so that only [`Overlap::All`] counts.
    pub fn overlap_with(&self, utterance: &Utterance, config: &ListeningConfig) -> Overlap {
        let Some(reply) = self.reply_near(utterance) else { return Overlap::Little };
        let ended_secs = reply.finished_at.map_or(f64::INFINITY, |finished_at| reply.secs(finished_at));
        let speech = Span { started_secs: 0.0, ended_secs };
        let margins = Margins {
            pre_roll_secs: config.pre_roll.as_secs_f64(),
            tolerance_secs: config.echo_tolerance.as_secs_f64(),
        };
        match Overlap::new(reply.span(utterance), speech, margins) {
            Overlap::Most if reply.is_interrupted => Overlap::Little,
            overlap => overlap,
        }
    }

    /// The sign, beside its words, that this utterance is our own voice. Sound tells more than time: devices can be slow, and
    /// the echo of our last word then comes when people answer.
    pub fn echo_sign(&self, utterance: &Utterance, overlap: Overlap) -> EchoSign {
        if utterance.echo_share >= MIN_ECHO_SHARE && self.heard_in(utterance).is_some() {
            return EchoSign::Sound;
        }
        if overlap == Overlap::Most { EchoSign::Time } else { EchoSign::None }
    }

    /// Our words that may sound in this utterance, and the time of the utterance on their timeline. Later than a moment
    /// after our speech nothing of it is heard: then the same words are the user's.
    pub fn heard_in(&self, utterance: &Utterance) -> Option<(&OwnSpeech, Span)> {
        let reply = self.reply_near(utterance).filter(|reply| reply.is_recent(utterance))?;
        Some((&reply.speech, reply.span(utterance)))
    }

    /// The newest reply, and when it ended.
    pub fn last_words(&self) -> Option<(&str, Option<Instant>)> {
        self.reply.as_ref().map(|reply| (reply.speech.text.as_str(), reply.finished_at))
    }

    /// Returns `true` if an utterance that is judged after our speech is an echo, by its loudness and time.
    pub fn is_late_echo(&self, utterance: &Utterance, in_hot_window: bool, config: &ListeningConfig) -> bool {
        let Some((speech, Span { started_secs, .. })) =
            self.heard_in(utterance).filter(|_| !self.is_speaking)
        else {
            return false;
        };
        let heard = HeardSpeech {
            text: &utterance.text,
            started_secs,
            energy_rms: f64::from(utterance.energy_rms),
            during_own_speech: speech.finished_secs.is_none_or(|finished_secs| started_secs < finished_secs),
            in_hot_window,
        };
        let echo_config = config.echo();
        echo::is_explained_by_own_words(&heard, speech, &echo_config)
            && echo::is_echo(&heard, speech, &echo_config)
    }

    /// The words of the user after our own, when one utterance contains both.
    pub fn user_words(&self, utterance: &Utterance, config: &ListeningConfig) -> Option<String> {
        let (speech, Span { started_secs, .. }) = self.heard_in(utterance)?;
        let (text, echo_config) = (&utterance.text, config.echo());
        let during_own_speech = speech.finished_secs.is_none_or(|finished_secs| started_secs < finished_secs);
        let while_speaking = || {
            echo::user_words_while_speaking(text, started_secs, speech, &echo_config)
                .or_else(|| echo::after_own_words(text, started_secs, speech, &echo_config))
        };
        let is_over_our_voice = self.overlap_with(utterance, config) == Overlap::Most;
        let has_own_words = |words: &str| {
            config.wake_word.is_in(&words.to_lowercase())
                || echo::has_words_of_user(words, started_secs, speech, &echo_config)
        };
        echo::after_leading_echo(text, &speech.text)
            .or_else(|| during_own_speech.then(while_speaking).flatten())
            .filter(|words| echo::has_enough_words(words))
            .filter(|words| !is_over_our_voice || has_own_words(words))
    }
}
