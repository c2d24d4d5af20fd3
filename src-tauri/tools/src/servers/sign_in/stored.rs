//! The sign-in of a server in its store.

use std::sync::Arc;

use async_trait::async_trait;
use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use url::Url;
use vocabulary::Private;

use super::known_client::KnownClient;

/// The port that keeps the sign-ins of servers. May take as long as a keychain does.
pub trait SignInStore: Send + Sync {
    /// The sign-in that was kept for a server.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    fn load(&self, server: &str) -> Result<Option<Private<String>>, String>;

    /// Keeps this for a server; `None` forgets it.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    fn save(&self, server: &str, sign_in: Option<Private<String>>) -> Result<(), String>;
}

/// The sign-in of one server at one address, as one client. Tokens of another address or client are never used: the settings may
/// have changed.
#[derive(Clone)]
pub(in crate::servers) struct StoredSignIn {
    server: String,
    url: Url,
    client: Option<KnownClient>,
    store: Arc<dyn SignInStore>,
}

#[derive(Serialize, Deserialize)]
struct Record {
    url: Url,
    credentials: StoredCredentials,
}

impl StoredSignIn {
    /// The sign-in of this server at this address, with the client that the settings name.
    pub fn new(server: &str, url: &Url, client: Option<KnownClient>, store: Arc<dyn SignInStore>) -> Self {
        Self { server: server.to_owned(), url: url.clone(), client, store }
    }

    /// The address of the server.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// The client that the settings name.
    pub(super) fn client(&self) -> Option<&KnownClient> {
        self.client.as_ref()
    }

    /// Returns `true` if the user is signed in. Falls open: a store that cannot be read counts as empty.
    pub fn is_there(&self) -> bool {
        self.read().ok().flatten().is_some_and(|credentials| credentials.token_response.is_some())
    }

    /// Forgets it.
    pub fn forget(&self) -> Result<(), String> {
        self.store.save(&self.server, None)
    }

    fn read(&self) -> Result<Option<StoredCredentials>, String> {
        let Some(Private(text)) = self.store.load(&self.server)? else { return Ok(None) };
        // A record of an older version, or of another address, is none.
        let record: Option<Record> = serde_json::from_str(&text).ok();
        let is_of_client = |credentials: &StoredCredentials| {
            self.client.as_ref().is_none_or(|client| client.may_use_tokens_of(&credentials.client_id))
        };
        let record = record.filter(|record| record.url == self.url);
        Ok(record.map(|record| record.credentials).filter(is_of_client))
    }

    fn write(&self, credentials: StoredCredentials) -> Result<(), String> {
        let record = Record { url: self.url.clone(), credentials };
        let text = serde_json::to_string(&record).map_err(|error| error.to_string())?;
        self.store.save(&self.server, Some(Private(text)))
    }

    /// Off the runtime, because a keychain may take long.
    async fn off_runtime<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, String> + Send + 'static,
    ) -> Result<T, AuthError> {
        let this = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&this)).await;
        done.unwrap_or_else(|panic| Err(panic.to_string())).map_err(AuthError::CredentialStoreError)
    }
}

#[async_trait]
impl CredentialStore for StoredSignIn {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.off_runtime(Self::read).await
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.off_runtime(|this| this.write(credentials)).await
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.off_runtime(Self::forget).await
    }
}
