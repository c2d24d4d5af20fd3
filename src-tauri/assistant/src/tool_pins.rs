//! The descriptions of tools of servers as they were first seen, in a file of the data folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use tools::servers::{Fingerprint, Pin, PinStore};

/// The name of the file in the data folder.
const FILE: &str = "tool-descriptions.json";

/// Remembers descriptions in a file. Some kilobytes, so it is written whole at each change.
pub(crate) struct ToolPins {
    file: PathBuf,
    pins: Mutex<BTreeMap<String, Pin>>,
    /// Held while the file is written, so that the last one written is the newest. Readers do not wait for it.
    writing: Mutex<()>,
}

/// A description in the file.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredPin {
    Whole(Pin),
    /// As earlier versions wrote it.
    Fingerprint(Fingerprint),
}

impl From<StoredPin> for Pin {
    fn from(stored: StoredPin) -> Self {
        match stored {
            StoredPin::Whole(pin) => pin,
            StoredPin::Fingerprint(fingerprint) => fingerprint.into(),
        }
    }
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
        let stored: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap_or_else(|error| {
            if !text.is_empty() {
                tracing::warn!(%error, "the descriptions of tools are damaged; each is remembered anew");
            }
            BTreeMap::new()
        });
        // One by one, so that an entry of a later version costs no other.
        let read = |(tool, pin)| Some((tool, serde_json::from_value::<StoredPin>(pin).ok()?.into()));
        let pins = stored.into_iter().filter_map(read).collect();
        Self { file, pins: Mutex::new(pins), writing: Mutex::default() }
    }
}

impl PinStore for ToolPins {
    fn pinned(&self, tool: &str) -> Option<Pin> {
        self.pins.lock().get(tool).cloned()
    }

    fn pin(&self, tools: Vec<(String, Pin)>) {
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
    use tools::Effect;

    use super::*;

    fn pin(fingerprint: &str) -> Pin {
        let description = Some("Reads a file.".to_owned());
        Pin { fingerprint: fingerprint.to_owned(), description, effect: Some(Effect::Network) }
    }

    #[test]
    fn descriptions_are_remembered_in_the_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        ToolPins::read(folder.path()).pin(vec![("files__read".into(), pin("abc"))]);

        let pins = ToolPins::read(folder.path());

        assert_eq!(pins.pinned("files__read"), Some(pin("abc")));
        assert_eq!(pins.pinned("files__write"), None);
    }

    #[test]
    fn file_of_an_earlier_version_is_read_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            r#"{"files__read": "abc", "files__write": "def", "files__move": {"of a later": "version"}}"#;
        std::fs::write(folder.path().join(FILE), text).unwrap();

        ToolPins::read(folder.path()).pin(vec![("files__read".into(), pin("abc"))]);

        let pins = ToolPins::read(folder.path());
        assert_eq!(pins.pinned("files__read"), Some(pin("abc")));
        assert_eq!(pins.pinned("files__write"), Some(Pin::from("def".to_owned())));
    }
}
