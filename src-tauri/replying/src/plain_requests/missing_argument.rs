//! A call that waits for an argument: what is asked, and how the next sentence fills it.
//!
//! Nothing is guessed: a sentence that does not fit the argument is another request.

use languages::messages::{Messages, id};
use serde_json::{Map, Value, json};
use vocabulary::Language;

use crate::plain_requests::fast_path::{
    AskedValue, FollowUpMeaning, answered, answers_nothing, follow_ups, recognise,
};

/// More words are another request, not a name or a text.
const MOST_WORDS: usize = 8;

/// More words are no place that is missing in the list of places.
const MOST_WORDS_OF_PLACE: usize = 3;

/// The tool that changes a timer by a duration. "For how long?" would ask for that of the timer.
const CHANGE_TIMER: &str = "changeTimer";

/// A call that waits for one argument.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WaitingCall {
    /// The name of the tool that waits.
    pub tool: String,
    /// The arguments that are known, redacted.
    pub arguments: Map<String, Value>,
    /// The name of the argument that is missing.
    pub missing: String,
    /// The schema of the argument.
    pub schema: Value,
    /// The words of the request, redacted, if rules read it: the answer makes it whole, and no model is needed.
    pub request: Option<String>,
    /// The value of the argument if the user just says yes.
    pub agreed: Option<Value>,
}

/// The kind of an argument, as the message `reply-ask` calls it; `None` for one that only its tool knows.
pub(crate) fn kind_of(argument: &str) -> Option<&'static str> {
    Some(match argument.to_lowercase().as_str() {
        "place" | "location" | "city" | "town" => "place",
        "time" => "time",
        "date" | "day" => "date",
        "hours" | "minutes" | "seconds" | "duration" => "duration",
        "label" | "name" | "title" => "label",
        "text" => "text",
        "list" => "list",
        "amount" | "percent" => "amount",
        "from" | "to" | "unit" => "unit",
        "expression" => "expression",
        "meal" => "meal",
        "query" | "search_query" => "query",
        _ => return None,
    })
}

impl WaitingCall {
    /// The question for the argument, with the language that it is in.
    pub fn question(&self, language: Option<&Language>) -> (String, Language) {
        if self.tool == CHANGE_TIMER {
            let messages = Messages::with(language, id::TIMER_HOW_MUCH).unwrap_or_else(Messages::english);
            return (messages.timer_how_much().to_owned(), messages.language().clone());
        }
        let messages = Messages::with(language, id::REPLY_ASK).unwrap_or_else(Messages::english);
        let text = match kind_of(&self.missing) {
            Some(kind) => messages.reply_ask(kind),
            None => messages.reply_ask(self.description().unwrap_or(&self.missing)),
        };
        (text, messages.language().clone())
    }

    /// The calls of the request with the answer behind it, if rules read both as one: "set an alarm" and "tomorrow at seven".
    /// Else that of the request with the argument that the answer says.
    pub fn completed(
        &self,
        answer: &str,
        language: Option<&Language>,
        names: &[&str],
    ) -> Option<Vec<(String, Map<String, Value>)>> {
        let request = self.request.as_ref()?;
        let is_yes = |language| languages::of(language).is_some_and(|data| data.is_yes(plain(answer)));
        if let Some(agreed) = self.agreed.as_ref().filter(|_| language.is_some_and(is_yes)) {
            let missing = Map::from_iter([(self.missing.clone(), agreed.clone())]);
            return Some(vec![(
                self.tool.clone(),
                self.arguments.clone().into_iter().chain(missing).collect(),
            )]);
        }
        let whole = format!("{} {answer}", plain(request));
        let calls = recognise(&whole, language, names).unwrap_or_default();
        let is_whole = calls.iter().all(|call| call.tool == self.tool && call.missing.is_none());
        if is_whole && !calls.is_empty() {
            return Some(calls.into_iter().map(|call| (call.tool.to_owned(), call.arguments)).collect());
        }
        Some(vec![(self.tool.clone(), self.filled(answer, language, names)?)])
    }

    /// The first sentence that the tool says about the argument.
    fn description(&self) -> Option<&str> {
        let text = self.schema["description"].as_str()?.trim();
        let first = text.split(['\n', '.']).next().unwrap_or_default().trim();
        (!first.is_empty()).then_some(first)
    }

    /// The arguments with the one that the sentence says; `None` if it says something else.
    pub fn filled(
        &self,
        text: &str,
        language: Option<&Language>,
        names: &[&str],
    ) -> Option<Map<String, Value>> {
        if language.is_some_and(|language| takes_back(text, language, names)) {
            return None;
        }
        let read = |asked| answered(text, asked, language?, names);
        let mut arguments = self.arguments.clone();
        if let Some(options) = self.schema["enum"].as_array() {
            let said = plain(text).to_lowercase();
            let chosen = options.iter().find(|it| it.as_str().is_some_and(|it| it.to_lowercase() == said))?;
            arguments.insert(self.missing.clone(), chosen.clone());
            return Some(arguments);
        }
        let value = match kind_of(&self.missing) {
            Some("duration") => self.duration(&read, &mut arguments)?,
            Some("place") => {
                let short = || short_text(text, MOST_WORDS_OF_PLACE, language, names);
                json!(read(AskedValue::Place).or_else(short)?)
            }
            Some("time") => json!(read(AskedValue::Time)?),
            Some("date") => json!(read(AskedValue::Date)?),
            _ if self.is_number() => serde_json::from_str(&read(AskedValue::Number)?).ok()?,
            _ => json!(short_text(text, MOST_WORDS, language, names)?),
        };
        arguments.insert(self.missing.clone(), value);
        Some(arguments)
    }

    fn is_number(&self) -> bool {
        let is_number = |kind: &Value| matches!(kind.as_str(), Some("number" | "integer"));
        let kind = &self.schema["type"];
        is_number(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_number))
    }

    /// A duration in the unit of the argument; a bare number counts in that unit.
    fn duration(
        &self,
        read: &impl Fn(AskedValue) -> Option<String>,
        arguments: &mut Map<String, Value>,
    ) -> Option<Value> {
        let unit = match self.missing.to_lowercase().as_str() {
            "hours" => 3_600.0,
            "minutes" => 60.0,
            _ => 1.0,
        };
        let whole = |number: f64| match number.fract() == 0.0 {
            // Of the size of a day in seconds.
            true => json!(number as i64),
            false => json!(number),
        };
        if let Some(seconds) = read(AskedValue::Duration) {
            // The duration is said as a whole.
            for part in ["hours", "minutes", "seconds"] {
                arguments.remove(part);
            }
            return Some(whole(seconds.parse::<f64>().ok()? / unit));
        }
        Some(whole(read(AskedValue::Number)?.parse().ok()?))
    }
}

/// `true` for "cancel that": the user no longer wants the call.
fn takes_back(text: &str, language: &Language, names: &[&str]) -> bool {
    follow_ups(text, language, names).iter().any(|reading| reading.meaning == FollowUpMeaning::TakeBack)
}

/// A text that can be a name or a thing: short, no question, no request, and not "I changed my mind".
fn short_text(text: &str, most_words: usize, language: Option<&Language>, names: &[&str]) -> Option<String> {
    if language.is_some_and(|language| answers_nothing(text, language, names)) {
        return None;
    }
    let said = plain(text);
    let words = said.split_whitespace().count();
    (!is_question(text, language) && (1..=most_words).contains(&words)).then(|| said.to_owned())
}

/// Returns `true` for a text that asks something itself, by its first word or its sign.
pub(crate) fn is_question(text: &str, language: Option<&Language>) -> bool {
    text.trim_end().ends_with(['?', '？', '؟'])
        || language.and_then(languages::of).is_some_and(|data| {
            let first = plain(text).split_whitespace().next().map(languages::normalised).unwrap_or_default();
            data.question_words.iter().any(|word| word == first)
        })
}

/// The text without the signs at its ends.
fn plain(text: &str) -> &str {
    text.trim().trim_matches(|char: char| char.is_ascii_punctuation() || "。！，¿¡".contains(char)).trim()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn waiting(missing: &str, schema: Value) -> WaitingCall {
        WaitingCall {
            tool: "tool".to_owned(),
            arguments: Map::new(),
            missing: missing.to_owned(),
            schema,
            request: None,
            agreed: None,
        }
    }

    #[rstest]
    #[case::place("location", json!({"type": "string"}), "I'm in London", Some(json!({"location": "London"})))]
    #[case::place_without_entry("location", json!({"type": "string"}), "Little Snoring", Some(json!({"location": "Little Snoring"})))]
    #[case::no_place("location", json!({"type": "string"}), "Tell me a joke about cats", None)]
    #[case::question_instead("location", json!({"type": "string"}), "Why?", None)]
    #[case::question_word("location", json!({"type": "string"}), "what is love", None)]
    #[case::minutes("minutes", json!({"type": "number"}), "for ten minutes", Some(json!({"minutes": 10})))]
    #[case::bare_minutes("minutes", json!({"type": "number"}), "ten", Some(json!({"minutes": 10})))]
    #[case::hours_in_minutes("minutes", json!({"type": "number"}), "half an hour", Some(json!({"minutes": 30})))]
    #[case::time("time", json!({"type": "string"}), "at half past six", Some(json!({"time": "06:30"})))]
    #[case::no_time("time", json!({"type": "string"}), "you are funny", None)]
    #[case::number("amount", json!({"type": ["number", "null"]}), "twelve", Some(json!({"amount": 12})))]
    #[case::text("text", json!({"type": "string"}), "Call the bank.", Some(json!({"text": "Call the bank"})))]
    #[case::long_text("text", json!({"type": "string"}), "I was at the market today and it was full of people", None)]
    #[case::cancelled("text", json!({"type": "string"}), "Cancel that.", None)]
    #[case::cancelled_place("location", json!({"type": "string"}), "Jarvis, delete it again", None)]
    #[case::unknown("text", json!({"type": "string"}), "I don't know.", None)]
    #[case::changed_mind("text", json!({"type": "string"}), "No, I changed my mind.", None)]
    #[case::left("text", json!({"type": "string"}), "Actually, leave it.", None)]
    #[case::another_wish("text", json!({"type": "string"}), "Play some music.", None)]
    #[case::forgotten_place("location", json!({"type": "string"}), "Forget about it", None)]
    #[case::more_in_place_of_a_place("location", json!({"type": "string"}), "Tell me more", None)]
    #[case::choice("unit", json!({"enum": ["metric", "imperial"]}), "Metric.", Some(json!({"unit": "metric"})))]
    #[case::other_choice("unit", json!({"enum": ["metric", "imperial"]}), "both", None)]
    fn next_sentence_fills_the_argument_or_is_another_request(
        #[case] missing: &str,
        #[case] schema: Value,
        #[case] text: &str,
        #[case] expected: Option<Value>,
    ) {
        let english = Language::new("en");

        let filled = waiting(missing, schema).filled(text, english.as_ref(), &["Jarvis"]);

        assert_eq!(filled.map(Value::Object), expected);
    }

    #[rstest]
    #[case::as_one_request("set an alarm", "setAlarm", "time", "tomorrow at seven", Some(json!({"time": "07:00", "date": "tomorrow"})))]
    #[case::alone("wake me up tomorrow", "setAlarm", "time", "seven would be good", Some(json!({"date": "tomorrow", "time": "07:00"})))]
    #[case::another_request("set an alarm", "setAlarm", "time", "tell me a joke", None)]
    #[case::another_tool("set an alarm", "setAlarm", "time", "how late is it", None)]
    fn answer_makes_the_request_whole(
        #[case] request: &str,
        #[case] tool: &str,
        #[case] missing: &str,
        #[case] answer: &str,
        #[case] expected: Option<Value>,
    ) {
        let english = Language::new("en");
        let calls = recognise(request, english.as_ref(), &[]).unwrap();
        let waiting = WaitingCall {
            tool: tool.to_owned(),
            arguments: calls[0].arguments.clone(),
            missing: missing.to_owned(),
            schema: json!({"type": "string"}),
            request: Some(request.to_owned()),
            agreed: None,
        };

        let completed = waiting.completed(answer, english.as_ref(), &["Jarvis"]);

        let arguments = completed.map(|mut calls| Value::Object(calls.remove(0).1));
        assert_eq!(arguments, expected);
    }

    #[rstest]
    #[case::english("location", "en", "For which place?")]
    #[case::german("location", "de", "Für welchen Ort?")]
    #[case::duration("minutes", "fr", "Pour combien de temps ?")]
    #[case::only_the_tool_knows("folder", "en", "One thing is missing: Folder to look in.")]
    #[case::language_without_the_words("time", "ja", "At what time?")]
    fn argument_is_asked_for_by_its_name(
        #[case] missing: &str,
        #[case] language: &str,
        #[case] expected: &str,
    ) {
        let schema = json!({"type": "string", "description": "Folder to look in. Below the home folder."});

        let (question, _) = waiting(missing, schema).question(Language::new(language).as_ref());

        assert_eq!(question, expected);
    }
}
