//! The line that gives the model time and place.
//!
//! Source: docs/behaviour/replying.md#system-message and docs/behaviour/tools.md#place-and-time.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::prompting::prompts::{CONTEXT_LINE, TIME_LINE, fill};

/// The time in words: `Monday, September 15, 2025 at 17:53 UTC`.
pub fn format_time(now: Timestamp, zone: TimeZone) -> String {
    // `%Z` would be in capitals, which "ChST" is not.
    let name = zone.to_offset_info(now).abbreviation().to_owned();
    format!("{} {name}", now.to_zoned(zone).strftime("%A, %B %d, %Y at %H:%M"))
}

/// The zone of this IANA name, or `otherwise` when there is none of the name.
pub fn zone_named(name: Option<&str>, otherwise: impl FnOnce() -> TimeZone) -> TimeZone {
    name.and_then(|name| TimeZone::get(name).ok()).unwrap_or_else(otherwise)
}

/// A place as the model is told of it: its known parts, from the town to the country.
pub fn location_text(parts: &[&str]) -> String {
    let known: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    let text = if known.is_empty() { "Unknown".to_owned() } else { known.join(", ") };
    format!("Location: {text}")
}

/// The whole line, in brackets.
pub fn context_line(now: Timestamp, zone: TimeZone, place: Option<&str>) -> String {
    let location = location_text(&[place.unwrap_or_default()]);
    fill(CONTEXT_LINE, &[("time", &format_time(now, zone)), ("location", &location)])
}

/// The line where the place is told apart, if it is needed.
pub fn time_line(now: Timestamp, zone: TimeZone) -> String {
    fill(TIME_LINE, &[("time", &format_time(now, zone))])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::utc("2025-09-15T17:53:00Z", "UTC", "Monday, September 15, 2025 at 17:53 UTC")]
    #[case::summer_time("2025-07-01T12:00:00Z", "Europe/London", "Tuesday, July 01, 2025 at 13:00 BST")]
    #[case::no_letters_for_the_zone(
        "2025-07-01T12:00:00Z",
        "Asia/Vladivostok",
        "Tuesday, July 01, 2025 at 22:00 +10"
    )]
    #[case::small_letters_in_the_zone(
        "2026-01-05T03:07:00Z",
        "Pacific/Guam",
        "Monday, January 05, 2026 at 13:07 ChST"
    )]
    fn tells_the_time_in_words(#[case] now: &str, #[case] zone: &str, #[case] expected: &str) {
        assert_eq!(format_time(now.parse().unwrap(), zone_named(Some(zone), || TimeZone::UTC)), expected);
    }

    #[rstest]
    #[case::whole(&["Leeds", "England", "United Kingdom"], "Location: Leeds, England, United Kingdom")]
    #[case::region_alone(&["", "England", ""], "Location: England")]
    #[case::nothing(&[""], "Location: Unknown")]
    fn known_parts_of_a_place_are_told(#[case] parts: &[&str], #[case] expected: &str) {
        assert_eq!(location_text(parts), expected);
    }

    #[test]
    fn an_unknown_zone_is_the_other_one() {
        assert_eq!(zone_named(Some("Mars/Olympus"), || TimeZone::UTC), TimeZone::UTC);
    }

    #[test]
    fn line_without_place_tells_the_time() {
        let now: Timestamp = "2025-09-15T17:53:00Z".parse().unwrap();

        assert_eq!(
            time_line(now, TimeZone::UTC),
            "[Context: Current local time: Monday, September 15, 2025 at 17:53 UTC]"
        );
    }

    #[test]
    fn the_line_says_when_the_place_is_unknown() {
        let now: Timestamp = "2025-09-15T17:53:00Z".parse().unwrap();

        assert_eq!(
            context_line(now, TimeZone::UTC, None),
            "[Context: Current local time: Monday, September 15, 2025 at 17:53 UTC. Location: Unknown]"
        );
    }
}
