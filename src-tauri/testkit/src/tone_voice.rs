//! A voice that hums.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use speaking::{Speech, TextToSpeech, VoiceError, Voices};
use tokio_util::sync::CancellationToken;

/// Hums 10 ms for each character, and remembers what it was asked to say.
#[derive(Clone)]
pub struct ToneVoice {
    name: &'static str,
    asked: Arc<Mutex<Vec<String>>>,
    /// Texts with this word in them are never finished: it stops when it is told to.
    endless: &'static str,
    /// Texts with this word in them fail.
    impossible: &'static str,
}

impl ToneVoice {
    /// How long it hums for one character.
    pub const PER_CHARACTER: Duration = Duration::from_millis(10);
    /// Rate of its samples, in hertz.
    pub const RATE_HZ: u32 = 16_000;
    /// It never finishes a text with this word in it, unless it is told to stop.
    pub const ENDLESS: &'static str = "endless";
    /// It fails at a text with this word in it.
    pub const IMPOSSIBLE: &'static str = "impossible";

    /// A voice of that name.
    pub fn new(name: &'static str) -> Self {
        Self { name, asked: Arc::default(), endless: Self::ENDLESS, impossible: Self::IMPOSSIBLE }
    }

    /// The same voice, able to say anything.
    pub fn capable(mut self) -> Self {
        self.impossible = "\0";
        self
    }

    /// What it was asked to say so far, but for the word of greeting it warms up with.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl TextToSpeech for ToneVoice {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError> {
        if text != "Hello." {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        }
        if text.contains(self.impossible) {
            return Err(VoiceError::Engine("it cannot say that".into()));
        }
        if text.contains(self.endless) {
            while !stop.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            return Err(VoiceError::Stopped);
        }
        let secs = (Self::PER_CHARACTER * text.chars().count() as u32).as_secs_f32() / speed;
        let samples = (secs * Self::RATE_HZ as f32).round() as usize;
        let tone = (0..samples).map(|n| 0.5 * (n as f32 * 0.1).sin());
        Ok(Speech { samples: tone.collect(), rate_hz: Self::RATE_HZ })
    }
}

/// Two voices to choose from by their names, and one to fall back to.
#[derive(Clone)]
pub struct ToneVoices {
    /// What the settings mean by anything but `second`.
    pub first: ToneVoice,
    /// What the settings mean by `second`.
    pub second: ToneVoice,
    /// What speaks when they cannot.
    pub fallback: ToneVoice,
}

impl Default for ToneVoices {
    fn default() -> Self {
        Self {
            first: ToneVoice::new("first"),
            second: ToneVoice::new("second"),
            fallback: ToneVoice::new("fallback").capable(),
        }
    }
}

impl Voices for ToneVoices {
    /// Fails for `missing`.
    fn load(&self, wanted: &str) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        match wanted {
            "missing" => Err(VoiceError::NotInstalled { id: wanted.to_owned() }),
            "second" => Ok(Arc::new(self.second.clone())),
            _ => Ok(Arc::new(self.first.clone())),
        }
    }

    fn fallback(&self) -> Arc<dyn TextToSpeech> {
        Arc::new(self.fallback.clone())
    }
}
