//! What we said in the newest reply, and whether an utterance is its echo.

use std::time::{Duration, Instant};

use vocabulary::Utterance;

use crate::config::ListeningConfig;
use crate::echo::{self, EchoConfig, HeardSpeech, OwnSpeech};
use crate::room_level::RoomLevel;

/// The fewest words after our own that count as words of the user.
const MIN_USER_WORDS: usize = 3;

/// An utterance that equals our words is an echo up to this long after we stopped.
const MAX_PURE_ECHO_DELAY: Duration = Duration::from_secs(2);

/// The newest spoken reply.
#[derive(Default)]
pub(crate) struct OwnVoice {
    reply: Option<SpokenReply>,
    is_speaking: bool,
    room: RoomLevel,
}

struct SpokenReply {
    started_at: Instant,
    finished_at: Option<Instant>,
    /// Its times count from `started_at`.
    speech: OwnSpeech,
}

impl SpokenReply {
    /// Seconds from the start of the reply to `at`, negative before it.
    fn secs(&self, at: Instant) -> f64 {
        let after = at.saturating_duration_since(self.started_at).as_secs_f64();
        after - self.started_at.saturating_duration_since(at).as_secs_f64()
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
        self.reply = Some(SpokenReply { started_at: at, finished_at: None, speech });
    }

    /// Adds a sentence that starts to sound at `at`.
    pub fn add_sentence(&mut self, text: &str, at: Instant, duration: Duration) {
        let Some(reply) = &mut self.reply else { return };
        let ends_at = reply.secs(at + duration);
        let speech = &mut reply.speech;
        if !speech.text.is_empty() {
            speech.text.push(' ');
        }
        speech.text.push_str(text);
        speech.duration_secs = Some(ends_at);
    }

    pub fn stop(&mut self, at: Instant) {
        self.is_speaking = false;
        if let Some(reply) = &mut self.reply {
            reply.finished_at = Some(at);
            reply.speech.finished_secs = Some(reply.secs(at));
        }
    }

    /// Whether we were speaking, or our echo could still be heard, when this utterance started.
    pub fn may_be_heard_in(&self, utterance: &Utterance, config: &ListeningConfig) -> bool {
        let has_recent_echo = self
            .reply
            .as_ref()
            .and_then(|reply| reply.finished_at)
            .is_some_and(|finished_at| utterance.started_at < finished_at + config.echo_tolerance);
        self.is_speaking || has_recent_echo
    }

    /// Whether this utterance contains our own voice. `may_contain_echo` is the result of
    /// [`OwnVoice::may_be_heard_in`].
    pub fn is_echo(
        &self,
        utterance: &Utterance,
        may_contain_echo: bool,
        in_hot_window: bool,
        config: &ListeningConfig,
    ) -> bool {
        let Some(reply) = &self.reply else { return false };
        let heard = HeardSpeech {
            text: &utterance.text,
            started_secs: reply.secs(utterance.started_at),
            energy_rms: f64::from(utterance.energy_rms),
            // The start of the utterance counts, whether or not we still speak.
            during_own_speech: self.is_speaking
                || reply.finished_at.is_some_and(|finished_at| utterance.started_at < finished_at),
            in_hot_window,
        };
        let echo_config = config.echo();
        if !echo::is_explained_by_own_words(&heard, &reply.speech, &echo_config) {
            return false;
        }
        let is_recent = reply.finished_at.is_none_or(|finished_at| {
            utterance.started_at.saturating_duration_since(finished_at) < MAX_PURE_ECHO_DELAY
        });
        let is_pure_echo = is_recent
            && (may_contain_echo || in_hot_window)
            && echo::is_pure_echo(&utterance.text, &reply.speech.text);
        is_pure_echo || echo::is_echo(&heard, &reply.speech, &echo_config)
    }

    /// The words of the user after our own, when one utterance contains both.
    pub fn user_words(&self, utterance: &Utterance, config: &ListeningConfig) -> Option<String> {
        let reply = self.reply.as_ref()?;
        let (text, started_secs) = (&utterance.text, reply.secs(utterance.started_at));
        let echo_config: EchoConfig = config.echo();
        let during_own_speech = reply.finished_at.is_none_or(|at| utterance.started_at < at);
        let while_speaking = || {
            echo::user_words_while_speaking(text, started_secs, &reply.speech, &echo_config)
                .or_else(|| echo::after_own_words(text, started_secs, &reply.speech, &echo_config))
        };
        echo::after_leading_echo(text, &reply.speech.text)
            .or_else(|| during_own_speech.then(while_speaking).flatten())
            .filter(|words| words.split_whitespace().count() >= MIN_USER_WORDS)
    }
}
