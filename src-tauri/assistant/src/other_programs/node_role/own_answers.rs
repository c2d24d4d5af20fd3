//! Utterances that need no Command Center: noise, a call by name that was taken back, and timers.
//!
//! Source: the description of the Command Center protocol, "Local pre-routes".

use command_center::{is_false_wake, is_noise, spoken_timer};
use languages::LanguageData;
use serde_json::{Map, Value, json};
use tools::CallStatus;
use vocabulary::{Language, Query};

use super::exposed_tools::ExposedTools;

/// The tool that starts timers.
const SET_TIMER: &str = "setTimer";

/// Returns `true` for spoken words that ask for nothing. A typed text is meant as it stands.
pub(super) fn asks_for_nothing(query: &Query, name: &str, language: &'static LanguageData) -> bool {
    // Hearing divides a long utterance and recognises all of it, so nothing was cut off.
    let was_cut_off = false;
    query.origin.is_spoken()
        && (is_noise(&query.text) || is_false_wake(&query.text, was_cut_off, name, language))
}

/// Starts the timer that an utterance asks for in plain words, and returns the answer. `None` if it asks for anything else,
/// or the tool has no answer in words.
pub(super) async fn start_timer(
    text: &str,
    name: &str,
    language: &'static LanguageData,
    tools: &ExposedTools<'_>,
) -> Option<String> {
    let timer = spoken_timer(text, name, language)?;
    let is_there = tools.runner.callable().iter().any(|tool| tool.name == SET_TIMER);
    if !is_there {
        return None;
    }
    let mut arguments = Map::from_iter([("seconds".to_owned(), json!(timer.duration_seconds))]);
    if let Some(label) = timer.label {
        arguments.insert("label".to_owned(), Value::String(label));
    }
    let outcome = tools.run_own(SET_TIMER, arguments).await;
    let answer = outcome.result.answer.map(|answer| answer.0);
    match outcome.status {
        CallStatus::Done => answer.or_else(|| outcome.result.text.map(|text| text.0)),
        CallStatus::Failed => answer,
        CallStatus::Declined | CallStatus::Unanswered | CallStatus::Stopped => Some(String::new()),
        _ => None,
    }
}

/// The data of the language of a query; that of English if it is not known.
pub(super) fn data_of(language: Option<&Language>) -> &'static LanguageData {
    language.and_then(languages::of).unwrap_or(&languages::all()[0])
}
