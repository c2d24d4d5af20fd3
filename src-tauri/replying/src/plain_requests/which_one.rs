//! A call that fits several things: the user was asked which one, and the next sentence names it.

use languages::PlaceInList;
use serde_json::{Map, Value, json};
use tools::Choice;
use vocabulary::{Language, Private};

use crate::plain_requests::fast_path::{NamedBy, NamedThing, named_thing, place_in_list};
use crate::plain_requests::missing_argument::is_question;
use crate::tool_calls::tool_run_result::ToolRunResult;
use crate::tool_calls::tool_talk::scrubbed_value;

const CANCEL_TIMER: &str = "cancelTimer";
const CHANGE_TIMER: &str = "changeTimer";
const CANCEL_REMINDER: &str = "cancelReminder";
const FINISH_TODO: &str = "finishTodo";
/// The argument of [`CANCEL_REMINDER`] for "turn off the alarm".
const STOPS_RINGING: &str = "stops_ringing";

/// A call that waits for the user to say which of several things is meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChoiceCall {
    /// The name of the tool that waits.
    tool: String,
    /// Its arguments, redacted.
    arguments: Map<String, Value>,
    /// The things, in the order in which the question named them.
    things: Vec<Choice>,
    /// The question as the tool worded it.
    question: Option<Private<String>>,
}

/// A tool with its arguments.
pub(crate) type ChosenCall = (String, Map<String, Value>);

/// The meaning of an answer to "which one?".
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WhichOneAnswer {
    /// The calls for the things that it names.
    Calls(Vec<ChosenCall>),
    /// It counts things that the question did not name, such as "all three" of two: nothing is done.
    NoSuchPlace,
}

/// The way in which things of a tool are named, with the arguments that names and durations fill.
struct Naming {
    by: NamedBy,
    name: &'static str,
    seconds: Option<&'static str>,
}

impl ChoiceCall {
    /// The call that waits after this result; `None` if the tool did not ask which one.
    pub fn new(tool: &str, ran: &ToolRunResult) -> Option<Self> {
        let Value::Object(mut arguments) = scrubbed_value(Value::Object(ran.arguments.clone())) else {
            return None;
        };
        // An answer that names one of them means that one, whatever rings by then.
        arguments.remove(STOPS_RINGING);
        let (things, question) = (ran.choices.clone(), ran.result.answer.clone().map(Private));
        (things.len() > 1).then(|| Self { tool: tool.to_owned(), arguments, things, question })
    }

    /// The question, for a user who has to be asked again; `None` if the tool did not word it.
    pub fn question(&self) -> Option<&str> {
        self.question.as_ref().map(|question| question.0.as_str())
    }

    /// The things that the sentence names; `None` if it names none of them, and so is another request.
    pub fn chosen(&self, text: &str, language: &Language, names: &[&str]) -> Option<WhichOneAnswer> {
        let naming = self.naming()?;
        if is_question(text, Some(language)) || is_negated(text, language) {
            return None;
        }
        let thing = named_thing(text, naming.by, language, names);
        // "A de segunda" is the one on Monday, not the second one.
        let is_dated = thing.as_ref().is_some_and(|thing| thing.time.is_some() || thing.date.is_some());
        Some(match place_in_list(text, language, names).filter(|_| !is_dated) {
            Some(place) => self.at(place).map_or(WhichOneAnswer::NoSuchPlace, |things| {
                WhichOneAnswer::Calls(self.calls_for(things, &naming))
            }),
            None => WhichOneAnswer::Calls(vec![(self.tool.clone(), self.with_named(thing?, &naming)?)]),
        })
    }

    fn naming(&self) -> Option<Naming> {
        let (by, name, seconds) = match self.tool.as_str() {
            CANCEL_TIMER => (NamedBy::Duration, "label", Some("seconds")),
            CHANGE_TIMER => (NamedBy::Duration, "label", Some("set_for")),
            CANCEL_REMINDER => (NamedBy::Time, "label", None),
            FINISH_TODO => (NamedBy::Words, "text", None),
            _ => return None,
        };
        Some(Naming { by, name, seconds })
    }

    /// The things at this place of the question; `None` if it had no such place.
    fn at(&self, place: PlaceInList) -> Option<&[Choice]> {
        let things = self.things.as_slice();
        match place {
            PlaceInList::All => Some(things),
            PlaceInList::AllOf(count) => Some(things).filter(|things| things.len() == count),
            PlaceInList::Nth(number) => things.get(number.checked_sub(1)?..number),
            PlaceInList::Last => things.last().map(std::slice::from_ref),
        }
    }

    /// The calls that do with these things what was asked for.
    fn calls_for(&self, things: &[Choice], naming: &Naming) -> Vec<ChosenCall> {
        let with = |key: &str, value: Value| {
            let mut arguments = self.arguments.clone();
            arguments.insert(key.to_owned(), value);
            (self.tool.clone(), arguments)
        };
        let item = |thing: &Choice| thing.item.to_string();
        // Two timers of ten minutes differ in nothing but their ids, and others may be set meanwhile.
        match self.tool.as_str() {
            CANCEL_TIMER | CANCEL_REMINDER => {
                let items: Vec<String> = things.iter().map(item).collect();
                vec![with("items", json!(items))]
            }
            CHANGE_TIMER => things.iter().map(|thing| with("item", json!(item(thing)))).collect(),
            _ => things.iter().map(|thing| with(naming.name, json!(thing.name.0))).collect(),
        }
    }

    /// The arguments with what the sentence says of the thing; `None` if that is nothing, or fits none of the things.
    fn with_named(&self, thing: NamedThing, naming: &Naming) -> Option<Map<String, Value>> {
        let name = match thing.words.as_slice() {
            [] => None,
            words => Some(self.only_with(words)?),
        };
        let mut arguments = self.arguments.clone();
        let mut put = |key: &str, value: Option<Value>| {
            arguments.extend(value.map(|value| (key.to_owned(), value)));
        };
        put(naming.name, name.map(|name| json!(name)));
        if let Some(key) = naming.seconds {
            put(key, thing.seconds.map(|seconds| json!(seconds)));
        }
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
        let mut fitting = self.things.iter().map(|thing| &thing.name.0).filter(has_all);
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
    use memory::{ItemId, RecordKind};
    use rstest::rstest;

    use super::*;

    fn waiting(tool: &str, arguments: Value, names: &[&str]) -> ChoiceCall {
        let thing = |(name, row): (&&str, i64)| Choice {
            name: Private((*name).to_owned()),
            item: ItemId::new(RecordKind::Appointment, row),
        };
        let things = names.iter().zip(1..).map(thing).collect();
        let Value::Object(arguments) = arguments else { unreachable!("it is an object") };
        ChoiceCall { tool: tool.to_owned(), arguments, things, question: None }
    }

    fn calls(chosen: WhichOneAnswer) -> Vec<ChosenCall> {
        let WhichOneAnswer::Calls(calls) = chosen else { panic!("{chosen:?}") };
        calls
    }

    #[rstest]
    #[case::both("cancelTimer", json!({}), "Both of them.", &[("cancelTimer", json!({"items": ["appointment-1", "appointment-2"]}))])]
    #[case::all_that_were_named("cancelReminder", json!({"kind": "alarm"}), "all", &[("cancelReminder", json!({"kind": "alarm", "items": ["appointment-1", "appointment-2"]}))])]
    #[case::first("cancelTimer", json!({}), "the first one", &[("cancelTimer", json!({"items": ["appointment-1"]}))])]
    #[case::second("cancelReminder", json!({"kind": "alarm"}), "the second alarm please", &[("cancelReminder", json!({"kind": "alarm", "items": ["appointment-2"]}))])]
    #[case::last("cancelTimer", json!({}), "the last", &[("cancelTimer", json!({"items": ["appointment-2"]}))])]
    #[case::changed("changeTimer", json!({"action": "pause"}), "the last one", &[("changeTimer", json!({"action": "pause", "item": "appointment-2"}))])]
    #[case::both_changed("changeTimer", json!({"action": "pause"}), "both", &[
        ("changeTimer", json!({"action": "pause", "item": "appointment-1"})),
        ("changeTimer", json!({"action": "pause", "item": "appointment-2"})),
    ])]
    #[case::thing_on_a_list("finishTodo", json!({"text": "bread"}), "the second one", &[("finishTodo", json!({"text": "eggs"}))])]
    #[case::neither("cancelTimer", json!({}), "neither of them", &[])]
    #[case::none("cancelTimer", json!({}), "none of them", &[])]
    #[case::not_both("cancelTimer", json!({}), "not both", &[])]
    #[case::not_the_first("cancelTimer", json!({}), "No, not the first one", &[])]
    #[case::refused("cancelTimer", json!({}), "no", &[])]
    #[case::asked_about("cancelTimer", json!({}), "the first one?", &[])]
    fn place_in_the_question_names_what_is_meant(
        #[case] tool: &str,
        #[case] arguments: Value,
        #[case] text: &str,
        #[case] expected: &[(&str, Value)],
    ) {
        let call = waiting(tool, arguments, &["rice", "eggs"]);

        let chosen = call.chosen(text, &Language::new("en").unwrap(), &["Jarvis"]).map(calls);

        let chosen = chosen.unwrap_or_default().into_iter().map(|(tool, it)| (tool, Value::Object(it)));
        let chosen: Vec<_> = chosen.collect();
        let expected: Vec<_> = expected.iter().map(|(tool, it)| ((*tool).to_owned(), it.clone())).collect();
        assert_eq!(chosen, expected);
    }

    #[rstest]
    #[case::monday("a de segunda")]
    #[case::day_and_time("a das sete de quarta")]
    fn day_of_the_week_is_no_place_in_the_question(#[case] text: &str) {
        let call = waiting("cancelReminder", json!({ "kind": "alarm" }), &["", ""]);

        let chosen = calls(call.chosen(text, &Language::new("pt").unwrap(), &["Jarvis"]).unwrap());

        let [(tool, arguments)] = chosen.as_slice() else { panic!("{chosen:?}") };
        assert_eq!((tool.as_str(), arguments.contains_key("date")), ("cancelReminder", true));
    }

    #[rstest]
    #[case::both_of_three(&["rice", "eggs", "tea"], "both", false)]
    #[case::three_of_three(&["rice", "eggs", "tea"], "all three of them", true)]
    #[case::three_of_two(&["rice", "eggs"], "all three of them", false)]
    #[case::four_of_three(&["rice", "eggs", "tea"], "all four", false)]
    #[case::third_of_two(&["rice", "eggs"], "the third one", false)]
    fn number_has_to_fit_the_question(#[case] things: &[&str], #[case] text: &str, #[case] expected: bool) {
        let call = waiting("cancelTimer", json!({}), things);

        let chosen = call.chosen(text, &Language::new("en").unwrap(), &[]).unwrap();

        assert_eq!(chosen != WhichOneAnswer::NoSuchPlace, expected, "{chosen:?}");
    }

    #[rstest]
    #[case::german("de", "keinen von beiden", "nicht den ersten")]
    #[case::french("fr", "aucun des deux", "pas le premier")]
    #[case::spanish("es", "ninguno de los dos", "el primero no")]
    #[case::italian("it", "nessuno dei due", "non il primo")]
    #[case::dutch("nl", "geen van beide", "niet de eerste")]
    #[case::portuguese("pt", "nenhum dos dois", "o primeiro não")]
    #[case::swedish("sv", "ingen av dem", "inte den första")]
    #[case::turkish("tr", "hiçbiri", "birincisi değil")]
    fn refusal_stays_a_refusal(#[case] language: &str, #[case] neither: &str, #[case] not_the_first: &str) {
        let call = waiting("cancelTimer", json!({}), &["rice", "eggs"]);
        let language = Language::new(language).unwrap();

        let chosen = [neither, not_the_first].map(|text| call.chosen(text, &language, &["Jarvis"]));

        assert_eq!(chosen, [None, None]);
    }

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
        let call = waiting(tool, json!({}), &["rice Reis", "eggs"]);

        let chosen = call.chosen(text, &Language::new(language).unwrap(), &["Jarvis"]);

        assert_eq!(chosen.is_some(), expected, "{chosen:?}");
    }
}
