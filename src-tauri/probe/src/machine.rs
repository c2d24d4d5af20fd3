//! The machine and its user: files of settings, addresses, the place.

use std::collections::HashMap;
use std::net::IpAddr;

use ::replying::context::location_text;
use serde::Deserialize;
use serde_json::{Value, json};
use settings::FlatConfig;

use crate::suite::{Suite, read, text};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "config.load" => config,
        "location.format_location_context" => location,
        "location.is_private_ip" => is_private,
        "location.is_cgnat_ip" => is_shared,
        _ => return None,
    })
}

fn config(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        config_json: Option<String>,
        #[serde(default)]
        env: HashMap<String, String>,
    }
    let Input { config_json, env } = read(input)?;
    let mut values = FlatConfig::read(&config_json.unwrap_or_default(), |name| env.get(name).cloned()).values;
    let is_debug = env.get("JARVIS_VOICE_DEBUG").is_some_and(|value| value == "1");
    values.insert("voice_debug".to_owned(), json!(is_debug));
    Ok(Value::Object(values))
}

fn location(input: Value) -> Result<Value, String> {
    let info = &input["info"];
    let part = |key: &str| info[key].as_str().unwrap_or_default().to_owned();
    if !part("error").is_empty() {
        return Ok(json!(location_text(&[])));
    }
    let zone = Some(part("timezone")).filter(|zone| !zone.is_empty()).map(|zone| format!("({zone})"));
    let parts = [part("city"), part("region"), part("country"), zone.unwrap_or_default()];
    Ok(json!(location_text(&parts.each_ref().map(String::as_str))))
}

fn address(input: &Value) -> Result<Option<IpAddr>, String> {
    Ok(text(input, "ip")?.trim().parse().ok())
}

fn is_private(input: Value) -> Result<Value, String> {
    let is_private = |address| !net::is_public(address) && !net::is_shared(address);
    Ok(json!(address(&input)?.is_none_or(is_private)))
}

fn is_shared(input: Value) -> Result<Value, String> {
    Ok(json!(address(&input)?.is_some_and(net::is_shared)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::private("10.1.2.3", true, false)]
    #[case::public("8.8.8.8", false, false)]
    #[case::shared("100.64.0.1", false, true)]
    #[case::beside_it("100.128.0.1", false, false)]
    #[case::documentation("203.0.113.9", true, false)]
    #[case::nonsense("nowhere", true, false)]
    #[case::loopback("::1", true, false)]
    fn addresses_are_told_apart(#[case] ip: &str, #[case] private: bool, #[case] shared: bool) {
        let input = json!({ "ip": ip });

        assert_eq!((is_private(input.clone()), is_shared(input)), (Ok(json!(private)), Ok(json!(shared))));
    }

    #[test]
    fn place_with_an_error_is_unknown() {
        let info = json!({ "info": { "error": "not found", "city": "Leeds" } });
        let known = json!({ "info": { "region": "England", "country": "United Kingdom", "timezone": "Europe/London" } });

        assert_eq!(location(info), Ok(json!("Location: Unknown")));
        assert_eq!(location(known), Ok(json!("Location: England, United Kingdom, (Europe/London)")));
    }

    #[test]
    fn settings_come_with_the_environment() {
        let input =
            json!({ "config_json": "{\"wake_word\": \"Friday\"}", "env": { "JARVIS_VOICE_DEBUG": "1" } });

        let values = config(input).unwrap();

        assert_eq!((&values["wake_word"], &values["voice_debug"]), (&json!("friday"), &json!(true)));
    }
}
