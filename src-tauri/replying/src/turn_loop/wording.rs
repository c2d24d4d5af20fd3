//! The words to the model between turns.

use vocabulary::Language;

use super::guards::CallRefusal;
use crate::prompting::prompt::english_name;
use crate::prompting::prompts::{TOOL_ERROR, TOOL_RESULT, fill};

/// The model has results but said nothing.
pub(super) const ANSWER_NOW: &str =
    "[You have what the tools returned. Answer the user now, in your own words, and call nothing more.]";

/// All steps of the plan have results.
pub(super) const SYNTHESISE: &str =
    "[Every planned step has its result. Answer the user now with these results; call nothing more.]";

/// There is no plan.
pub(super) const CALL_OR_ANSWER: &str =
    "[If part of the request is still open, call another tool. Otherwise answer the user.]";

/// Nothing is left to call. A small model forgets the language that the newest message named.
pub(super) fn answer(language: Option<&Language>) -> String {
    let language = language.map(|language| format!(" in {}", english_name(language))).unwrap_or_default();
    format!("[Answer the user now, in plain words{language}, with what the tool returned.]")
}

/// A step of the plan is open.
pub(super) fn next_step(executed: usize, total: usize, step: &str) -> String {
    format!(
        "[{executed}/{total} planned steps executed. The next one is \"{step}\". Put in the names and values found so \
         far, do not repeat the arguments of an earlier call, and write the next tool call now.]"
    )
}

/// One of two parts has a result.
pub(super) fn other_part(first: &str, second: &str) -> String {
    format!(
        "[The request has two parts: \"{first}\" and \"{second}\". One has a result. If the other needs a tool, call it now; \
         then answer both.]"
    )
}

/// A result, with what follows from it, if that is told.
pub(super) fn result(name: &str, text: &str, hint: &str) -> String {
    fill(TOOL_RESULT, &[("name", name), ("text", text), ("hint", hint)]).trim_end().to_owned()
}

/// A failure, for models with native tools.
pub(super) fn native_error(error: Option<&str>) -> String {
    format!("Error: {}", error.unwrap_or("the tool returned nothing"))
}

/// A failure, for models without, with what follows from it, if that is told.
pub(super) fn text_error(name: &str, error: Option<&str>, hint: &str) -> String {
    let error = error.unwrap_or("the tool returned nothing");
    fill(TOOL_ERROR, &[("name", name), ("error", error), ("hint", hint)]).trim_end().to_owned()
}

/// Why a call did not run.
pub(super) fn refusal(refused: &CallRefusal) -> String {
    match refused {
        CallRefusal::NotOffered(offered) if offered.is_empty() => {
            "there is no such tool. Search for one with toolSearchTool, or answer without it.".to_owned()
        }
        CallRefusal::NotOffered(offered) => {
            format!("there is no such tool. Offered are: {}.", offered.join(", "))
        }
        CallRefusal::EnoughSearches => {
            "you have searched for tools often enough. Decide with the tools you have.".to_owned()
        }
        CallRefusal::Repeated => {
            "this call was made already with the same arguments. Use its result.".to_owned()
        }
        CallRefusal::EnoughResults(count) => {
            format!("this tool has answered {count} times. Use its results.")
        }
    }
}
