//! The tools: which there are, which may run, and how they are found.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use llm::{ChatModel, Embedder};
use memory::Memory;
use replying::Toolbox;
use serde_json::{Value, json};
use settings::SettingsFile;
use tokio::sync::watch;
use tools::builtin;
use tools::selection::ToolIndex;
use tools::{
    PermissionStore, Permissions, Tool, ToolRegistry, ToolRunner, ToolSearch, ToolsConfig, VoiceSettings,
};

use super::context::Startup;
use crate::meal_reader::ModelMealReader;

/// The inputs of the built-in tools.
pub(super) struct ToolParts {
    pub memory: watch::Receiver<Option<Memory>>,
    pub embedder: Arc<dyn Embedder>,
    /// Reads meals.
    pub model: Arc<dyn ChatModel>,
    /// The folder for files that the user gets.
    pub documents: PathBuf,
}

impl Startup {
    /// Registers the built-in tools and follows the settings.
    pub fn open_tools(&mut self, file: &Arc<SettingsFile>, parts: ToolParts) -> Toolbox {
        let config = self.follow(|settings| Ok(ToolsConfig::from(settings)));
        let registry = Arc::new(ToolRegistry::new());
        let store = Arc::new(SettingsPermissions { file: Arc::clone(file) });
        let permissions = Arc::new(Permissions::new(config.borrow().clone(), store));
        let index = Arc::new(ToolIndex::new(Arc::clone(&registry), Arc::clone(&permissions)));
        let ToolParts { memory, embedder, model, documents } = parts;
        let search = Arc::new(ToolSearch::new(&index, Some(Arc::clone(&embedder)))) as Arc<dyn Tool>;
        let built_in = builtin::all(builtin::Parts {
            memory,
            embedder: Some(Arc::clone(&embedder)),
            meal_reader: Some(Arc::new(ModelMealReader(model))),
            voice: Some(Arc::new(SettingsVoice { file: Arc::clone(file) })),
            documents: Some(documents),
        });
        let tools = built_in.into_iter().chain([search]);
        registry.add(tools).expect("the names of the built-in tools differ");

        let runner = Arc::new(ToolRunner::new(registry, Arc::clone(&permissions)));
        let (mut changed, stop) = (config.clone(), self.stop.child_token());
        self.tasks.spawn(async move {
            while let Some(Ok(())) = stop.run_until_cancelled(changed.changed()).await {
                permissions.update(changed.borrow_and_update().clone());
            }
        });
        let (followed, stop) = (Arc::clone(&index), self.stop.child_token());
        self.tasks.spawn(async move { followed.follow(embedder.as_ref(), stop).await });
        Toolbox::new(index, runner, config)
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

/// Remembers an "always" in the settings.
struct SettingsPermissions {
    file: Arc<SettingsFile>,
}

#[async_trait]
impl PermissionStore for SettingsPermissions {
    async fn allow_always(&self, tool: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        let tools = self.file.current().tools;
        let is_other = |name: &String| name.trim() != tool;
        let asked: Vec<String> = tools.asked.into_iter().filter(is_other).collect();
        let mut allowed: Vec<String> = tools.allowed.into_iter().filter(is_other).collect();
        allowed.push(tool.to_owned());
        let file = Arc::clone(&self.file);
        let saving = tokio::task::spawn_blocking(move || {
            file.set_all([("tools.asked", json!(asked)), ("tools.allowed", json!(allowed))])
        });
        Ok(saving.await??)
    }
}
