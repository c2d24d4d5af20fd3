//! Whole answers in the language of the user, if its messages have them.

use languages::MeasureNames;
use languages::messages::{MessageId, Messages};

pub(super) use languages::messages::id;

use crate::ToolContext;

/// The messages in which a tool words its answer itself, given the id of its usual answer. `None` if the user's language
/// lacks that message: then a model words the answer.
pub(super) fn wording(context: &ToolContext, message: MessageId) -> Option<&'static Messages> {
    Messages::with(context.language.as_ref(), message)
}

/// An amount of a unit, such as "2 cups".
pub(super) fn quantity(wording: &'static Messages, digits: &str, unit: &str) -> String {
    let names = MeasureNames::of_code(wording.language().code());
    let (singular, plural) = names.and_then(|names| names.forms(unit)).unwrap_or((unit, unit));
    let name = if matches!(digits, "1" | "-1") { singular } else { plural };
    format!("{} {name}", wording.number(digits))
}
