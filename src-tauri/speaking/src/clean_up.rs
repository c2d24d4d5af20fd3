//! Clean-up of text for speech: links become words, and the marks of Markdown are removed.
//!
//! Source: behaviour reference, section 2.14, with two corrections: comparison signs and links in angle brackets are no
//! HTML tags, and user names in addresses are not spoken.

mod links;
mod markdown;
mod emphasis;

pub use links::{LinkDescription, extract_domain_description};
pub use markdown::strip_markdown_for_speech;

/// The default speaking rate. Source: behaviour reference, section 8, `tts_rate`.
const DEFAULT_WORDS_PER_MINUTE: f64 = 200.0;

/// Turns text for the screen into text for the voice: removes marks and describes links.
pub fn preprocess_for_speech(text: &str) -> String {
    strip_markdown_for_speech(&links::describe_links(text))
}

/// The estimated duration of spoken `text` in seconds, at `words_per_minute`, or at 200 when that is not positive.
///
/// Source: probe contract, section 3.1.
pub fn estimate_tts_duration(text: &str, words_per_minute: f64) -> f64 {
    let rate = if words_per_minute > 0.0 { words_per_minute } else { DEFAULT_WORDS_PER_MINUTE };
    text.split_whitespace().count() as f64 * 60.0 / rate + 0.5
}

#[cfg(test)]
mod tests;
