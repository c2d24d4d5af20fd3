//! Checksums pinned on first use: `pins.json` in the models folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

const FILE: &str = "pins.json";

/// Checksum and size of a file when it was first downloaded. Later downloads must match them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedChecksum {
    /// SHA-256 as lower-case hexadecimal digits.
    pub sha256: String,
    /// Size of the file in bytes.
    pub size_bytes: u64,
    /// The address it was downloaded from.
    pub url: String,
}

/// All pinned checksums of a models folder, by file name.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PinnedChecksums(BTreeMap<String, PinnedChecksum>);

impl PinnedChecksums {
    /// Reads the pinned checksums of `folder`. If they are missing or unreadable, files that need one count as corrupt
    /// and are downloaded again.
    pub(crate) fn from_folder(folder: &Path) -> Self {
        let path = folder.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, path = %path.display(), "the pinned checksums cannot be read");
                Self::default()
            }),
            Err(_) => Self::default(),
        }
    }

    /// Changes the pinned checksums of `folder` under a lock that excludes other processes.
    pub(crate) fn change(folder: &Path, change: impl FnOnce(&mut Self)) -> io::Result<()> {
        let lock = File::create(folder.join(format!("{FILE}.lock")))?;
        lock.lock()?;
        let mut checksums = Self::from_folder(folder);
        let before = serde_json::to_string(&checksums)?;
        change(&mut checksums);
        let after = serde_json::to_string_pretty(&checksums)?;
        if before == serde_json::to_string(&checksums)? {
            return Ok(());
        }
        let staged = folder.join(format!("{FILE}.new"));
        fs::write(&staged, after)?;
        fs::rename(staged, folder.join(FILE))
        // Dropping `lock` releases it.
    }

    pub(crate) fn get(&self, name: &str) -> Option<&PinnedChecksum> {
        self.0.get(name)
    }

    pub(crate) fn set(&mut self, name: &str, checksum: PinnedChecksum) {
        self.0.insert(name.to_owned(), checksum);
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }
}
