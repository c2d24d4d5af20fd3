//! The voice of the Command Center, where the settings want it, with the voices here behind it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use command_center::RawSound;
use net::{NetError, Url};
use parking_lot::Mutex;
use speaking::{Speech, TextToSpeech, VoiceError, Voices};
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use super::center_http::CenterVoiceError;
use super::{NodeConfig, NodeRole};

/// The time in which a Command Center that failed is not asked again: the user waits for the sentence.
/// Source: the back-off of the intent judge.
const BACK_OFF: Duration = Duration::from_secs(30);

/// The voices of this machine, with that of the Command Center before them.
struct CenterVoices {
    own: Arc<dyn Voices>,
    center: Arc<CenterVoice>,
    /// The voice of the settings here, once it is loaded: better than that of the system when the Command Center fails.
    loaded: Mutex<Option<Arc<dyn TextToSpeech>>>,
}

impl NodeRole {
    /// `own`, but with the voice of the Command Center as long as the settings say that it speaks.
    pub fn voices(&self, own: Arc<dyn Voices>) -> Arc<dyn Voices> {
        let center = Arc::new(CenterVoice { role: self.clone(), failure: Mutex::default() });
        Arc::new(CenterVoices { own, center, loaded: Mutex::default() })
    }
}

impl CenterVoices {
    fn with_center(&self, here: Arc<dyn TextToSpeech>) -> Arc<dyn TextToSpeech> {
        Arc::new(CenterFirst { center: Arc::clone(&self.center), here })
    }
}

impl Voices for CenterVoices {
    fn load(&self, setting: &str) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        match self.own.load(setting) {
            Ok(here) => {
                *self.loaded.lock() = Some(Arc::clone(&here));
                Ok(self.with_center(here))
            }
            // It is not needed as long as the Command Center speaks.
            Err(error) if self.center.config().is_some() => {
                tracing::info!(%error, "the voice here cannot be loaded, and the Command Center speaks");
                *self.loaded.lock() = None;
                Ok(self.with_center(self.own.fallback(None)))
            }
            Err(error) => Err(error),
        }
    }

    fn load_for(&self, language: &Language) -> Result<Option<Arc<dyn TextToSpeech>>, VoiceError> {
        Ok(self.own.load_for(language)?.map(|here| self.with_center(here)))
    }

    fn fallback(&self, language: Option<&Language>) -> Arc<dyn TextToSpeech> {
        let fits = |voice: &Arc<dyn TextToSpeech>| {
            language.is_none() || voice.language().is_none() || voice.language().as_ref() == language
        };
        let loaded = self.loaded.lock().clone().filter(fits).filter(|_| self.center.config().is_some());
        loaded.unwrap_or_else(|| self.own.fallback(language))
    }
}

/// The Command Center while the settings say that it speaks, else a voice of this machine.
struct CenterFirst {
    center: Arc<CenterVoice>,
    here: Arc<dyn TextToSpeech>,
}

impl TextToSpeech for CenterFirst {
    fn name(&self) -> String {
        self.here.name()
    }

    /// The Command Center is taken to speak every language.
    fn language(&self) -> Option<Language> {
        self.here.language().filter(|_| self.center.config().is_none())
    }

    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError> {
        let spoken = match self.center.config() {
            Some(config) => self.center.speak(&config, text, stop)?,
            None => None,
        };
        spoken.map_or_else(|| self.here.synthesise(text, speed, stop), Ok)
    }
}

/// The voice of the Command Center.
struct CenterVoice {
    role: NodeRole,
    /// The last failure, and the address that it is about.
    failure: Mutex<Option<(Instant, Url, Arc<CenterVoiceError>)>>,
}

impl CenterVoice {
    /// The configuration of a Command Center that speaks.
    fn config(&self) -> Option<NodeConfig> {
        self.role.config().filter(|config| config.speaks)
    }

    /// Fetches the sound of a text; `None` while the user wants nobody contacted. Blocks; cancelling `stop` ends it.
    fn speak(
        &self,
        config: &NodeConfig,
        text: &str,
        stop: &CancellationToken,
    ) -> Result<Option<Speech>, VoiceError> {
        if let Some(failure) = self.recent_failure(config) {
            return Err(voice_error(failure));
        }
        let fetching = async { self.role.connect(config).await.speak(text).await };
        // Synthesis has threads of its own, which may wait.
        let fetched = tokio::runtime::Handle::current().block_on(stop.run_until_cancelled(fetching));
        let fetched = fetched.ok_or(VoiceError::Stopped)?;
        match fetched.and_then(|sound| heard(sound, text)) {
            Ok(speech) => {
                *self.failure.lock() = None;
                Ok(Some(speech))
            }
            Err(CenterVoiceError::Net(NetError::Offline { .. })) => Ok(None),
            Err(error) => {
                let error = Arc::new(error);
                *self.failure.lock() = Some((Instant::now(), config.address.clone(), Arc::clone(&error)));
                Err(voice_error(error))
            }
        }
    }

    fn recent_failure(&self, config: &NodeConfig) -> Option<Arc<CenterVoiceError>> {
        let failure = self.failure.lock();
        let (at, address, error) = failure.as_ref()?;
        let is_recent = at.elapsed() < BACK_OFF && *address == config.address;
        is_recent.then(|| Arc::clone(error))
    }
}

/// Silence for words is a failure.
fn heard(sound: RawSound, text: &str) -> Result<Speech, CenterVoiceError> {
    let RawSound { samples, rate_hz } = sound;
    match samples.is_empty() && text.contains(char::is_alphanumeric) {
        true => Err(CenterVoiceError::Nothing),
        false => Ok(Speech { samples, rate_hz }),
    }
}

fn voice_error(error: Arc<CenterVoiceError>) -> VoiceError {
    VoiceError::Service {
        service: "the Command Center".to_owned(),
        remedy: "The voice here speaks meanwhile. Check the Command Center, or switch \"Speak with its voice\" off in the settings."
            .to_owned(),
        source: Box::new(error),
    }
}
