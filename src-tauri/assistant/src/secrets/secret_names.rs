//! The names of the secrets that Jarvis uses, as the user types them.

use std::sync::Arc;

use secrecy::SecretString;
use settings::SecretStore;
pub(crate) use tools::web::BRAVE_API_KEY;
use tools::web::KeyUnreadable;

/// The key of a language-model server that wants one.
pub(crate) const LLM_API_KEY: &str = "llm.api_key";

/// The key of this computer at a Command Center.
pub(crate) const NODE_KEY: &str = "command_center.node_key";

/// The secrets of Jarvis itself.
pub(crate) const ALL: [&str; 3] = [LLM_API_KEY, BRAVE_API_KEY, NODE_KEY];

/// The mark before the name of a secret in the settings of a tool server: `${secret:github}`.
pub(crate) const SECRET_PREFIX: &str = "secret:";

/// The beginning of the names of secrets of tool servers.
const OF_TOOL_SERVERS: &str = "mcp.";

/// The name in the keychain of a secret that the settings of a tool server name.
pub(crate) fn secret_name(name: &str) -> String {
    format!("{OF_TOOL_SERVERS}{name}")
}

/// The name in the keychain of the tokens of a tool server. No `${secret:…}` names it.
pub(crate) fn sign_in_name(server: &str) -> String {
    format!("sign_in.{server}")
}

/// Returns `true` if the user may store a secret of this name.
pub(crate) fn is_known(name: &str) -> bool {
    let of_server = name.strip_prefix(OF_TOOL_SERVERS).is_some_and(|name| !name.is_empty());
    ALL.contains(&name) || of_server
}

/// The secret of this name. Falls open: a keychain that cannot be read counts as one without the secret, and the log says so.
pub(crate) async fn stored_secret(
    secrets: &Arc<dyn SecretStore>,
    name: &'static str,
) -> Option<SecretString> {
    read_secret(secrets, name).await.unwrap_or_default()
}

/// The secret of this name. The log says why a keychain could not be read.
pub(crate) async fn read_secret(
    secrets: &Arc<dyn SecretStore>,
    name: &'static str,
) -> Result<Option<SecretString>, KeyUnreadable> {
    let secrets = Arc::clone(secrets);
    match tokio::task::spawn_blocking(move || secrets.get(name)).await {
        Ok(Ok(secret)) => Ok(secret),
        Ok(Err(error)) => {
            tracing::warn!(name, %error, "a secret could not be read");
            Err(KeyUnreadable)
        }
        Err(panic) => {
            tracing::error!(name, %panic, "reading the keychain failed");
            Err(KeyUnreadable)
        }
    }
}
