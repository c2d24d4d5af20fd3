//! A toolbox with chosen tools.

use std::sync::Arc;

use replying::Toolbox;
use settings::Settings;
use tokio::sync::watch;
use tools::selection::ToolIndex;
use tools::{Permissions, Tool, ToolRegistry, ToolRunner, ToolsConfig};

use crate::InMemoryPermissions;

/// A toolbox with these tools and settings, and nobody to store permissions.
///
/// # Panics
///
/// When two tools have one name, or the settings cannot work.
pub fn toolbox(tools: Vec<Arc<dyn Tool>>, settings: &Settings) -> Toolbox {
    let registry = Arc::new(ToolRegistry::new());
    registry.add(tools).expect("the tools of a test have names of their own");
    let config = ToolsConfig::from(settings);
    let permissions = Arc::new(Permissions::new(config.clone(), Arc::new(InMemoryPermissions::default())));
    let index = Arc::new(ToolIndex::new(Arc::clone(&registry), Arc::clone(&permissions)));
    // The sender is dropped: the last value stays.
    let (_, config) = watch::channel(config);
    Toolbox::new(index, Arc::new(ToolRunner::new(registry, permissions)), config)
}
