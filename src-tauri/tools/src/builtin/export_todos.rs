//! To-dos, alarms and reminders as a calendar file in the documents of the user.

use std::io::Write;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use memory::{AppointmentKind, AppointmentStatus, ItemId, Memory, RecordKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::calendar_file::calendar_file;
use super::declaration::{broken, declaration, opened, run, words};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// Names that are tried where a file exists: nothing is overwritten.
const MAX_NAMES: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Name of one list, such as "shopping". Leave it out for all lists, alarms and reminders.
    list: Option<String>,
}

/// The tool `exportTodos`.
pub(super) struct ExportTodos {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
    folder: PathBuf,
}

impl ExportTodos {
    /// The tool that writes into `folder`.
    pub fn new(memory: watch::Receiver<Option<Memory>>, folder: PathBuf) -> Self {
        let declaration = declaration::<Arguments>(
            "exportTodos",
            Effect::Writes,
            "Saves the to-do lists, alarms and reminders as a calendar file (.ics) in the documents of the user.",
            "export save calendar file ics todo list reminders alarms backup",
            &[
                ("export my to-dos to a calendar file", json!({})),
                ("save the shopping list as a file", json!({"list": "shopping"})),
            ],
        );
        Self { declaration, memory, folder }
    }

    async fn run_with(&self, list: Option<String>, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = opened(&self.memory)?;
        let wording = wording(context, id::TODOS_EXPORTED);
        let todos = memory.todos(list.as_deref()).await.map_err(broken)?;
        let mut appointments = match list {
            Some(_) => Vec::new(),
            None => memory.appointments().await.map_err(broken)?,
        };
        appointments
            .retain(|it| it.status == AppointmentStatus::Waiting && it.kind != AppointmentKind::Timer);
        if todos.is_empty() && appointments.is_empty() {
            let failure = ToolResult::failed("Nothing is open, so there is nothing to save.");
            return Err(match wording {
                Some(wording) => failure.answering(wording.todos_none()),
                None => failure,
            });
        }
        let text = calendar_file(&todos, &appointments, context.now, &context.zone);
        let folder = self.folder.clone();
        let name = list.unwrap_or_else(|| "to-do".to_owned());
        let written = tokio::task::spawn_blocking(move || write_new(&folder, &name, &text)).await;
        let path = written.map_err(|error| not_saved(&self.folder, &error))?;
        let path = path.map_err(|error| not_saved(&self.folder, &error))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let touched = todos.iter().map(|todo| ItemId::new(RecordKind::Todo, todo.id));
        let counted = format!("{} to-dos, {} alarms and reminders", todos.len(), appointments.len());
        let result = ToolResult::done(format!("Saved {counted} in {}.", path.display())).touching(touched);
        Ok(match wording {
            Some(wording) => result.answering(wording.todos_exported(&file)),
            None => result,
        })
    }
}

fn not_saved(folder: &Path, error: &dyn std::error::Error) -> ToolResult {
    tracing::warn!(%error, "the to-dos could not be saved");
    ToolResult::failed(format!(
        "The file could not be written to {}: {error}. Make room there, or allow writing to it.",
        folder.display()
    ))
}

/// Writes a file that did not exist: `name.ics`, else `name 2.ics` and so on.
fn write_new(folder: &Path, name: &str, text: &str) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let name = file_name(name);
    for number in 1..=MAX_NAMES {
        let file = if number == 1 { format!("{name}.ics") } else { format!("{name} {number}.ics") };
        let path = folder.join(file);
        match std::fs::File::create_new(&path) {
            Ok(mut file) => {
                let written = file.write_all(text.as_bytes());
                if written.is_err() {
                    // Half a calendar is none. If it cannot be removed either, the error says enough.
                    let _ = std::fs::remove_file(&path);
                }
                return written.map(|()| path);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other(format!("there are {MAX_NAMES} files of this name already")))
}

/// The name of a list as a file name: letters, digits, blanks and hyphens.
fn file_name(list: &str) -> String {
    let kept: String = list.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_')).collect();
    let kept: String = kept.trim().chars().take(60).collect();
    if kept.is_empty() { "to-do".to_owned() } else { kept }
}

#[async_trait]
impl Tool for ExportTodos {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments: Arguments| self.run_with(words(arguments.list), context)).await
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("shopping", "shopping")]
    #[case::path("../../etc/passwd", "etcpasswd")]
    #[case::nothing_left("///", "to-do")]
    fn list_becomes_a_plain_file_name(#[case] list: &str, #[case] expected: &str) {
        assert_eq!(file_name(list), expected);
    }

    #[test]
    fn existing_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();

        let first = write_new(folder.path(), "to-do", "one").unwrap();
        let second = write_new(folder.path(), "to-do", "two").unwrap();

        assert_eq!(std::fs::read_to_string(first).unwrap(), "one");
        assert_eq!(second.file_name().unwrap(), "to-do 2.ics");
    }
}
