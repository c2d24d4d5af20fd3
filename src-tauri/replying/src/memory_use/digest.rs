//! Digests: long texts shortened by a model to what matters for the question. Here is what needs no model.
//!
//! Source: docs/behaviour/replying.md#digests.

use llm::{Message, Role};
use serde_json::Value;

use crate::prompting::text_cut::cut;

/// Below this length a text is used as it is, in characters. Source: docs/behaviour/replying.md#digests.
pub const SHORTEST: usize = 400;

/// The most text of memory in one call, in characters. Source: the same, as are the numbers below.
pub const MEMORY_BATCH: usize = 2_000;

/// The most text of a tool result in one call, in characters.
pub const RESULT_BATCH: usize = 2_500;

/// The longest digest of one batch of memory.
pub const MEMORY_DIGEST: usize = 500;

/// The longest digest of one batch of a tool result.
pub const RESULT_DIGEST: usize = 600;

/// The longest answer made from what a reply has found.
pub const ACTIVITY_DIGEST: usize = 800;

/// The longest log of a reply; its latest part is kept.
const ACTIVITY: usize = 2_000;

const RESULT_EXCERPT: usize = 300;
const ARGUMENTS_EXCERPT: usize = 120;
const NOTE_EXCERPT: usize = 200;

/// The text between the snippets of a batch.
const BETWEEN: &str = "\n\n";

/// Something that happened in a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Activity {
    /// A tool was called.
    Call {
        /// The tool.
        name: String,
        /// Its arguments, cut.
        arguments: String,
    },
    /// A tool answered.
    Result {
        /// The tool.
        name: String,
        /// Its text, cut.
        text: String,
    },
    /// The model said something beside its calls, cut.
    Note(String),
}

/// The snippets in batches that fit one call each; a snippet that is longer stands alone.
pub fn batch_snippets(snippets: &[String], most: usize) -> Vec<Vec<String>> {
    let mut batches: Vec<Vec<String>> = Vec::new();
    let mut length = 0;
    for snippet in snippets {
        let added = snippet.chars().count();
        match batches.last_mut() {
            Some(batch) if length + BETWEEN.len() + added <= most => {
                length += BETWEEN.len() + added;
                batch.push(snippet.clone());
            }
            _ => {
                length = added;
                batches.push(vec![snippet.clone()]);
            }
        }
    }
    batches
}

/// The text in parts of at most `most` characters, split at blank lines; a paragraph that is longer stands alone. A blank
/// text has no parts.
pub fn split_at_paragraphs(text: &str, most: usize) -> Vec<String> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    if text.chars().count() <= most {
        return vec![text.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let mut length = 0;
    for paragraph in text.split(BETWEEN) {
        let added = paragraph.chars().count() + BETWEEN.len();
        if length > 0 && length + added > most {
            parts.push(std::mem::take(&mut part));
            length = 0;
        }
        if length > 0 {
            part.push_str(BETWEEN);
        }
        part.push_str(paragraph);
        length += added;
    }
    parts.push(part);
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The result of a digest call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DigestAnswer {
    /// The digest, cut.
    Text(String),
    /// Nothing fits the question: the model said so.
    NothingFits,
    /// The model said nothing at all, as if the call had failed.
    Empty,
}

/// Reads the answer of a digest call.
pub fn read_digest(answer: &str, most: usize) -> DigestAnswer {
    let answer = without_quotes(answer.trim());
    let bare = answer.strip_suffix('.').unwrap_or(answer).to_uppercase();
    match bare.as_str() {
        "" => DigestAnswer::Empty,
        "NONE" | "(NONE)" | "[NONE]" | "N/A" | "NIL" => DigestAnswer::NothingFits,
        _ => DigestAnswer::Text(cut(answer, most)),
    }
}

/// The answer of the last digest without a fence, quotes and long dashes.
pub fn without_artifacts(text: &str) -> String {
    let mut text = text.trim();
    if let Some(inside) = text.strip_prefix("```") {
        let inside = inside.strip_suffix("```").unwrap_or(inside);
        text = match inside.split_once('\n') {
            Some((tag, rest)) if is_language_tag(tag.trim()) => rest,
            _ => inside,
        }
        .trim();
    }
    let mut words = String::new();
    for (at, part) in without_quotes(text).split('—').enumerate() {
        if at > 0 {
            words.truncate(words.trim_end().len());
            words.push_str(", ");
        }
        words.push_str(if at > 0 { part.trim_start() } else { part });
    }
    words.trim().to_owned()
}

fn is_language_tag(tag: &str) -> bool {
    tag.len() <= 12 && tag.chars().all(|char| char.is_ascii_alphabetic())
}

fn without_quotes(text: &str) -> &str {
    let pairs = [('"', '"'), ('\'', '\''), ('“', '”')];
    let inside = pairs.into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inside.map_or(text, str::trim)
}

/// Lists the activity of a reply, from its messages since the question.
pub fn activity(messages: &[Message]) -> Vec<Activity> {
    messages.iter().flat_map(activity_of).collect()
}

fn activity_of(message: &Message) -> Vec<Activity> {
    let is_result = message.role == Role::Tool || message.tool_name.is_some();
    let text = message.content.trim();
    let mut entries = Vec::new();
    if is_result {
        let name = message.tool_name.clone().unwrap_or_default();
        if !text.is_empty() {
            entries.push(Activity::Result { name, text: cut(text, RESULT_EXCERPT) });
        }
    } else if message.role == Role::Assistant {
        if !text.is_empty() {
            entries.push(Activity::Note(cut(text, NOTE_EXCERPT)));
        }
        entries.extend(message.tool_calls.iter().map(|call| Activity::Call {
            name: call.name.clone(),
            arguments: cut(&arguments_text(&call.arguments), ARGUMENTS_EXCERPT),
        }));
    }
    entries
}

fn arguments_text(arguments: &Value) -> String {
    arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned)
}

/// The log of a reply for the last digest: the latest part of it.
pub fn activity_log(messages: &[Message]) -> String {
    let lines = activity(messages).into_iter().map(|entry| match entry {
        Activity::Call { name, arguments } => format!("called {name} {arguments}"),
        Activity::Result { name, text } => format!("{name} returned: {text}"),
        Activity::Note(text) => format!("noted: {text}"),
    });
    let log = lines.collect::<Vec<_>>().join("\n");
    let too_many = log.chars().count().saturating_sub(ACTIVITY);
    log.chars().skip(too_many).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn batches_are_filled_in_order() {
        let batches = batch_snippets(&texts(&["aaaa", "bbbb", "cccc", &"d".repeat(20)]), 10);

        assert_eq!(batches, [texts(&["aaaa", "bbbb"]), texts(&["cccc"]), texts(&[&"d".repeat(20)])]);
    }

    #[rstest]
    #[case::fits("a\n\nb", 10, &["a\n\nb"])]
    #[case::nothing("", 10, &[])]
    #[case::blank(" \n\n ", 2, &[])]
    #[case::splits("aaaa\n\nbbbb\n\ncccc", 12, &["aaaa\n\nbbbb", "cccc"])]
    #[case::oversize("aaaa\n\nbbbbbbbbbbbbbbbb", 8, &["aaaa", "bbbbbbbbbbbbbbbb"])]
    fn splits_at_blank_lines(#[case] text: &str, #[case] most: usize, #[case] expected: &[&str]) {
        assert_eq!(split_at_paragraphs(text, most), texts(expected));
    }

    #[rstest]
    #[case::sentinel("(none).", DigestAnswer::NothingFits)]
    #[case::not_available("N/A", DigestAnswer::NothingFits)]
    #[case::quoted("\"He likes tea.\"", DigestAnswer::Text("He likes tea.".to_owned()))]
    #[case::nothing("  ", DigestAnswer::Empty)]
    #[case::empty_quotes("\"\"", DigestAnswer::Empty)]
    fn reads_a_digest(#[case] answer: &str, #[case] expected: DigestAnswer) {
        assert_eq!(read_digest(answer, 500), expected);
    }

    #[rstest]
    #[case::fence("```text\nI found a little.\n```", "I found a little.")]
    #[case::quotes("\"I found a little.\"", "I found a little.")]
    #[case::dash("A little — not all — was found.", "A little, not all, was found.")]
    fn removes_what_is_not_speech(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(without_artifacts(text), expected);
    }
}
