//! Search: by words, by meaning, and both at once.

pub(crate) mod recall;
mod second_hop; // search by the names in the first results
mod names; // the names in a text
mod diary_days; // days with a keyword
pub(crate) mod words; // full-text search
pub(crate) mod vectors; // search by meaning
pub(crate) mod embeddings; // which items still need a vector
pub(crate) mod indexed_text;
pub(crate) mod items;
pub(crate) mod normalise;
