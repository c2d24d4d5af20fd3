//! A fake voice that generates tones.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use speaking::{Speech, TextToSpeech, VoiceError, Voices};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

/// A fake voice. Generates a tone of 10 ms per character, and records the texts.
#[derive(Clone)]
pub struct ToneVoice {
    name: &'static str,
    language: Option<Language>,
    asked: Arc<Mutex<Vec<String>>>,
    is_released: Arc<watch::Sender<bool>>,
    stopped: Arc<watch::Sender<Vec<String>>>,
    /// Texts with this word never end, until they are cancelled.
    endless: &'static str,
    /// Texts with this word cause an error.
    impossible: &'static str,
}

impl ToneVoice {
    /// Duration of the tone for one character.
    pub const PER_CHARACTER: Duration = Duration::from_millis(10);
    /// Sample rate in hertz.
    pub const RATE_HZ: u32 = 16_000;
    /// Texts with this word never end, until they are cancelled.
    pub const ENDLESS: &'static str = "endless";
    /// Texts with this word wait for [`release`](Self::release).
    pub const HELD: &'static str = "held";
    /// Texts with this word cause an error.
    pub const IMPOSSIBLE: &'static str = "impossible";

    /// A voice with this name.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            language: None,
            asked: Arc::default(),
            is_released: Arc::default(),
            stopped: Arc::default(),
            endless: Self::ENDLESS,
            impossible: Self::IMPOSSIBLE,
        }
    }

    /// The same voice, but only for this language.
    fn of(mut self, code: &str) -> Self {
        self.language = Language::new(code);
        self
    }

    /// The same voice, but without errors.
    pub fn capable(mut self) -> Self {
        self.impossible = "\0";
        self
    }

    /// The same voice, but with an error for every text.
    fn incapable(mut self) -> Self {
        self.impossible = "";
        self
    }

    /// Lets the texts go that are held, and all later ones.
    pub fn release(&self) {
        self.is_released.send_replace(true);
    }

    /// Waits until the synthesis of this text was cancelled.
    pub async fn until_stopped(&self, text: &str) {
        let mut stopped = self.stopped.subscribe();
        // The sender lives as long as this voice.
        let _ = stopped.wait_for(|stopped| stopped.iter().any(|it| it == text)).await;
    }

    /// Waits until the synthesis of a text may end; `false` if it was cancelled first. Blocks.
    fn may_end(&self, text: &str, stop: &CancellationToken) -> bool {
        let (is_endless, is_held) = (text.contains(self.endless), text.contains(Self::HELD));
        let mut released = self.is_released.subscribe();
        let waiting = async {
            if is_endless {
                std::future::pending::<()>().await;
            }
            if is_held {
                // The sender lives as long as this voice.
                let _ = released.wait_for(|is_released| *is_released).await;
            }
        };
        futures::executor::block_on(stop.run_until_cancelled(waiting)).is_some()
    }

    /// All texts, in order, without the text that is used for warming up.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }
}

impl TextToSpeech for ToneVoice {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn language(&self) -> Option<Language> {
        self.language.clone()
    }

    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError> {
        if text != "Hello." {
            self.asked.lock().push(text.to_owned());
        }
        if text.contains(self.impossible) {
            return Err(VoiceError::Engine("the text contains the impossible word".into()));
        }
        if !self.may_end(text, stop) {
            self.stopped.send_modify(|stopped| stopped.push(text.to_owned()));
            return Err(VoiceError::Stopped);
        }
        let secs = (Self::PER_CHARACTER * text.chars().count() as u32).as_secs_f32() / speed;
        let samples = (secs * Self::RATE_HZ as f32).round() as usize;
        let tone = (0..samples).map(|n| 0.5 * (n as f32 * 0.1).sin());
        Ok(Speech { samples: tone.collect(), rate_hz: Self::RATE_HZ })
    }
}

/// Two English voices, selected by name, a German voice, and a fallback voice.
#[derive(Clone)]
pub struct ToneVoices {
    /// Selected by every name except `second`, `german`, `incapable` and `missing`.
    pub first: ToneVoice,
    /// Selected by the name `second`.
    pub second: ToneVoice,
    /// Selected for German, and by the name `german`.
    pub german: ToneVoice,
    /// The fallback voice.
    pub fallback: ToneVoice,
}

impl Default for ToneVoices {
    fn default() -> Self {
        Self {
            first: ToneVoice::new("first").of("en"),
            second: ToneVoice::new("second").of("en"),
            german: ToneVoice::new("german").of("de"),
            fallback: ToneVoice::new("fallback").capable(),
        }
    }
}

impl Voices for ToneVoices {
    /// Returns an error for the name `missing`, and a voice that cannot speak for `incapable`.
    fn load(&self, wanted: &str) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        match wanted {
            "missing" => Err(VoiceError::NotInstalled { id: wanted.to_owned() }),
            "second" => Ok(Arc::new(self.second.clone())),
            "german" => Ok(Arc::new(self.german.clone())),
            "incapable" => Ok(Arc::new(self.first.clone().incapable())),
            _ => Ok(Arc::new(self.first.clone())),
        }
    }

    fn load_for(&self, language: &Language) -> Result<Option<Arc<dyn TextToSpeech>>, VoiceError> {
        let is_german = self.german.language.as_ref() == Some(language);
        Ok(is_german.then(|| Arc::new(self.german.clone()) as Arc<dyn TextToSpeech>))
    }

    fn fallback(&self, _: Option<&Language>) -> Arc<dyn TextToSpeech> {
        Arc::new(self.fallback.clone())
    }
}
