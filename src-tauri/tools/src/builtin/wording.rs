//! Whole answers in the language of the user, if its messages have them.

use languages::MeasureNames;
use languages::messages::{MessageId, Messages};

pub(super) use languages::messages::id;

use crate::{ToolContext, ToolResult};

/// The messages in which a tool words its answer itself, given the id of its usual answer. `None` if the user's language
/// lacks that message: then a model words the answer.
pub(super) fn wording(context: &ToolContext, message: MessageId) -> Option<&'static Messages> {
    Messages::with(context.language.as_ref(), message)
}

/// The result with a sentence for the user, so that it needs no model; without one, if the user's language lacks the message.
pub(super) fn told(
    result: ToolResult,
    context: &ToolContext,
    message: MessageId,
    sentence: impl FnOnce(&'static Messages) -> String,
) -> ToolResult {
    match wording(context, message) {
        Some(wording) => result.answering(sentence(wording)),
        None => result,
    }
}

/// An amount of a unit, such as "2 cups".
pub(super) fn quantity(wording: &'static Messages, digits: &str, unit: &str) -> String {
    let (singular, plural) = forms(wording, unit);
    let name = if matches!(digits, "1" | "-1") { singular } else { plural };
    format!("{} {name}", wording.number(digits))
}

/// The name of a unit, of several of them.
pub(super) fn unit_name<'a>(wording: &'static Messages, unit: &'a str) -> &'a str {
    forms(wording, unit).1
}

fn forms<'a>(wording: &'static Messages, unit: &'a str) -> (&'a str, &'a str) {
    let names = MeasureNames::of_code(wording.language().code());
    names.and_then(|names| names.forms(unit)).unwrap_or((unit, unit))
}
