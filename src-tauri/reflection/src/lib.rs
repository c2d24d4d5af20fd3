//! Asks a language model to write the diary, extract facts from the dialogue, and maintain both.
//!
//! A pass takes plain values (dialogue, facts of a node, rows of the diary), asks a language model once per step through
//! the port [`llm::ChatModel`], and returns a typed outcome. Every call has a time limit and can be cancelled. The model's
//! answer is never trusted: a pure parser reads it, and an unusable answer neither deletes nor invents anything.
//! [`Reflection`] connects the passes with the memory: it reads the input of a pass and stores its outcome, unless the
//! input was changed or forgotten meanwhile. No SQL, no clock (times are passed in), no sound.
//!
//! Source: docs/behaviour/memory.md and docs/behaviour/tools.md#meals. The prompts are ours.

mod reflection; // connects the passes with the memory: start here
mod retries; // counts failures of the model, so that one message cannot block the others
mod writing; // writes the pending dialogue into the diary
mod learning; // extracts facts from it and stores them in the graph
mod maintenance; // batch passes over diary and graph, started by the user
mod importing; // extracts facts from an imported diary
mod chunks; // dialogue in batches that fit into the model's context
mod diary; // writes one diary entry
mod facts; // extracts facts
mod placing; // chooses the node of a fact
mod merging; // merges new facts into those of a node
mod consolidating; // merges the facts of a node without new ones
mod splitting; // splits a long node
pub mod batch_passes; // batch passes over the rows of the diary
pub mod meals; // reads meals
mod narration; // how models write about user and assistant, in each language
mod normalising; // when two facts are equal
mod grounding; // how much of a text comes from its sources
mod examples; // few-shot examples for the prompts
mod language; // detects the user's language
mod fencing; // marks untrusted data in prompts
mod answers; // JSON and code fences in the model's answers
mod asking; // one question to a model, with limits
mod error;

pub use answers::strip_code_fence;
pub use chunks::Chunk;
pub use consolidating::{ConsolidationEvent, ConsolidationOutcome, NodeFacts, consolidate};
pub use diary::{
    DIARY_LIMIT, DIARY_LIMIT_AT_SHUTDOWN, DiaryEntry, DiaryOutcome, DiaryRequest, parse_summary_reply,
    summarise,
};
pub use error::ReflectionError;
pub use facts::{ExtractedFact, Extraction, extract, parse_extraction};
pub use importing::ImportEvent;
pub use language::detect_language;
pub use learning::{LearnedFact, LearningOutcome};
pub use maintenance::Mode;
pub use merging::{
    DroppedFact, FactSource, MergeAnswer, MergeOutcome, MergeRejection, MergedFacts, MergedLine, Replacement,
    extract_facts_object, merge, read_merge,
};
pub use normalising::{normalise_fact, split_data_lines};
pub use placing::{NodeTree, choose_node, pick_best_child};
pub use reflection::{PassContext, Reflection};
pub use splitting::{Category, Split, SplitRejection, split};
pub use writing::{CONVERSATION_SOURCE, DiaryUpdate, PendingDiary};
