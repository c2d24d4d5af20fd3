//! Checksums pinned on first use: `pins.json` in the models folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

const FILE: &str = "pins.json";

/// What a file was when it first arrived. From then on it has to stay that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
    /// Its size.
    pub size_bytes: u64,
    /// Where it came from.
    pub url: String,
}

/// All pins of a models folder, by file name.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Pins(BTreeMap<String, Pin>);

impl Pins {
    /// Reads the pins of `folder`. Falls open: without readable pins, files that need one count as not right and
    /// are downloaded again.
    pub(crate) fn of(folder: &Path) -> Self {
        let path = folder.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, path = %path.display(), "the pinned checksums cannot be read");
                Self::default()
            }),
            Err(_) => Self::default(),
        }
    }

    /// Changes the pins of `folder`, alone among all programs.
    pub(crate) fn change(folder: &Path, change: impl FnOnce(&mut Self)) -> io::Result<()> {
        let lock = File::create(folder.join(format!("{FILE}.lock")))?;
        lock.lock()?;
        let mut pins = Self::of(folder);
        let before = serde_json::to_string(&pins)?;
        change(&mut pins);
        let after = serde_json::to_string_pretty(&pins)?;
        if before == serde_json::to_string(&pins)? {
            return Ok(());
        }
        let staged = folder.join(format!("{FILE}.new"));
        fs::write(&staged, after)?;
        fs::rename(staged, folder.join(FILE))
        // The lock ends with the file handle.
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Pin> {
        self.0.get(name)
    }

    pub(crate) fn set(&mut self, name: &str, pin: Pin) {
        self.0.insert(name.to_owned(), pin);
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }
}
