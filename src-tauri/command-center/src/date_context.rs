//! The days and times that expressions mean now, for nodes that resolve dates themselves.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use languages::LanguageData;
use serde_json::{Map, Value, json};

use crate::date_keys::resolve_date_keys;

/// The groups of the answer and the keys in them. Source: the Command Center protocol.
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "relative_dates",
        &[
            "today",
            "tomorrow",
            "yesterday",
            "day_after_tomorrow",
            "day_before_yesterday",
            "tonight",
            "last_night",
        ],
    ),
    ("weekend", &["this_weekend", "next_weekend", "last_weekend"]),
    ("weeks", &["this_week", "next_week", "last_week"]),
    ("months", &["this_month", "next_month", "last_month"]),
    ("years", &["this_year", "next_year", "last_year"]),
    (
        "weekdays",
        &[
            "next_monday",
            "next_tuesday",
            "next_wednesday",
            "next_thursday",
            "next_friday",
            "next_saturday",
            "next_sunday",
        ],
    ),
];

/// The time now, and all that the keys mean, as the Command Center protocol has it. A key of several days has a list.
pub fn date_context(now: Timestamp, zone: &TimeZone) -> Value {
    // Keys are not words of a language.
    let language: &'static LanguageData = &languages::all()[0];
    let local = now.to_zoned(zone.clone());
    let mut all = Map::new();
    all.insert(
        "current".to_owned(),
        json!({
            "datetime": local.timestamp().display_with_offset(local.offset()).to_string(),
            "date": local.date().to_string(),
            "time": local.strftime("%H:%M").to_string(),
            "weekday": local.strftime("%A").to_string(),
        }),
    );
    for (group, keys) in GROUPS {
        let resolved = keys.iter().filter_map(|key| {
            let key_alone = [(*key).to_owned()];
            let instants = resolve_date_keys(&key_alone, local.datetime(), zone, language).instants;
            let texts: Vec<String> =
                instants.iter().map(|at| at.display_with_offset(zone.to_offset(*at)).to_string()).collect();
            let value = match texts.as_slice() {
                [] => return None,
                [only] => json!(only),
                several => json!(several),
            };
            Some(((*key).to_owned(), value))
        });
        all.insert(group.to_owned(), Value::Object(resolved.collect()));
    }
    all.insert("timezone".to_owned(), json!(zone.iana_name().unwrap_or("UTC")));
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_resolved_in_the_zone_of_the_node() {
        let now: Timestamp = "2026-03-04T21:30:00Z".parse().unwrap();

        let context = date_context(now, &TimeZone::get("Europe/Berlin").unwrap());

        assert_eq!(context["current"]["datetime"], "2026-03-04T22:30:00+01:00");
        assert_eq!(context["current"]["weekday"], "Wednesday");
        assert_eq!(context["relative_dates"]["tomorrow"], "2026-03-05T00:00:00+01:00");
        assert_eq!(context["relative_dates"]["tonight"], "2026-03-04T19:00:00+01:00");
        assert_eq!(context["weekdays"]["next_friday"], "2026-03-06T00:00:00+01:00");
        assert_eq!(context["weekend"]["this_weekend"], "2026-03-07T00:00:00+01:00");
        assert_eq!(context["timezone"], "Europe/Berlin");
        for (group, keys) in GROUPS {
            assert_eq!(context[group].as_object().map(Map::len), Some(keys.len()), "{group}");
        }
    }
}
