//! The start of an assistant: every part is made, joined to the others and set going.

mod context; // what all steps share
mod storage; // the database
mod memory_work; // maintenance and diary
mod language_models; // chat model, embedder, reply engine
mod tools; // what can be done besides talking
mod sound; // microphone, hearing, listening, voice
mod conversation; // replies and the task that decides
mod data; // model files, requests about the data

use std::sync::Arc;

use hearing::SpeechToText;
use listening::judge::IntentJudge;
use parking_lot::Mutex;
use settings::SettingsFile;
use tokio::sync::{Notify, mpsc, watch};
use vocabulary::AssistantState;

use self::context::Startup;
use self::conversation::{Conversation, ConversationInputs};
use self::data::data_service;
use self::language_models::LanguageModels;
use self::sound::{Sound, SoundInputs};
use self::storage::Storage;
use crate::assistant::{Assistant, AssistantCore, AtShutdown};
use crate::builder::AssistantBuilder;
use crate::command::Command;
use crate::data_access::activation::{Activation, Window};
use crate::data_access::instance::Instance;
use crate::data_access::ipc;
use crate::intent_judge::ModelJudge;
use crate::memory_upkeep::diary_scheduler::DiaryScheduler;
use crate::models_in_use::model_library::ModelLibrary;
use crate::models_in_use::warm_up::WarmUp;
use crate::network::contact_log::ContactLog;
use crate::settings_observer::{self, SettingsObserver, SettingsObservers};
use crate::sound_paths::capture::CaptureTarget;
use crate::sound_paths::speech_service::SpeechService;
use crate::sound_paths::stream_hearing::StreamHearing;
use crate::start_error::StartError;

impl Assistant {
    /// Starts everything. It answers typed queries when it returns; models are loaded meanwhile, unless the builder
    /// asks for them first.
    ///
    /// # Errors
    ///
    /// [`StartError`]: the few things no assistant can be without. All else is reported as trouble, and recovers when
    /// its cause goes away.
    pub async fn start(builder: AssistantBuilder, instance: Instance) -> Result<Self, StartError> {
        let (mut startup, file, commands_to_obey) = Startup::new(&builder).await?;
        let parts = startup.make_parts(&builder, &file, commands_to_obey);
        startup.announce_tool_servers(&parts.models.tool_servers, parts.conversation.events.clone());
        let (models_changed, secret_changed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let library = startup.open_library(&builder, &models_changed);
        let assistant = Self::new(startup.shared(&builder, &file, library.clone(), &parts));
        startup.refresh_capture_of(&assistant);
        let data = data_service(&builder, &file, library, (&parts.storage, &parts.models), &secret_changed);
        *assistant.shared().data.lock() = Some(data.clone());
        let server = ipc::Server { assistant: assistant.clone(), data };
        startup.accept_connections(&builder.folders.data, server).await;
        let Startup { tasks, stop, commands, observers, key, .. } = startup;
        let tool_servers = parts.models.tool_servers.clone();
        let observers = SettingsObservers { observers, key, models_changed, secret_changed, tool_servers };
        tasks.spawn(settings_observer::run(file, observers, commands.clone(), stop.child_token()));

        parts.storage.dialogue.opened(storage::open_limit(builder.stays)).await;
        let mut warm_up = parts.warm_up(builder.has_microphone, commands.clone());
        assistant.keep_until_shutdown(parts.at_shutdown(instance));
        if builder.is_ready_first {
            warm_up.once().await;
        } else if builder.stays {
            tasks.spawn(warm_up.keep_warm(stop.child_token()));
        }
        // A coordinator that has ended needs no news.
        let _ = commands.send(Command::Ready).await;
        Ok(assistant)
    }
}

/// The parts of an assistant, joined to each other, with their tasks under way.
struct Parts {
    storage: Storage,
    models: LanguageModels,
    judge: Arc<dyn IntentJudge>,
    /// Writes the diary; `None` if nothing is kept.
    diary: Option<DiaryScheduler>,
    capture: watch::Sender<CaptureTarget>,
    recogniser: watch::Receiver<Arc<dyn SpeechToText>>,
    streams: Arc<StreamHearing>,
    speech: Arc<SpeechService>,
    conversation: Conversation,
    state: watch::Receiver<AssistantState>,
}

impl Startup {
    /// Makes the parts, each with those it needs.
    fn make_parts(
        &mut self,
        builder: &AssistantBuilder,
        file: &Arc<SettingsFile>,
        commands: mpsc::Receiver<Command>,
    ) -> Parts {
        let (state, state_now) = watch::channel(AssistantState::Idle);
        let storage = self.open_storage(&builder.folders, &builder.secrets, builder.keeps_words);
        let models = self.choose_language_models(builder, &storage, file);
        let at_work = builder.stays.then(|| self.work_on_memory(builder, &storage, &models, &state_now));
        let speech_output = self.open_voice(builder.loudspeaker.clone(), builder.voice.clone(), &models.node);
        let judge: Arc<dyn IntentJudge> = Arc::new(ModelJudge(Arc::clone(&models.helper)));
        let inputs = SoundInputs {
            microphone: builder.microphone.clone(),
            played: builder.played.clone(),
            recogniser: builder.recogniser.clone(),
            judge: Arc::clone(&judge),
            pass_timing: builder.pass_timing,
        };
        let Sound { capture, recogniser, streams, lines } =
            self.open_sound(inputs, &speech_output, &storage.voices);
        let speech = self.speech_service(file, builder.voice.clone(), recogniser.clone());
        let node = models.node.clone();
        let inputs =
            ConversationInputs { storage: &storage, node, speech_output, sound: lines, commands, state };
        let conversation = self.open_conversation(builder, inputs);
        Parts {
            judge,
            storage,
            models,
            diary: at_work.flatten(),
            capture,
            recogniser,
            streams,
            speech,
            conversation,
            state: state_now,
        }
    }

    /// The state that the clones of the assistant share.
    fn shared(
        &self,
        builder: &AssistantBuilder,
        file: &Arc<SettingsFile>,
        library: ModelLibrary,
        parts: &Parts,
    ) -> AssistantCore {
        let (models, conversation) = (&parts.models, parts.conversation.clone());
        AssistantCore {
            settings: Arc::clone(file),
            library,
            tool_servers: models.tool_servers.clone(),
            speech: Arc::clone(&parts.speech),
            streams: Arc::clone(&parts.streams),
            satellites: self.satellites(&parts.streams, &parts.speech, Arc::clone(&parts.judge)),
            data: Mutex::default(),
            tools: Arc::clone(&models.tools),
            answering_models: models.replier.answering_models(),
            tool_permissions: models.tool_permissions.clone(),
            location: models.location.clone(),
            memory: parts.storage.memory.clone(),
            http: self.http.clone(),
            contacts: self.keep_contacts(builder),
            commands: self.commands.clone(),
            events: conversation.events,
            capture: parts.capture.clone(),
            clock: Arc::clone(&builder.clock),
            capture_is_wanted: false.into(),
            is_muted: false.into(),
            next_temporary: 0.into(),
            activation: Activation::new(if builder.has_window { Window::Exists } else { Window::None }),
            ringer: conversation.ringer,
            state: parts.state.clone(),
            foreground: conversation.foreground,
            question: conversation.question,
            troubles: conversation.troubles,
            expected: conversation.expected,
            stop: self.stop.clone(),
            tasks: self.tasks.clone(),
            at_shutdown: Mutex::new(None),
        }
    }

    /// The list of contacted hosts, and the task that writes it.
    fn keep_contacts(&self, builder: &AssistantBuilder) -> Arc<ContactLog> {
        let log = ContactLog::new(&builder.folders.data, self.http.clone(), builder.keeps_words);
        let log = Arc::new(log);
        self.tasks.spawn(Arc::clone(&log).keep(self.stop.child_token()));
        log
    }

    /// Opens and closes the microphone of `assistant` whenever listening is switched on or off.
    fn refresh_capture_of(&mut self, assistant: &Assistant) {
        let refreshed = assistant.downgrade();
        self.observers.push(SettingsObserver::new(
            &self.settings,
            |settings| settings.listening.enabled,
            move |_| refreshed.refresh_capture(),
        ));
    }
}

impl Parts {
    /// Loads the models of these parts.
    fn warm_up(&self, has_microphone: bool, commands: mpsc::Sender<Command>) -> WarmUp {
        WarmUp {
            recogniser: has_microphone.then(|| self.recogniser.clone()),
            model: Arc::clone(&self.models.model),
            embedder: Arc::clone(&self.models.embedder),
            replier: self.models.replier.clone(),
            foreground: self.conversation.foreground.clone(),
            expected: Arc::clone(&self.conversation.expected),
            chosen: Arc::clone(&self.models.chosen),
            commands,
        }
    }

    /// The parts that end after all tasks.
    fn at_shutdown(self, instance: Instance) -> AtShutdown {
        let Storage { dialogue, calls, writing_calls, writing, .. } = self.storage;
        AtShutdown {
            dialogue,
            diary: self.diary,
            embedder: self.models.embedder,
            calls,
            writing_calls,
            writing,
            _instance: instance,
        }
    }
}
