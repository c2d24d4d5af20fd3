//! A secret store in memory.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use secrecy::{ExposeSecret, SecretString};
use settings::{SecretError, SecretStore};

/// A secret store in memory. Clones share it.
#[derive(Clone, Default)]
pub struct InMemorySecrets {
    secrets: Arc<Mutex<HashMap<String, String>>>,
}

impl SecretStore for InMemorySecrets {
    fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError> {
        let secrets = self.secrets.lock();
        Ok(secrets.get(name).cloned().map(SecretString::from))
    }

    fn set(&self, name: &str, secret: &SecretString) -> Result<(), SecretError> {
        let mut secrets = self.secrets.lock();
        secrets.insert(name.to_owned(), secret.expose_secret().to_owned());
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<(), SecretError> {
        self.secrets.lock().remove(name);
        Ok(())
    }
}
