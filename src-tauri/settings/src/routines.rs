//! Routines: commands of the user that a phrase starts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `routines` in the settings file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoutinesSettings {
    /// The routines by name.
    pub list: BTreeMap<String, RoutineSettings>,
}

/// A routine as the user wrote it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoutineSettings {
    /// Each of them starts it.
    pub phrases: Vec<String>,
    /// Things to do, one after the other, in the words in which a user would ask for it.
    pub commands: Vec<String>,
}

impl RoutineSettings {
    /// The most commands of a routine: more would take longer than anybody listens.
    pub const MAX_COMMANDS: usize = 20;

    /// Returns `true` if something starts it, and it does something.
    pub(crate) fn is_usable(&self) -> bool {
        let is_said = |text: &String| text.chars().any(char::is_alphanumeric);
        let is_stated = |texts: &[String]| !texts.is_empty() && texts.iter().all(is_said);
        is_stated(&self.phrases) && is_stated(&self.commands) && self.commands.len() <= Self::MAX_COMMANDS
    }
}
