//! Recall: the part of the memory that a reply uses.

pub mod recall_gate; // is memory searched?
pub(crate) mod memory_retriever; // enrichment
pub(crate) mod personal_question; // does a question ask for what was told?
pub(crate) mod evidence; // does a text answer it?
pub mod digest; // long texts shortened
