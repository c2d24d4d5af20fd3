//! The tool that lists, reads, writes and deletes files of the user.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::changing::Writing;
use super::glob::Glob;
use super::journal::FileRequest;
use super::listing::list;
use super::parts::FileStore;
use super::reading::{MAX_CHARS, read};
use super::refusal::FileRefusal;
use crate::builtin::declaration::declaration;
use crate::fence::fenced;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Operation to do.
    #[schemars(extend("enum" = ["list", "read", "write", "append", "delete"]))]
    operation: String,
    /// File or folder, from the home folder of the user on, such as Downloads or Documents/notes.txt. Write home for the
    /// home folder itself.
    path: String,
    /// Text to write or to append.
    content: Option<String>,
    /// Pattern of the names to list, such as *.pdf.
    glob: Option<String>,
    /// True to list the folders within the folder too.
    recursive: Option<bool>,
}

/// The refusal of a text that nobody gave.
const NO_CONTENT: &str = "The content is missing. Ask the user what to write.";

/// An operation on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    List,
    Read,
    Write,
    Append,
    Delete,
}

impl Operation {
    fn named(name: &str) -> Option<Self> {
        Some(match name.trim().to_lowercase().as_str() {
            "list" => Self::List,
            "read" => Self::Read,
            "write" => Self::Write,
            "append" => Self::Append,
            "delete" => Self::Delete,
            _ => return None,
        })
    }

    fn effect(self) -> Effect {
        match self {
            Self::List | Self::Read => Effect::ReadOnly,
            Self::Write | Self::Append => Effect::Writes,
            Self::Delete => Effect::Destructive,
        }
    }
}

/// The outcome of a call that did what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOutcome {
    /// The entries of a folder, or the name of a file.
    Listed {
        /// The path from the home folder on.
        shown: String,
        /// A line for each of the first entries.
        lines: Vec<String>,
        /// The number of entries that fit and are not shown.
        left_out: usize,
        /// There were too many entries to look at all of them.
        is_cut: bool,
    },
    /// The beginning of a file.
    Read {
        /// The path from the home folder on.
        shown: String,
        /// The text that the model reads.
        text: String,
        /// The file goes on.
        is_cut: bool,
    },
    /// A file was written.
    Written {
        /// The path from the home folder on.
        shown: String,
        /// The number of characters that were written.
        characters: usize,
        /// `undoFileChange` can take that back.
        can_undo: bool,
    },
    /// A file is in the trash now.
    Deleted {
        /// The path from the home folder on.
        shown: String,
        /// `undoFileChange` can take that back.
        can_undo: bool,
    },
}

/// The tool `localFiles`.
pub struct LocalFiles {
    declaration: Declaration,
    files: Arc<FileStore>,
}

impl LocalFiles {
    /// The tool for these files.
    pub fn new(files: Arc<FileStore>) -> Self {
        let declaration = declaration::<Arguments>(
            "localFiles",
            Effect::Destructive,
            "Works with files on this computer, in the home folder of the user: lists folders, reads text files, writes them, \
             adds to them, and moves files to the trash.",
            "file files folder directory document documents downloads desktop home disk computer txt md pdf csv list open \
             read save write append delete remove trash note text",
            &[
                ("what is in my downloads folder?", json!({"operation": "list", "path": "Downloads"})),
                (
                    "which PDF files are in my documents?",
                    json!({"operation": "list", "path": "Documents", "glob": "*.pdf", "recursive": true}),
                ),
                ("read notes.txt", json!({"operation": "read", "path": "notes.txt"})),
                (
                    "save this as Documents/ideas.md: plant a tree",
                    json!({"operation": "write", "path": "Documents/ideas.md", "content": "plant a tree"}),
                ),
                (
                    "add buy milk to the end of notes.txt",
                    json!({"operation": "append", "path": "notes.txt", "content": "buy milk\n"}),
                ),
                ("delete the file old.txt", json!({"operation": "delete", "path": "old.txt"})),
            ],
        );
        Self { declaration, files }
    }

    /// Does what the arguments ask for, off the runtime. A change is made whole or not at all, also when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`FileRefusal`]. Nothing was changed then.
    pub async fn operate(
        &self,
        arguments: Map<String, Value>,
        request: FileRequest,
        stop: &CancellationToken,
    ) -> Result<FileOutcome, FileRefusal> {
        let arguments: Arguments = serde_json::from_value(Value::Object(arguments))
            .map_err(|error| FileRefusal::BadRequest(format!("The arguments do not fit: {error}.")))?;
        // Dropping the future stops what has not begun to change anything.
        let stop = stop.child_token();
        let _stops = stop.clone().drop_guard();
        let files = Arc::clone(&self.files);
        let operating = tokio::task::spawn_blocking(move || operate(&files, &arguments, &request, &stop));
        match operating.await {
            Ok(outcome) => outcome,
            Err(failure) => std::panic::resume_unwind(failure.into_panic()),
        }
    }
}

fn operate(
    files: &FileStore,
    arguments: &Arguments,
    request: &FileRequest,
    stop: &CancellationToken,
) -> Result<FileOutcome, FileRefusal> {
    let operation = Operation::named(&arguments.operation).ok_or_else(|| {
        FileRefusal::BadRequest("The operation is one of list, read, write, append and delete.".to_owned())
    })?;
    let place = files.home.place(&arguments.path)?;
    let shown = place.shown.clone();
    let write = |writing| {
        let text =
            arguments.content.as_deref().ok_or_else(|| FileRefusal::BadRequest(NO_CONTENT.to_owned()))?;
        let can_undo = files.changer.write(&place, text, writing, request, stop)?;
        Ok(FileOutcome::Written { shown: shown.clone(), characters: text.chars().count(), can_undo })
    };
    match operation {
        Operation::List => {
            let pattern = arguments.glob.as_deref().unwrap_or("*");
            let glob = Glob::new(pattern).ok_or_else(|| {
                FileRefusal::BadRequest(
                    "The glob is no pattern of file names. Use one such as *.pdf.".to_owned(),
                )
            })?;
            let is_recursive = arguments.recursive.unwrap_or_default();
            let listing = list(&files.home, &place, &glob, is_recursive, stop)?;
            let (lines, left_out, is_cut) = (listing.lines, listing.left_out, listing.is_cut);
            Ok(FileOutcome::Listed { shown, lines, left_out, is_cut })
        }
        Operation::Read => {
            let beginning = read(&place)?;
            Ok(FileOutcome::Read { shown, text: beginning.text, is_cut: beginning.is_cut })
        }
        Operation::Write => write(Writing::Over),
        Operation::Append => write(Writing::Behind),
        Operation::Delete => {
            let can_undo = files.changer.delete(&place, request, stop)?;
            Ok(FileOutcome::Deleted { shown, can_undo })
        }
    }
}

/// The outcome as the model reads it. Names and texts come from outside: other programs and web sites made them.
fn result(outcome: FileOutcome) -> ToolResult {
    match outcome {
        FileOutcome::Listed { shown, lines, .. } if lines.is_empty() => {
            ToolResult::done(format!("Nothing in {shown} fits."))
        }
        FileOutcome::Listed { shown, mut lines, left_out, is_cut } => {
            if left_out > 0 {
                lines.push(format!("… {left_out} more"));
            }
            let note = if is_cut {
                " There were too many to look at all of them; use a narrower folder."
            } else {
                ""
            };
            let names = fenced("FILE NAMES", &lines.join("\n"));
            ToolResult::done(format!("Entries of {shown}.{note} {names}")).untrusted()
        }
        FileOutcome::Read { shown, text, .. } if text.trim().is_empty() => {
            ToolResult::done(format!("{shown} has no text in it."))
        }
        FileOutcome::Read { shown, text, is_cut } => {
            let note = if is_cut {
                format!(" [The file is longer: only its first {MAX_CHARS} characters follow.]")
            } else {
                String::new()
            };
            ToolResult::done(format!("The text of {shown}.{note} {}", fenced("FILE", &text))).untrusted()
        }
        FileOutcome::Written { shown, characters, can_undo } => {
            ToolResult::done(format!("Wrote {characters} characters to {shown}.{}", undoing(can_undo)))
        }
        FileOutcome::Deleted { shown, can_undo } => {
            ToolResult::done(format!("Moved {shown} to the trash.{}", undoing(can_undo)))
        }
    }
}

fn undoing(can_undo: bool) -> &'static str {
    if can_undo { " undoFileChange takes that back." } else { " The file was too large to undo that." }
}

#[async_trait]
impl Tool for LocalFiles {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn effect(&self, arguments: &Map<String, Value>) -> Effect {
        let operation = arguments.get("operation").and_then(Value::as_str).and_then(Operation::named);
        operation.map_or(self.declaration.effect, Operation::effect)
    }

    fn validate(&self, arguments: &Map<String, Value>) -> Result<(), String> {
        let operation = arguments.get("operation").and_then(Value::as_str).and_then(Operation::named);
        let writes = matches!(operation, Some(Operation::Write | Operation::Append));
        let has_content = arguments.get("content").is_some_and(Value::is_string);
        if writes && !has_content { Err(NO_CONTENT.to_owned()) } else { Ok(()) }
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        let request = FileRequest { conversation: context.conversation.clone(), at: context.now };
        match self.operate(arguments, request, &context.stop).await {
            Ok(outcome) => result(outcome),
            Err(refusal) => ToolResult::failed(refusal.to_string()),
        }
    }
}
