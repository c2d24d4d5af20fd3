//! Clean-up of text for speech: links become words, and the marks of Markdown are removed.
//!
//! Source: docs/behaviour/speaking.md#clean-up, with two corrections: comparison signs and links in angle brackets are no
//! HTML tags, and user names in addresses are not spoken.

mod links;
mod markdown;
mod emphasis;

use vocabulary::Language;

pub use links::{LinkDescription, extract_domain_description};
pub use markdown::strip_markdown_for_speech;

/// Turns text for the screen into text for the voice: removes marks and describes links in the language of the text, or in
/// English if the language is unknown or has no words for that.
pub fn preprocess_for_speech(text: &str, language: Option<&Language>) -> String {
    strip_markdown_for_speech(&links::describe_links(text, language))
}

#[cfg(test)]
mod tests;
