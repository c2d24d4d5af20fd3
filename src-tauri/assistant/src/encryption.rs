//! Encrypting the memory of this user, and making it plain again. The key is in the keychain.

use std::sync::Arc;

use memory::{DatabaseLocation, EncryptionReport, Fingerprint, Key, KeyProblem, KeyStore, StorageError};
use secrecy::ExposeSecret;
use settings::{Folders, SecretStore};
use vocabulary::{Stage, Trouble};

use crate::doctor::{Finding, Verdict, database};
use crate::instance::{Instance, InstanceError};

/// What the key of a memory is filed under in the keychain, as 64 hexadecimal digits. Each memory of this user has its own.
pub fn key_name(key: Fingerprint) -> String {
    format!("memory.key.{key}")
}

/// Where the memory of this user is, with the keychain as the keeper of its key.
pub(crate) fn place(folders: &Folders, secrets: &Arc<dyn SecretStore>) -> DatabaseLocation {
    DatabaseLocation { path: database(folders), keys: Arc::new(KeyInKeychain(Arc::clone(secrets))) }
}

struct KeyInKeychain(Arc<dyn SecretStore>);

impl KeyStore for KeyInKeychain {
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        let name = key_name(fingerprint);
        let Some(digits) = self.0.get(&name)? else { return Ok(None) };
        match Key::of_hex(digits.expose_secret().trim()) {
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

/// Why the memory was neither encrypted nor made plain.
#[derive(Debug, thiserror::Error)]
pub enum EncryptionError {
    /// A running Jarvis uses the memory.
    #[error("the memory cannot be changed over while it is in use: quit Jarvis first")]
    InUse,
    /// The data folder cannot be had.
    #[error(transparent)]
    Folder(InstanceError),
    /// The memory, or its key.
    #[error(transparent)]
    Memory(#[from] StorageError),
}

/// Encrypts the memory of this user and every copy of it, with a key that the keychain keeps. Blocking.
///
/// # Errors
///
/// [`EncryptionError`]; then the memory is as it was.
pub fn encrypt_memory(
    folders: &Folders,
    secrets: &Arc<dyn SecretStore>,
) -> Result<EncryptionReport, EncryptionError> {
    alone(folders, || memory::encrypt(&place(folders, secrets)))
}

/// Makes the memory of this user and every copy of it plain again, and forgets the key. Blocking.
///
/// # Errors
///
/// [`EncryptionError`], which says whether the memory is plain already.
pub fn decrypt_memory(
    folders: &Folders,
    secrets: &Arc<dyn SecretStore>,
) -> Result<EncryptionReport, EncryptionError> {
    alone(folders, || memory::decrypt(&place(folders, secrets)))
}

fn alone(
    folders: &Folders,
    work: impl FnOnce() -> Result<EncryptionReport, StorageError>,
) -> Result<EncryptionReport, EncryptionError> {
    let _instance = Instance::claim(&folders.data).map_err(|error| match error {
        InstanceError::AlreadyRunning => EncryptionError::InUse,
        error => EncryptionError::Folder(error),
    })?;
    Ok(work()?)
}

/// Whether the memory is encrypted, and whether a copy is left that is not.
pub(crate) fn finding(folders: &Folders) -> Finding {
    let protection = memory::protection(&database(folders));
    let Some(key) = protection.key else {
        let message = match memory::CAN_ENCRYPT {
            true => "The memory file is not encrypted; `jarvis memory encrypt` does it.",
            false => "The memory file is not encrypted, and this build of Jarvis knows no encryption.",
        };
        return Finding::well(Stage::Memory, message);
    };
    if protection.plain_copies.is_empty() {
        let message =
            format!("The memory file is encrypted, and its key is in the keychain as `{}`.", key_name(key));
        return Finding::well(Stage::Memory, message);
    }
    let copies: Vec<String> = protection.plain_copies.iter().map(|copy| copy.display().to_string()).collect();
    let message =
        format!("The memory file is encrypted, but words may be readable in {}.", copies.join(", "));
    let remedy = "`jarvis memory encrypt` encrypts them too; delete those that it names as damaged.";
    Finding::of(Trouble::new(Stage::Memory, message, remedy), Verdict::Lacking)
}
