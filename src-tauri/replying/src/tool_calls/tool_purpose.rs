//! The purpose of a tool, by the words of its declaration.

use languages::{LanguageData, LiveTopic, WorldAction, folded_words};
use tools::selection::first_line;
use tools::{Declaration, Effect, ToolSource};

/// `true` for a tool that is made for this in the world: its words name the service or the device.
pub(crate) fn is_for(tool: &Declaration, action: WorldAction) -> bool {
    languages::all().iter().filter_map(|data| data.answers.as_ref()).any(|table| {
        table.action_words.iter().any(|(known, words)| *known == action && said_word(tool, words).is_some())
    })
}

/// A tool from outside changes something, and names the thing that the action is about: "Sends a text message".
pub(crate) fn may_be_for(tool: &Declaration, action: WorldAction) -> bool {
    let is_candidate = tool.source != ToolSource::BuiltIn && tool.effect > Effect::Network;
    let tables = languages::all().iter().filter_map(|data| data.answers.as_ref());
    let mut things = tables.flat_map(|table| table.things.iter());
    is_candidate && things.any(|(known, words)| *known == Some(action) && said_word(tool, words).is_some())
}

/// The number of narrower words for a topic than the one by which the tool is a source of it; `None` if it is none.
pub(crate) fn breadth_of_source(tool: &Declaration, topic: LiveTopic) -> Option<usize> {
    let tables = languages::all().iter().filter_map(|data| data.answers.as_ref());
    let words = tables.flat_map(|table| table.source_words.iter().filter(|(known, _)| *known == topic));
    words.filter_map(|(_, words)| said_word(tool, words)).min()
}

/// A tool from outside names the topic, in English or in the language of the request: "Get the temperature of a room". In another
/// one the word may mean something else: the Dutch "file" is a traffic jam.
pub(crate) fn may_be_source(tool: &Declaration, topic: LiveTopic, asked_in: &'static LanguageData) -> bool {
    let tables = [&languages::all()[0], asked_in].into_iter().filter_map(|data| data.answers.as_ref());
    let terms = tables.flat_map(|table| table.topics.iter().filter(|(known, _)| *known == topic));
    let mut terms = terms.flat_map(|(_, terms)| terms.split('|'));
    let said = said_words(tool);
    let says = |term: &str| {
        let words = folded_words(term);
        !words.is_empty() && words.iter().all(|word| said.contains(word))
    };
    tool.source != ToolSource::BuiltIn && terms.any(says)
}

/// The number of these folded words that the declaration has, in the singular or the plural.
pub(crate) fn shared_words(tool: &Declaration, words: &[String]) -> usize {
    let said = said_words(tool);
    let stem = |word: &String| word.strip_suffix('s').unwrap_or(word).to_owned();
    let said: Vec<String> = said.iter().map(stem).collect();
    words.iter().filter(|word| said.contains(&stem(word))).count()
}

pub(crate) fn reads_from_outside(tool: &Declaration) -> bool {
    tool.effect == Effect::Network || tool.source != ToolSource::BuiltIn
}

/// The place of the first of these words that the declaration has in its name, its purpose or its keywords.
fn said_word(tool: &Declaration, words: &str) -> Option<usize> {
    let said = said_words(tool);
    words.split_whitespace().position(|word| said.iter().any(|known| known == word))
}

/// The words of the name, the purpose and the keywords of a declaration.
fn said_words(tool: &Declaration) -> Vec<String> {
    let name = tool.name.chars().flat_map(|char| {
        let gap = char.is_uppercase().then_some(' ');
        gap.into_iter().chain([char])
    });
    let texts = [name.collect::<String>(), first_line(&tool.description).to_owned(), tool.keywords.join(" ")];
    texts.iter().flat_map(|text| folded_words(text)).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::Value;

    use super::*;

    #[test]
    fn words_are_shared_in_the_singular_or_the_plural() {
        let tool = Declaration {
            name: "player__start".to_owned(),
            description: "Plays playlists and songs.".to_owned(),
            parameters: Value::Null,
            keywords: Vec::new(),
            examples: Vec::new(),
            effect: Effect::Writes,
            timeout: std::time::Duration::from_secs(1),
            source: ToolSource::Caller,
        };

        assert_eq!(shared_words(&tool, &folded_words("Play a playlist of jazz")), 2);
    }

    #[rstest]
    #[case::names_the_topic("get_temperature", "Get the temperature of a room.", ("en", LiveTopic::Weather), true)]
    #[case::in_the_language_of_the_request("lesen", "Liest die Temperatur im Garten.", ("de", LiveTopic::Weather), true)]
    #[case::in_english("get_temperature", "Get the temperature of a room.", ("de", LiveTopic::Weather), true)]
    #[case::all_words_of_a_term("dukkan", "Yarınki hava durumu.", ("tr", LiveTopic::Weather), true)]
    #[case::one_of_two_words("dukkan", "Hava temizleyiciyi açar.", ("tr", LiveTopic::Weather), false)]
    #[case::another_topic("set_lamp", "Switch the lamp on or off.", ("en", LiveTopic::Weather), false)]
    #[case::word_of_another_language("read_file", "Read a file.", ("en", LiveTopic::Traffic), false)]
    fn tool_from_outside_that_names_the_topic_may_be_its_source(
        #[case] name: &str,
        #[case] description: &str,
        #[case] (code, topic): (&str, LiveTopic),
        #[case] expected: bool,
    ) {
        let tool = Declaration {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: Value::Null,
            keywords: Vec::new(),
            examples: Vec::new(),
            effect: Effect::Writes,
            timeout: std::time::Duration::from_secs(1),
            source: ToolSource::Caller,
        };

        assert_eq!(may_be_source(&tool, topic, languages::of_code(code).unwrap()), expected);
    }
}
