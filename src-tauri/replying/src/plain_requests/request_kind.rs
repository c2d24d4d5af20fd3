//! The needs of a request, told by rules: a source of live facts, an action in the world, or what the user introduced.

use jiff::civil::Date;
use languages::{Introduction, LanguageData, LiveTopic, WorldAction, folded, folded_words, normalised};

use crate::answer_text::answer_patterns::{AnswerPatterns, patterns_of};

/// Years before the current one that a model surely knows of.
const KNOWN_YEARS: i16 = 2;

/// The most words of a question about something live: longer texts are stories or tasks.
const MAX_WORDS: usize = 30;

/// The most words of a topic that stands alone.
const MAX_TOPIC: usize = 4;

/// The needs of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// Nothing that rules know of.
    #[default]
    Open,
    /// A source for this topic.
    Live(LiveTopic),
    /// An action in the world.
    Action(WorldAction),
    /// The user introduces themselves, with these words.
    Introduces(Introduction, String),
    /// The user asks for what they introduced.
    AsksFor(Introduction),
    /// A text of any content: what it says is no claim.
    Text,
}

/// Reads a request in this language, at this day.
pub(crate) fn request_kind(text: &str, data: &'static LanguageData, today: Date) -> RequestKind {
    let Some(patterns) = patterns_of(data) else { return RequestKind::Open };
    let words = folded_words(text);
    let spoken = without_polite_ends(&words, data);
    let asked = without_openers(spoken, patterns);
    if let Some((introduction, name)) = introduction(text, spoken, patterns, data) {
        return RequestKind::Introduces(introduction, name);
    }
    if let Some((introduction, _)) = patterns.questions.iter().find(|(_, list)| list.whole(spoken).is_some())
    {
        return RequestKind::AsksFor(*introduction);
    }
    if patterns.not_actions.whole(asked).is_none()
        && let Some((action, _)) = patterns.actions.iter().find(|(_, list)| list.whole(asked).is_some())
    {
        return RequestKind::Action(*action);
    }
    if patterns.texts.anywhere(asked).is_some() {
        return RequestKind::Text;
    }
    live(text, spoken, patterns, data, today).map_or(RequestKind::Open, RequestKind::Live)
}

/// `true` for a request whose answer depends on where the user is.
pub(crate) fn needs_place(request: &RequestKind) -> bool {
    use LiveTopic::{OpeningHours, Traffic, Weather};
    matches!(
        request,
        RequestKind::Live(Weather | Traffic | OpeningHours) | RequestKind::AsksFor(Introduction::OwnPlace)
    )
}

/// `true` for a request that says "here" or "nearby".
pub(crate) fn asks_about_here(text: &str, data: &'static LanguageData) -> bool {
    patterns_of(data).is_some_and(|patterns| patterns.nearby.anywhere(&folded_words(text)).is_some())
}

fn live(
    text: &str,
    words: &[String],
    patterns: &AnswerPatterns,
    data: &LanguageData,
    today: Date,
) -> Option<LiveTopic> {
    let looks_back = data.has_phrase(data.looking_back, &normalised(text));
    if words.len() > MAX_WORDS || looks_back || patterns.not_live.anywhere(words).is_some() {
        return None;
    }
    let years: Vec<i16> = words.iter().filter_map(|word| year(word)).collect();
    if patterns.outcomes.anywhere(words).is_some() && years.iter().any(|year| *year >= today.year()) {
        return Some(LiveTopic::Outcomes);
    }
    if years.iter().any(|year| *year <= today.year() - KNOWN_YEARS) {
        return None;
    }
    let is_present = patterns.present.anywhere(words).is_some() || patterns.here.anywhere(words).is_some();
    if !is_present && patterns.timeless.anywhere(words).is_some() {
        return None;
    }
    let is_question = is_question(text, words, data);
    let of_pattern = patterns.live.iter().find_map(|(topic, list)| {
        let found = list.anywhere(words)?;
        // "Weather in Leeds": the topic alone is a question too.
        (is_question || (found.words.start == 0 && words.len() <= MAX_TOPIC)).then_some(*topic)
    });
    let of_word = || {
        let (topic, found) =
            patterns.topics.iter().find_map(|(topic, list)| Some((*topic, list.anywhere(words)?)))?;
        // "Weather tomorrow." asks as well.
        let stands_alone = found.words.start == 0 && words.len() <= MAX_TOPIC;
        let is_all = found.words.len() == words.len();
        (is_all || (is_present && (is_question || stands_alone))).then_some(topic)
    };
    of_pattern.or_else(of_word)
}

/// `true` if the text asks or requests something: it is no statement.
pub(crate) fn is_question(text: &str, words: &[String], data: &LanguageData) -> bool {
    let begins_with = |phrase: &str| words.starts_with(&folded_words(phrase));
    text.trim_end().ends_with(['?', '？', '؟'])
        || words.first().is_some_and(|first| data.question_words.iter().any(|word| folded(word) == *first))
        || data.request_openers.iter().any(begins_with)
}

/// `true` if the text asks for what is so, and for nothing to be done: "when is my flight?", not "can you book it?".
pub(crate) fn asks_for_facts(text: &str, data: &'static LanguageData) -> bool {
    let words = folded_words(text);
    let is_polite_order = is_polite_request(&words, data);
    let begins_with = |word: &String| data.question_words.iter().any(|known| folded(known) == *word);
    let is_question = text.trim_end().ends_with(['?', '？', '؟']) || words.first().is_some_and(begins_with);
    is_question && !is_polite_order
}

/// `true` for a request that begins politely: "could you", "I want you to".
pub(crate) fn is_polite_request(words: &[String], data: &'static LanguageData) -> bool {
    patterns_of(data).is_some_and(|patterns| without_openers(words, patterns).len() < words.len())
}

/// `true` for a question for general knowledge: "what is a parcel?", "how does it work?".
pub(crate) fn asks_in_general(text: &str, data: &'static LanguageData) -> bool {
    let words = folded_words(text);
    patterns_of(data).is_some_and(|patterns| {
        let is_present = || patterns.present.anywhere(&words).is_some();
        patterns.not_live.anywhere(&words).is_some()
            || (patterns.timeless.anywhere(&words).is_some() && !is_present())
    })
}

/// `true` for a question or a request about one thing: it has a sign of the present or of the user's own, or a name.
pub(crate) fn asks_for_one_thing(text: &str, data: &'static LanguageData) -> bool {
    let words = folded_words(text);
    let is_present = || patterns_of(data).is_some_and(|patterns| patterns.present.anywhere(&words).is_some());
    is_question(text, &words, data) && (has_name(text, data) || is_present())
}

/// `true` if a word behind the first one begins with a capital letter.
fn has_name(text: &str, data: &LanguageData) -> bool {
    let mut words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).skip(1);
    words.any(|word| word.starts_with(char::is_uppercase) && !is_plain(&folded(word), data))
}

/// A year in digits.
fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| is_year && (1000..3000).contains(year))
}

fn introduction(
    text: &str,
    words: &[String],
    patterns: &AnswerPatterns,
    data: &LanguageData,
) -> Option<(Introduction, String)> {
    let stated = patterns.introductions.iter().find_map(|(introduction, list)| {
        let name = list.whole(words)?.name?;
        let begins_plainly = |word: &String| is_plain(word, data);
        if words[name.clone()].iter().any(begins_plainly) || text.trim_end().ends_with('?') {
            return None;
        }
        Some((*introduction, written(text, name)?))
    });
    stated.or_else(|| Some((Introduction::OwnName, greeted_name(text, words, patterns, data)?)))
}

/// The name in "Hello, I'm Ada": one word with a capital, since the same words begin much else.
fn greeted_name(
    text: &str,
    words: &[String],
    patterns: &AnswerPatterns,
    data: &LanguageData,
) -> Option<String> {
    let found = patterns.greeted_names.whole(words)?;
    let name = found.name.filter(|name| name.len() == 1)?;
    let greets_one = found.earlier_name.is_none_or(|greeted| greeted.len() == 1);
    let word = &words[name.start];
    let is_name = greets_one && !is_plain(word, data) && !is_description(word, data);
    let written = written(text, name)?;
    // What is all in capitals tells nothing.
    let is_capitalised = written.starts_with(char::is_uppercase) && written.contains(char::is_lowercase);
    (is_name && is_capitalised && !text.trim_end().ends_with('?')).then_some(written)
}

/// `true` if the word says what somebody is: "German", "teacher".
fn is_description(word: &str, data: &LanguageData) -> bool {
    data.answers.as_ref().is_some_and(|table| {
        let said = [table.professions, table.diets].into_iter().flat_map(|phrases| phrases.split('|'));
        said.chain(table.no_greeted_names.iter()).any(|known| folded(known.trim()) == word)
    })
}

/// `true` if the word is no part of a name: an article, "here", "later".
pub(crate) fn is_plain(word: &String, data: &LanguageData) -> bool {
    let is_same = |known: &str| folded(known) == *word;
    data.all_function_words().any(is_same)
        || data.continuation_words.iter().any(is_same)
        || data.conjunctions.iter().any(is_same)
        || data.answers.as_ref().is_some_and(|table| table.not_names.iter().any(is_same))
}

/// The words of this range as they were written.
pub(crate) fn written(text: &str, range: std::ops::Range<usize>) -> Option<String> {
    let mut words = Vec::new();
    let mut begin = None;
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        match (char.is_alphanumeric() || char == '\u{307}', begin) {
            (true, None) => begin = Some(at),
            (false, Some(from)) => {
                words.push(from..at);
                begin = None;
            }
            _ => {}
        }
    }
    let (first, last) = (words.get(range.start)?, words.get(range.end.checked_sub(1)?)?);
    Some(text[first.start..last.end].to_owned())
}

/// The text without the name of the assistant before or behind it: "Ada, who are you?", "How are you, Ada?"
pub(crate) fn without_name<'a>(text: &'a str, name: &str) -> &'a str {
    let is_sign = |char: char| char.is_whitespace() || ",.!:;–—-".contains(char);
    let is_name = |part: Option<&str>| part.is_some_and(|part| part.to_lowercase() == name.to_lowercase());
    let mut text = text.trim();
    if name.is_empty() {
        return text;
    }
    let behind = text.get(name.len()..).filter(|rest| rest.starts_with(is_sign));
    if let Some(rest) = behind.filter(|_| is_name(text.get(..name.len()))) {
        text = rest.trim_start_matches(is_sign);
    }
    let end = text.trim_end_matches(|char: char| is_sign(char) || char == '?');
    let Some(at) = end.len().checked_sub(name.len()) else { return text };
    // "My dog is called Ada" needs its last word.
    let before = text.get(..at).filter(|before| before.trim_end().ends_with(','));
    before.filter(|_| is_name(end.get(at..))).map_or(text, |before| before.trim_end_matches(is_sign))
}

/// The words without "please" at their end.
pub(crate) fn without_polite_ends<'a>(words: &'a [String], data: &LanguageData) -> &'a [String] {
    let polite = data.polite_words.iter().map(folded_words);
    let end = polite.into_iter().find(|polite| !polite.is_empty() && words.ends_with(polite));
    end.map_or(words, |polite| &words[..words.len() - polite.len()])
}

pub(crate) fn without_openers<'a>(mut words: &'a [String], patterns: &AnswerPatterns) -> &'a [String] {
    while let Some(found) = patterns.openers.beginning(words)
        && found.words.end > 0
    {
        words = &words[found.words.end..];
    }
    words
}

#[cfg(test)]
mod tests;
