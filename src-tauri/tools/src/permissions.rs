//! Which tools may run, which need a question first, and which never run.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::RwLock;
use tokio::sync::watch;

use crate::config::ToolsConfig;
use crate::servers::{Fingerprint, fingerprint};
use crate::tool::{Declaration, Effect, ToolSource};

/// The permission of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Without a question.
    Allow,
    /// After the user has agreed.
    Ask {
        /// `true` if an "always" would be remembered. It is not where untrusted content asks for the call.
        can_remember: bool,
    },
    /// Never.
    Deny,
}

/// A permission that the settings give by the name of a tool or a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PermissionChoice {
    /// It runs without a question.
    Allow,
    /// It asks first.
    Ask,
    /// It never runs.
    Deny,
}

impl ToolsConfig {
    /// The permission that the settings give a tool or a server of this name. Deny wins, then ask.
    pub fn choice(&self, name: &str) -> Option<PermissionChoice> {
        let lists = [
            (&self.denied, PermissionChoice::Deny),
            (&self.asked, PermissionChoice::Ask),
            (&self.allowed, PermissionChoice::Allow),
        ];
        lists.into_iter().find(|(names, _)| names.contains(name)).map(|(_, choice)| choice)
    }

    /// The permission of a tool if the settings do not give it one by its own name: that of its server, or of its most serious
    /// effect.
    pub fn usual_choice(&self, tool: &Declaration) -> PermissionChoice {
        let server = match &tool.source {
            ToolSource::Server(name) => self.choice(name),
            ToolSource::BuiltIn | ToolSource::Caller => None,
        };
        let (tool_name, source) = (&tool.name, &tool.source);
        let call = PolicyCall { tool: tool_name, source, effect: tool.effect, most_serious: tool.effect };
        server.unwrap_or_else(|| match default_permission(&call) {
            Permission::Allow => PermissionChoice::Allow,
            Permission::Ask { .. } => PermissionChoice::Ask,
            Permission::Deny => PermissionChoice::Deny,
        })
    }
}

/// The reason of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grounds {
    /// The effect of the call: nothing is set.
    Effect,
    /// The settings name the tool or its server.
    Setting,
    /// Text from outside entered the reply before.
    Untrusted,
    /// The same, and the call carries private words.
    PrivateWords,
    /// The model is not sure of the call.
    Unsure,
    /// The server describes the tool otherwise than when it was allowed.
    ChangedDescription,
}

impl Grounds {
    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Effect => "effect",
            Self::Setting => "setting",
            Self::Untrusted => "untrusted",
            Self::PrivateWords => "private_words",
            Self::Unsure => "unsure",
            Self::ChangedDescription => "changed_description",
        }
    }
}

/// A reason against a call.
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
    /// Adds the tool to `tools.allowed` and takes it out of `tools.asked`.
    ///
    /// # Errors
    ///
    /// The settings could not be saved.
    async fn allow_always(&self, tool: &Declaration) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// The permissions of all tools. A change takes effect with the next call.
pub struct Permissions {
    config: RwLock<ToolsConfig>,
    /// Tools that their servers describe otherwise than when they were allowed, as they describe them now.
    suspended: RwLock<BTreeMap<String, Declaration>>,
    /// The new descriptions that the user agreed to since Jarvis started, by the name of the tool.
    agreed: watch::Sender<BTreeMap<String, Fingerprint>>,
    store: Arc<dyn PermissionStore>,
}

impl Permissions {
    /// The permissions of the settings.
    pub fn new(config: ToolsConfig, store: Arc<dyn PermissionStore>) -> Self {
        Self {
            config: RwLock::new(config),
            suspended: RwLock::default(),
            agreed: watch::Sender::default(),
            store,
        }
    }

    /// Takes over changed settings.
    pub fn update(&self, config: ToolsConfig) {
        *self.config.write() = config;
    }

    /// Lets a tool ask again whatever was allowed before, until the user agrees to this description. Returns `false` if it
    /// waits for that already.
    pub fn suspend(&self, described: Declaration) -> bool {
        let before = self.suspended.write().insert(described.name.clone(), described.clone());
        before != Some(described)
    }

    /// Returns `true` if the tool asks because its server describes it otherwise than when it was allowed.
    pub fn is_suspended(&self, tool: &str) -> bool {
        self.suspended.read().contains_key(tool)
    }

    /// The new description of a suspended tool, for the user. No model is told of it.
    pub fn new_description(&self, tool: &str) -> Option<Declaration> {
        self.suspended.read().get(tool).cloned()
    }

    /// Lets a tool run as it is allowed: its server describes it as the user knows it.
    pub fn resume(&self, tool: &str) {
        self.suspended.write().remove(tool);
    }

    /// Takes a new description of a tool for the one that the user knows. One that the server gave it meanwhile still waits.
    pub fn agree(&self, described: &Declaration) {
        let (name, agreed) = (described.name.clone(), fingerprint(described));
        self.agreed.send_modify(|all| drop(all.insert(name, agreed)));
        let mut suspended = self.suspended.write();
        if suspended.get(&described.name) == Some(described) {
            suspended.remove(&described.name);
        }
    }

    /// The last new description of a tool that the user agreed to since Jarvis started.
    pub(crate) fn agreed_to(&self, tool: &str) -> Option<Fingerprint> {
        self.agreed.borrow().get(tool).cloned()
    }

    /// Wakes whenever the user agrees to a new description.
    pub(crate) fn agreements(&self) -> watch::Receiver<BTreeMap<String, Fingerprint>> {
        self.agreed.subscribe()
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
        self.with_grounds(tool, effect, taint).0
    }

    /// The same with its reason.
    pub(crate) fn with_grounds(
        &self,
        tool: &Declaration,
        effect: Effect,
        taint: Taint,
    ) -> (Permission, Grounds) {
        let asked = PolicyCall { tool: &tool.name, source: &tool.source, effect, most_serious: tool.effect };
        let decided = permission(&self.config.read(), &asked, taint);
        if !self.is_suspended(&tool.name) {
            return decided;
        }
        match decided {
            (Permission::Allow, _) => {
                let can_remember = !taint.is_from_outside();
                (Permission::Ask { can_remember }, Grounds::ChangedDescription)
            }
            (Permission::Ask { can_remember }, Grounds::Effect | Grounds::Setting | Grounds::Unsure) => {
                (Permission::Ask { can_remember }, Grounds::ChangedDescription)
            }
            decided => decided,
        }
    }

    /// Lets the tool run without a question from now on, also as it is described anew if the question was about that.
    ///
    /// Falls open: if that cannot be stored, it holds until Jarvis ends, and the log says so.
    pub(crate) async fn allow_always(&self, tool: &Declaration, new_description: Option<&Declaration>) {
        {
            let mut config = self.config.write();
            config.asked.remove(&tool.name);
            config.allowed.insert(tool.name.clone());
        }
        if let Some(described) = new_description {
            self.agree(described);
        }
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

/// The policy: the permission and its reason.
///
/// Deny wins, for the tool or its server. Else what is set for the tool counts, else what is set for its server, else the
/// effect of the call. After untrusted content every call that does more than read asks, and so does one to the network that
/// carries private words; an unsure one asks unless the settings allow the tool by name. A program that asked runs its own
/// tools by its own permissions, and gets nothing that the reply would not tell it.
pub(crate) fn permission(config: &ToolsConfig, call: &PolicyCall, taint: Taint) -> (Permission, Grounds) {
    if is_denied(config, call.tool, call.source) {
        return (Permission::Deny, Grounds::Setting);
    }
    let of_name = |name: &str| match (config.asked.contains(name), config.allowed.contains(name)) {
        (true, _) => Some(asks(call)),
        (false, true) => Some(Permission::Allow),
        (false, false) => None,
    };
    if *call.source == ToolSource::Caller {
        return (Permission::Allow, Grounds::Effect);
    }
    let set = names(call.tool, call.source).find_map(of_name);
    let does_more_than_read = call.effect > Effect::Network;
    match (taint, set) {
        (Taint::Leaking, _) if call.effect >= Effect::Network => {
            (Permission::Ask { can_remember: false }, Grounds::PrivateWords)
        }
        (Taint::AfterUntrusted, _) if does_more_than_read => {
            (Permission::Ask { can_remember: false }, Grounds::Untrusted)
        }
        (Taint::Unsure, None) if does_more_than_read => (asks(call), Grounds::Unsure),
        (_, Some(set)) => (set, Grounds::Setting),
        (_, None) => (default_permission(call), Grounds::Effect),
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

/// A question. An "always" holds for every call of the tool, so it is offered if no other call is more serious.
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
