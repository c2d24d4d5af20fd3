//! Requests that take several steps.

pub mod plan; // the steps of a reply
pub mod compound; // requests of two parts
