//! What we said in the newest reply, and whether an utterance is its echo.

use std::time::{Duration, Instant};

use vocabulary::Utterance;

use crate::config::ListeningConfig;
use crate::echo::{self, EchoConfig, HeardSpeech, OwnSpeech};
use crate::room_level::RoomLevel;

/// Our speaking rate when the duration of the speech is not known: 200 words a minute.
const WORDS_PER_SECOND: f64 = 200.0 / 60.0;

/// The fewest words after our own that count as words of the user.
const MIN_USER_WORDS: usize = 3;

/// An utterance that equals our words is an echo up to this long after we stopped.
const MAX_PURE_ECHO_DELAY: Duration = Duration::from_secs(2);

/// The newest spoken reply.
#[derive(Default)]
pub(crate) struct OwnVoice {
    speech: Option<OwnSpeech>,
    is_speaking: bool,
    room: RoomLevel,
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
        self.speech = Some(OwnSpeech {
            text: String::new(),
            started_at: at,
            finished_at: None,
            duration: Some(Duration::ZERO),
            background_rms: self.room.rms(),
        });
    }

    /// Adds a sentence that starts to sound at `at`.
    pub fn add_sentence(&mut self, text: &str, at: Instant, duration: Duration) {
        if let Some(speech) = &mut self.speech {
            if !speech.text.is_empty() {
                speech.text.push(' ');
            }
            speech.text.push_str(text);
            speech.duration = Some((at + duration).saturating_duration_since(speech.started_at));
        }
    }

    pub fn stop(&mut self, at: Instant) {
        self.is_speaking = false;
        if let Some(speech) = &mut self.speech {
            speech.finished_at = Some(at);
        }
    }

    /// Whether we were speaking, or our echo could still be heard, when this utterance started.
    pub fn may_be_heard_in(&self, utterance: &Utterance, config: &ListeningConfig) -> bool {
        let has_recent_echo = self
            .speech
            .as_ref()
            .and_then(|speech| speech.finished_at)
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
        let Some(speech) = &self.speech else { return false };
        let heard = HeardSpeech {
            text: &utterance.text,
            started_at: utterance.started_at,
            energy_rms: utterance.energy_rms,
            // The start of the utterance counts, whether or not we still speak.
            during_own_speech: self.is_speaking
                || speech.finished_at.is_some_and(|finished_at| utterance.started_at < finished_at),
            in_hot_window,
        };
        let echo_config = EchoConfig {
            tolerance: config.echo_tolerance,
            energy_threshold: config.echo_energy_threshold,
            words_per_second: WORDS_PER_SECOND,
        };
        if !echo::may_be_own_words(&heard, speech, &echo_config) {
            return false;
        }
        let is_recent = speech.finished_at.is_none_or(|finished_at| {
            utterance.started_at.saturating_duration_since(finished_at) < MAX_PURE_ECHO_DELAY
        });
        let is_pure_echo = is_recent
            && (may_contain_echo || in_hot_window)
            && echo::is_pure_echo(&utterance.text, &speech.text);
        is_pure_echo || echo::is_echo(&heard, speech, &echo_config)
    }

    /// The words of the user after our own, when one utterance contains both.
    pub fn user_words(&self, text: &str) -> Option<String> {
        let speech = self.speech.as_ref()?;
        let rest = echo::without_leading_echo(text, &speech.text)?;
        (rest.split_whitespace().count() >= MIN_USER_WORDS).then_some(rest)
    }
}
