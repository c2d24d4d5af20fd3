//! The tool of the user's files, with a home folder that the input describes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::tools::files::{
    FileOutcome, FileParts, FileRefusal, FileRequest, FileStore, LocalFiles, NoTrash, RefusalKind, TrashBin,
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use vocabulary::ConversationId;

use crate::suite::{Suite, block_on, read};

/// The target of links that lead out of the home folder.
const OUTSIDE: &str = "$OUTSIDE";

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "local_files.run" => run,
        _ => return None,
    })
}

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    home: Option<Home>,
    #[serde(default)]
    args: Map<String, Value>,
}

#[derive(Deserialize, Default)]
struct Home {
    #[serde(default)]
    files: Option<BTreeMap<String, Text>>,
    #[serde(default)]
    links: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Plain(String),
    Repeated {
        #[serde(rename = "$repeat")]
        repeat: (String, usize),
    },
}

/// A folder in place of the trash of the system, which is the user's.
struct FolderTrash(PathBuf);

impl TrashBin for FolderTrash {
    fn put(&self, file: &Path) -> Result<(), NoTrash> {
        let to = self.0.join(file.file_name().unwrap_or_default());
        std::fs::rename(file, to).map_err(|error| NoTrash { reason: error.to_string() })
    }
}

fn run(input: Value) -> Result<Value, String> {
    let Input { home, args } = read(input)?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let root = folder.path();
    build(root, home.unwrap_or_default())
        .map_err(|error| format!("the home folder cannot be made: {error}"))?;
    let tool = LocalFiles::new(Arc::new(FileStore::new(FileParts {
        home: root.join("home"),
        private: Vec::new(),
        journal: root.join("journal"),
        trash: Arc::new(FolderTrash(root.join("trash"))),
    })));
    let request = FileRequest { conversation: ConversationId::main(), at: Timestamp::UNIX_EPOCH };
    let outcome = block_on(tool.operate(args, request, &CancellationToken::new()));
    Ok(told(outcome, &root.join("home")))
}

/// Makes `home`, `outside` and `trash` in a folder. Links to [`OUTSIDE`] lead to the second.
fn build(root: &Path, home: Home) -> std::io::Result<()> {
    for name in ["home", "outside", "trash"] {
        std::fs::create_dir(root.join(name))?;
    }
    for (path, text) in home.files.unwrap_or_default() {
        let path = made(root, &path)?;
        match text {
            Text::Plain(text) => std::fs::write(path, text)?,
            Text::Repeated { repeat: (text, times) } => std::fs::write(path, text.repeat(times))?,
        }
    }
    for (path, target) in home.links.unwrap_or_default() {
        let target = match target.strip_prefix(OUTSIDE) {
            Some(below) => root.join("outside").join(below.trim_start_matches('/')),
            None => PathBuf::from(target),
        };
        link(&target, &made(root, &path)?)?;
    }
    Ok(())
}

/// A path in the home folder whose parents exist.
fn made(root: &Path, path: &str) -> std::io::Result<PathBuf> {
    let path = root.join("home").join(path);
    std::fs::create_dir_all(path.parent().unwrap_or(root))?;
    Ok(path)
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
fn link(target: &Path, path: &Path) -> std::io::Result<()> {
    match target.is_dir() {
        true => std::os::windows::fs::symlink_dir(target, path),
        false => std::os::windows::fs::symlink_file(target, path),
    }
}

fn told(outcome: Result<FileOutcome, FileRefusal>, home: &Path) -> Value {
    let mut told = json!({
        "success": outcome.is_ok(), "reason": null, "length": null, "truncated": null, "entries": null, "more": null,
        "file_after": null,
    });
    match outcome {
        Ok(FileOutcome::Listed { lines, left_out, is_cut, .. }) => {
            told["entries"] = json!(lines.len());
            told["more"] = json!(left_out > 0 || is_cut);
        }
        Ok(FileOutcome::Read { text, is_cut, .. }) => {
            told["length"] = json!(text.chars().count());
            told["truncated"] = json!(is_cut);
        }
        Ok(FileOutcome::Written { shown, .. } | FileOutcome::Deleted { shown, .. }) => {
            let path = home.join(shown.strip_prefix("~/").unwrap_or(&shown));
            told["file_after"] = json!(std::fs::read_to_string(path).ok());
        }
        Err(refusal) => told["reason"] = json!(reason(&refusal)),
    }
    told
}

fn reason(refusal: &FileRefusal) -> &'static str {
    match refusal.kind() {
        RefusalKind::NotFound => "not_found",
        RefusalKind::Permission => "permission",
        RefusalKind::BadRequest => "bad_request",
        RefusalKind::Failed => "failed",
    }
}

#[cfg(all(test, unix))]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::list(json!({"operation": " LIST ", "path": "docs"}), json!({"success": true, "entries": 1, "more": false}))]
    #[case::read(json!({"operation": "read", "path": "~/long.txt"}), json!({"success": true, "length": 10_000, "truncated": true}))]
    #[case::write(json!({"operation": "write", "path": "new/a.txt", "content": "hi"}), json!({"success": true, "file_after": "hi"}))]
    #[case::append(json!({"operation": "append", "path": "docs/a.txt", "content": "!"}), json!({"success": true, "file_after": "one!"}))]
    #[case::tilde(json!({"operation": "write", "path": "~/~/a.txt", "content": "hi"}), json!({"success": true, "file_after": "hi"}))]
    #[case::delete(json!({"operation": "delete", "path": "docs/a.txt"}), json!({"success": true}))]
    #[case::folder(json!({"operation": "read", "path": "docs"}), json!({"success": false, "reason": "not_found"}))]
    #[case::outside(json!({"operation": "read", "path": "out/x"}), json!({"success": false, "reason": "permission"}))]
    #[case::secret(json!({"operation": "read", "path": ".ssh/id_rsa"}), json!({"success": false, "reason": "permission"}))]
    #[case::no_path(json!({"operation": "list", "path": null}), json!({"success": false, "reason": "bad_request"}))]
    #[case::no_text(json!({"operation": "write", "path": "x", "content": 5}), json!({"success": false, "reason": "bad_request"}))]
    fn real_tool_works_in_the_home_folder_of_the_input(#[case] args: Value, #[case] expected: Value) {
        let home = json!({
            "files": {"docs/a.txt": "one", "long.txt": {"$repeat": ["ä", 12_000]}, ".ssh/id_rsa": "key"},
            "links": {"out": "$OUTSIDE"},
        });

        let output = suite("local_files.run").unwrap()(json!({"home": home, "args": args})).unwrap();

        let told = output.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
        let told: Map<String, Value> = told.map(|(key, value)| (key.clone(), value.clone())).collect();
        assert_eq!(Value::Object(told), expected);
    }
}
