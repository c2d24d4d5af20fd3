//! Questions to models besides the answer itself: short questions, each with its own prompt and parser.
//!
//! All of them fall open: without an answer the reply goes on as if the question had not been asked.
//!
//! Source: docs/behaviour/replying.md.

mod role_call; // one short call: start here
mod router; // which tools fit
mod profile_router; // which profile answers
mod planner; // which steps
mod combined; // both, and memory, in one call
mod extractor; // what to search memory for
mod place; // the place that a request is about
mod resolver; // a step of the plan as a call
mod digests; // long texts shortened
mod explanation; // why there is no answer

pub use combined::{CombinedAnswer, PreparationResult, prepare_combined};
pub use digests::{Digest, digest_activity, digest_memory, digest_result};
pub use explanation::explain;
pub use extractor::{SearchTerms, extract_search_terms, question_answered_by};
pub use place::ModelPlaceReader;
pub use planner::make_plan;
pub use profile_router::choose_profile;
pub use resolver::{PriorResult, resolve_step};
pub use role_call::{ModelTask, RoleModels};
pub use router::route;
