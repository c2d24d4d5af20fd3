//! To-dos, alarms and reminders as a calendar file in the documents of the user.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use memory::{AppointmentKind, AppointmentStatus, ItemId, Memory, RecordKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::calendar_file::calendar_file;
use super::declaration::{broken, declaration, opened, run, words};
use super::wording::{id, wording};
use crate::files::{FileRefusal, FileRequest, FileStore};
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
    files: Arc<FileStore>,
}

impl ExportTodos {
    /// The tool that writes into `folder`. What it writes is in the journal of `files`.
    pub fn new(memory: watch::Receiver<Option<Memory>>, folder: PathBuf, files: Arc<FileStore>) -> Self {
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
        Self { declaration, memory, folder, files }
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
        let names = file_names(&list.unwrap_or_else(|| "to-do".to_owned()));
        let request = FileRequest { conversation: context.conversation.clone(), at: context.now };
        let written = self.files.create(&self.folder, names, text, request, &context.stop).await;
        let path = written.map_err(|refusal| self.not_saved(&refusal))?.ok_or_else(|| {
            ToolResult::failed(format!(
                "There are {MAX_NAMES} files of this name already. Nothing was saved."
            ))
        })?;
        let file = Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let touched = todos.iter().map(|todo| ItemId::new(RecordKind::Todo, todo.id));
        let counted = format!("{} to-dos, {} alarms and reminders", todos.len(), appointments.len());
        let saved = format!("Saved {counted} in {path}. undoFileChange takes that back.");
        let result = ToolResult::done(saved).touching(touched);
        Ok(match wording {
            Some(wording) => result.answering(wording.todos_exported(&file)),
            None => result,
        })
    }

    fn not_saved(&self, refusal: &FileRefusal) -> ToolResult {
        if matches!(refusal, FileRefusal::Stopped) {
            return ToolResult::failed(refusal.to_string());
        }
        tracing::warn!(error = %refusal, "the to-dos could not be saved");
        ToolResult::failed(format!(
            "The file could not be written to {}: {refusal} Make room there, or allow writing to it.",
            self.folder.display()
        ))
    }
}

/// The names that are tried in turn: `name.ics`, else `name 2.ics` and so on.
fn file_names(list: &str) -> impl Iterator<Item = String> + Send + 'static {
    let name = file_name(list);
    let further = name.clone();
    std::iter::once(format!("{name}.ics"))
        .chain((2..=MAX_NAMES).map(move |number| format!("{further} {number}.ics")))
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
}
