//! Secrets: keys and tokens, in the system's keychain and nowhere else.

use keyring::Entry;
use secrecy::{ExposeSecret, SecretString};

use crate::SecretError;

/// What our secrets are filed under.
const SERVICE: &str = "app.jarvis.desktop";

/// Keeps secrets by name. Blocking: call it off the async threads.
pub trait SecretStore: Send + Sync {
    /// The secret of this name, if there is one.
    ///
    /// # Errors
    ///
    /// [`SecretError`]. A locked keychain can look like one without the secret.
    fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError>;

    /// Stores a secret under this name, in place of any other.
    ///
    /// # Errors
    ///
    /// [`SecretError`]; then nothing was stored.
    fn set(&self, name: &str, secret: &SecretString) -> Result<(), SecretError>;

    /// Forgets the secret of this name; there need not be one.
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
    /// Can secrets be kept on this machine? Stores one, reads it back and forgets it, for a locked keychain answers
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
            _ => Err(SecretError::Failed { source: "what was stored was not found again".into() }),
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
