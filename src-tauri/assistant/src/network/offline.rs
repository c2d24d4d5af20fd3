//! The setting "Work offline", for whoever makes an HTTP client.

use net::{Http, NetError};
use settings::Settings;

/// A client that keeps to the settings as they are now: for commands that run without an assistant.
pub(crate) fn http_client(settings: &Settings) -> Result<Http, NetError> {
    let http = Http::new()?;
    http.set_offline(settings.web.offline);
    Ok(http)
}

#[cfg(test)]
mod tests {
    use net::Url;

    use super::*;

    #[tokio::test]
    async fn client_of_a_command_contacts_nobody_while_offline() {
        let mut settings = Settings::default();
        settings.web.offline = true;
        let url = Url::parse("https://models.example/file").unwrap();

        let sent = http_client(&settings).unwrap().get(&url).send().await;

        assert!(matches!(sent.map(|_| ()), Err(NetError::Offline { .. })));
    }
}
