//! Requests about the settings and the secrets in the keychain.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use settings::Scope;
use vocabulary::Private;

/// A request about the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum SettingsRequest {
    /// All settings as they hold now.
    Current,
    /// Change one setting.
    Set {
        /// Section and name, such as `listening.wake_word`.
        key: String,
        /// The value as JSON.
        value: Value,
    },
    /// Keep a secret in the keychain.
    SetSecret {
        /// Its name, such as `llm.api_key`.
        name: String,
        /// The secret; `None` deletes it.
        secret: Option<Private<String>>,
    },
    /// Give another program a key.
    AddProgram {
        /// The name in the keychain.
        name: String,
        /// The uses that it may make of Jarvis.
        may: Vec<Scope>,
    },
    /// Take the key of a program away.
    RevokeProgram {
        /// The name in the keychain.
        name: String,
    },
}

/// An answer about the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum SettingsAnswer {
    /// All settings as they hold now.
    Current {
        /// Section by section.
        values: Value,
        /// Sentences about values in the file that are not used.
        bad_values: Vec<String>,
    },
    /// A program has a key.
    ProgramAdded {
        /// The key, which nobody can find out later.
        key: Private<String>,
    },
}
