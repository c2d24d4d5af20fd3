//! The tool that leads the others so clearly that there is nothing to choose: its call by rules, or the order to fill it.
//!
//! A tiny model that may choose none answers without the tool, and makes the answer up.

use languages::{LanguageData, folded_words};
use llm::ToolSpec;
use serde_json::{Map, Value};
use tools::tool_name_in_words;

use crate::plain_requests::missing_argument::kind_of;
use crate::plain_requests::request_kind::{asks_for_one_thing, asks_in_general, is_question};
use crate::tool_calls::figures::{Figure, figures};

/// A number with fewer digits names a thing only behind a word of the tool: "line 12", but not "at 12".
const MIN_DIGITS: usize = 3;

/// The most digits of a number that is passed as one. Source: numbers in JSON are exact up to 2^53.
const MAX_DIGITS: usize = 15;

/// The beginning of a reply with the tool that leads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lead {
    /// The call with these arguments.
    Call(Map<String, Value>),
    /// The model fills in the arguments, and may not choose another tool or none.
    Fill,
}

/// The beginning of a reply to `text` in this language, for which `tool` leads; `None` if the model has to choose: the request
/// has nothing that the arguments could come from.
pub(crate) fn lead(text: &str, data: &'static LanguageData, tool: &ToolSpec) -> Option<Lead> {
    let takes_arguments = tool.parameters["properties"].as_object().is_some_and(|all| !all.is_empty());
    if !takes_arguments {
        return Some(Lead::Call(Map::new()));
    }
    let figures = figures(text);
    let names_thing = figures.iter().any(|figure| figure.is_identifier() && is_named(figure, data, tool));
    let words = folded_words(text);
    let asks = || {
        is_question(text, &words, data) && (names_thing || asks_for_one_thing(text, data))
            || orders(text, &words, &figures, tool)
    };
    let looks_back = || data.has_phrase(data.looking_back, &languages::normalised(text));
    if !asks() || asks_in_general(text, data) || looks_back() {
        return None;
    }
    let only = match figures.as_slice() {
        [only] if names_thing => argument(only, &tool.parameters),
        _ => None,
    };
    Some(only.map_or(Lead::Fill, |(name, value)| Lead::Call(Map::from_iter([(name, value)]))))
}

/// `true` for an order in the words of a tool, and nothing behind the thing that it names: "track parcel AB-12".
fn orders(text: &str, words: &[String], figures: &[Figure<'_>], tool: &ToolSpec) -> bool {
    let [only] = figures else { return false };
    let verb = folded_words(&tool_name_in_words(&tool.name)).into_iter().next();
    let is_last = text.trim_end_matches(|c: char| !c.is_alphanumeric()).ends_with(only.text);
    let is_order = verb.is_some() && words.first() == verb.as_ref();
    is_order && is_last && only.is_identifier() && is_word_of(&only.before, tool)
}

/// `true` if a figure names a thing for this tool, and is no hour, year or amount: it stands behind a word with a meaning,
/// as in "parcel 7731".
fn is_named(figure: &Figure<'_>, data: &'static LanguageData, tool: &ToolSpec) -> bool {
    let may_be_year = figure.text.len() == 4 && figure.text.starts_with(['1', '2']);
    let is_plain = !figure.is_number() || (figure.text.len() >= MIN_DIGITS && !may_be_year);
    has_meaning(&figure.before, data) && (is_plain || is_word_of(&figure.before, tool))
}

/// `true` for a word that is no function word here or in English.
fn has_meaning(word: &str, data: &'static LanguageData) -> bool {
    let mut function_words = data.all_function_words().chain(languages::all()[0].all_function_words());
    !word.is_empty() && !function_words.any(|known| languages::folded(known) == word)
}

/// `true` for a word that stands in the name, the purpose or the arguments of a tool.
fn is_word_of(word: &str, tool: &ToolSpec) -> bool {
    let mut texts = vec![tool_name_in_words(&tool.name), tool.description.clone()];
    for (name, schema) in tool.parameters["properties"].as_object().into_iter().flatten() {
        texts.push(tool_name_in_words(&format!("of__{name}")));
        texts.extend(schema["description"].as_str().map(str::to_owned));
    }
    texts.iter().any(|text| folded_words(text).iter().any(|known| known == word))
}

/// The only argument that a figure can be, with its value; `None` if there are several, or its schema asks for something else.
fn argument(figure: &Figure<'_>, schema: &Value) -> Option<(String, Value)> {
    let properties = schema["properties"].as_object()?;
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let name = match (required.as_slice(), properties.len()) {
        ([only], _) => *only,
        ([], 1) => properties.keys().next()?.as_str(),
        _ => return None,
    };
    let asked = properties.get(name)?;
    let is_free = ["enum", "const", "format", "pattern"].iter().all(|key| asked.get(key).is_none());
    if !is_free || kind_of(name).is_some() {
        return None;
    }
    let kinds = match &asked["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect::<Vec<_>>(),
    };
    let is_exact = figure.is_number() && figure.text.len() <= MAX_DIGITS && !figure.text.starts_with('0');
    let value = match kinds.iter().find(|kind| **kind != "null")? {
        &"string" => Value::from(figure.text),
        &"integer" | &"number" if is_exact => Value::from(figure.text.parse::<u64>().ok()?),
        _ => return None,
    };
    Some((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn tool(name: &str, description: &str, argument: &str, schema: Value) -> ToolSpec {
        let parameters =
            json!({ "type": "object", "properties": { argument: schema }, "required": [argument] });
        ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters }
    }

    fn parcels(kind: &str) -> ToolSpec {
        tool("post__track_parcel", "Tells the place of a parcel.", "number", json!({ "type": kind }))
    }

    fn lead_in(code: &str, text: &str, tool: &ToolSpec) -> Option<Lead> {
        lead(text, languages::of_code(code).unwrap(), tool)
    }

    fn call(arguments: Value) -> Option<Lead> {
        Some(Lead::Call(arguments.as_object().unwrap().clone()))
    }

    #[rstest]
    #[case::number("en", "Where is parcel 7731?", "string", json!("7731"))]
    #[case::as_number("en", "Where is parcel 7731?", "integer", json!(7731))]
    #[case::code("en", "Where is parcel AB-12?", "string", json!("AB-12"))]
    #[case::short_behind_a_word_of_the_tool("en", "where's parcel 12", "string", json!("12"))]
    #[case::year_behind_a_word_of_the_tool("en", "where's parcel 2024", "string", json!("2024"))]
    #[case::order_with_a_code("en", "Track parcel AB-12", "string", json!("AB-12"))]
    #[case::order_with_a_number("en", "track the parcel 7731.", "integer", json!(7731))]
    #[case::german("de", "Wo ist das Paket 7731?", "string", json!("7731"))]
    #[case::spanish("es", "¿Dónde está el paquete 7731?", "string", json!("7731"))]
    #[case::french("fr", "Où est le colis 7731 ?", "string", json!("7731"))]
    #[case::italian("it", "Dov'è il pacco 7731?", "string", json!("7731"))]
    #[case::dutch("nl", "Waar is pakket 7731?", "string", json!("7731"))]
    #[case::portuguese("pt", "Onde está a encomenda 7731?", "string", json!("7731"))]
    #[case::swedish("sv", "Var är paketet 7731?", "string", json!("7731"))]
    fn only_identifier_of_a_request_is_the_argument(
        #[case] code: &str,
        #[case] text: &str,
        #[case] kind: &str,
        #[case] number: Value,
    ) {
        assert_eq!(lead_in(code, text, &parcels(kind)), call(json!({ "number": number })));
    }

    #[rstest]
    #[case::two_figures("Where are parcels 7731 and 7732?")]
    #[case::hour("Did parcel 7731 come at 8?")]
    #[case::short_behind_another_word("where is my parcel since 12")]
    #[case::year("where is my parcel of 2024")]
    #[case::nothing_but_a_question_about_ones_own("Where is my parcel?")]
    #[case::polite_order("Can you track my parcel?")]
    #[case::name("Where is the parcel for Whitby?")]
    #[case::number_of_something_else("My phone number is 5551234, when does my parcel come?")]
    #[case::size_of_something_else("Is my parcel of A4 paper here?")]
    fn model_fills_in_what_rules_cannot_read(#[case] text: &str) {
        assert_eq!(lead_in("en", text, &parcels("string")), Some(Lead::Fill));
    }

    #[rstest]
    #[case::general("What is a parcel?")]
    #[case::general_about_many("do parcels get lost often?")]
    #[case::how("How does parcel tracking work?")]
    #[case::statement("I sent a parcel.")]
    #[case::statement_with_an_amount("I paid 120 euros for the parcel.")]
    #[case::statement_with_a_number("Parcel 7731 has arrived, thanks.")]
    #[case::negation("Don't track parcel 7731.")]
    #[case::order_without_anything("track a parcel")]
    #[case::order_with_more_behind_it("Track parcel AB-12 tomorrow")]
    #[case::order_about_two("Track parcels AB-12 and AB-13")]
    #[case::other_word_before_the_code("Track record AB-12")]
    #[case::other_order("Lose parcel AB-12")]
    #[case::only_the_thing("Parcel AB-12")]
    #[case::told_before("What did I tell you about parcel 7731?")]
    #[case::only_an_amount("Are parcels of 2.5kg heavy?")]
    fn model_may_choose_none_if_nothing_is_meant(#[case] text: &str) {
        assert_eq!(lead_in("en", text, &parcels("string")), None);
    }

    #[rstest]
    #[case::place("place", json!({ "type": "string" }))]
    #[case::search("query", json!({ "type": "string" }))]
    #[case::choice("state", json!({ "enum": ["open", "closed"] }))]
    #[case::day("due", json!({ "type": "string", "format": "date" }))]
    #[case::list("numbers", json!({ "type": "array" }))]
    fn other_arguments_are_left_to_the_model(#[case] argument: &str, #[case] schema: Value) {
        let tool = tool("post__track_parcel", "Tells the place of a parcel.", argument, schema);

        assert_eq!(lead_in("en", "Where is parcel 7731?", &tool), Some(Lead::Fill));
    }

    #[test]
    fn number_that_would_lose_digits_is_left_to_the_model() {
        assert_eq!(lead_in("en", "Where is parcel 0042?", &parcels("integer")), Some(Lead::Fill));
    }

    #[test]
    fn tool_without_arguments_is_called_at_once() {
        let parameters = json!({ "type": "object" });
        let minutes = ToolSpec { parameters, ..parcels("string") };

        assert_eq!(lead_in("en", "What do the minutes say?", &minutes), call(json!({})));
    }

    proptest! {
        #[test]
        fn value_of_a_call_by_rules_stands_in_the_request(
            text in "(where is |track |parcel |at |#|no\\. )*[A-Za-z0-9:.,-]{0,8}( parcel | and |'s |\\?)?[A-Z0-9 -]{0,9}",
            kind in prop_oneof![Just("string"), Just("integer"), Just("number")],
        ) {
            if let Some(Lead::Call(arguments)) = lead_in("en", &text, &parcels(kind)) {
                let value = &arguments["number"];
                let said = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                prop_assert!(text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').any(|word| word.trim_matches('-') == said), "{text:?}: {said:?}");
            }
        }
    }
}
