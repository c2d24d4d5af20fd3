//! The tools: which there are, which may run, and how they are found.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use llm::{ChatModel, Embedder};
use memory::Memory;
use replying::{ModelPlaceReader, RoleModels, Toolbox};
use secrecy::SecretString;
use serde_json::{Value, json};
use settings::{Folders, SecretStore, SettingsFile};
use tokio::sync::watch;
use tools::builtin::{self, DesktopParts, WebParts};
use tools::desktop::{ApplicationFolders, System, SystemPrograms};
use tools::files::{FileParts, SystemTrash};
use tools::selection::ToolIndex;
use tools::servers::{CallLimits, Connections, RefreshServers, ServerPorts, ToolServers};
use tools::web::weather::WeatherApis;
use tools::web::{HttpWeb, KeyUnreadable, SearchApis, SearchKey};
use tools::{
    AuditLog, Permissions, RingControl, StoredSecrets, Tool, ToolRegistry, ToolRunner, ToolSearch,
    ToolsConfig, VoiceSettings, WebConfig,
};
use vocabulary::{AssistantEvent, Stage, Trouble};

use super::context::Startup;
use crate::command::Command;
use crate::event_bus::EventBus;
use crate::models_in_use::meal_reader::ModelMealReader;
use crate::secrets::secret_names::{BRAVE_API_KEY, read_secret};
use crate::tool_access::tool_permissions::{SettingsPermissions, ToolPermissions};
use crate::tool_access::tool_pins::ToolPins;
use crate::tool_access::tool_servers::{ConfiguredServers, StoredSignIns, StoredValues};
use crate::user::user_location::UserLocation;
use crate::views::ToolServerView;

/// The folder of our own data with copies of changed files, for undoing.
const CHANGED_FILES: &str = "changed-files";

/// The inputs of the built-in tools.
pub(super) struct ToolParts {
    pub memory: watch::Receiver<Option<Memory>>,
    pub embedder: Arc<dyn Embedder>,
    /// Reads meals.
    pub model: Arc<dyn ChatModel>,
    /// Read places.
    pub models: RoleModels,
    /// The folders of the user, and our own.
    pub folders: Folders,
    /// Hold the keys of services.
    pub secrets: Arc<dyn SecretStore>,
    /// Keeps every call.
    pub log: Arc<dyn AuditLog>,
    /// The place of this computer.
    pub location: UserLocation,
}

/// The tools at work.
pub(super) struct OpenedTools {
    pub toolbox: Toolbox,
    /// The choke point, for calls that are not our model's.
    pub runner: Arc<ToolRunner>,
    pub servers: ConfiguredServers,
    pub permissions: ToolPermissions,
    pub registry: Arc<ToolRegistry>,
}

impl Startup {
    /// Registers the built-in tools, starts the servers of tools and follows the settings.
    pub fn open_tools(&mut self, file: &Arc<SettingsFile>, parts: ToolParts) -> OpenedTools {
        let config = self.follow(|settings| Ok(ToolsConfig::from(settings)));
        let registry = Arc::new(ToolRegistry::new());
        let pins = Arc::new(ToolPins::for_assistant(&parts.folders.data));
        let store = SettingsPermissions::new(Arc::clone(file));
        let permissions = Arc::new(Permissions::new(config.borrow().clone(), Arc::new(store.clone())));
        let chosen = ToolPermissions::new(store, Arc::clone(&registry), Arc::clone(&permissions));
        let index = Arc::new(ToolIndex::new(Arc::clone(&registry), Arc::clone(&permissions)));
        let ToolParts { memory, embedder, model, models, folders, secrets, log, location } = parts;
        let search = Arc::new(ToolSearch::new(&index, Some(Arc::clone(&embedder)))) as Arc<dyn Tool>;
        let built_in = builtin::all(builtin::Parts {
            memory,
            embedder: Some(Arc::clone(&embedder)),
            meal_reader: Some(Arc::new(ModelMealReader(Arc::clone(&model)))),
            voice: Some(Arc::new(SettingsVoice { file: Arc::clone(file) })),
            rings: Some(Arc::clone(&self.rings) as Arc<dyn RingControl>),
            files: Some(file_parts(&folders)),
            desktop: Some(desktop_parts(&folders, self.follow(|settings| Ok(settings.web.offline)))),
            documents: Some(folders.documents),
            web: Some(self.web_parts(models, Arc::clone(&secrets), location)),
        });
        let tools = built_in.into_iter().chain([search]);
        registry.add(tools).expect("the names of the built-in tools differ");
        let known = Arc::new(StoredToolSecrets(Arc::clone(&secrets)));
        let (servers, configured) = self.open_tool_servers(&registry, &permissions, pins, secrets, model);
        let refresh = Arc::new(RefreshServers::new(servers)) as Arc<dyn Tool>;
        registry.add([refresh]).expect("the names of the built-in tools differ");

        let runner = ToolRunner::new(Arc::clone(&registry), Arc::clone(&permissions), log);
        let runner = Arc::new(runner.with_secrets(known));
        let (mut changed, stop) = (config.clone(), self.stop.child_token());
        self.tasks.spawn(async move {
            while let Some(Ok(())) = stop.run_until_cancelled(changed.changed()).await {
                permissions.update(changed.borrow_and_update().clone());
            }
        });
        let (followed, stop) = (Arc::clone(&index), self.stop.child_token());
        self.tasks.spawn(async move { followed.follow(embedder.as_ref(), stop).await });
        let toolbox = Toolbox::new(index, Arc::clone(&runner), config);
        OpenedTools { toolbox, runner, servers: configured, permissions: chosen, registry }
    }

    /// The servers of tools, as the settings name them.
    fn open_tool_servers(
        &self,
        registry: &Arc<ToolRegistry>,
        permissions: &Arc<Permissions>,
        pins: Arc<ToolPins>,
        secrets: Arc<dyn SecretStore>,
        model: Arc<dyn ChatModel>,
    ) -> (ToolServers, ConfiguredServers) {
        let sign_ins = Arc::new(StoredSignIns(Arc::clone(&secrets)));
        let connections = Connections {
            http: self.http.clone(),
            limits: CallLimits::default(),
            sign_ins,
            model: Some(model),
        };
        let ports = ServerPorts { pins, values: Arc::new(StoredValues(secrets)), connections };
        let servers = ToolServers::new(
            Arc::clone(registry),
            Arc::clone(permissions),
            ports,
            &self.tasks,
            self.stop.child_token(),
        );
        let (configured, follower) = ConfiguredServers::new(servers.clone(), self.changes.clone());
        self.tasks.spawn(follower.run(self.stop.child_token()));
        (servers, configured)
    }

    /// Tells the doors whenever a server of tools may stand otherwise than before, and the user when one describes tools
    /// differently.
    pub fn announce_tool_servers(&self, servers: &ConfiguredServers, events: EventBus) {
        let (servers, stop) = (servers.clone(), self.stop.child_token());
        let (mut changes, commands) = (servers.subscribe(), self.commands.clone());
        self.tasks.spawn(async move {
            let mut told = None;
            while let Some(Ok(())) = stop.run_until_cancelled(changes.changed()).await {
                events.tell(AssistantEvent::ToolServersChanged);
                let trouble = changed_descriptions(&servers.views());
                if trouble != told {
                    let news = trouble.clone().map(Command::Trouble);
                    // A coordinator that has ended needs no news.
                    let _ = commands.send(news.unwrap_or(Command::Recovered(Stage::ToolServers))).await;
                    told = trouble;
                }
            }
        });
    }

    /// The way to the web. Servers that the user configured for something else are no part of it: a page must not lead there.
    fn web_parts(
        &mut self,
        models: RoleModels,
        secrets: Arc<dyn SecretStore>,
        location: UserLocation,
    ) -> WebParts {
        WebParts {
            web: Arc::new(HttpWeb::new(self.http.without_allowed_origins())),
            search_apis: SearchApis::default(),
            search_key: Arc::new(StoredSearchKey(secrets)),
            weather_apis: WeatherApis::default(),
            user_place: Some(Arc::new(location)),
            place_reader: Some(Arc::new(ModelPlaceReader(models))),
            config: self.follow(|settings| Ok(WebConfig::from(settings))),
        }
    }
}

/// The programs of this system and its applications menu.
fn desktop_parts(folders: &Folders, is_offline: watch::Receiver<bool>) -> DesktopParts {
    DesktopParts {
        programs: Arc::new(SystemPrograms),
        system: System::this(),
        applications: ApplicationFolders::from_environment(&folders.home),
        is_offline,
    }
}

/// The home folder of the user, without what is ours in it.
fn file_parts(folders: &Folders) -> FileParts {
    let Folders { home, config, data, models, logs, cache, documents: _ } = folders;
    FileParts {
        home: home.clone(),
        private: [config, data, models, logs, cache].map(Clone::clone).to_vec(),
        journal: data.join(CHANGED_FILES),
        trash: Arc::new(SystemTrash),
    }
}

/// The key of the second search engine, in the keychain.
struct StoredSearchKey(Arc<dyn SecretStore>);

#[async_trait]
impl SearchKey for StoredSearchKey {
    async fn brave(&self) -> Result<Option<SecretString>, KeyUnreadable> {
        read_secret(&self.0, BRAVE_API_KEY).await
    }
}

/// The secrets that tools cannot work without.
struct StoredToolSecrets(Arc<dyn SecretStore>);

#[async_trait]
impl StoredSecrets for StoredToolSecrets {
    async fn is_stored(&self, name: &'static str) -> bool {
        !matches!(read_secret(&self.0, name).await, Ok(None))
    }
}

/// The voice in the settings.
struct SettingsVoice {
    file: Arc<SettingsFile>,
}

impl SettingsVoice {
    async fn set(&self, key: &'static str, value: Value) -> Result<(), Box<dyn Error + Send + Sync>> {
        let file = Arc::clone(&self.file);
        Ok(tokio::task::spawn_blocking(move || file.set(key, value)).await??)
    }
}

#[async_trait]
impl VoiceSettings for SettingsVoice {
    fn volume_percent(&self) -> u8 {
        // The settings keep it between 0 and 1.
        (self.file.current().audio.volume * 100.0).round() as u8
    }

    async fn set_volume_percent(&self, percent: u8) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.set("audio.volume", json!(f64::from(percent) / 100.0)).await
    }

    async fn set_muted(&self, muted: bool) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.set("speaking.enabled", json!(!muted)).await
    }
}

/// The trouble of tools that their servers describe differently than when they were seen first.
fn changed_descriptions(servers: &[ToolServerView]) -> Option<Trouble> {
    let changed: Vec<&str> =
        servers.iter().flat_map(|server| &server.changed_tools).map(String::as_str).collect();
    (!changed.is_empty()).then(|| {
        Trouble::new(
            Stage::ToolServers,
            format!("A server describes tools differently now: {}.", changed.join(", ")),
            "They ask before they run, and the language model does not read the new descriptions. Look at them in the settings \
             under Permissions, and agree to them or not.",
        )
    })
}
