//! Turns what was said into what is known: the diary, the facts, and their upkeep.
//!
//! A pass takes plain values (what was said, lines of a node, rows of the diary), asks a language model once per step
//! through its port [`llm::ChatModel`], and gives a typed outcome. Every call has a time limit and ends with its token.
//! What the model answers is never trusted: a pure parser reads it, and an answer that makes no sense loses nothing and
//! invents nothing. [`Reflection`] joins the passes with the memory: it reads what a pass needs and stores what comes of
//! it, unless that was changed or forgotten meanwhile. No SQL, no clock (times are passed in), no sound.
//!
//! Source: behaviour reference, sections 3 and 4.7. The prompts are ours.

mod reflection; // the passes joined with the memory: start here
mod attempts; // that were in vain
mod writing; // the diary of what was said since the last time
mod learning; // facts of it, kept in the graph
mod maintenance; // started by the user
mod importing; // facts of a diary from elsewhere
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
mod examples; // what a model is shown
mod language; // which one the user speaks
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
pub use facts::{Extracted, Extraction, extract, parse_extraction};
pub use folding::{estimate_tokens, node_contains_fact, normalise_fact, split_data_lines};
pub use importing::ImportEvent;
pub use language::language_of;
pub use learning::{LearnedFact, Learning};
pub use maintenance::Mode;
pub use merging::{
    Dropped, MergeAnswer, MergeOutcome, MergeRejection, Merged, MergedLine, Replacement, Source,
    extract_facts_object, merge, read_merge,
};
pub use placing::{PlaceNode, pick_best_child, place};
pub use reading::strip_code_fence;
pub use reflection::{PassContext, Reflection};
pub use splitting::{Category, SPLIT_ABOVE_TOKENS, Split, SplitRejection, parse_split, split};
pub use talk::Chunk;
pub use writing::{CONVERSATION, Pending, Written};
