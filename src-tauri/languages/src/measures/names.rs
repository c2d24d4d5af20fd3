//! What the table of a language contains.

/// The names of the units in one language.
#[derive(Debug)]
pub struct MeasureNames {
    /// ISO 639-1.
    pub code: &'static str,
    /// For each id of `MEASURES` the singular, the plural, and other names, with `|` between them.
    pub(super) names: &'static [(&'static str, &'static str)],
}
