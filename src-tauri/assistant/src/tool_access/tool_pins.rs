//! The descriptions of tools of servers as they were first seen, in a file of the data folder.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use memory::private;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use tools::servers::{Fingerprint, Pin, PinStore};

use crate::data_access::file_lock::lock;

/// The name of the file in the data folder.
const FILE: &str = "tool-descriptions.json";

/// The same for `jarvis bridge`, whose servers have a configuration of their own.
const FILE_OF_BRIDGE: &str = "bridge-tool-descriptions.json";

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
    /// The descriptions that the assistant keeps in this folder.
    ///
    /// Falls open: a file that cannot be read counts as empty, so that tools are remembered anew as they are now.
    pub fn for_assistant(data: &Path) -> Self {
        Self::read(data.join(FILE))
    }

    /// The same of `jarvis bridge`.
    pub fn for_bridge(data: &Path) -> Self {
        Self::read(data.join(FILE_OF_BRIDGE))
    }

    fn read(file: PathBuf) -> Self {
        let pins = pins_in(&file);
        Self { file, pins: Mutex::new(pins), writing: Mutex::default() }
    }

    /// Writes `new` and what is known. What the file has by now counts more than what was known before: two sessions of the bridge
    /// may write it.
    fn write(&self, new: Vec<(String, Pin)>) -> std::io::Result<()> {
        let _lock = lock(&self.file)?;
        let mut all = self.pins.lock().clone();
        all.extend(pins_in(&self.file));
        all.extend(new);
        let text = serde_json::to_string_pretty(&all).expect("texts are plain data");
        // A half-written file must not take the place of a whole one.
        let fresh = self.file.with_extension("json.new");
        private::create(&fresh)?.write_all(text.as_bytes())?;
        std::fs::rename(&fresh, &self.file)
    }
}

impl PinStore for ToolPins {
    fn pinned(&self, tool: &str) -> Option<Pin> {
        self.pins.lock().get(tool).cloned()
    }

    fn pin(&self, tools: Vec<(String, Pin)>) {
        let _writing = self.writing.lock();
        self.pins.lock().extend(tools.clone());
        if let Err(error) = self.write(tools) {
            tracing::warn!(%error, "the description of a tool could not be remembered");
        }
    }
}

/// The descriptions in a file.
fn pins_in(file: &Path) -> BTreeMap<String, Pin> {
    let text = match std::fs::read_to_string(file) {
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
    stored.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use tools::Effect;
    use tools::servers::Hints;

    use super::*;

    fn pin(fingerprint: &str) -> Pin {
        let description = Some("Reads a file.".to_owned());
        let hints = Some(Hints { reads: true, destroys: false });
        Pin { fingerprint: fingerprint.to_owned(), description, effect: Some(Effect::Network), hints }
    }

    #[test]
    fn descriptions_are_remembered_in_the_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        ToolPins::for_assistant(folder.path()).pin(vec![("files__read".into(), pin("abc"))]);

        let pins = ToolPins::for_assistant(folder.path());

        assert_eq!(pins.pinned("files__read"), Some(pin("abc")));
        assert_eq!(pins.pinned("files__write"), None);
    }

    #[test]
    fn file_of_an_earlier_version_is_read_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            r#"{"files__read": "abc", "files__write": "def", "files__move": {"of a later": "version"}}"#;
        std::fs::write(folder.path().join(FILE), text).unwrap();

        ToolPins::for_assistant(folder.path()).pin(vec![("files__read".into(), pin("abc"))]);

        let pins = ToolPins::for_assistant(folder.path());
        assert_eq!(pins.pinned("files__read"), Some(pin("abc")));
        assert_eq!(pins.pinned("files__write"), Some(Pin::from("def".to_owned())));
    }

    #[test]
    fn two_sessions_of_the_bridge_lose_nothing_of_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = [(), ()].map(|()| ToolPins::for_bridge(folder.path()));

        sessions[0].pin(vec![("files__read".into(), pin("abc"))]);
        sessions[1].pin(vec![("files__write".into(), pin("def"))]);

        let pins = ToolPins::for_bridge(folder.path());
        let kept = ["files__read", "files__write"].map(|tool| pins.pinned(tool));
        assert_eq!(kept, [Some(pin("abc")), Some(pin("def"))]);
        assert_eq!(ToolPins::for_assistant(folder.path()).pinned("files__read"), None);
    }
}
