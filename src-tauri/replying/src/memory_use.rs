//! What the memory adds to a reply.

pub mod recall_gate; // is memory searched?
pub(crate) mod memory_retriever; // enrichment
pub(crate) mod personal_question; // does a question ask for what was told?
pub(crate) mod evidence; // does a text answer it?
pub mod digest; // long texts shortened
