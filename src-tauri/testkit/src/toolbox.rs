//! A toolbox with chosen tools.

use std::sync::Arc;

use llm::Embedder;
use replying::Toolbox;
use settings::Settings;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tools::selection::ToolIndex;
use tools::{Permissions, Tool, ToolRegistry, ToolRunner, ToolsConfig};

use crate::{InMemoryAudit, InMemoryPermissions};

/// A toolbox with these tools and settings, and nobody to store permissions or calls.
///
/// # Panics
///
/// When two tools have one name, or the settings cannot work.
pub fn toolbox(tools: Vec<Arc<dyn Tool>>, settings: &Settings) -> Toolbox {
    toolbox_and_index(tools, settings).0
}

/// The same with tools that are found by meaning too.
///
/// # Panics
///
/// As above, or when the embedder fails.
pub async fn embedded_toolbox(
    tools: Vec<Arc<dyn Tool>>,
    settings: &Settings,
    embedder: &dyn Embedder,
) -> Toolbox {
    let (toolbox, index) = toolbox_and_index(tools, settings);
    index.embed_new(embedder, &CancellationToken::new()).await.expect("the embedder of a test works");
    toolbox
}

fn toolbox_and_index(tools: Vec<Arc<dyn Tool>>, settings: &Settings) -> (Toolbox, Arc<ToolIndex>) {
    let registry = Arc::new(ToolRegistry::new());
    registry.add(tools).expect("the tools of a test have names of their own");
    let config = ToolsConfig::from(settings);
    let permissions = Arc::new(Permissions::new(config.clone(), Arc::new(InMemoryPermissions::default())));
    let index = Arc::new(ToolIndex::new(Arc::clone(&registry), Arc::clone(&permissions)));
    // The sender is dropped: the last value stays.
    let (_, config) = watch::channel(config);
    let runner = Arc::new(ToolRunner::new(registry, permissions, Arc::new(InMemoryAudit::default())));
    (Toolbox::new(Arc::clone(&index), runner, config), index)
}
