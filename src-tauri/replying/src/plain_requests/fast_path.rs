//! Recognises closed requests without a model: time, date, timers, alarms, maths, units, volume, dismissal.
//!
//! A text comes in; the calls that answer it go out, or `None` when anything is unsure: then a model decides. A request is
//! taken only if the patterns of its language account for all its words, and if they agree on what it asks for: the order
//! of the patterns decides nothing. The patterns are `requests.toml` in the crate `languages`, and those of a language are
//! read when a request in it comes. A language without patterns has whole requests to undo, and no others. No clock, no
//! tool and no model in here.

mod recognition; // start here
mod follow_ups; // short requests that go on with the last one
mod undoing; // "undo that" in languages without patterns
mod short_answers; // values in answers to a question
mod named_things; // answers to "which one?"
mod calls; // what a matched pattern asks for
mod grammar; // matches the patterns
mod slots; // the values in a pattern
mod times; // durations and times of day
mod quantities; // amounts with a unit
mod expressions; // arithmetic
mod lexicon; // the words of a language
mod tokens;
#[cfg(test)]
mod tests;

pub use calls::FastCall;
pub(crate) use calls::likely;
pub use follow_ups::{
    FollowUp, FollowUpClock, FollowUpMeaning, FollowUpValues, follow_up_languages, follow_ups,
};
pub use grammar::prepared_languages;
pub use named_things::{NamedBy, NamedThing, named_thing, place_in_list};
pub use recognition::{recognise, recognise_in};
pub use short_answers::{AskedValue, answered, answers_nothing};
pub(crate) use slots::is_ahead;
