//! The tool that undoes the last change of a file.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::parts::FileStore;
use crate::builtin::declaration::{NoArguments, declaration};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The tool `undoFileChange`.
pub struct UndoFileChange {
    declaration: Declaration,
    files: Arc<FileStore>,
}

impl UndoFileChange {
    /// The tool for these files.
    pub fn new(files: Arc<FileStore>) -> Self {
        let declaration = declaration::<NoArguments>(
            "undoFileChange",
            Effect::Writes,
            "Undoes the last change of a file that localFiles made: gives it its old text back, brings a deleted file back, or \
             moves a new file to the trash.",
            "undo restore revert bring back file change deleted written",
            &[("undo that change to the file", json!({})), ("bring the deleted file back", json!({}))],
        );
        Self { declaration, files }
    }
}

#[async_trait]
impl Tool for UndoFileChange {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, _: Map<String, Value>, context: &ToolContext) -> ToolResult {
        let (files, conversation) = (Arc::clone(&self.files), context.conversation.clone());
        // Dropping the future stops what has not begun to change anything.
        let stop = context.stop.child_token();
        let _stops = stop.clone().drop_guard();
        let undoing = tokio::task::spawn_blocking(move || files.changer.undo(&conversation, &stop));
        match undoing.await {
            Ok(Ok(undone)) if undone.was_new => {
                ToolResult::done(format!("{} was new, so it is in the trash now.", undone.shown))
            }
            Ok(Ok(undone)) => ToolResult::done(format!("{} is as it was before the change.", undone.shown)),
            Ok(Err(refusal)) => ToolResult::failed(refusal.to_string()),
            Err(failure) => std::panic::resume_unwind(failure.into_panic()),
        }
    }
}
