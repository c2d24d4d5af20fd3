//! Signing in at a server with an address (OAuth): the user agrees in a browser, and the tokens stay in the keychain.
//!
//! Source: MCP specification 2025-11-25, "Authorization".

mod callback; // the page to which the browser comes back
mod guarded_http; // requests to sign in, through the address guard
mod known_client; // the id under which a server knows Jarvis already
mod metadata; // the place where users sign in
mod stored; // the sign-in of a server in its store

use std::sync::Arc;
use std::time::Duration;

use net::Http;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession};
use url::Url;

use self::callback::{Callback, CallbackListener};
use self::guarded_http::GuardedHttp;
pub(super) use self::known_client::KnownClient;
use self::metadata::metadata;
pub use self::stored::SignInStore;
pub(super) use self::stored::StoredSignIn;
use super::reach::{allowed_client, is_this_machine};

/// The time that the user may take in the browser.
const PATIENCE: Duration = Duration::from_secs(300);
/// The time that a server may take to answer a request without a sign-in.
const CHALLENGE_LIMIT: Duration = Duration::from_secs(10);
/// The name by which a server knows its client.
const CLIENT_NAME: &str = "Jarvis";

/// The tokens of a session, refreshed when they end. Clones share them.
pub(super) type Tokens = Arc<AuthorizationManager>;

/// Why the user is not signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// There is no such server, it is switched off, or it is a program.
    #[error("there is no server of this name with an address")]
    NoServer,
    /// Its settings cannot be used.
    #[error("the settings of the server cannot be used: {0}")]
    Settings(String),
    /// The server offers no way to sign in that Jarvis knows.
    #[error("the server does not say how to sign in, or in a way that Jarvis does not know: {0}")]
    NotOffered(String),
    /// The page to sign in is no secure address.
    #[error("the server wants to be signed in at an address that is not secure")]
    NotSecure,
    /// The browser did not start.
    #[error("the browser did not start: {0}")]
    NoBrowser(String),
    /// The user, or the server, said no.
    #[error("the sign-in was refused")]
    Refused,
    /// Nobody came back in time.
    #[error("the sign-in was not finished within {} minutes", .0.as_secs() / 60)]
    TimedOut(Duration),
    /// The tokens could not be fetched or kept.
    #[error("the sign-in failed: {0}")]
    Failed(String),
}

/// The tokens of a server; `None` if the user is not signed in there.
pub(super) async fn tokens(http: &Http, stored: StoredSignIn) -> Result<Option<Tokens>, AuthError> {
    let client = GuardedHttp::new(http, is_this_machine(stored.url()));
    let mut manager = manager(&client, &stored).await?;
    let found = metadata(&manager, &client, stored.url(), None).await?;
    manager.set_metadata(found);
    if !manager.initialize_from_store().await? {
        return Ok(None);
    }
    if let Some(client) = stored.client() {
        client.complete(&mut manager)?;
    }
    Ok(Some(Arc::new(manager)))
}

/// Signs in at a server: `open` shows the page of the server to the user, who is waited for. The user is asked for the rights that
/// the server names, and for these `wanted` ones.
pub(super) async fn sign_in(
    http: &Http,
    stored: StoredSignIn,
    wanted: &[String],
    open: &(dyn Fn(&Url) -> Result<(), String> + Send + Sync),
) -> Result<(), SignInError> {
    let not_offered = |error: AuthError| SignInError::NotOffered(error.to_string());
    let listener = CallbackListener::bind().await.map_err(|error| SignInError::Failed(error.to_string()))?;
    let (url, client) = (stored.url(), GuardedHttp::new(http, is_this_machine(stored.url())));
    let mut manager = manager(&client, &stored).await.map_err(not_offered)?;
    let challenge = challenge(http, url).await;
    let found = metadata(&manager, &client, url, challenge.as_deref()).await.map_err(not_offered)?;
    manager.set_metadata(found);
    let mut request = AuthorizationRequest::new(listener.address()).with_client_name(CLIENT_NAME);
    request = match wanted {
        [] => request.with_initial_scope_selection(),
        wanted => request.with_scopes(with_usual_rights(&manager, wanted).await),
    };
    if let Some(client) = stored.client() {
        request = client.named_in(request);
    }
    let session = AuthorizationSession::new(manager, request).await;
    let session = session.map_err(|(_, error)| not_offered(error))?;
    let page = Url::parse(session.get_authorization_url()).map_err(|_| SignInError::NotSecure)?;
    if !may_be_shown(&page, url) {
        return Err(SignInError::NotSecure);
    }
    let state = page.query_pairs().find(|(name, _)| name == "state").map(|(_, state)| state.into_owned());
    open(&page).map_err(SignInError::NoBrowser)?;
    let state = state.unwrap_or_default();
    let coming = listener.wait_for(&state);
    match tokio::time::timeout(PATIENCE, coming).await {
        Err(_) => Err(SignInError::TimedOut(PATIENCE)),
        Ok(Callback::Refused) => Err(SignInError::Refused),
        Ok(Callback::Agreed(address)) => {
            let exchanged = session.handle_callback_url(&address).await;
            exchanged.map(|_| ()).map_err(|error| SignInError::Failed(error.to_string()))
        }
    }
}

/// Returns `true` if the page of a server may be opened: one in the network of the user only for a server there, since the
/// browser would carry a stranger's request to it.
fn may_be_shown(page: &Url, server: &Url) -> bool {
    match page.scheme() {
        "http" => is_this_machine(page) && is_this_machine(server),
        "https" => net::is_public_url(page) || !net::is_public_url(server),
        _ => false,
    }
}

async fn manager(client: &GuardedHttp, stored: &StoredSignIn) -> Result<AuthorizationManager, AuthError> {
    let client = Arc::new(client.clone());
    let mut manager = AuthorizationManager::new_with_oauth_http_client(stored.url().as_str(), client).await?;
    manager.set_credential_store(stored.clone());
    Ok(manager)
}

/// These rights, and those that the server wants from each user.
async fn with_usual_rights(manager: &AuthorizationManager, wanted: &[String]) -> Vec<String> {
    let mut rights = manager.select_initial_scopes(&[]).await;
    for right in wanted {
        if !rights.contains(right) {
            rights.push(right.clone());
        }
    }
    rights
}

/// The answer of a server to a request without a sign-in: the place of its description, and the rights to ask for.
/// Falls open: without it, the usual places are looked at.
async fn challenge(http: &Http, url: &Url) -> Option<String> {
    let client = allowed_client(http, url).await.ok()?;
    let request = client.post(url.clone()).header(ACCEPT, "application/json, text/event-stream");
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let request = request.header(CONTENT_TYPE, "application/json").body(ping).timeout(CHALLENGE_LIMIT);
    let response =
        request.send().await.ok().filter(|response| response.status() == StatusCode::UNAUTHORIZED)?;
    Some(response.headers().get(WWW_AUTHENTICATE)?.to_str().ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::secure("https://login.example/authorize", "https://mcp.example/mcp", true)]
    #[case::not_secure("http://login.example/authorize", "https://mcp.example/mcp", false)]
    #[case::on_this_machine("http://127.0.0.1:8080/authorize", "http://127.0.0.1:9000/mcp", true)]
    #[case::stranger_to_this_machine("http://127.0.0.1:8080/reset", "https://mcp.example/mcp", false)]
    #[case::stranger_to_this_network("https://192.168.1.1/reset", "https://mcp.example/mcp", false)]
    #[case::within_this_network("https://192.168.1.5/authorize", "https://192.168.1.5/mcp", true)]
    #[case::file("file:///etc/passwd", "https://mcp.example/mcp", false)]
    fn page_is_opened_only_where_its_server_may_send_the_user(
        #[case] page: &str,
        #[case] server: &str,
        #[case] expected: bool,
    ) {
        let [page, server] = [page, server].map(|url| Url::parse(url).unwrap());

        assert_eq!(may_be_shown(&page, &server), expected);
    }
}
