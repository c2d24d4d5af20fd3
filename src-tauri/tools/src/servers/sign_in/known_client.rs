//! The id under which a server knows Jarvis before the first sign-in.

use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationRequest, OAuthClientConfig};
use vocabulary::Private;

/// An address for a configuration that only refreshes tokens. No browser comes back to it.
const NO_CALLBACK: &str = "http://localhost";

/// The client as the settings name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::servers) struct KnownClient {
    /// An id that the provider gave, or the https address of a document that describes the client.
    pub id: String,
    /// The secret that belongs to the id.
    pub secret: Option<Private<String>>,
}

impl KnownClient {
    /// The client of these settings; `None` if they name no id.
    pub fn new(id: &str, secret: &str) -> Option<Self> {
        let [id, secret] = [id, secret].map(str::trim);
        let secret = Some(secret).filter(|secret| !secret.is_empty());
        (!id.is_empty()).then(|| Self { id: id.to_owned(), secret: secret.map(|it| Private(it.to_owned())) })
    }

    /// Returns `true` if tokens of a client with this id may be used. A server that reads no document has given its own id.
    pub fn may_use_tokens_of(&self, id: &str) -> bool {
        self.is_document() || self.id == id
    }

    /// The request to sign in, with the client. A server that reads no document registers Jarvis as usual.
    pub fn named_in(&self, request: AuthorizationRequest) -> AuthorizationRequest {
        if self.is_document() {
            return request.with_client_metadata_url(&self.id);
        }
        let request = request.with_preregistered_client(&self.id);
        match &self.secret {
            Some(Private(secret)) => request.with_client_secret(secret),
            None => request,
        }
    }

    /// Gives the secret to a manager that took the id from the store.
    pub fn complete(&self, manager: &mut AuthorizationManager) -> Result<(), AuthError> {
        match &self.secret {
            Some(Private(secret)) if !self.is_document() => manager
                .configure_client(OAuthClientConfig::new(&self.id, NO_CALLBACK).with_client_secret(secret)),
            _ => Ok(()),
        }
    }

    fn is_document(&self) -> bool {
        self.id.starts_with("https://")
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_id("", "secret", None)]
    #[case::id_alone(" jarvis-1 ", "", Some(("jarvis-1", None)))]
    #[case::with_secret("jarvis-1", "s3cret", Some(("jarvis-1", Some("s3cret"))))]
    fn settings_name_a_client_or_none(
        #[case] id: &str,
        #[case] secret: &str,
        #[case] expected: Option<(&str, Option<&str>)>,
    ) {
        let client = KnownClient::new(id, secret);

        let found = client.as_ref().map(|it| (&*it.id, it.secret.as_ref().map(|secret| &*secret.0)));
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case::same("jarvis-1", "jarvis-1", true)]
    #[case::another("jarvis-1", "jarvis-2", false)]
    #[case::registered_instead_of_a_document("https://jarvis.example/client.json", "registered-7", true)]
    fn tokens_of_another_client_are_not_used(#[case] id: &str, #[case] of: &str, #[case] expected: bool) {
        assert_eq!(KnownClient::new(id, "").unwrap().may_use_tokens_of(of), expected);
    }
}
