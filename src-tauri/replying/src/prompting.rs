//! The messages that a model gets.

pub(crate) mod compose; // stage 3: the messages
pub mod profiles; // manners of answering
pub(crate) mod prompt; // system message, lines with the newest message
pub(crate) mod prompts; // the templates
pub mod context; // the line with time and place
pub(crate) mod text_cut;
