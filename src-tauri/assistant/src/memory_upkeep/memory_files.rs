//! The place where the memory of this user is, and where its key is.

use std::path::PathBuf;
use std::sync::Arc;

use memory::{DatabaseLocation, Fingerprint, Key, KeyProblem, KeyStore};
use secrecy::ExposeSecret;
use settings::{Folders, SecretStore};

/// The database of everything that is remembered.
pub(crate) fn database(folders: &Folders) -> PathBuf {
    folders.data.join("jarvis.db")
}

/// The database, with its key in the keychain.
pub(crate) fn place(folders: &Folders, secrets: &Arc<dyn SecretStore>) -> DatabaseLocation {
    DatabaseLocation { path: database(folders), keys: Arc::new(KeyInKeychain(Arc::clone(secrets))) }
}

/// The name of a memory's key in the keychain, which keeps it as 64 hexadecimal digits. Each memory has its own key.
pub fn key_name(key: Fingerprint) -> String {
    format!("memory.key.{key}")
}

struct KeyInKeychain(Arc<dyn SecretStore>);

impl KeyStore for KeyInKeychain {
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        let name = key_name(fingerprint);
        let Some(digits) = self.0.get(&name)? else { return Ok(None) };
        match Key::from_hex(digits.expose_secret().trim()) {
            Some(key) => Ok(Some(key)),
            None => Err(format!("what it keeps as `{name}` is not 64 hexadecimal digits").into()),
        }
    }

    fn set(&self, key: &Key) -> Result<(), KeyProblem> {
        Ok(self.0.set(&key_name(key.fingerprint()), &key.to_hex())?)
    }

    fn delete(&self, fingerprint: Fingerprint) -> Result<(), KeyProblem> {
        Ok(self.0.delete(&key_name(fingerprint))?)
    }
}
