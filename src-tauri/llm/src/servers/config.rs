//! Configuration of a model on a server.

use std::time::Duration;

use secrecy::SecretString;
use settings::LlmSettings;
use url::Url;

use crate::LlmError;

/// Configuration of a model on a server.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The address of the server, with or without a path.
    pub base_url: Url,
    /// Name of the model on the server.
    pub model: String,
    /// The number of parameters that the model has, if the server tells.
    pub parameters: Option<u64>,
    /// Size of the context in tokens. The same for all requests, because servers reload the model when it changes.
    pub context_tokens: u32,
    /// Default maximum length of a response in tokens.
    pub max_reply_tokens: u32,
    /// Default sampling temperature, 0.0 to 2.0.
    pub temperature: f32,
    /// The time that the server may send nothing. Includes the time to load the model.
    pub silence_timeout: Duration,
    /// The time that the server keeps the model loaded after a request.
    pub keep_alive: Duration,
    /// The API key, if the server requires one.
    pub api_key: Option<SecretString>,
}

/// Longer than the default of local servers, 5 minutes, because the user has to wait while a model is loaded again.
const KEEP_ALIVE: Duration = Duration::from_secs(30 * 60);

impl ServerConfig {
    /// The configuration in the settings, for `model` at `base_url`.
    pub fn from_settings(
        settings: &LlmSettings,
        base_url: Url,
        model: String,
        api_key: Option<SecretString>,
    ) -> Self {
        let tokens = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            base_url,
            model,
            parameters: None,
            context_tokens: tokens(settings.context_tokens),
            max_reply_tokens: tokens(settings.max_reply_tokens),
            temperature: settings.temperature as f32,
            silence_timeout: silence_timeout(settings),
            keep_alive: KEEP_ALIVE,
            api_key,
        }
    }
}

/// The timeout in the settings; 60 s if it is not a positive duration.
pub(crate) fn silence_timeout(settings: &LlmSettings) -> Duration {
    let timeout = Duration::try_from_secs_f64(settings.silence_timeout_secs).ok();
    timeout.filter(|timeout| !timeout.is_zero()).unwrap_or(Duration::from_secs(60))
}

/// The address of `path` below `base`, which may end with a slash.
pub(crate) fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

/// Parses an address written by a user. `http://` may be missing, as in `127.0.0.1:11434`.
///
/// # Errors
///
/// [`LlmError::BadAddress`] if it is invalid or not http.
pub(crate) fn parse_address(text: &str) -> Result<Url, LlmError> {
    let text = text.trim();
    let bad = |reason: String| LlmError::BadAddress { address: text.to_owned(), reason };
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let mut url = Url::parse(&with_scheme).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(format!("{} is neither http nor https", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Addresses are shown and logged, keys never.
        return Err(LlmError::BadAddress {
            address: url.host_str().unwrap_or_default().to_owned(),
            reason: "it contains a user name or a key".into(),
        });
    }
    // Local servers listen on 127.0.0.1, but `localhost` may resolve to ::1 first. Servers listen on 0.0.0.0 to accept
    // all connections, but not every system can connect to that address.
    if matches!(url.host_str(), Some("localhost" | "0.0.0.0")) {
        url.set_host(Some("127.0.0.1")).map_err(|error| bad(error.to_string()))?;
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("http://127.0.0.1:11434", "http://127.0.0.1:11434/")]
    #[case::no_scheme("192.168.1.5:11434", "http://192.168.1.5:11434/")]
    #[case::host_and_port_are_no_scheme("server:8080", "http://server:8080/")]
    #[case::localhost("http://localhost:1234/v1", "http://127.0.0.1:1234/v1")]
    #[case::listening_everywhere("0.0.0.0:11434", "http://127.0.0.1:11434/")]
    #[case::blanks("  https://example.org/v1/ ", "https://example.org/v1/")]
    fn incomplete_address_is_completed(#[case] written: &str, #[case] expected: &str) {
        assert_eq!(parse_address(written).unwrap().as_str(), expected);
    }

    #[rstest]
    #[case::nothing("")]
    #[case::other_scheme("ftp://example.org")]
    #[case::blanks_inside("http://a b")]
    #[case::with_a_key("http://user:secret@example.org")]
    fn invalid_address_is_rejected_without_showing_a_key(#[case] written: &str) {
        let error = parse_address(written).unwrap_err();

        assert!(matches!(error, LlmError::BadAddress { .. }));
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn endpoint_is_below_the_path_of_the_address() {
        let base = parse_address("http://127.0.0.1:1234/v1/").unwrap();

        assert_eq!(endpoint(&base, "models").as_str(), "http://127.0.0.1:1234/v1/models");
    }
}
