//! The decision about one utterance, as pure functions of plain values: [`assess`] applies the rules that come before the
//! intent judge, [`conclude`] those that come after it. Both hold no clock, no channel and no model.
//!
//! Source: docs/behaviour/listening.md#decision: a stop word counts unless our own voice said it.

mod values; // start here
mod assessment;
mod conclusion;

pub use assessment::assess;
pub use conclusion::conclude;
pub use values::{
    Assessment, Decision, DecisionRules, EchoSign, IgnoreReason, Judgement, NextStep, Situation,
};
