//! Answers in another manner from now on.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::declaration::{declaration, read};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult, Transition};

/// The profiles that there are.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Profile {
    Developer,
    Business,
    Life,
}

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Which profile is to answer.
    profile: Profile,
}

/// The tool `switchProfile`.
pub(super) struct SwitchProfile(Declaration);

impl SwitchProfile {
    pub fn new() -> Self {
        Self(declaration::<Arguments>(
            "switchProfile",
            Effect::ReadOnly,
            "Answers as another profile for the rest of this conversation: developer, business or life.",
            "profile mode manner persona developer business life switch",
            &[
                ("answer as a developer", json!({"profile": "developer"})),
                ("switch to business mode", json!({"profile": "business"})),
            ],
        ))
    }
}

#[async_trait]
impl Tool for SwitchProfile {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        let Arguments { profile } = match read(arguments) {
            Ok(arguments) => arguments,
            Err(failure) => return failure,
        };
        let name = format!("{profile:?}").to_lowercase();
        let done = ToolResult::done(format!("From now on the profile {name} answers."));
        ToolResult { transition: Some(Transition::SwitchProfile(name)), ..done }
    }
}
