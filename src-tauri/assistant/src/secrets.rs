//! Secrets: how they are named, and how the keychain keeps them.

pub(crate) mod provider_key; // the key of a language-model server
pub(crate) mod long_secrets; // in entries that a keychain takes
pub(crate) mod secret_names; // as the user types them
