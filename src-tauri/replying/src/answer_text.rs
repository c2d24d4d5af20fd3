//! The words of an answer, from the tokens of the model to what is shown and spoken.

pub(crate) mod streamed_reply; // what the user sees and hears
pub(crate) mod loudspeaker; // a model asks to be heard
pub(crate) mod sentence_gate; // tokens to sentences, guarded
pub(crate) mod sentences; // where a sentence ends
pub(crate) mod answer_guard; // sentences that are not true
pub(crate) mod answer_patterns; // how they are recognised
pub(crate) mod outside_orders; // orders in text from outside
pub mod malformed; // malformed-output guard
