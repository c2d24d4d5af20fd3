//! The names of units of measure, for languages in which Jarvis answers on its own.

mod names; // the fields of a table: start here
mod data;

pub use names::MeasureNames;

/// Ids of the units, grouped by what they measure.
pub const MEASURES: [(&str, &[&str]); 8] = [
    ("time", &["second", "minute", "hour", "day", "week", "year"]),
    ("length", &["millimetre", "centimetre", "metre", "kilometre", "inch", "foot", "yard", "mile"]),
    ("mass", &["milligram", "gram", "kilogram", "tonne", "ounce", "pound", "stone"]),
    (
        "volume",
        &[
            "millilitre",
            "centilitre",
            "decilitre",
            "litre",
            "teaspoon",
            "tablespoon",
            "cup",
            "pint",
            "gallon",
        ],
    ),
    ("temperature", &["celsius", "fahrenheit", "kelvin"]),
    ("speed", &["metre_per_second", "kilometre_per_hour", "mile_per_hour", "knot"]),
    ("area", &["square_metre", "square_kilometre", "hectare", "acre", "square_foot", "square_mile"]),
    ("data", &["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"]),
];

impl MeasureNames {
    /// The names in a language; `None` where we have none.
    pub fn of_code(code: &str) -> Option<&'static Self> {
        data::ALL.iter().find(|names| names.code == code)
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
    use super::*;

    #[test]
    fn every_language_names_every_unit_once() {
        for language in &data::ALL {
            let ids: Vec<&str> = language.iter().map(|(id, _)| id).collect();
            let expected: Vec<&str> = MEASURES.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
            assert_eq!(ids, expected, "{}", language.code);

            let mut names: Vec<&str> = language
                .iter()
                .flat_map(|(_, names)| names.collect::<std::collections::BTreeSet<_>>())
                .collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}: a name of two units", language.code);
        }
    }
}
