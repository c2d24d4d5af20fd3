//! Secrets: keys and tokens, in the system's keychain and nowhere else.

use keyring::Entry;
use secrecy::{ExposeSecret, SecretString};

use crate::SecretError;

/// The service name of our secrets in the keychain.
const SERVICE: &str = "app.jarvis.desktop";

/// Stores secrets by name. Blocking: call it outside async threads.
pub trait SecretStore: Send + Sync {
    /// The secret of this name, if there is one.
    ///
    /// # Errors
    ///
    /// [`SecretError`]. A locked keychain can look like one without the secret.
    fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError>;

    /// Stores a secret under this name, and replaces an older one.
    ///
    /// # Errors
    ///
    /// [`SecretError`]; then nothing was stored.
    fn set(&self, name: &str, secret: &SecretString) -> Result<(), SecretError>;

    /// Deletes the secret of this name, if there is one.
    ///
    /// # Errors
    ///
    /// [`SecretError`].
    fn delete(&self, name: &str) -> Result<(), SecretError>;
}

/// The system's keychain: Secret Service, Keychain or Credential Manager.
#[derive(Debug, Clone, Copy, Default)]
pub struct Keychain;

impl Keychain {
    /// Checks whether secrets can be stored: stores one, reads it back and deletes it, since a locked keychain answers
    /// reads as if it were empty.
    ///
    /// # Errors
    ///
    /// [`SecretError`] that says what is missing.
    pub fn probe(&self) -> Result<(), SecretError> {
        let (name, secret) = ("probe", SecretString::from("probe"));
        self.set(name, &secret)?;
        let read = self.get(name)?;
        self.delete(name)?;
        match read {
            Some(read) if read.expose_secret() == secret.expose_secret() => Ok(()),
            _ => {
                Err(SecretError::Failed { source: "a secret was stored and could not be read again".into() })
            }
        }
    }
}

impl SecretStore for Keychain {
    fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError> {
        match Entry::new(SERVICE, name).and_then(|entry| entry.get_password()) {
            Ok(secret) => Ok(Some(SecretString::from(secret))),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(sorted(error)),
        }
    }

    fn set(&self, name: &str, secret: &SecretString) -> Result<(), SecretError> {
        Entry::new(SERVICE, name).and_then(|entry| entry.set_password(secret.expose_secret())).map_err(sorted)
    }

    fn delete(&self, name: &str) -> Result<(), SecretError> {
        match Entry::new(SERVICE, name).and_then(|entry| entry.delete_credential()) {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(sorted(error)),
        }
    }
}

fn sorted(error: keyring::Error) -> SecretError {
    match error {
        keyring::Error::NoDefaultStore | keyring::Error::PlatformFailure(_) => {
            SecretError::NoKeychain { source: Box::new(error) }
        }
        keyring::Error::NoStorageAccess(_) => SecretError::Locked { source: Box::new(error) },
        other => SecretError::Failed { source: Box::new(other) },
    }
}
