//! A fake trash.

use std::path::{Path, PathBuf};

use tools::files::{NoTrash, TrashBin};

/// A trash that is a plain folder, or that is missing.
pub struct FolderTrash(Option<PathBuf>);

impl FolderTrash {
    /// A trash in this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self(Some(folder))
    }

    /// A system without a trash.
    pub fn missing() -> Self {
        Self(None)
    }
}

impl TrashBin for FolderTrash {
    fn put(&self, file: &Path) -> Result<(), NoTrash> {
        let reason = |error: std::io::Error| NoTrash { reason: error.to_string() };
        let folder = self.0.as_ref().ok_or_else(|| NoTrash { reason: "there is no trash".to_owned() })?;
        std::fs::create_dir_all(folder).map_err(reason)?;
        std::fs::rename(file, folder.join(file.file_name().unwrap_or_default())).map_err(reason)
    }
}
