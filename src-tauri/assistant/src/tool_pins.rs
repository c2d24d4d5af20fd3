//! The descriptions of tools of servers as they were first seen, in a file of the data folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use parking_lot::Mutex;
use tools::servers::{Fingerprint, PinStore};

/// The name of the file in the data folder.
const FILE: &str = "tool-descriptions.json";

/// Remembers descriptions in a file. A few kilobytes, so it is written whole at each change.
pub(crate) struct ToolPins {
    file: PathBuf,
    pins: Mutex<BTreeMap<String, Fingerprint>>,
    /// Held while the file is written, so that the last one written is the newest. Readers do not wait for it.
    writing: Mutex<()>,
}

impl ToolPins {
    /// Reads the file of this folder.
    ///
    /// Falls open: a file that cannot be read counts as empty, so that tools are remembered anew as they are now.
    pub fn read(data: &std::path::Path) -> Self {
        let file = data.join(FILE);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                tracing::warn!(%error, "the descriptions of tools could not be read");
                String::new()
            }
        };
        let pins = Mutex::new(serde_json::from_str(&text).unwrap_or_default());
        Self { file, pins, writing: Mutex::default() }
    }
}

impl PinStore for ToolPins {
    fn pinned(&self, tool: &str) -> Option<Fingerprint> {
        self.pins.lock().get(tool).cloned()
    }

    fn pin(&self, tools: Vec<(String, Fingerprint)>) {
        let _writing = self.writing.lock();
        let all = {
            let mut pins = self.pins.lock();
            pins.extend(tools);
            pins.clone()
        };
        let text = serde_json::to_string_pretty(&all).expect("texts are plain data");
        // A half-written file must not take the place of a whole one.
        let fresh = self.file.with_extension("json.new");
        let written = std::fs::write(&fresh, text).and_then(|()| std::fs::rename(&fresh, &self.file));
        if let Err(error) = written {
            tracing::warn!(%error, "the description of a tool could not be remembered");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_remembered_in_the_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        ToolPins::read(folder.path()).pin(vec![("files__read".into(), "abc".into())]);

        let pins = ToolPins::read(folder.path());

        assert_eq!(pins.pinned("files__read").as_deref(), Some("abc"));
        assert_eq!(pins.pinned("files__write"), None);
    }
}
