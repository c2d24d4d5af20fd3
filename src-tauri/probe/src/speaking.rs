//! Text prepared for speech.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "tts_preprocessing.preprocess_for_speech" => preprocess,
        "tts_preprocessing.strip_markdown_for_speech" => strip_markdown,
        "tts_preprocessing.extract_domain_description" => domain_description,
        "tts_preprocessing.estimate_tts_duration" => estimate_duration,
        _ => return None,
    })
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

fn preprocess(input: Value) -> Result<Value, String> {
    let input: Text = read(input)?;
    // The suites are in English.
    Ok(json!(speaking::preprocess_for_speech(&input.text, None)))
}

fn strip_markdown(input: Value) -> Result<Value, String> {
    let input: Text = read(input)?;
    Ok(json!(speaking::strip_markdown_for_speech(&input.text)))
}

fn domain_description(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        url: String,
    }
    let input: Input = read(input)?;
    let link = speaking::extract_domain_description(&input.url);
    Ok(json!([link.domain, link.is_homepage]))
}

fn estimate_duration(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
        wpm: f64,
    }
    let input: Input = read(input)?;
    Ok(json!(estimated_duration_secs(&input.text, input.wpm)))
}

/// The speaking rate if the given one is not positive. Source: `tts_rate` of imported settings.
const DEFAULT_WORDS_PER_MINUTE: f64 = 200.0;

/// Estimates from the number of words how long a text takes to speak, in seconds.
fn estimated_duration_secs(text: &str, words_per_minute: f64) -> f64 {
    let rate = if words_per_minute > 0.0 { words_per_minute } else { DEFAULT_WORDS_PER_MINUTE };
    text.split_whitespace().count() as f64 * 60.0 / rate + 0.5
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::three_words("one two three", 180.0, 1.5)]
    #[case::no_words("", 180.0, 0.5)]
    #[case::rate_of_zero("one two", 0.0, 1.1)]
    #[case::a_negative_rate("one two", -5.0, 1.1)]
    fn duration_is_estimated_from_the_number_of_words(
        #[case] text: &str,
        #[case] wpm: f64,
        #[case] secs: f64,
    ) {
        assert!((estimated_duration_secs(text, wpm) - secs).abs() < 1e-6);
    }
}
