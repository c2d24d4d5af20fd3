//! How a model behind a server is spoken to.

use std::time::Duration;

use secrecy::SecretString;
use settings::LlmSettings;
use url::Url;

use crate::LlmError;

/// What a provider behind a server runs on.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The server's address: scheme, host, port, perhaps a path.
    pub base_url: Url,
    /// The model's name at the server.
    pub model: String,
    /// Tokens of context asked for; one size throughout, since servers reload the model when it changes.
    pub context_tokens: u32,
    /// The longest answer, in tokens, where a request says nothing else.
    pub max_reply_tokens: u32,
    /// Randomness, 0.0 to 2.0, where a request says nothing else.
    pub temperature: f32,
    /// Give up when the server sends nothing for so long. The first token counts too, loading of the model included.
    pub silence_timeout: Duration,
    /// How long the server should keep the model loaded after a request.
    pub keep_loaded: Duration,
    /// Proves who asks, where the server wants that.
    pub api_key: Option<SecretString>,
}

/// Servers on this machine unload after 5 minutes by themselves, and loading takes seconds that a speaker waits for.
const KEEP_LOADED: Duration = Duration::from_secs(30 * 60);

impl ServerConfig {
    /// What the settings say, for `model` at `base_url`.
    pub fn of_settings(
        settings: &LlmSettings,
        base_url: Url,
        model: String,
        api_key: Option<SecretString>,
    ) -> Self {
        let tokens = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            base_url,
            model,
            context_tokens: tokens(settings.context_tokens),
            max_reply_tokens: tokens(settings.max_reply_tokens),
            temperature: settings.temperature as f32,
            silence_timeout: silence_timeout(settings),
            keep_loaded: KEEP_LOADED,
            api_key,
        }
    }
}

/// The settings' patience; what is no length of time becomes the default's.
pub(crate) fn silence_timeout(settings: &LlmSettings) -> Duration {
    let patience = Duration::try_from_secs_f64(settings.silence_timeout_secs).ok();
    patience.filter(|patience| !patience.is_zero()).unwrap_or(Duration::from_secs(60))
}

/// `path` below `base`, whether `base` ends in a slash or not.
pub(crate) fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

/// Reads the address a user wrote: `http://` may be missing, as in `127.0.0.1:11434`.
///
/// # Errors
///
/// [`LlmError::BadAddress`] when it is none, or not one of the web.
pub(crate) fn read_address(text: &str) -> Result<Url, LlmError> {
    let text = text.trim();
    let bad = |reason: String| LlmError::BadAddress { address: text.to_owned(), reason };
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let mut url = Url::parse(&with_scheme).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(format!("{} is neither http nor https", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // The address is shown and logged; a key is neither.
        return Err(LlmError::BadAddress {
            address: url.host_str().unwrap_or_default().to_owned(),
            reason: "a name or key does not belong into the address".into(),
        });
    }
    // Servers of this machine listen on 127.0.0.1, but `localhost` may mean ::1 first.
    // Servers are told to listen everywhere by 0.0.0.0, which nobody can connect to on every system.
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
    fn reads_addresses_as_people_write_them(#[case] written: &str, #[case] expected: &str) {
        assert_eq!(read_address(written).unwrap().as_str(), expected);
    }

    #[rstest]
    #[case::nothing("")]
    #[case::other_scheme("ftp://example.org")]
    #[case::blanks_inside("http://a b")]
    #[case::with_a_key("http://user:secret@example.org")]
    fn says_when_an_address_is_none(#[case] written: &str) {
        let error = read_address(written).unwrap_err();

        assert!(matches!(error, LlmError::BadAddress { .. }));
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn an_endpoint_stands_below_the_address() {
        let base = read_address("http://127.0.0.1:1234/v1/").unwrap();

        assert_eq!(endpoint(&base, "models").as_str(), "http://127.0.0.1:1234/v1/models");
    }
}
