//! The parts of an assistant: the real ones on this machine, or those that a test brings.

use std::sync::Arc;
use std::time::Duration;

use audio::{CardLoudspeaker, CardMicrophone, Loudspeaker, Microphone, OtherSound, PlayedSound};
use hearing::{PassTiming, SpeechToText};
use llm::{ChatModel, Embedder};
use models::ModelStore;
use net::{Http, NetError};
use vocabulary::Clock;

use crate::system_clock::SystemClock;
use settings::{Folders, Keychain, SecretStore};
use speaking::TextToSpeech;
use tools::desktop::{DesktopLocation, LocationService, System, SystemPrograms};

/// The time of a recognition pass over a recording: that of a short order on two free cores.
const RECORDING_PASS: Duration = Duration::from_millis(300);

/// Opens the device of this name; an empty name is the system's default.
pub(crate) type Choose<T> = Arc<dyn Fn(&str) -> Arc<T> + Send + Sync>;

/// The parts of an assistant, and how it runs.
pub struct AssistantBuilder {
    pub(crate) folders: Folders,
    pub(crate) microphone: Choose<dyn Microphone>,
    /// `None` means that nothing is ever spoken.
    pub(crate) loudspeaker: Option<Choose<dyn Loudspeaker>>,
    /// The sound of the loudspeaker that the microphone hears; `None` if it is a recording.
    pub(crate) played: Option<PlayedSound>,
    /// The sound of other programs; `None` if it cannot be made quieter.
    pub(crate) other_sound: Option<Arc<dyn OtherSound>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) secrets: Arc<dyn SecretStore>,
    /// In place of the models folder of the settings, with the bundled catalogue.
    pub(crate) model_files: Option<ModelStore>,
    /// In place of a client with nothing allowed but public addresses.
    http: Option<Http>,
    /// Asked where this computer is, if the settings allow it.
    pub(crate) location: Arc<dyn LocationService>,
    /// In place of the model that the settings name.
    pub(crate) recogniser: Option<Arc<dyn SpeechToText>>,
    pub(crate) pass_timing: PassTiming,
    /// In place of the model that the settings name.
    pub(crate) model: Option<Arc<dyn ChatModel>>,
    /// In place of the one that the settings name.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// In place of the voice that the settings name.
    pub(crate) voice: Option<Arc<dyn TextToSpeech>>,
    /// `true` if a microphone may be opened, so that recognition is warmed up.
    pub(crate) has_microphone: bool,
    /// `true` if messages are stored when the settings allow it.
    pub(crate) keeps_words: bool,
    /// `true` if the door has a window to raise, or will have one.
    pub(crate) has_window: bool,
    /// `true` if it runs long enough for the diary and maintenance.
    pub(crate) stays: bool,
    /// `true` if the start waits until all models are warm.
    pub(crate) is_ready_first: bool,
}

impl AssistantBuilder {
    /// The real things, with the data of `folders`.
    pub fn new(folders: Folders) -> Self {
        let played = PlayedSound::default();
        let heard_by_microphone = played.clone();
        Self {
            other_sound: other_sound(&folders),
            folders,
            microphone: Arc::new(|device| Arc::new(CardMicrophone::new(device.to_owned()))),
            loudspeaker: Some(Arc::new(move |device| {
                Arc::new(CardLoudspeaker::new(device.to_owned()).reporting_to(played.clone()))
            })),
            played: Some(heard_by_microphone),
            clock: Arc::new(SystemClock),
            secrets: Arc::new(Keychain),
            model_files: None,
            http: None,
            location: Arc::new(DesktopLocation::new(System::this(), Arc::new(SystemPrograms))),
            recogniser: None,
            pass_timing: PassTiming::Live,
            model: None,
            embedder: None,
            voice: None,
            has_microphone: true,
            keeps_words: true,
            has_window: false,
            stays: true,
            is_ready_first: false,
        }
    }

    /// Without microphone and loudspeaker.
    pub fn without_audio(mut self) -> Self {
        self.loudspeaker = None;
        self.has_microphone = false;
        self
    }

    /// With a window to raise when Jarvis is started again.
    pub fn with_window(mut self) -> Self {
        self.has_window = true;
        self
    }

    /// Stores no message, whatever the settings say.
    pub fn keeping_nothing(mut self) -> Self {
        self.keeps_words = false;
        self
    }

    /// For a single question: without diary and maintenance, and no model is loaded before it is needed.
    pub fn for_one_question(mut self) -> Self {
        self.stays = false;
        self
    }

    /// With another microphone, whatever the settings say.
    pub fn with_microphone(mut self, microphone: Arc<dyn Microphone>) -> Self {
        self.microphone = Arc::new(move |_| Arc::clone(&microphone));
        self.played = None;
        self
    }

    /// With another loudspeaker, whatever the settings say.
    pub fn with_loudspeaker(mut self, loudspeaker: Arc<dyn Loudspeaker>) -> Self {
        self.loudspeaker = Some(Arc::new(move |_| Arc::clone(&loudspeaker)));
        self
    }

    /// With a recording instead of a microphone. The time of recognition counts in its sound, so that the words do not
    /// depend on the load of the machine.
    pub fn with_recording(mut self, recording: Arc<dyn Microphone>) -> Self {
        self.pass_timing = PassTiming::InSound(RECORDING_PASS);
        self.with_microphone(recording)
    }

    /// With another location service, asked if the settings allow it.
    pub fn with_location_service(mut self, service: Arc<dyn LocationService>) -> Self {
        self.location = service;
        self
    }

    /// With another recogniser, whatever the settings say.
    pub fn with_recogniser(mut self, recogniser: Arc<dyn SpeechToText>) -> Self {
        self.recogniser = Some(recogniser);
        self
    }

    /// With another language model, whatever the settings say.
    pub fn with_model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// With another embedding model, whatever the settings say.
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// With another voice, whatever the settings say.
    pub fn with_voice(mut self, voice: Arc<dyn TextToSpeech>) -> Self {
        self.voice = Some(voice);
        self
    }

    /// With another clock.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// With another keychain.
    pub fn with_secrets(mut self, secrets: Arc<dyn SecretStore>) -> Self {
        self.secrets = secrets;
        self
    }

    /// With other model files, whatever the settings say, and downloads by `http`.
    pub fn with_model_files(mut self, store: ModelStore, http: Http) -> Self {
        self.model_files = Some(store);
        self.http = Some(http);
        self
    }

    pub(crate) fn http(&self) -> Result<Http, NetError> {
        self.http.clone().map_or_else(Http::new, Ok)
    }

    /// The start waits until all models are warm: for recordings, which do not wait.
    pub fn ready_first(mut self) -> Self {
        self.is_ready_first = true;
        self
    }
}

#[cfg(target_os = "linux")]
fn other_sound(folders: &Folders) -> Option<Arc<dyn OtherSound>> {
    Some(Arc::new(audio::SoundServer::new(folders.data.join("quieter-programs.json"))))
}

#[cfg(not(target_os = "linux"))]
fn other_sound(_: &Folders) -> Option<Arc<dyn OtherSound>> {
    None
}
