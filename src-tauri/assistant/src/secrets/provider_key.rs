//! The key of a language-model server, from the keychain.

use std::sync::Arc;

use parking_lot::Mutex;
use secrecy::{ExposeSecret, SecretString};
use settings::{SecretStore, Settings};

use crate::secrets::secret_names::{LLM_API_KEY, stored_secret};

/// Returns `true` if both are the same secret, or both absent.
pub(crate) fn is_same(one: Option<&SecretString>, other: Option<&SecretString>) -> bool {
    one.map(ExposeSecret::expose_secret) == other.map(ExposeSecret::expose_secret)
}

/// The provider's key as the keychain held it when it was last read. Clones share it.
#[derive(Clone)]
pub(crate) struct ProviderKey {
    secrets: Arc<dyn SecretStore>,
    known: Arc<Mutex<Option<SecretString>>>,
}

impl ProviderKey {
    /// Reads the keychain for the first time.
    pub async fn read(secrets: &Arc<dyn SecretStore>, now: &Settings) -> Self {
        let key = Self { secrets: Arc::clone(secrets), known: Arc::default() };
        key.refresh(now).await;
        key
    }

    /// Reads it again, if the settings name a provider that may want a key.
    pub async fn refresh(&self, now: &Settings) {
        let key = api_key(&self.secrets, now).await;
        *self.known.lock() = key;
    }

    /// The key as it was last read.
    pub fn current(&self) -> Option<SecretString> {
        self.known.lock().clone()
    }
}

/// The provider's key, if the settings name a provider that may want one.
pub(crate) async fn api_key(secrets: &Arc<dyn SecretStore>, now: &Settings) -> Option<SecretString> {
    if !now.llm.provider.takes_key() {
        return None;
    }
    stored_secret(secrets, LLM_API_KEY).await
}
