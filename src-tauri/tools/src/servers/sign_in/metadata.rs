//! The metadata of the place where users sign in to a server.
//!
//! Source: MCP specifications 2025-11-25 and 2025-03-26, "Authorization".

use reqwest::StatusCode;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationMetadata};
use url::Url;

use super::guarded_http::GuardedHttp;

/// The place of the metadata in the specification of March 2025.
const OWN_METADATA: &str = "/.well-known/oauth-authorization-server";

/// The metadata of a sign-in; `challenge` is the answer of the server to a request without one.
pub(super) async fn metadata(
    manager: &AuthorizationManager,
    http: &GuardedHttp,
    server: &Url,
    challenge: Option<&str>,
) -> Result<AuthorizationMetadata, AuthError> {
    let found = match challenge {
        Some(_) => manager.resolve_metadata_from_challenge(challenge).await,
        None => manager.resolve_metadata().await,
    };
    match found {
        Ok(found) => Ok(found.metadata),
        Err(error @ AuthError::AuthorizationServerMismatch { .. }) => {
            own_metadata(http, server).await.ok_or(error)
        }
        Err(error) => Err(error),
    }
}

/// The metadata of a server of March 2025 that signs its users in itself. Its issuer may have a path then, as long as everything
/// is at the address of the server: nobody else can have put it there.
async fn own_metadata(http: &GuardedHttp, server: &Url) -> Option<AuthorizationMetadata> {
    let answer = http.get(&server.join(OWN_METADATA).ok()?).await.ok()?;
    if answer.status() != StatusCode::OK {
        return None;
    }
    let metadata: AuthorizationMetadata = serde_json::from_slice(answer.body()).ok()?;
    is_of(server, &metadata).then_some(metadata)
}

fn is_of(server: &Url, metadata: &AuthorizationMetadata) -> bool {
    let endpoints = [&metadata.authorization_endpoint, &metadata.token_endpoint];
    let others = [&metadata.registration_endpoint, &metadata.issuer];
    let mut addresses = endpoints.into_iter().chain(others.into_iter().flatten());
    addresses.all(|address| Url::parse(address).is_ok_and(|url| url.origin() == server.origin()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::all_there("https://mcp.example/oauth", "https://mcp.example/oauth/token", true)]
    #[case::issuer_elsewhere("https://login.example", "https://mcp.example/oauth/token", false)]
    #[case::tokens_elsewhere("https://mcp.example/oauth", "https://mcp.example:8443/token", false)]
    #[case::no_address("oauth", "https://mcp.example/token", false)]
    fn own_metadata_name_only_the_server_itself(
        #[case] issuer: &str,
        #[case] token: &str,
        #[case] expected: bool,
    ) {
        let metadata = serde_json::from_value(json!({
            "issuer": issuer, "token_endpoint": token, "authorization_endpoint": "https://mcp.example/oauth/authorize",
        }));

        assert_eq!(is_of(&Url::parse("https://mcp.example/mcp").unwrap(), &metadata.unwrap()), expected);
    }
}
