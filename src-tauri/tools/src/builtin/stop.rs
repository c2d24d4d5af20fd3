//! Ends the reply in silence.

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::declaration::{NoArguments, declaration};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult, Transition};

pub(super) struct Stop(Declaration);

impl Stop {
    pub fn new() -> Self {
        Self(declaration::<NoArguments>(
            "stop",
            Effect::ReadOnly,
            "Ends the conversation in silence, when the user dismisses you or wants no answer.",
            "quiet nevermind enough dismiss thanks bye",
            &[("never mind", json!({})), ("that's all, thanks", json!({}))],
        ))
    }
}

#[async_trait]
impl Tool for Stop {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, _: Map<String, Value>, _: &ToolContext) -> ToolResult {
        ToolResult { transition: Some(Transition::Stop), ..ToolResult::done("The user wants no answer.") }
    }
}
