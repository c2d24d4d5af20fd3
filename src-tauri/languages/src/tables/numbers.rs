//! The rules for numbers in words, in `words.toml`.

use super::lists::List;

/// The rules for the numbers from 32 to 99, of a ten and a unit, and for the hundreds. `|` stands between alternatives.
#[derive(Debug)]
pub struct NumberComposition {
    pub(crate) tens: Tens,
    /// 200, 300 … 900 if they are words of their own; empty if the unit stands before the word for 100.
    pub(crate) hundreds: List<&'static str>,
    /// Hundreds are joined in writing: "zweihundertfünf".
    pub(crate) is_joined: bool,
    pub(crate) hundred: &'static str,
    pub(crate) thousand: &'static str,
    /// Optional words between hundreds and the rest.
    pub(crate) and: &'static str,
}

/// The order of a ten and a unit, and what joins them.
#[derive(Debug)]
#[allow(dead_code, reason = "the files decide which of them are used")]
pub(crate) enum Tens {
    /// "forty five"
    Juxtaposed,
    /// "cuarenta y cinco"
    With(&'static str),
    /// "fünfundvierzig"; the second joins units that end in a vowel: "tweeënveertig".
    UnitFirst(&'static str, &'static str),
    /// "fyrtiofem"
    Joined,
    /// "quarantacinque", "quarantotto"
    Elided,
    /// "soixante et onze", "quatre-vingt-douze"
    French,
}
