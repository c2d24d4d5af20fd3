//! The place in the user's words.

use serde::Deserialize;

/// Coordinates with the names of the place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Coordinates {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// Town.
    pub city: String,
    /// State or province.
    pub region: String,
    /// The name of the country.
    pub country: String,
}

impl Coordinates {
    /// Town, region and country; a region with the name of the town is left out.
    pub fn label(&self) -> String {
        let region = if self.region == self.city { "" } else { &self.region };
        let parts = [&*self.city, region, &*self.country];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// A longer answer of a model is a sentence and no place.
const MAX_WORDS: usize = 5;
const MAX_CHARS: usize = 60;

/// Answers of models that mean "there is none".
const NONE: [&str; 10] =
    ["none", "null", "no", "n", "a", "n/a", "unknown", "nothing", "no place", "not specified"];

/// Signs around the place in the answer of a model.
const QUOTES: [char; 12] = ['"', '\'', '`', '“', '”', '‘', '’', '[', ']', '(', ')', '*'];

/// The place that a model named: its first line without quotes, if it is short enough for a name and not a "none".
pub fn accepted_place(answer: &str) -> Option<String> {
    let line = answer.trim().lines().next()?.trim().trim_matches(QUOTES).trim();
    let is_name = !line.is_empty()
        && line.split_whitespace().count() <= MAX_WORDS
        && line.chars().count() <= MAX_CHARS
        && !line.contains('.')
        && !NONE.contains(&line.to_lowercase().as_str());
    is_name.then(|| line.to_owned())
}

/// The name of the town, and the areas after it: "Portland, Oregon".
pub(super) fn name_and_area(written: &str) -> (&str, Vec<String>) {
    let mut parts = written.split(',').map(str::trim).filter(|part| !part.is_empty());
    let town = parts.next().unwrap_or(written);
    (town, parts.map(str::to_lowercase).collect())
}

/// The answer of the geocoding service.
#[derive(Deserialize, Default)]
pub(super) struct GeocodedPlaces {
    #[serde(default)]
    results: Vec<GeocodedPlace>,
}

#[derive(Deserialize)]
struct GeocodedPlace {
    latitude: f64,
    longitude: f64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    admin1: Option<String>,
    #[serde(default)]
    country: Option<String>,
    #[serde(default)]
    country_code: Option<String>,
}

impl GeocodedPlaces {
    /// The first place in all these areas, else the first place.
    pub fn best(self, area: &[String]) -> Option<Coordinates> {
        let index = self.results.iter().position(|place| area.iter().all(|part| place.is_in(part)));
        let place = self.results.into_iter().nth(index.unwrap_or(0))?;
        Some(Coordinates {
            latitude: place.latitude,
            longitude: place.longitude,
            city: place.name,
            region: place.admin1.unwrap_or_default(),
            country: place.country.unwrap_or_default(),
        })
    }
}

impl GeocodedPlace {
    fn is_in(&self, area: &str) -> bool {
        let names = [&self.admin1, &self.country].into_iter().flatten();
        let has_code = self.country_code.as_ref().is_some_and(|code| code.to_lowercase() == area);
        has_code || names.into_iter().any(|name| name.to_lowercase().contains(area))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::quoted("\"Leeds\"\nbecause", Some("Leeds"))]
    #[case::in_brackets("[São Paulo]", Some("São Paulo"))]
    #[case::none("None", None)]
    #[case::sentence("The user did not name any place", None)]
    #[case::full_stop("Leeds.", None)]
    #[case::nothing("  ", None)]
    fn answer_of_a_model_is_a_place_or_nothing(#[case] answer: &str, #[case] expected: Option<&str>) {
        assert_eq!(accepted_place(answer).as_deref(), expected);
    }

    #[rstest]
    #[case::by_area("Portland, Oregon", "Oregon")]
    #[case::by_country_code("Portland, US", "Maine")]
    #[case::unknown_area("Portland, Atlantis", "Maine")]
    fn area_tells_places_of_one_name_apart(#[case] written: &str, #[case] region: &str) {
        let place = |admin1| json!({"name": "Portland", "latitude": 1.0, "longitude": 2.0, "admin1": admin1, "country": "United States", "country_code": "US"});
        let found: GeocodedPlaces =
            serde_json::from_value(json!({"results": [place("Maine"), place("Oregon")]})).unwrap();

        assert_eq!(found.best(&name_and_area(written).1).unwrap().region, region);
    }
}
