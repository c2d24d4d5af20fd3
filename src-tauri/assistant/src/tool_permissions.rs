//! The permissions of tools, as the settings keep them and a page shows them.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;
use settings::{SettingsError, SettingsFile};
use tools::servers::{PinStore, fingerprint};
use tools::{
    Declaration, PermissionChoice, PermissionStore, Permissions, ToolRegistry, ToolSource, ToolsConfig,
};

use crate::tool_pins::ToolPins;
use crate::views::{PermissionName, ToolPermissionView};

/// Keeps permissions in the settings. Clones share them.
#[derive(Clone)]
pub(crate) struct SettingsPermissions {
    file: Arc<SettingsFile>,
    pins: Arc<ToolPins>,
    /// Held from reading the lists to writing them.
    changing: Arc<Mutex<()>>,
}

/// The permissions of all tools and servers.
#[derive(Clone)]
pub(crate) struct ToolPermissions {
    store: SettingsPermissions,
    registry: Arc<ToolRegistry>,
    permissions: Arc<Permissions>,
}

impl SettingsPermissions {
    /// Permissions in this file. The descriptions of allowed tools are pinned.
    pub fn new(file: Arc<SettingsFile>, pins: Arc<ToolPins>) -> Self {
        Self { file, pins, changing: Arc::default() }
    }

    /// Puts a name on the list of a choice and takes it off the others; `None` takes it off all of them. Blocking.
    fn choose(&self, name: &str, choice: Option<PermissionChoice>) -> Result<(), SettingsError> {
        let _changing = self.changing.lock();
        let tools = self.file.current().tools;
        let lists = [
            ("tools.allowed", tools.allowed, PermissionChoice::Allow),
            ("tools.asked", tools.asked, PermissionChoice::Ask),
            ("tools.denied", tools.denied, PermissionChoice::Deny),
        ];
        let changed = lists.map(|(key, mut names, of_list)| {
            let is_on_it = names.iter().any(|known| known.trim() == name);
            names.retain(|known| known.trim() != name || choice == Some(of_list));
            if choice == Some(of_list) && !is_on_it {
                names.push(name.to_owned());
            }
            (key, json!(names))
        });
        self.file.set_all(changed)
    }
}

#[async_trait]
impl PermissionStore for SettingsPermissions {
    async fn allow_always(&self, tool: &Declaration) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (store, pinned) = (self.clone(), vec![(tool.name.clone(), fingerprint(tool))]);
        let name = tool.name.clone();
        let saving = tokio::task::spawn_blocking(move || {
            store.pins.pin(pinned);
            store.choose(&name, Some(PermissionChoice::Allow))
        });
        Ok(saving.await??)
    }
}

impl ToolPermissions {
    pub fn new(
        store: SettingsPermissions,
        registry: Arc<ToolRegistry>,
        permissions: Arc<Permissions>,
    ) -> Self {
        Self { store, registry, permissions }
    }

    /// All tools and servers, and the names in the settings that none of them has now: built-in tools first, then each server
    /// before its tools.
    pub fn views(&self) -> Vec<ToolPermissionView> {
        let settings = self.store.file.current();
        let config = ToolsConfig::from(&settings);
        let catalogue = self.registry.catalogue();
        let of_tools = catalogue.declarations().map(|tool| self.view_of_tool(tool, &config));
        let mut views: Vec<ToolPermissionView> = of_tools.collect();
        let of_servers = catalogue.declarations().filter_map(|tool| match &tool.source {
            ToolSource::Server(name) => Some(name),
            ToolSource::BuiltIn | ToolSource::Caller => None,
        });
        let servers: BTreeSet<&String> = of_servers.chain(settings.mcp.servers.keys()).collect();
        views.extend(servers.into_iter().map(|name| ToolPermissionView {
            is_server: true,
            ..ToolPermissionView::of_name(name, &config)
        }));
        let known: BTreeSet<String> = views.iter().map(|view| view.name.clone()).collect();
        let named = [&config.allowed, &config.asked, &config.denied].into_iter().flatten();
        let unknown: BTreeSet<&String> = named.filter(|name| !known.contains(*name)).collect();
        views.extend(unknown.into_iter().map(|name| ToolPermissionView {
            is_known: false,
            ..ToolPermissionView::of_name(name, &config)
        }));
        views.sort_by(|one, other| place(one).cmp(&place(other)));
        views
    }

    /// Sets the permission of a tool or a server; `None` leaves it to the server, or to the effect of the tool. The present
    /// description of a tool that is set counts as known.
    pub async fn set(&self, name: &str, choice: Option<PermissionName>) -> Result<(), SettingsError> {
        let catalogue = self.registry.catalogue();
        let tool = catalogue.get(name).map(|tool| tool.declaration());
        let pinned = tool.filter(|tool| matches!(tool.source, ToolSource::Server(_)));
        let pinned = pinned.map(|tool| vec![(tool.name.clone(), fingerprint(tool))]);
        let (store, name) = (self.store.clone(), name.trim().to_owned());
        let permissions = Arc::clone(&self.permissions);
        let saving = tokio::task::spawn_blocking(move || {
            if let Some(pinned) = pinned {
                store.pins.pin(pinned);
            }
            store.choose(&name, choice.map(Into::into))?;
            // The next call counts on it: the task that follows the settings may come later.
            permissions.update(ToolsConfig::from(&store.file.current()));
            permissions.resume(&name);
            Ok(())
        });
        saving.await.unwrap_or_else(|failure| std::panic::resume_unwind(failure.into_panic()))
    }

    fn view_of_tool(&self, tool: &Declaration, config: &ToolsConfig) -> ToolPermissionView {
        let server = match &tool.source {
            ToolSource::Server(name) => Some(name.clone()),
            ToolSource::BuiltIn | ToolSource::Caller => None,
        };
        ToolPermissionView {
            purpose: tool.description.lines().next().unwrap_or_default().to_owned(),
            server,
            effect: Some(tool.effect.into()),
            usual: Some(config.usual_choice(tool).into()),
            has_changed: self.permissions.is_suspended(&tool.name),
            ..ToolPermissionView::of_name(&tool.name, config)
        }
    }
}

/// The place of a view in the list.
fn place(view: &ToolPermissionView) -> (bool, Option<&str>, bool, &str) {
    let server = if view.is_server { Some(view.name.as_str()) } else { view.server.as_deref() };
    (!view.is_known, server, !view.is_server, &view.name)
}
