//! The checked settings of the client role.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

use command_center::AnswerShape;
use jiff::tz::TimeZone;
use net::Url;
use settings::{Settings, ValidationShape};

/// The settings of the client role, checked once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeConfig {
    /// The address of the Command Center. The paths of the Command Center protocol follow it.
    pub address: Url,
    /// The name of this computer there; empty sends no credentials.
    pub node_id: String,
    /// The room of this computer.
    pub room: Option<String>,
    /// The IANA zone that is told; `None` is that of the system.
    pub zone: Option<String>,
    /// Names of tools and of servers of tools that the Command Center may call.
    pub exposed: BTreeSet<String>,
    /// The form of an answer to a question.
    pub answer_shape: AnswerShape,
    /// The Command Center makes the sound of what is said aloud.
    pub speaks: bool,
    /// The engine here answers if the Command Center cannot be reached.
    pub falls_back: bool,
    /// The time after a spoken reply in which a follow-up goes on with its conversation.
    pub hot_window: Duration,
}

impl NodeConfig {
    /// The configuration of the settings; `None` if they name no Command Center.
    ///
    /// # Errors
    ///
    /// The setting that cannot work, and what would.
    pub fn from_settings(settings: &Settings) -> Result<Option<Self>, String> {
        let own = &settings.command_center;
        if !own.enabled {
            return Ok(None);
        }
        let stated = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let node_id = own.node_id.trim().to_owned();
        // The server divides the credentials at the first colon.
        if node_id.contains(':') || !node_id.chars().all(|c| c.is_ascii_graphic()) {
            return Err("command_center.node_id may have no blank, no colon and no accent".to_owned());
        }
        Ok(Some(Self {
            address: address(&own.base_url)?,
            node_id,
            room: stated(&own.room),
            zone: stated(&own.time_zone).or_else(|| stated(&settings.location.time_zone)),
            exposed: own.exposed_tools.iter().filter_map(|name| stated(name)).collect(),
            answer_shape: match own.validation_shape {
                ValidationShape::ToolResult => AnswerShape::ToolResult,
                ValidationShape::Text => AnswerShape::Text,
            },
            speaks: own.speaks,
            falls_back: own.offline_fallback,
            hot_window: Duration::from_secs_f64(settings.listening.hot_window_secs),
        }))
    }

    /// The IANA name of the zone.
    pub fn zone_name(&self) -> String {
        let of_system = || TimeZone::system().iana_name().unwrap_or("UTC").to_owned();
        self.zone.clone().unwrap_or_else(of_system)
    }
}

/// The address of a Command Center. Words and keys go there, so it needs TLS unless it is on this computer, or in numbers at
/// a private address: a name could come to lead anywhere.
fn address(text: &str) -> Result<Url, String> {
    let unusable = |why: &str| {
        Err(format!("command_center.base_url {why}: use an address such as https://center.example"))
    };
    let text = text.trim();
    if text.is_empty() {
        return unusable("is empty");
    }
    let Ok(url) = Url::parse(text) else { return unusable("is no address") };
    let is_plain = url.query().is_none() && url.fragment().is_none();
    if !is_plain || !url.username().is_empty() || url.password().is_some() {
        return unusable("has more than scheme, host, port and path");
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_near(&url) => Ok(url),
        "http" => unusable("would send your words without encryption"),
        _ => unusable("begins neither with https nor with http"),
    }
}

/// Returns `true` for this computer by name or number, and for private addresses in numbers.
fn is_near(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    match number {
        Ok(IpAddr::V4(v4)) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        Ok(IpAddr::V6(v6)) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
        Err(_) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::encrypted("https://center.example", true)]
    #[case::with_port_and_path("https://center.example:7703/jarvis/", true)]
    #[case::this_computer("http://127.0.0.1:7703", true)]
    #[case::this_computer_by_name("http://localhost:7703", true)]
    #[case::sixth_version("http://[::1]:7703", true)]
    #[case::private("http://192.168.1.7:7703", true)]
    #[case::private_sixth_version("http://[fd00::7]:7703", true)]
    #[case::public_number("http://8.8.8.8:7703", false)]
    #[case::name("http://center.local:7703", false)]
    #[case::name_like_this_computer("http://localhost.example", false)]
    #[case::shared("http://100.64.0.1", false)]
    #[case::other_scheme("ftp://127.0.0.1", false)]
    #[case::key_in_the_address("https://node:key@center.example", false)]
    #[case::query("https://center.example/?a=b", false)]
    #[case::no_address("center", false)]
    #[case::nothing("", false)]
    fn words_go_only_where_they_are_safe(#[case] base_url: &str, #[case] expected: bool) {
        let mut settings = Settings::default();
        settings.command_center.enabled = true;
        settings.command_center.base_url = base_url.to_owned();

        let config = NodeConfig::from_settings(&settings);

        assert_eq!(config.is_ok(), expected, "{config:?}");
    }

    #[test]
    fn command_center_that_is_not_used_needs_no_address() {
        assert_eq!(NodeConfig::from_settings(&Settings::default()), Ok(None));
    }

    #[test]
    fn name_with_a_colon_is_refused() {
        let mut settings = Settings::default();
        settings.command_center.enabled = true;
        settings.command_center.base_url = "https://center.example".to_owned();
        settings.command_center.node_id = "desk:1".to_owned();

        assert!(NodeConfig::from_settings(&settings).unwrap_err().contains("command_center.node_id"));
    }

    #[test]
    fn zone_of_the_location_is_told_unless_another_is_set() {
        let mut settings = Settings::default();
        settings.command_center.enabled = true;
        settings.command_center.base_url = "https://center.example".to_owned();
        settings.location.time_zone = "Europe/Oslo".to_owned();
        let here = NodeConfig::from_settings(&settings).unwrap().unwrap().zone_name();
        settings.command_center.time_zone = "Asia/Tokyo".to_owned();
        let there = NodeConfig::from_settings(&settings).unwrap().unwrap().zone_name();

        assert_eq!([here, there], ["Europe/Oslo", "Asia/Tokyo"]);
    }
}
