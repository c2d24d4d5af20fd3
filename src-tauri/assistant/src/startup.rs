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

use ::tools::ToolRegistry;
use listening::judge::IntentJudge;
use memory::Memory;
use parking_lot::Mutex;
use settings::SettingsFile;
use tokio::sync::{Notify, watch};
use vocabulary::AssistantState;

use self::context::Startup;
use self::conversation::{Conversation, ConversationInputs};
use self::data::data_service;
use self::sound::SoundInputs;
use crate::activation::{Activation, Window};
use crate::assistant::{Assistant, AtShutdown, Shared};
use crate::builder::AssistantBuilder;
use crate::capture::CaptureTarget;
use crate::command::Command;
use crate::instance::Instance;
use crate::intent_judge::ModelJudge;
use crate::ipc;
use crate::model_library::ModelLibrary;
use crate::satellite::SatelliteService;
use crate::settings_observer::{self, SettingsObserver, SettingsObservers};
use crate::speech_service::SpeechService;
use crate::start_error::StartError;
use crate::stream_hearing::StreamHearing;
use crate::tool_permissions::ToolPermissions;
use crate::tool_servers::ConfiguredServers;
use crate::user_location::UserLocation;
use crate::warm_up::WarmUp;

impl Assistant {
    /// Starts everything. It answers typed queries when it returns; models are loaded meanwhile, unless the builder
    /// asks for them first.
    ///
    /// # Errors
    ///
    /// [`StartError`]: the few things no assistant can be without. All else is reported as trouble, and recovers when
    /// its cause goes away.
    pub async fn start(builder: AssistantBuilder, instance: Instance) -> Result<Self, StartError> {
        let (mut startup, file, commands) = Startup::new(&builder).await?;
        let (state, state_now) = watch::channel(AssistantState::Idle);
        let storage = startup.open_storage(&builder.folders, &builder.secrets, builder.keeps_words);
        let models = startup.choose_language_models(&builder, &storage, &file);
        let at_work = builder.stays.then(|| startup.work_on_memory(&builder, &storage, &models, &state_now));
        let speech_output =
            startup.open_voice(builder.loudspeaker.clone(), builder.voice.clone(), &models.node);
        let judge: Arc<dyn IntentJudge> = Arc::new(ModelJudge(Arc::clone(&models.helper)));
        let inputs = SoundInputs {
            microphone: builder.microphone.clone(),
            played: builder.played.clone(),
            recogniser: builder.recogniser.clone(),
            judge: Arc::clone(&judge),
            pass_timing: builder.pass_timing,
        };
        let sound = startup.open_sound(inputs, &speech_output, &storage.voices);
        let speech = startup.speech_service(&file, builder.voice.clone(), sound.recogniser.clone());
        let node = models.node.clone();
        let lines = sound.lines;
        let conversation = startup.open_conversation(
            &builder,
            ConversationInputs { storage: &storage, node, speech_output, sound: lines, commands, state },
        );
        startup.announce_tool_servers(&models.tool_servers, conversation.events.clone());
        let (foreground, expected) = (conversation.foreground.clone(), Arc::clone(&conversation.expected));
        let (models_changed, secret_changed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let library = startup.open_library(&builder, &models_changed);
        let capture = sound.capture;
        let parts = SharedParts {
            library: library.clone(),
            tool_servers: models.tool_servers.clone(),
            tool_permissions: models.tool_permissions.clone(),
            memory: storage.memory.clone(),
            tools: models.tools.clone(),
            location: models.location.clone(),
            satellites: startup.satellites(&sound.streams, &speech, judge),
            speech,
            streams: sound.streams,
        };
        let shared = startup.shared(&builder, &file, parts, conversation, (capture, state_now));
        let assistant = Self::new(shared);
        let refreshed = assistant.downgrade();
        startup.observers.push(SettingsObserver::new(
            &startup.settings,
            |settings| settings.listening.enabled,
            move |_| refreshed.refresh_capture(),
        ));
        let data = data_service(&builder, &file, library, (&storage, &models), &secret_changed);
        *assistant.shared().data.lock() = Some(data.clone());
        let server = ipc::Server { assistant: assistant.clone(), data };
        startup.accept_connections(&builder.folders.data, server).await;
        let Startup { tasks, stop, commands, observers, key, .. } = startup;
        let tool_servers = models.tool_servers.clone();
        let observers = SettingsObservers { observers, key, models_changed, secret_changed, tool_servers };
        tasks.spawn(settings_observer::run(file, observers, commands.clone(), stop.child_token()));

        storage.dialogue.opened(storage::open_limit(builder.stays)).await;
        let (dialogue, writing, embedder) = (storage.dialogue, storage.writing, models.embedder);
        let unloadable = Arc::clone(&embedder);
        let (calls, writing_calls) = (storage.calls, storage.writing_calls);
        let diary = at_work.flatten();
        assistant.keep_until_shutdown(AtShutdown {
            dialogue,
            diary,
            embedder,
            calls,
            writing_calls,
            writing,
            _instance: instance,
        });
        let recogniser = builder.has_microphone.then_some(sound.recogniser);
        let (model, replier, chosen) = (models.model, models.replier, models.chosen);
        let mut warm_up = WarmUp {
            recogniser,
            model,
            embedder: unloadable,
            replier,
            foreground,
            expected,
            chosen,
            commands: commands.clone(),
        };
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

/// Parts that the clones of the assistant share.
struct SharedParts {
    library: ModelLibrary,
    tool_servers: ConfiguredServers,
    tool_permissions: ToolPermissions,
    memory: watch::Receiver<Option<Memory>>,
    tools: Arc<ToolRegistry>,
    location: UserLocation,
    speech: Arc<SpeechService>,
    streams: Arc<StreamHearing>,
    satellites: SatelliteService,
}

impl Startup {
    /// The state that the clones of the assistant share.
    fn shared(
        &self,
        builder: &AssistantBuilder,
        file: &Arc<SettingsFile>,
        parts: SharedParts,
        conversation: Conversation,
        (capture, state): (watch::Sender<CaptureTarget>, watch::Receiver<AssistantState>),
    ) -> Shared {
        let SharedParts {
            library,
            tool_servers,
            tool_permissions,
            memory,
            tools,
            location,
            speech,
            streams,
            satellites,
        } = parts;
        let Conversation { events, ringer, foreground, question, troubles, expected } = conversation;
        Shared {
            settings: Arc::clone(file),
            library,
            tool_servers,
            speech,
            streams,
            satellites,
            data: Mutex::default(),
            tools,
            tool_permissions,
            location,
            memory,
            http: self.http.clone(),
            commands: self.commands.clone(),
            events,
            capture,
            clock: Arc::clone(&builder.clock),
            capture_is_wanted: false.into(),
            is_muted: false.into(),
            next_temporary: 0.into(),
            activation: Activation::new(if builder.has_window { Window::Exists } else { Window::None }),
            ringer,
            state,
            foreground,
            question,
            troubles,
            expected,
            stop: self.stop.clone(),
            tasks: self.tasks.clone(),
            at_shutdown: Mutex::new(None),
        }
    }
}
