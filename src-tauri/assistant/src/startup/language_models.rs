//! Chat model, embedder and reply engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use llm::{ChatModel, Embedder, Failover};
use replying::{ModelTask, ReplyEngine, ReplyParts, ReplyingConfig, RoleModels};
use settings::{Provider, SettingsFile};
use tokio::sync::{Notify, watch};
use tools::{AuditLog, ToolRegistry, ToolRunner};

use super::context::Startup;
use super::storage::Storage;
use super::tools::ToolParts;
use crate::builder::AssistantBuilder;
use crate::models_in_use::active_embedder::{ActiveEmbedder, EmbedderChoice};
use crate::models_in_use::helper_model::HelperModel;
use crate::models_in_use::language_model::LanguageModelChoice;
use crate::other_programs::node_role::{NodeConfig, NodeParts, NodeRole};
use crate::settings_observer::SettingsObserver;
use crate::tool_access::tool_permissions::ToolPermissions;
use crate::tool_access::tool_servers::ConfiguredServers;
use crate::user::user_location::UserLocation;

/// The folder of the cache for beginnings of prompts that an embedded model has read.
const KEPT_BEGINNINGS: &str = "language-model";

/// The language models in use, and the engine that replies with them.
pub(super) struct LanguageModels {
    pub model: Arc<dyn ChatModel>,
    /// For short tasks.
    pub helper: Arc<dyn ChatModel>,
    pub embedder: Arc<ActiveEmbedder>,
    pub replier: ReplyEngine,
    /// Answers with it, or through the Command Center of the settings.
    pub node: NodeRole,
    pub tool_servers: ConfiguredServers,
    /// The tools of replies.
    pub tools: Arc<ToolRegistry>,
    pub tool_permissions: ToolPermissions,
    pub location: UserLocation,
    /// Another chat model was chosen, or the file of the chosen one arrived.
    pub chosen: Arc<Notify>,
}

/// The models of the builder, or else those of the settings.
struct ChosenModels {
    model: Arc<dyn ChatModel>,
    helper: Arc<dyn ChatModel>,
    embedder: Arc<ActiveEmbedder>,
    chosen: Arc<Notify>,
}

impl Startup {
    /// Chooses the models by the settings, unless the builder brings its own, and follows the settings.
    pub fn choose_language_models(
        &mut self,
        builder: &AssistantBuilder,
        storage: &Storage,
        file: &Arc<SettingsFile>,
    ) -> LanguageModels {
        let ChosenModels { model, helper, embedder, chosen } = self.follow_models(builder);
        let config = self.follow(|settings| ReplyingConfig::try_from(settings).map_err(|e| e.to_string()));
        let location = self.follow_location(builder);
        let config = location.complete_all(config, &self.tasks, self.stop.child_token());
        let of_role = |role: ModelTask| Arc::clone(if role.is_short() { &helper } else { &model });
        let models = RoleModels::new(of_role);
        let tools = self.open_tools(
            file,
            ToolParts {
                memory: storage.memory.clone(),
                embedder: Arc::clone(&embedder) as Arc<dyn Embedder>,
                model: Arc::clone(&model),
                models: models.clone(),
                folders: builder.folders.clone(),
                secrets: Arc::clone(&builder.secrets),
                log: Arc::clone(&storage.calls) as Arc<dyn AuditLog>,
                location: location.clone(),
            },
        );
        let replier = ReplyEngine::new(ReplyParts {
            models,
            dialogue: storage.dialogue.clone(),
            memory: storage.memory.clone(),
            embedder: Some(Arc::clone(&embedder) as Arc<dyn Embedder>),
            toolbox: tools.toolbox,
            clock: Arc::clone(&builder.clock),
            config: config.clone(),
        });
        let runner = (tools.runner, replier.clone());
        let node = self.open_node_role(builder, storage, runner, config);
        LanguageModels {
            model,
            helper,
            embedder,
            replier,
            node,
            tool_servers: tools.servers,
            tool_permissions: tools.permissions,
            tools: tools.registry,
            location,
            chosen,
        }
    }

    fn follow_models(&mut self, builder: &AssistantBuilder) -> ChosenModels {
        let embedder = match &builder.embedder {
            Some(embedder) => Arc::new(ActiveEmbedder::new(Some(Arc::clone(embedder)))),
            None => self.follow_embedder(),
        };
        let chosen = Arc::new(Notify::new());
        let model = match &builder.model {
            Some(model) => Arc::clone(model),
            None => self.follow_chat_model(&chosen, builder.folders.cache.join(KEPT_BEGINNINGS)),
        };
        let helper = self.follow_helper_model(&model);
        ChosenModels { model, helper, embedder, chosen }
    }

    /// Asks the desktop where this computer is, as the settings say.
    fn follow_location(&self, builder: &AssistantBuilder) -> UserLocation {
        let (settings, stop) = (self.changes.clone(), self.stop.child_token());
        UserLocation::follow(Arc::clone(&builder.location), settings, &self.tasks, stop)
    }

    fn open_node_role(
        &mut self,
        builder: &AssistantBuilder,
        storage: &Storage,
        (runner, engine): (Arc<ToolRunner>, ReplyEngine),
        replying: watch::Receiver<ReplyingConfig>,
    ) -> NodeRole {
        NodeRole::new(NodeParts {
            http: self.http.clone(),
            secrets: Arc::clone(&builder.secrets),
            runner,
            engine,
            dialogue: storage.dialogue.clone(),
            clock: Arc::clone(&builder.clock),
            config: self.follow(NodeConfig::from_settings),
            replying,
            tasks: self.tasks.clone(),
            stop: self.stop.child_token(),
        })
    }

    fn follow_embedder(&mut self) -> Arc<ActiveEmbedder> {
        let choice = EmbedderChoice::new(&self.settings, &self.store, self.key.current());
        let active = Arc::new(ActiveEmbedder::new(choice.embedder(&self.store, &self.http)));
        let (followed, store, http) = (Arc::clone(&active), self.store.clone(), self.http.clone());
        let (key, known) = (self.key.clone(), self.store.clone());
        self.observers.push(SettingsObserver::new(
            &self.settings,
            move |settings| EmbedderChoice::new(settings, &known, key.current()),
            move |choice| followed.replace(choice.embedder(&store, &http)),
        ));
        active
    }

    fn follow_helper_model(&mut self, chat: &Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        let choice = LanguageModelChoice::helper(&self.settings, &self.store, self.key.current());
        let finder = choice.map(|choice| choice.finder(&self.http));
        let helper = Arc::new(HelperModel::new(Arc::clone(chat), finder));
        let (followed, store) = (Arc::clone(&helper), self.store.clone());
        let (http, key) = (self.http.clone(), self.key.clone());
        self.observers.push(SettingsObserver::new(
            &self.settings,
            move |settings| LanguageModelChoice::helper(settings, &store, key.current()),
            move |choice| followed.replace(choice.as_ref().map(|choice| choice.finder(&http))),
        ));
        helper
    }

    /// Chooses the chat model and follows the settings. An embedded one keeps the beginnings of prompts in the folder `kept`.
    fn follow_chat_model(&mut self, chosen: &Arc<Notify>, kept: PathBuf) -> Arc<dyn ChatModel> {
        let choice = LanguageModelChoice::new(&self.settings, &self.store, self.key.current());
        let failover = Arc::new(Failover::new(choice.keeping_finder(&self.http, &kept)));
        let (followed, chosen) = (Arc::clone(&failover), Arc::clone(chosen));
        let (store, http, key) = (self.store.clone(), self.http.clone(), self.key.clone());
        let pulled = Arc::clone(&self.pulled);
        self.observers.push(SettingsObserver::new(
            &self.settings,
            move |settings| {
                // A server that got a model may be the one to use now.
                let asks_ollama = matches!(settings.llm.provider, Provider::Auto | Provider::Ollama);
                let pulled = if asks_ollama { pulled.load(Ordering::Relaxed) } else { 0 };
                (LanguageModelChoice::new(settings, &store, key.current()), pulled)
            },
            move |(choice, _)| {
                followed.set_finder(choice.keeping_finder(&http, &kept));
                chosen.notify_one();
            },
        ));
        failover
    }
}
