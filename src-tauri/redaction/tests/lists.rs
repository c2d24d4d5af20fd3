//! The two lists: texts with secrets, and harmless texts that look similar.
#![expect(clippy::unwrap_used, reason = "a failing test should show where")]

use serde_json::Value;

/// Long random parts of keys. A number in angle brackets, such as `<40>`, stands for as many of these characters, so
/// that no list of ours looks like a leak.
const KEY_CHARACTERS: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2";

const LANGUAGES: [&str; 7] = ["en", "de", "fr", "es", "it", "pt", "tr"];

#[test]
fn every_listed_secret_is_replaced() {
    let cases = cases(include_str!("secrets.json"));

    let missed: Vec<String> = cases
        .iter()
        .map(|case| (redaction::scrub(&text(case, "text")), text(case, "redacted")))
        .filter(|(redacted, expected)| redacted != expected)
        .map(|(redacted, expected)| format!("{redacted:?} instead of {expected:?}"))
        .collect();

    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), cases.len(), missed.join("\n"));
    assert!(cases.len() >= 60);
}

#[test]
fn every_listed_harmless_text_stays_unchanged() {
    let cases = cases(include_str!("harmless.json"));

    let changed: Vec<String> = cases
        .iter()
        .map(|case| (redaction::scrub(&text(case, "text")), text(case, "text")))
        .filter(|(redacted, text)| redacted != text)
        .map(|(redacted, text)| format!("{text:?} became {redacted:?}"))
        .collect();

    assert!(changed.is_empty(), "{} of {}:\n{}", changed.len(), cases.len(), changed.join("\n"));
    assert!(cases.len() >= self::cases(include_str!("secrets.json")).len());
}

#[test]
fn both_lists_have_cases_in_every_language() {
    for list in [include_str!("secrets.json"), include_str!("harmless.json")] {
        let cases = cases(list);
        for language in LANGUAGES {
            let count = cases.iter().filter(|case| case["language"] == language).count();
            assert!(count >= 10, "{count} cases in {language}");
        }
    }
}

#[test]
fn second_redaction_changes_nothing() {
    for case in cases(include_str!("secrets.json")) {
        let once = redaction::scrub(&text(&case, "text"));

        assert_eq!(redaction::scrub(&once), once);
    }
}

#[test]
fn collapsed_white_space_hides_no_secret() {
    for case in cases(include_str!("secrets.json")) {
        let expected = text(&case, "redacted").split_whitespace().collect::<Vec<_>>().join(" ");

        assert_eq!(redaction::redact(&text(&case, "text"), redaction::MAX_CHARS), expected);
    }
}

fn cases(list: &str) -> Vec<Value> {
    serde_json::from_str(list).unwrap()
}

/// A field of a case, with random characters in the place of `<n>`.
fn text(case: &Value, field: &str) -> String {
    let mut parts = case[field].as_str().unwrap().split('<');
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (length, rest) = part.split_once('>').unwrap();
        text.push_str(&KEY_CHARACTERS[..length.parse().unwrap()]);
        text.push_str(rest);
    }
    text
}
