//! The words of names, descriptions and queries, in the form in which they are compared.

use std::collections::HashSet;

use languages::PerLanguage;

use crate::split_tool_name;

/// Words of a query that are compared; further ones add little and cost time.
const MAX_QUERY_WORDS: usize = 48;

/// The words of a tool's text. Names are split where their case changes: `getWeather` has two words.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    pieces(text).into_iter().flat_map(|piece| comparable(&piece))
}

/// The words of a query that have a meaning of their own, each once: without the function words of its language, or of
/// all languages if the language is unknown.
pub(super) fn query_words(query: &str) -> Vec<String> {
    let language = languages::detect(query).map(|found| found.language);
    let code = language.as_ref().map(|language| language.code());
    let mut seen = HashSet::new();
    let has_meaning = |word: &String| !is_function_word(code, word);
    let words = pieces(query).into_iter().filter(has_meaning).flat_map(|piece| comparable(&piece));
    words.filter(|word| seen.insert(word.clone())).take(MAX_QUERY_WORDS).collect()
}

/// The words of the codes in a query, in the same form: "AB-12" names one thing among many, and says nothing about a tool.
pub(super) fn code_words(query: &str) -> HashSet<String> {
    let tokens = query.split_whitespace().map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()));
    let codes = tokens.filter(|token| {
        let is_joined = token.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        is_joined && token.contains(|c: char| c.is_ascii_digit()) && token.contains(char::is_uppercase)
    });
    codes.flat_map(words).collect()
}

/// Returns `true` if a word of the query with a meaning of its own stands in the name of the tool, not counting that of its
/// server.
pub fn is_named(query: &str, tool: &str) -> bool {
    let own = split_tool_name(tool).map_or(tool, |(_, name)| name);
    let named: Vec<String> = words(own).collect();
    query_words(query).iter().any(|word| named.contains(word))
}

/// A name in words: `getWeather` becomes "get weather".
pub(super) fn split_name(name: &str) -> String {
    pieces(name).join(" ")
}

/// Runs of letters and digits in lower case, split where the case changes inside.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let chars: Vec<char> = run.chars().collect();
        let mut piece = String::new();
        for (at, c) in chars.iter().enumerate() {
            let after_lower = at > 0 && chars[at - 1].is_lowercase();
            let before_lower =
                at > 0 && chars[at - 1].is_uppercase() && chars.get(at + 1).is_some_and(|c| c.is_lowercase());
            if c.is_uppercase() && (after_lower || before_lower) {
                pieces.push(std::mem::take(&mut piece));
            }
            piece.extend(c.to_lowercase());
        }
        pieces.push(piece);
    }
    pieces
}

/// A word without accents and endings; runs of Chinese or Japanese as pairs of characters.
fn comparable(word: &str) -> Vec<String> {
    if word.is_ascii() {
        return vec![stem(word)];
    }
    memory::terms(word).iter().map(|term| stem(term)).collect()
}

/// A word without its most frequent English endings. Crude: the same word has to come out of the same forms, and nobody
/// reads it.
fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    if !word.is_ascii() || word.len() < 4 || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return stem;
    }
    if stem.ends_with("ies") && stem.len() > 4 {
        stem.truncate(stem.len() - 3);
        stem.push('y');
    } else if stem.ends_with('s') && !["ss", "us", "is"].iter().any(|end| stem.ends_with(end)) {
        stem.pop();
    }
    for ending in ["ing", "ed"] {
        let Some(rest) = stem.strip_suffix(ending) else { continue };
        let has_vowel = rest.bytes().any(|byte| b"aeiouy".contains(&byte));
        if rest.len() >= 3 && has_vowel {
            stem.truncate(rest.len());
            let bytes = stem.as_bytes();
            let is_doubled =
                bytes[bytes.len() - 1] == bytes[bytes.len() - 2] && !b"lsz".contains(&bytes[bytes.len() - 1]);
            if is_doubled {
                stem.pop();
            }
            break;
        }
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
    stem
}

fn is_function_word(language: Option<&str>, word: &str) -> bool {
    match language.and_then(languages::of_code) {
        Some(data) => FUNCTION_WORDS.get(data).contains(word),
        None => languages::all().iter().any(|data| FUNCTION_WORDS.get(data).contains(word)),
    }
}

static FUNCTION_WORDS: PerLanguage<HashSet<&'static str>> = PerLanguage::new(|data| {
    data.all_function_words().chain(data.polite_words.iter()).chain(data.fillers.iter()).collect()
});

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::camel_case("getWeather", &["get", "weather"])]
    #[case::abbreviation("parseHTMLPage", &["pars", "html", "pag"])]
    #[case::snake_case("create_calendar-event", &["creat", "calendar", "event"])]
    #[case::endings("deleting deletes deleted delete", &["delet", "delet", "delet", "delet"])]
    #[case::doubled("stopping stops stop", &["stop", "stop", "stop"])]
    #[case::plural("entries entry boxes", &["entri", "entri", "box"])]
    #[case::accents("Météo à Zürich", &["meteo", "a", "zurich"])]
    #[case::japanese("天気予報", &["天気", "気予", "予報", "報"])]
    fn texts_are_split_into_comparable_words(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(words(text).collect::<Vec<_>>(), expected);
    }

    #[rstest]
    #[case::named("Where is parcel 7731?", "post__track_parcel", true)]
    #[case::other_form("Where are my parcels?", "trackParcel", true)]
    #[case::only_its_server("What is in the post?", "post__track_parcel", false)]
    #[case::function_word("What is it for?", "for_it", false)]
    #[case::other("What time is it?", "post__track_parcel", false)]
    fn tool_is_named_by_a_word_of_its_name(#[case] query: &str, #[case] tool: &str, #[case] expected: bool) {
        assert_eq!(is_named(query, tool), expected);
    }

    #[rstest]
    #[case::code("Track parcel AB-12, please", &["12", "ab"])]
    #[case::in_one_piece("has order #X7B left?", &["x7b"])]
    #[case::number("where is parcel 7731", &[])]
    #[case::amount("10km at 8:30, 2.5 litres", &[])]
    #[case::file("convert Song-1.mp3", &[])]
    #[case::name("Track Anne-Marie", &[])]
    fn codes_are_told_from_numbers_and_names(#[case] query: &str, #[case] expected: &[&str]) {
        let mut found: Vec<String> = code_words(query).into_iter().collect();
        found.sort();

        assert_eq!(found, expected);
    }

    #[rstest]
    #[case::english("could you please tell me what the weather is", &["tell", "weather"])]
    #[case::german("wie wird das Wetter in Berlin", &["wetter", "berlin"])]
    #[case::french("quel temps fait-il à Paris", &["temp", "paris"])]
    #[case::nothing_but_function_words("is it you", &[])]
    fn query_is_its_words_with_a_meaning(#[case] query: &str, #[case] expected: &[&str]) {
        assert_eq!(query_words(query), expected);
    }
}
