//! Properties that make an answer wrong, whatever its words. They are judged from the answer and the tools that ran.
//!
//! Written apart from `replying::answer_guard` on purpose: a judge that used the filter of the product would find nothing.

mod sentences;
mod claims;
mod values;
mod leaks;

use crate::answer::Answer;
use crate::scenarios::{Property, Turn};

/// Returns the words of the answer that show the property.
pub fn find(property: Property, turn: &Turn, answer: &Answer) -> Option<String> {
    match property {
        Property::ClaimsWithoutSuccess => claims::unfounded(answer),
        Property::ValueWithoutSource => values::without_source(&turn.say, answer),
        Property::Leaks => leaks::find(&turn.canaries, &answer.text),
        Property::Parrots => leaks::repeats(&turn.say, &answer.text).then(|| answer.text.clone()),
    }
}
