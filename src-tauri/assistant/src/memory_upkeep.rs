//! The memory of the user between replies: its files, its diary and its maintenance.

pub(crate) mod memory_files; // where the memory is, and its key
pub(crate) mod memory_findings; // what an examination of the memory found
pub(crate) mod diary_scheduler; // when the diary is written
pub(crate) mod upkeep; // maintenance of memory in the background
