//! The names of units of measure, for languages in which Jarvis answers on its own.

use crate::tables::MeasureNames;

impl MeasureNames {
    /// The names in a language; `None` if we have none.
    pub fn of_code(code: &str) -> Option<&'static Self> {
        crate::of_code(code)?.measures.as_ref()
    }

    /// Each id with all its names: singular, plural, then others.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, std::str::Split<'static, char>)> {
        self.names.iter().map(|(id, names)| (*id, names.split('|')))
    }

    /// Singular and plural of a unit; `None` for an unknown id.
    pub fn forms(&self, id: &str) -> Option<(&'static str, &'static str)> {
        let (_, mut names) = self.iter().find(|(known, _)| *known == id)?;
        let singular = names.next()?;
        Some((singular, names.next().unwrap_or(singular)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_for_two_units_of_a_language() {
        for data in crate::all() {
            let Some(measures) = &data.measures else { continue };
            let mut names: Vec<&str> =
                measures.iter().flat_map(|(_, names)| names.collect::<BTreeSet<_>>()).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();

            assert_eq!(names.len(), count, "{}: a name of two units", data.code);
        }
    }
}
