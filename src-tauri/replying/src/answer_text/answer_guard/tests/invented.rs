//! Answers that a model invents, put together from `invented.samples.txt` of each language.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::test_rows::rows;

/// The alternatives of each part of an answer, by language.
type Parts = BTreeMap<String, Vec<String>>;

static PARTS: LazyLock<Vec<(&'static LanguageData, Parts)>> = LazyLock::new(|| {
    let with_answers = languages::all().iter().filter(|data| data.answers.is_some());
    let alternatives = |text: &str| text.split('|').map(|part| part.trim().to_owned()).collect();
    let parts = |data: &'static LanguageData| {
        let rows = rows(data, "invented.samples.txt").into_iter();
        (data, rows.map(|(name, text)| (name, alternatives(&text))).collect())
    };
    with_answers.map(parts).collect()
});

/// A sentence of a language, with its parts chosen by the indices.
struct Sentence<'a> {
    parts: &'a Parts,
    choices: &'a [Index],
}

impl Sentence<'_> {
    fn part(&self, name: &str) -> &str {
        let alternatives = &self.parts[name];
        let choice = self.choices[self.parts.keys().position(|key| key == name).unwrap()];
        &alternatives[choice.index(alternatives.len())]
    }

    /// An end joins with a space if it begins with a word.
    fn end(&self, name: &str) -> String {
        let end = self.part(name);
        if end.starts_with(char::is_alphabetic) { format!(" {end}") } else { end.to_owned() }
    }

    fn claim(&self) -> String {
        let filled =
            self.part("claim").replace("{thing}", self.part("thing")).replace("{done}", self.part("done"));
        format!("{} {}", self.part("opener"), filled.replace("{end}", &self.end("end")))
    }

    fn value(&self, number: u32) -> String {
        let text = format!("{} {}{}", self.part("opener"), self.part("value"), self.end("value_end"));
        text.replace("{n}", &number.to_string())
    }
}

fn language_and_choices() -> impl Strategy<Value = (usize, Vec<Index>)> {
    let parts_of_a_sentence = PARTS[0].1.len();
    (0..PARTS.len(), prop::collection::vec(any::<Index>(), parts_of_a_sentence))
}

proptest! {
    #[test]
    fn invented_value_of_a_live_topic_is_never_released(
        (language, choices) in language_and_choices(),
        number in 1..99_999_u32,
        topic in select(LiveTopic::ALL.map(|(_, topic)| topic).to_vec()),
    ) {
        let (data, parts) = &PARTS[language];
        let guard = AnswerGuard::new("?", vec![data]).with_topic(Some(topic)).judging_claims(true);

        let verdict = guard.judge(&Sentence { parts, choices: &choices }.value(number));

        prop_assert_eq!(verdict, Verdict::Withhold(Untrue::NotLookedUp(topic)));
    }

    #[test]
    fn claim_without_a_call_is_never_released((language, choices) in language_and_choices()) {
        let (data, parts) = &PARTS[language];
        let sentence = Sentence { parts, choices: &choices }.claim();

        let verdict = claims(data.code).judge(&sentence);

        prop_assert_eq!(verdict, Verdict::Withhold(Untrue::NotDone(None)), "{}: {}", data.code, sentence);
    }
}

#[test]
fn nine_languages_have_invented_answers() {
    assert_eq!(PARTS.len(), 9);
}
