//! The place and the languages of the user.

pub(crate) mod user_location; // where the desktop says we are
pub(crate) mod user_languages; // which languages the user speaks
