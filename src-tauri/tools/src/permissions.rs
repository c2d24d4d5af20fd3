//! Which tools may run, which need a question first, and which never run.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::RwLock;

use crate::config::ToolsConfig;
use crate::tool::{Declaration, Effect, ToolSource};

/// Whether a call may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Without a question.
    Allow,
    /// After the user has agreed.
    Ask {
        /// Whether an "always" would be remembered. It is not where untrusted content asks for the call.
        can_remember: bool,
    },
    /// Never.
    Deny,
}

/// What speaks against a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taint {
    /// The reply has seen words of the user and of Jarvis alone.
    Clean,
    /// The same, but the model is not sure that the user wants the call, or nobody knows how sure it is.
    Unsure,
    /// A result with [`crate::ToolResult::is_untrusted`] entered the reply before the model asked for the call.
    AfterUntrusted,
    /// The same, and the call carries words of memory, files or dialogue that the request does not contain.
    Leaking,
}

impl Taint {
    /// Returns `true` if text from outside entered the reply.
    pub fn is_from_outside(self) -> bool {
        matches!(self, Self::AfterUntrusted | Self::Leaking)
    }
}

/// The port that remembers an "always".
#[async_trait]
pub trait PermissionStore: Send + Sync {
    /// Adds the tool to `tools.allowed`, takes it out of `tools.asked`, and remembers how it is described now.
    ///
    /// # Errors
    ///
    /// The settings could not be saved.
    async fn allow_always(&self, tool: &Declaration) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// The permissions of all tools. A change takes effect with the next call.
pub struct Permissions {
    config: RwLock<ToolsConfig>,
    /// Tools that their servers describe otherwise than when they were allowed.
    suspended: RwLock<BTreeSet<String>>,
    store: Arc<dyn PermissionStore>,
}

impl Permissions {
    /// The permissions of the settings.
    pub fn new(config: ToolsConfig, store: Arc<dyn PermissionStore>) -> Self {
        Self { config: RwLock::new(config), suspended: RwLock::default(), store }
    }

    /// Takes over changed settings.
    pub fn update(&self, config: ToolsConfig) {
        *self.config.write() = config;
    }

    /// Lets a tool ask again whatever was allowed before, until the user says "always" once more.
    pub fn suspend(&self, tool: &str) {
        self.suspended.write().insert(tool.to_owned());
    }

    /// The name of the assistant that asks.
    pub(crate) fn asker(&self) -> String {
        self.config.read().name.clone()
    }

    /// Returns `true` if no call of this tool may run.
    pub fn denies(&self, tool: &Declaration) -> bool {
        is_denied(&self.config.read(), &tool.name, &tool.source)
    }

    /// The permission of a call of this tool with this effect: that of the policy, or a question while the description of the
    /// tool is another one than when it was allowed.
    pub fn of(&self, tool: &Declaration, effect: Effect, taint: Taint) -> Permission {
        let asked = PolicyCall { tool: &tool.name, source: &tool.source, effect, most_serious: tool.effect };
        let allowed = permission(&self.config.read(), &asked, taint);
        match allowed {
            Permission::Allow if self.suspended.read().contains(&tool.name) => {
                Permission::Ask { can_remember: !taint.is_from_outside() }
            }
            other => other,
        }
    }

    /// Lets the tool run without a question from now on.
    ///
    /// Falls open: if that cannot be stored, it holds until Jarvis ends, and the log says so.
    pub(crate) async fn allow_always(&self, tool: &Declaration) {
        {
            let mut config = self.config.write();
            config.asked.remove(&tool.name);
            config.allowed.insert(tool.name.clone());
        }
        self.suspended.write().remove(&tool.name);
        if let Err(error) = self.store.allow_always(tool).await {
            tracing::warn!(tool = tool.name, %error, "the permission was not stored");
        }
    }
}

/// A call as the policy sees it.
pub(crate) struct PolicyCall<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// The provider.
    pub source: &'a ToolSource,
    /// The effect of this call.
    pub effect: Effect,
    /// The most serious effect of a call of the tool.
    pub most_serious: Effect,
}

/// The policy.
///
/// Deny wins, for the tool or its server. Else what is set for the tool counts, else what is set for its server, else the
/// effect of the call. After untrusted content every call that does more than read asks, and so does one to the network that
/// carries private words; an unsure one asks unless the settings allow the tool by name. A program that asked runs its own
/// tools by its own permissions, and gets nothing that the reply would not tell it.
pub(crate) fn permission(config: &ToolsConfig, call: &PolicyCall, taint: Taint) -> Permission {
    if is_denied(config, call.tool, call.source) {
        return Permission::Deny;
    }
    let of_name = |name: &str| match (config.asked.contains(name), config.allowed.contains(name)) {
        (true, _) => Some(asks(call)),
        (false, true) => Some(Permission::Allow),
        (false, false) => None,
    };
    if *call.source == ToolSource::Caller {
        return Permission::Allow;
    }
    let set = names(call.tool, call.source).find_map(of_name);
    let does_more_than_read = call.effect > Effect::Network;
    match (taint, set) {
        (Taint::Leaking, _) if call.effect >= Effect::Network => Permission::Ask { can_remember: false },
        (Taint::AfterUntrusted, _) if does_more_than_read => Permission::Ask { can_remember: false },
        (Taint::Unsure, None) if does_more_than_read => asks(call),
        (_, set) => set.unwrap_or_else(|| default_permission(call)),
    }
}

fn is_denied(config: &ToolsConfig, tool: &str, source: &ToolSource) -> bool {
    names(tool, source).any(|name| config.denied.contains(name))
}

/// The names by which the settings allow a tool or forbid it: its own, and that of its server.
fn names<'a>(tool: &'a str, source: &'a ToolSource) -> impl Iterator<Item = &'a str> {
    let server = match source {
        ToolSource::Server(name) => Some(name.as_str()),
        ToolSource::BuiltIn | ToolSource::Caller => None,
    };
    [Some(tool), server].into_iter().flatten()
}

/// A question. An "always" holds for every call of the tool, so it is offered where no other call is more serious.
fn asks(call: &PolicyCall) -> Permission {
    Permission::Ask { can_remember: call.effect >= call.most_serious }
}

/// The permission if nothing is set.
fn default_permission(call: &PolicyCall) -> Permission {
    match (call.effect, call.source) {
        (Effect::ReadOnly | Effect::Network, _) => Permission::Allow,
        // A tool that can delete works on data that is not ours, so it asks before it writes, too.
        (Effect::Writes, ToolSource::BuiltIn) if call.most_serious <= Effect::Writes => Permission::Allow,
        (Effect::Writes | Effect::Destructive | Effect::Executes, _) => asks(call),
    }
}
