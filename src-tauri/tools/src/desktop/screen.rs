//! The tool that reads the text on the screen.

#[cfg(target_os = "linux")]
mod portal; // the desktop takes the picture, after it has asked its user

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::command::{DesktopCommand, System, recognise_text};
#[cfg(target_os = "linux")]
use super::portal::PortalFailure;
use super::programs::{ProgramError, Programs, run_first, run_first_working};
use crate::builtin::declaration::{NoArguments, declaration, run};
use crate::fence::fenced;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The most characters of a screen that the model reads. A full screen of small text has some 10,000.
const MAX_CHARS: usize = 20_000;

/// The longest time of a call: a question of the desktop, a picture, and two attempts at reading it.
const TIMEOUT: Duration = Duration::from_secs(135);

/// The time in which the user has to answer the desktop.
#[cfg(target_os = "linux")]
const LIMIT_OF_DESKTOP: Duration = Duration::from_secs(60);

/// The answer of a desktop that does not let us see the screen.
#[cfg(target_os = "linux")]
const NOT_ALLOWED: &str = "The screen was not read: a picture of it was not allowed. The user can allow screenshots for this program in the privacy settings of the desktop.";

/// The name of the tool that reads the screen.
pub const SCREENSHOT: &str = "screenshot";

/// The tool `screenshot`.
pub struct Screenshot {
    declaration: Declaration,
    programs: Arc<dyn Programs>,
    system: System,
    /// The session bus; `None` is that of this process.
    bus_address: Option<String>,
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
        let declaration = Declaration { timeout: TIMEOUT, ..declaration };
        Self { declaration, programs, system, bus_address: None }
    }

    /// Reads the screen, in the language of this code if there is one.
    async fn read(&self, code: Option<&str>) -> Result<ToolResult, ToolResult> {
        let failed = |error: String| ToolResult::failed(format!("The screen could not be read: {error}."));
        // The picture is gone when the folder is.
        let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
        let picture = folder.path().join("screen.png");
        if !self.is_taken_by_desktop(&picture).await? {
            let programs = self.system.take_screenshot(&picture);
            run_first_working(&*self.programs, &programs).await.map_err(|error| failed(error.to_string()))?;
        }
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

    /// Returns `true` if a service of the desktop took the picture, `false` if there is none that works, and an error if the
    /// user does not allow it. Under X11 programs see the screen without a service.
    async fn is_taken_by_desktop(&self, picture: &Path) -> Result<bool, ToolResult> {
        match self.system {
            System::Linux { is_wayland: true } => taken_by_portal(self.bus_address.as_deref(), picture).await,
            _ => Ok(false),
        }
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
        let code = context.language.as_ref().and_then(languages::of).map(|language| language.ocr_code);
        run(arguments, |_: NoArguments| self.read(code)).await
    }
}

#[cfg(target_os = "linux")]
async fn taken_by_portal(bus_address: Option<&str>, picture: &Path) -> Result<bool, ToolResult> {
    match tokio::time::timeout(LIMIT_OF_DESKTOP, portal::take(bus_address, picture)).await {
        Ok(Ok(())) => Ok(true),
        // A no that was stored comes without a reason. A program that takes the picture would pass over it.
        Ok(Err(PortalFailure::Refused | PortalFailure::NoResult)) | Err(_) => {
            Err(ToolResult::failed(NOT_ALLOWED))
        }
        Ok(Err(PortalFailure::Absent)) => Ok(false),
        Ok(Err(PortalFailure::Failed(reason))) => {
            tracing::debug!(reason, "the desktop took no picture of the screen, trying programs");
            Ok(false)
        }
    }
}

#[cfg(not(target_os = "linux"))]
async fn taken_by_portal(_: Option<&str>, _: &Path) -> Result<bool, ToolResult> {
    Ok(false)
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
