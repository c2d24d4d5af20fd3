//! The secrets that the user has stored, as far as a call needs to know.

use async_trait::async_trait;

/// The port to the place where secrets are stored.
#[async_trait]
pub trait StoredSecrets: Send + Sync {
    /// Returns `true` if a secret of this name is stored.
    ///
    /// Falls open: `true` if that cannot be known, so that the tool says what is wrong.
    async fn is_stored(&self, name: &'static str) -> bool;
}
