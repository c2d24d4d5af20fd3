//! The tool for what is playing.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::command::{MediaKey, System};
use super::programs::{Programs, run_first};
use crate::builtin::declaration::{declaration, run};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The key to press.
    key: Key,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Key {
    Play,
    Pause,
    Next,
    Previous,
    Stop,
}

impl Key {
    fn pressed(self, system: System) -> (MediaKey, &'static str) {
        match self {
            Self::Play | Self::Pause if system.has_one_key_for_play_and_pause() => (
                MediaKey::Pause,
                "The key for play and pause was pressed: what played pauses, and what was paused plays.",
            ),
            Self::Play => (MediaKey::Play, "It plays."),
            Self::Pause => (MediaKey::Pause, "It is paused."),
            Self::Next => (MediaKey::Next, "The next piece plays."),
            Self::Previous => (MediaKey::Previous, "The piece before plays."),
            Self::Stop => (MediaKey::Stop, "It is stopped."),
        }
    }
}

/// The tool `controlMedia`.
pub struct ControlMedia {
    declaration: Declaration,
    programs: Arc<dyn Programs>,
    system: System,
}

impl ControlMedia {
    /// The tool, with these programs.
    pub fn new(programs: Arc<dyn Programs>, system: System) -> Self {
        let declaration = declaration::<Arguments>(
            "controlMedia",
            Effect::Writes,
            "Pauses the music or video that plays on this computer, goes on with it, or skips. It cannot choose what is played.",
            "music song track video media player pause resume continue play skip next previous stop spotify",
            &[
                ("pause the music", json!({"key": "pause"})),
                ("next song", json!({"key": "next"})),
                ("go on with the music", json!({"key": "play"})),
            ],
        );
        Self { declaration, programs, system }
    }

    async fn press(&self, key: Key) -> Result<ToolResult, ToolResult> {
        let (key, done) = key.pressed(self.system);
        match run_first(&*self.programs, &self.system.press(key)).await {
            Ok(_) => Ok(ToolResult::done(done)),
            Err(error) => Err(ToolResult::failed(format!("The player could not be reached: {error}."))),
        }
    }
}

#[async_trait]
impl Tool for ControlMedia {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        run(arguments, |arguments: Arguments| self.press(arguments.key)).await
    }
}
