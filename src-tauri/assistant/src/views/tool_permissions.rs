//! Permissions of tools.

use serde::{Deserialize, Serialize};
use tools::{Effect, PermissionChoice, ToolsConfig};
use ts_rs::TS;

/// A permission by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PermissionName {
    /// It runs without a question.
    Allow,
    /// It asks first.
    Ask,
    /// It never runs.
    Deny,
}

/// An effect by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum EffectName {
    /// It reads the user's own data, or computes.
    ReadOnly,
    /// It reads from the network.
    Network,
    /// It adds or changes data.
    Writes,
    /// It deletes data.
    Destructive,
    /// It runs a program.
    Executes,
}

/// A tool, a server of tools, or another name in the settings, with its permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolPermissionView {
    /// The name in the settings.
    pub name: String,
    /// It is a server, whose permission holds for its tools that have none of their own.
    pub is_server: bool,
    /// There is a tool or a server of this name now.
    pub is_known: bool,
    /// The purpose of the tool, in one line, or in full if it has changed; empty for others.
    pub purpose: String,
    /// The server of the tool.
    pub server: Option<String>,
    /// The most serious effect of the tool.
    pub effect: Option<EffectName>,
    /// The permission in the settings.
    pub chosen: Option<PermissionName>,
    /// The permission of the tool without one in the settings.
    pub usual: Option<PermissionName>,
    /// The fingerprint of the description that the server gives the tool now, if it is another one than the user knows. The
    /// tool asks until the user agrees, and the model is not told of it.
    pub new_description: Option<String>,
}

impl ToolPermissionView {
    /// Reads the rule for a name from the settings.
    pub(crate) fn from_name(name: &str, config: &ToolsConfig) -> Self {
        Self {
            name: name.to_owned(),
            is_server: false,
            is_known: true,
            purpose: String::new(),
            server: None,
            effect: None,
            chosen: config.choice(name).map(Into::into),
            usual: None,
            new_description: None,
        }
    }
}

impl From<PermissionChoice> for PermissionName {
    fn from(choice: PermissionChoice) -> Self {
        match choice {
            PermissionChoice::Allow => Self::Allow,
            PermissionChoice::Ask => Self::Ask,
            PermissionChoice::Deny => Self::Deny,
        }
    }
}

impl From<PermissionName> for PermissionChoice {
    fn from(name: PermissionName) -> Self {
        match name {
            PermissionName::Allow => Self::Allow,
            PermissionName::Ask => Self::Ask,
            PermissionName::Deny => Self::Deny,
        }
    }
}

impl From<Effect> for EffectName {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::ReadOnly => Self::ReadOnly,
            Effect::Network => Self::Network,
            Effect::Writes => Self::Writes,
            Effect::Destructive => Self::Destructive,
            Effect::Executes => Self::Executes,
        }
    }
}
