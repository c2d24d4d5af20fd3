//! The tool that reads the text on the screen.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::command::{DesktopCommand, System, recognise_text};
use super::programs::{ProgramError, Programs, run_first, run_first_working};
use crate::builtin::declaration::{NoArguments, declaration, run};
use crate::fence::fenced;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The most characters of a screen that the model reads. A full screen of small text has some 10,000.
const MAX_CHARS: usize = 20_000;

/// The longest time of a call: a picture, and two attempts at reading it.
const TIMEOUT: Duration = Duration::from_secs(75);

/// The name of the tool that reads the screen.
pub const SCREENSHOT: &str = "screenshot";

/// The tool `screenshot`.
pub struct Screenshot {
    declaration: Declaration,
    programs: Arc<dyn Programs>,
    system: System,
}

impl Screenshot {
    /// The tool, with these programs.
    pub fn new(programs: Arc<dyn Programs>, system: System) -> Self {
        let declaration = declaration::<NoArguments>(
            SCREENSHOT,
            Effect::ReadOnly,
            "Reads the text that is on the user's screen now, in all windows that can be seen. Pictures are not understood.",
            "screen screenshot display monitor window see look shown visible read error message page summarise",
            &[
                ("what is on my screen?", json!({})),
                ("what does the error message on my screen say?", json!({})),
                ("summarise the page I am looking at", json!({})),
            ],
        );
        Self { declaration: Declaration { timeout: TIMEOUT, ..declaration }, programs, system }
    }

    async fn read(&self, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let failed = |error: String| ToolResult::failed(format!("The screen could not be read: {error}."));
        // The picture is gone when the folder is.
        let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
        let picture = folder.path().join("screen.png");
        let programs = self.system.take_screenshot(&picture);
        run_first_working(&*self.programs, &programs).await.map_err(|error| failed(error.to_string()))?;
        let code = context.language.as_ref().and_then(languages::of).map(|language| language.ocr_code);
        let text = self.recognise(&picture, code).await.map_err(|error| failed(error.to_string()))?;
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = redaction::scrub(&lines.join("\n"));
        if text.is_empty() {
            return Ok(ToolResult::done("No text was found on the screen."));
        }
        let begin: String = text.chars().take(MAX_CHARS).collect();
        let note = if begin.len() < text.len() { " Only its beginning follows." } else { "" };
        Ok(ToolResult::done(format!("The text on the screen.{note} {}", fenced("SCREEN", &begin)))
            .untrusted())
    }

    /// The text in a picture, read in the language of this code if its data is installed.
    async fn recognise(&self, picture: &Path, code: Option<&str>) -> Result<String, ProgramError> {
        let read = |command: DesktopCommand| async move { run_first(&*self.programs, &[command]).await };
        if let Some(code) = code
            && let Ok(text) = read(recognise_text(picture, Some(code))).await
        {
            return Ok(text);
        }
        read(recognise_text(picture, None)).await
    }
}

#[async_trait]
impl Tool for Screenshot {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |_: NoArguments| self.read(context)).await
    }
}
