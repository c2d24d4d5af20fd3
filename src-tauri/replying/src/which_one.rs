//! A call that fits several things: the user was asked which one, and the next sentence names it.

use serde_json::{Map, Value, json};
use vocabulary::Language;

use crate::fast_path::{NamedBy, named_thing};
use crate::missing_argument::is_question;
use crate::tool_run_result::ToolRunResult;
use crate::tool_talk::scrubbed_value;

/// A call that waits for the user to say which of several things is meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChoiceCall {
    /// The name of the tool that waits.
    pub tool: String,
    /// Its arguments, redacted.
    arguments: Map<String, Value>,
    /// The names of the things; empty for one without a name.
    names: Vec<String>,
}

impl ChoiceCall {
    /// The call that waits after this result; `None` if the tool did not ask which one.
    pub fn new(tool: &str, ran: &ToolRunResult) -> Option<Self> {
        let Value::Object(arguments) = scrubbed_value(Value::Object(ran.arguments.clone())) else {
            return None;
        };
        let names = ran.choices.clone();
        (names.len() > 1).then(|| Self { tool: tool.to_owned(), arguments, names })
    }

    /// The arguments with what the sentence says; `None` if it names none of the things, and so is another request.
    pub fn chosen(&self, text: &str, language: &Language, names: &[&str]) -> Option<Map<String, Value>> {
        let (by, seconds_key, name_key) = match self.tool.as_str() {
            "cancelTimer" => (NamedBy::Duration, "seconds", "label"),
            "changeTimer" => (NamedBy::Duration, "set_for", "label"),
            "cancelReminder" => (NamedBy::Time, "seconds", "label"),
            "finishTodo" => (NamedBy::Words, "seconds", "text"),
            _ => return None,
        };
        if is_question(text, Some(language)) || is_negated(text, language) {
            return None;
        }
        let thing = named_thing(text, by, language, names)?;
        let name = match thing.words.as_slice() {
            [] => None,
            words => Some(self.only_with(words)?),
        };
        let mut arguments = self.arguments.clone();
        let mut put = |key: &str, value: Option<Value>| {
            arguments.extend(value.map(|value| (key.to_owned(), value)));
        };
        put(name_key, name.map(|name| json!(name)));
        put(seconds_key, thing.seconds.map(|seconds| json!(seconds)));
        put("time", thing.time.map(|time| json!(time)));
        put("date", thing.date.map(|date| json!(date)));
        (arguments != self.arguments).then_some(arguments)
    }

    /// The only name with all these words.
    fn only_with(&self, words: &[String]) -> Option<&String> {
        let has_all = |name: &&String| {
            let known = languages::folded_words(name);
            words.iter().all(|word| known.contains(word))
        };
        let mut fitting = self.names.iter().filter(has_all);
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

/// Returns `true` for "not the rice one": which other one is meant, a model finds out.
fn is_negated(text: &str, language: &Language) -> bool {
    let Some(data) = languages::of(language) else { return false };
    let text = languages::normalised(text);
    let is_no = |word: &str| data.is_no(word);
    text.split_whitespace().any(is_no)
        || data.command_center.as_ref().is_some_and(|own| data.has_phrase(own.negations, &text))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::by_name("cancelTimer", "en", "the rice one", true)]
    #[case::by_name_in_german("cancelTimer", "de", "den mit dem Reis", true)]
    #[case::not_this_one("cancelTimer", "en", "not the rice one", false)]
    #[case::no("cancelTimer", "en", "No, not the ten minute one", false)]
    #[case::german("cancelTimer", "de", "Nicht den mit zehn Minuten", false)]
    #[case::swedish("cancelTimer", "sv", "inte den på tio minuter", false)]
    #[case::dutch("cancelTimer", "nl", "niet die van tien minuten", false)]
    #[case::french("cancelTimer", "fr", "pas celui de dix minutes", false)]
    #[case::spanish("cancelTimer", "es", "no el de diez minutos", false)]
    #[case::italian("cancelTimer", "it", "non quello da dieci minuti", false)]
    #[case::portuguese("cancelTimer", "pt", "não o de dez minutos", false)]
    #[case::turkish("cancelTimer", "tr", "on dakikalık değil", false)]
    #[case::question("cancelReminder", "en", "Do I have one tomorrow?", false)]
    #[case::question_word("cancelReminder", "en", "Which one is at seven", false)]
    fn thing_is_named_and_not_refused_or_asked_about(
        #[case] tool: &str,
        #[case] language: &str,
        #[case] text: &str,
        #[case] expected: bool,
    ) {
        let names = vec!["rice Reis".to_owned(), "eggs".to_owned()];
        let call = ChoiceCall { tool: tool.to_owned(), arguments: Map::new(), names };

        let chosen = call.chosen(text, &Language::new(language).unwrap(), &["Jarvis"]);

        assert_eq!(chosen.is_some(), expected, "{chosen:?}");
    }
}
