//! What is written, made fit to be spoken: links become words, Markdown loses its marks.
//!
//! Source: behaviour reference, section 2.14. Where it would take comparison signs or a link in angle brackets for
//! an HTML tag, or read out a user name from an address, we do what a listener would expect instead.

mod links;
mod markdown;
mod emphasis;

pub use links::{LinkDescription, extract_domain_description};
pub use markdown::strip_markdown_for_speech;

/// Words a minute where nothing better is known. Source: behaviour reference, section 8, `tts_rate`.
const USUAL_WORDS_PER_MINUTE: f64 = 200.0;

/// Text for the screen as text for the voice: nothing is left out but marks, and links are described.
pub fn preprocess_for_speech(text: &str) -> String {
    strip_markdown_for_speech(&links::describe_links(text))
}

/// About how long the words of `text` sound, in seconds, at `words_per_minute`; 200 where that is not positive.
///
/// Source: probe contract, section 3.1.
pub fn estimate_tts_duration(text: &str, words_per_minute: f64) -> f64 {
    let pace = if words_per_minute > 0.0 { words_per_minute } else { USUAL_WORDS_PER_MINUTE };
    text.split_whitespace().count() as f64 * 60.0 / pace + 0.5
}

#[cfg(test)]
mod tests;
