//! Which of many tools fit a query.
//!
//! [`ToolIndex`] ranks the tools by words and by meaning without a model call, and tells how sure it is. For the strategy
//! `llm` [`catalogue_lines`] renders all tools for a prompt, and [`names_in_reply`] reads the answer.
//!
//! Source: docs/behaviour/tools.md#selection.

mod strategy; // the choices: start here
mod index; // all of it joined
mod lexical;
mod vectors;
mod paraphrases;
mod words;
mod keyword;
mod prompt;

pub use index::ToolIndex;
pub use keyword::{keyword_names, tokenise};
pub use prompt::{catalogue_lines, first_line, names_in_reply};
pub use strategy::{Confidence, RankedTool, STOP, Selection, TOOL_SEARCH};
pub use words::is_named;
