//! The section of the client role of the Command Center protocol.

use serde::{Deserialize, Serialize};

use crate::choices::ValidationShape;

/// `command_center` in the settings file. The key of the node is in the keychain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandCenterSettings {
    /// A Command Center answers.
    pub enabled: bool,
    /// Its address, without the path of the Command Center protocol.
    pub base_url: String,
    /// The name of this computer at the Command Center.
    pub node_id: String,
    /// The room that this computer stands in; empty is not told.
    pub room: String,
    /// IANA time zone that is told; empty is that of `location`.
    pub time_zone: String,
    /// Tools, or servers of tools, that the Command Center may call.
    pub exposed_tools: Vec<String>,
    /// The form in which the answer to a question is sent.
    pub validation_shape: ValidationShape,
    /// The Command Center makes the sound of all that is said aloud.
    pub speaks: bool,
    /// The language model here answers when the Command Center cannot be reached.
    pub offline_fallback: bool,
}

impl Default for CommandCenterSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            base_url: String::new(),
            node_id: String::new(),
            room: String::new(),
            time_zone: String::new(),
            // They read nothing of the user's and change nothing.
            exposed_tools: ["calculate", "convertUnits", "getDate", "getTime"].map(str::to_owned).to_vec(),
            validation_shape: ValidationShape::default(),
            speaks: false,
            offline_fallback: true,
        }
    }
}
