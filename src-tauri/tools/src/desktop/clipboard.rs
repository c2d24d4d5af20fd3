//! The tools for the clipboard.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::command::System;
use super::programs::{ProgramError, Programs, run_first};
use crate::builtin::declaration::{NoArguments, declaration, run};
use crate::fence::fenced;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The most characters of the clipboard that the model reads, as many as of a file. Source: docs/behaviour/tools.md#files.
const MAX_CHARS: usize = 50_000;

/// The tool `readClipboard`.
pub struct ReadClipboard {
    declaration: Declaration,
    programs: Arc<dyn Programs>,
    system: System,
}

impl ReadClipboard {
    /// The tool, with these programs.
    pub fn new(programs: Arc<dyn Programs>, system: System) -> Self {
        let declaration = declaration::<NoArguments>(
            "readClipboard",
            Effect::ReadOnly,
            "Reads the text that the user has copied.",
            "clipboard copied copy read text selection cut paste summarise translate what",
            &[("what is on my clipboard?", json!({})), ("summarise what I have copied", json!({}))],
        );
        Self { declaration, programs, system }
    }

    async fn read(&self) -> Result<ToolResult, ToolResult> {
        let text = match run_first(&*self.programs, &self.system.read_clipboard()).await {
            Ok(text) => text,
            // A clipboard without a text is an error to these programs.
            Err(ProgramError::Failed { .. }) => String::new(),
            Err(error) => {
                return Err(ToolResult::failed(format!("The clipboard could not be read: {error}.")));
            }
        };
        if text.trim().is_empty() {
            return Ok(ToolResult::done("There is no text on the clipboard."));
        }
        let begin: String = text.chars().take(MAX_CHARS).collect();
        let note = if begin.len() < text.len() { " Only its beginning follows." } else { "" };
        Ok(ToolResult::done(format!("The text on the clipboard.{note} {}", fenced("CLIPBOARD", &begin)))
            .untrusted())
    }
}

#[async_trait]
impl Tool for ReadClipboard {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        run(arguments, |_: NoArguments| self.read()).await
    }
}

#[derive(Deserialize, JsonSchema)]
struct WriteArguments {
    /// Text to put on the clipboard.
    text: String,
}

/// The tool `writeClipboard`.
pub struct WriteClipboard {
    declaration: Declaration,
    programs: Arc<dyn Programs>,
    system: System,
}

impl WriteClipboard {
    /// The tool, with these programs.
    pub fn new(programs: Arc<dyn Programs>, system: System) -> Self {
        let declaration = declaration::<WriteArguments>(
            "writeClipboard",
            Effect::Writes,
            "Puts a text on the clipboard, so that the user can paste it. It replaces what is there.",
            "clipboard copy put paste text write",
            &[
                ("copy hello world to the clipboard", json!({"text": "hello world"})),
                ("put that on my clipboard", json!({"text": "the last answer"})),
            ],
        );
        Self { declaration, programs, system }
    }

    async fn write(&self, text: String) -> Result<ToolResult, ToolResult> {
        if text.is_empty() {
            return Err(ToolResult::failed("The text is missing. Ask the user what to copy."));
        }
        match run_first(&*self.programs, &self.system.write_clipboard(&text)).await {
            Ok(_) => {
                Ok(ToolResult::done(format!("{} characters are on the clipboard.", text.chars().count())))
            }
            Err(error) => Err(ToolResult::failed(format!("The clipboard could not be written: {error}."))),
        }
    }
}

#[async_trait]
impl Tool for WriteClipboard {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        run(arguments, |arguments: WriteArguments| self.write(arguments.text)).await
    }
}
