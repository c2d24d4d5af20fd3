//! How an assistant starts: every part is made, joined to the others and set going.

mod context; // what all steps share
mod storage; // the database
mod memory_work; // maintenance and diary
mod language_models; // chat model, embedder, reply engine
mod tools; // what can be done besides talking
mod sound; // microphone, hearing, listening, voice

use std::sync::{Arc, Mutex};

use models::{Machine, ModelStore};
use routing::{ChannelId, Channels};
use settings::SettingsFile;
use tokio::sync::{Notify, broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{AssistantState, Stage, Trouble};

use self::context::Startup;
use self::sound::SoundInputs;
use crate::activation::{Activation, Window};
use crate::appointment_ringer::AppointmentRinger;
use crate::assistant::{Assistant, AtShutdown, Shared};
use crate::builder::AssistantBuilder;
use crate::command::Command;
use crate::coordinator::{self, CoordinatorInputs};
use crate::data_service::{DataService, DataServiceParts, MemorySource, ModelSource};
use crate::instance::Instance;
use crate::ipc;
use crate::model_library::{ModelLibrary, ModelLibraryParts};
use crate::provider_key::ProviderKey;
use crate::replies::{Audience, PersonChannel, ReplySessions};
use crate::settings_observer::{self, SettingsObserver, SettingsObservers};
use crate::start_error::StartError;
use crate::warm_up::WarmUp;

/// Events that a door may fall behind by before it misses some: a second of the busiest streaming.
const EVENTS: usize = 1024;
/// Commands waiting for the coordinator: doors wait when it is full.
const COMMANDS: usize = 32;

impl Assistant {
    /// Starts everything. It answers typed queries when it returns; models are loaded meanwhile, unless the builder
    /// asks for them first.
    ///
    /// # Errors
    ///
    /// [`StartError`]: the few things no assistant can be without. All else is reported as trouble, and recovers when
    /// its cause goes away.
    pub async fn start(builder: AssistantBuilder, instance: Instance) -> Result<Self, StartError> {
        let loaded = SettingsFile::load(&builder.folders.config.join("settings.json"))?;
        let file = Arc::new(loaded.file);
        let settings = file.current();
        let (commands, commands_to_obey) = mpsc::channel(COMMANDS);
        let mut startup = Startup {
            http: builder.http()?,
            store: match &builder.model_files {
                Some(store) => store.clone(),
                None => ModelStore::following_settings(file.subscribe(), builder.folders.models.clone()),
            },
            key: ProviderKey::of(&builder.secrets, &settings).await,
            changes: file.subscribe(),
            settings,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            commands,
            observers: Vec::new(),
            troubles: settings_observer::trouble_of_values(&loaded.bad_values).into_iter().collect(),
        };
        startup.troubles.extend(loaded.quarantined.iter().map(|kept| {
            Trouble::new(
                Stage::Settings,
                "The settings file could not be understood, so the defaults hold.",
                format!("It is kept at {}; correct it and put it back.", kept.display()),
            )
        }));
        let (state, state_now) = watch::channel(AssistantState::Idle);
        let (events, _) = broadcast::channel(EVENTS);

        let storage = startup.open_storage(&builder.folders, &builder.secrets, builder.keeps_words);
        let models = startup.choose_language_models(&builder, &storage, &file);
        let at_work = builder.stays.then(|| startup.work_on_memory(&builder, &storage, &models, &state_now));
        let speech_output = startup.open_voice(builder.loudspeaker, builder.voice);
        let inputs = SoundInputs { microphone: builder.microphone, recogniser: builder.recogniser };
        let sound = startup.open_sound(inputs, &speech_output);

        let channels = Channels::default();
        let audience = Audience::new(events.clone());
        let person = PersonChannel { audience: audience.clone(), speech_output: speech_output.clone() };
        let _person = channels.register(ChannelId::Person, Arc::new(person));
        let replies = ReplySessions::new(
            Arc::new(models.replier.clone()),
            channels,
            storage.dialogue.clone(),
            audience.clone(),
            startup.stop.child_token(),
        );
        let ringer = AppointmentRinger {
            memory: storage.memory.clone(),
            clock: Arc::clone(&builder.clock),
            settings: startup.changes.clone(),
            speech_output: speech_output.clone(),
            reply_ids: replies.ids(),
            events: events.clone(),
        };
        let ringer = startup.open_ringer(ringer, builder.stays);
        let (foreground, question) = (replies.under_way(), replies.question());
        let foreground_replies = foreground.clone();
        let troubles = Arc::new(Mutex::new(std::mem::take(&mut startup.troubles)));
        let coordinator = CoordinatorInputs {
            replies,
            _person,
            spoken: speech_output.subscribe(),
            speech_output,
            ringer: ringer.clone(),
            commands: commands_to_obey,
            listened: sound.listened,
            capture: sound.capture_status,
            doors: sound.doors,
            talk_orders: sound.talk_orders,
            state,
            events: events.clone(),
            troubles: Arc::clone(&troubles),
        };
        startup.tasks.spawn(coordinator::run(coordinator, startup.stop.child_token()));

        let models_changed = Arc::new(Notify::new());
        let library = ModelLibrary::new(ModelLibraryParts {
            store: startup.store.clone(),
            http: startup.http.clone(),
            machine: Machine::this(),
            settings: startup.changes.clone(),
            secrets: Arc::clone(&builder.secrets),
            changed: Arc::clone(&models_changed),
            tasks: startup.tasks.clone(),
            stop: startup.stop.child_token(),
        });
        let downloads = library.clone();
        startup.observers.push(SettingsObserver::new(
            &startup.settings,
            |settings| settings.models.folder.clone(),
            move |_| downloads.pause_all(),
        ));
        let assistant = Self::new(Shared {
            library: library.clone(),
            http: startup.http.clone(),
            commands: startup.commands.clone(),
            events,
            audience,
            capture: sound.capture,
            clock: Arc::clone(&builder.clock),
            capture_is_wanted: false.into(),
            is_muted: false.into(),
            next_temporary: 0.into(),
            activation: Activation::new(if builder.has_window { Window::Exists } else { Window::None }),
            ringer,
            state: state_now,
            foreground,
            question,
            troubles,
            stop: startup.stop.clone(),
            tasks: startup.tasks.clone(),
            at_shutdown: Mutex::new(None),
            settings: Arc::clone(&file),
        });
        let refreshed = assistant.downgrade();
        startup.observers.push(SettingsObserver::new(
            &startup.settings,
            |settings| settings.listening.enabled,
            move |_| refreshed.refresh_capture(),
        ));
        let secret_changed = Arc::new(Notify::new());
        let data = DataService::new(DataServiceParts {
            folders: builder.folders.clone(),
            secrets: Arc::clone(&builder.secrets),
            settings: Arc::clone(&file),
            clock: Arc::clone(&builder.clock),
            memory: MemorySource::Running {
                memory: storage.memory.clone(),
                dialogue: storage.dialogue.clone(),
            },
            models: ModelSource::Running {
                model: Arc::clone(&models.model),
                helper: Arc::clone(&models.helper),
                embedder: Arc::clone(&models.embedder),
            },
            library,
            secret_changed: Arc::clone(&secret_changed),
        });
        let server = ipc::Server { assistant: assistant.clone(), data };
        startup.accept_connections(&builder.folders.data, server).await;
        let Startup { tasks, stop, commands, observers, key, .. } = startup;
        let observers = SettingsObservers { observers, key, models_changed, secret_changed };
        tasks.spawn(settings_observer::run(file, observers, commands.clone(), stop.child_token()));

        let open_limit =
            if builder.stays { storage::OPEN_LIMIT } else { storage::OPEN_LIMIT_OF_ONE_QUESTION };
        storage.dialogue.opened(open_limit).await;
        let diary = at_work.flatten();
        assistant.keep_until_shutdown(AtShutdown {
            dialogue: storage.dialogue,
            diary,
            embedder: models.embedder,
            writing: storage.writing,
            _instance: instance,
        });
        let recogniser = builder.has_microphone.then_some(sound.recogniser);
        let (model, replier, chosen) = (models.model, models.replier, models.chosen);
        let mut warm_up = WarmUp {
            recogniser,
            model,
            replier,
            foreground: foreground_replies,
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

impl Startup {
    /// Opens the local socket for other processes of this user.
    async fn accept_connections(&self, data_folder: &std::path::Path, server: ipc::Server) {
        match ipc::listen(data_folder) {
            Ok(listener) => {
                self.tasks.spawn(ipc::serve(listener, server, self.stop.child_token()));
            }
            Err(error) => {
                let remedy = "Commands such as `jarvis ask` cannot reach this Jarvis; all else works.";
                let trouble = Trouble::from_error(Stage::Instance, &error, remedy);
                let _ = self.commands.send(Command::Trouble(trouble)).await;
            }
        }
    }
}
