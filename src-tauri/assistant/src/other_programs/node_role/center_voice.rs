//! The voice of the Command Center, if the settings want it, with the voices here behind it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use net::{NetError, Url};
use parking_lot::Mutex;
use speaking::{Speech, TextToSpeech, VoiceError, Voices};
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use super::center_http::CenterVoiceError;
use super::sound_parts::{PATIENCE, SoundParts};
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
        let mut samples = Vec::new();
        let rest = self.synthesise_early(text, speed, stop, &mut |part| samples.extend(part.samples))?;
        samples.extend(rest.samples);
        Ok(Speech { samples, rate_hz: rest.rate_hz })
    }

    fn synthesise_early(
        &self,
        text: &str,
        speed: f32,
        stop: &CancellationToken,
        early: &mut dyn FnMut(Speech),
    ) -> Result<Speech, VoiceError> {
        let spoken = match self.center.config() {
            Some(config) => self.center.speak(&config, text, stop, early)?,
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

    /// Passes the first parts of the sound of a text on as they come, and returns the rest; `None` while the user wants nobody
    /// contacted. Blocks; cancelling `stop` ends it.
    fn speak(
        &self,
        config: &NodeConfig,
        text: &str,
        stop: &CancellationToken,
        early: &mut dyn FnMut(Speech),
    ) -> Result<Option<Speech>, VoiceError> {
        if let Some(failure) = self.recent_failure(config) {
            return Err(voice_error(failure));
        }
        let fetching = self.fetch(config, text, early);
        // Synthesis has threads of its own, which may wait.
        let fetched = tokio::runtime::Handle::current().block_on(stop.run_until_cancelled(fetching));
        match fetched.ok_or(VoiceError::Stopped)? {
            Ok(rest) => {
                *self.failure.lock() = None;
                Ok(Some(rest))
            }
            Err(CenterVoiceError::Net(NetError::Offline { .. })) => Ok(None),
            Err(error) => {
                let error = Arc::new(error);
                *self.failure.lock() = Some((Instant::now(), config.address.clone(), Arc::clone(&error)));
                Err(voice_error(error))
            }
        }
    }

    async fn fetch(
        &self,
        config: &NodeConfig,
        text: &str,
        early: &mut dyn FnMut(Speech),
    ) -> Result<Speech, CenterVoiceError> {
        let mut sound = self.role.connect(config).await.speak(text).await?;
        let mut parts = SoundParts::new(sound.rate_hz);
        let (mut is_silent, mut waits) = (true, 0);
        loop {
            let Ok(samples) = tokio::time::timeout(PATIENCE, sound.next()).await else {
                waits += 1;
                // The rest may take long: it is not made yet.
                if let Some(part) = parts.so_far(waits) {
                    early(part);
                }
                continue;
            };
            waits = 0;
            let Some(samples) = samples.transpose()? else { break };
            is_silent &= samples.is_empty();
            if let Some(part) = parts.add(&samples) {
                early(part);
            }
        }
        // Silence for words is a failure.
        match is_silent && text.contains(char::is_alphanumeric) {
            true => Err(CenterVoiceError::Nothing),
            false => Ok(parts.rest()),
        }
    }

    fn recent_failure(&self, config: &NodeConfig) -> Option<Arc<CenterVoiceError>> {
        let failure = self.failure.lock();
        let (at, address, error) = failure.as_ref()?;
        let is_recent = at.elapsed() < BACK_OFF && *address == config.address;
        is_recent.then(|| Arc::clone(error))
    }
}

fn voice_error(error: Arc<CenterVoiceError>) -> VoiceError {
    let service = "the Command Center".to_owned();
    let is_limit = matches!(&*error, CenterVoiceError::Net(NetError::Status { code: 402 | 429, .. }));
    let source = Box::new(error);
    match is_limit {
        true => VoiceError::QuotaExceeded {
            service,
            remedy: "The voice here speaks meanwhile. Wait, or raise the limit of this computer at the Command Center."
                .to_owned(),
            source,
        },
        false => VoiceError::Service {
            service,
            remedy: "The voice here speaks meanwhile. Check the Command Center, or switch \"Speak with its voice\" off in the settings."
                .to_owned(),
            source,
        },
    }
}
