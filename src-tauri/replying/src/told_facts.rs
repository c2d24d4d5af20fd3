//! Facts and appointments that users tell, read by rules.

pub(crate) mod introductions; // what users say about themselves
pub(crate) mod own_facts; // what they say about people and things of theirs
pub(crate) mod told_appointments; // what they have at a time
pub(crate) mod to_remember; // requests to remember something
