//! Turns what was said into what is known: the diary, the facts, and their upkeep.
//!
//! Plain values come in (what was said, lines of a node, rows of the diary), a language model is asked once per step
//! through its port [`llm::ChatModel`], and a typed outcome goes out for the caller to store. Every call has a time
//! limit and ends with its token. What the model answers is never trusted: a pure parser reads it, and an answer that
//! makes no sense loses nothing and invents nothing. No SQL, no clock (dates are passed in), no sound.
//!
//! Source: behaviour reference, sections 3 and 4.7. The prompts are ours.

mod talk; // what was said, in batches that fit: what most passes begin with
mod diary; // what was said today, as an entry
mod facts; // what is worth knowing for good
mod placing; // where a fact belongs
mod merging; // facts that are there already, and new ones
mod consolidating; // the same without new ones
mod splitting; // a node that has grown too long
pub mod sweeps; // upkeep of the whole diary, started by the user
pub mod meals; // what was eaten
mod folding; // when two facts are one
mod grounding; // whether a text says only what its sources say
mod fencing; // data that must not be read as orders
mod reading; // what can be read from an answer
mod asking; // one bounded question to a model
mod error;

pub use consolidating::{Consolidated, ConsolidationEvent, NodeLines, consolidate, consolidate_all};
pub use diary::{
    DIARY_LIMIT, DIARY_LIMIT_AT_SHUTDOWN, DiaryEntry, DiaryOutcome, DiaryRequest, parse_summary_reply,
    summarise,
};
pub use error::ReflectionError;
pub use facts::{Branch, Extracted, Extraction, extract, parse_extraction};
pub use folding::{estimate_tokens, node_contains_fact, normalise_fact, split_data_lines};
pub use merging::{
    Dropped, MergeAnswer, MergeOutcome, Merged, MergedLine, Replacement, Source, WhyNot,
    extract_facts_object, merge, read_merge,
};
pub use placing::{PlaceNode, pick_best_child, place};
pub use reading::strip_code_fence;
pub use splitting::{Category, SPLIT_ABOVE_TOKENS, Split, WhyWhole, parse_split, split};
pub use talk::{Chunk, Speaker};
