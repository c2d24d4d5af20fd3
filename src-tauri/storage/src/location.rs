//! The place where a database is, and which key opens it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::copies::{backups, copies, newest_quarantined};
use crate::encryption::header::Header;
use crate::error::StorageError;
use crate::key::{Key, KeyStore, NoKeys};

/// The place of a database, and of its key if it is encrypted. A bare path means an unencrypted database.
#[derive(Clone)]
pub struct DatabaseLocation {
    /// The file.
    pub path: PathBuf,
    /// Stores its key.
    pub keys: Arc<dyn KeyStore>,
}

impl<P: AsRef<Path> + ?Sized> From<&P> for DatabaseLocation {
    fn from(path: &P) -> Self {
        Self { path: path.as_ref().to_path_buf(), keys: Arc::new(NoKeys) }
    }
}

impl DatabaseLocation {
    /// The key that opens the database; `None` for an unencrypted one. A missing database starts with the key of its
    /// newest backup or quarantined file, so that what was encrypted once stays encrypted.
    pub(crate) fn key(&self) -> Result<Option<Key>, StorageError> {
        match Header::from_file(&self.path) {
            Header::None => {
                let newest = backups(&self.path).into_iter().next().map(|newest| newest.path);
                let newest = newest.or_else(|| newest_quarantined(&self.path));
                newest.map_or(Ok(None), |newest| self.key_of(&newest))
            }
            _ => self.key_of(&self.path),
        }
    }

    /// A key of one of the copies, if the keychain returns one.
    pub(crate) fn key_of_copies(&self) -> Option<Key> {
        copies(&self.path).iter().find_map(|copy| self.key_of(copy).ok().flatten())
    }

    /// The key of a file beside the database, such as a backup; `None` for an unencrypted one.
    pub(crate) fn key_of(&self, file: &Path) -> Result<Option<Key>, StorageError> {
        let Header::Encrypted { fingerprint } = Header::from_file(file) else { return Ok(None) };
        let path = file.to_path_buf();
        if !cfg!(feature = "encryption") {
            return Err(StorageError::NoEncryption { path });
        }
        match self.keys.get(fingerprint) {
            Ok(Some(key)) if key.fingerprint() == fingerprint => Ok(Some(key)),
            Ok(Some(_)) => Err(StorageError::OtherKey { path }),
            Ok(None) => Err(StorageError::NoKey { path }),
            Err(source) => Err(StorageError::NoKeychain { path, source }),
        }
    }
}
