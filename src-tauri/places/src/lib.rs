//! Towns of at least 15,000 people and their time zones, found by name without a network.
//!
//! Source: GeoNames, CC BY 4.0; see `data/README.md`.

use std::io::Read;
use std::sync::LazyLock;

use icu_normalizer::DecomposingNormalizerBorrowed;

/// A town.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its name, such as `Leeds`.
    pub name: &'static str,
    /// The state or nation within the country, where it tells places of one name apart; may be empty.
    pub region: &'static str,
    /// The country, such as `United Kingdom`.
    pub country: &'static str,
    /// IANA time zone, such as `Europe/London`.
    pub time_zone: &'static str,
}

impl Place {
    /// All of it, such as `Leeds, England, United Kingdom`.
    pub fn label(&self) -> String {
        let parts = [self.name, self.region, self.country];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// The places that fit best, at most `count`; the larger one first where two fit as well. After a comma region or
/// country may follow: `London, Canada`. Case and accents count for nothing.
pub fn find(query: &str, count: usize) -> Vec<Place> {
    let query = folded(query);
    let mut parts = query.split(',').map(str::trim);
    let wanted = parts.next().unwrap_or_default();
    let whereabouts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let is_there = |entry: &Entry| {
        whereabouts.iter().all(|part| {
            folded(entry.place.region).contains(part) || folded(entry.place.country).contains(part)
        })
    };
    let mut found: Vec<(Fit, &Entry)> = ALL
        .iter()
        .filter_map(|entry| Some((entry.fit(wanted)?, entry)))
        .filter(|(_, entry)| is_there(entry))
        .collect();
    // Stable: the entries are sorted by size.
    found.sort_by_key(|(fit, _)| *fit);
    let mut places: Vec<Place> = Vec::new();
    for (_, entry) in found {
        if places.len() == count {
            break;
        }
        if !places.contains(&entry.place) {
            places.push(entry.place.clone());
        }
    }
    places
}

/// How well a name fits, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Same,
    SameAsOtherName,
    Begins,
    OtherNameBegins,
    WordBegins,
}

struct Entry {
    place: Place,
    folded: String,
    /// Folded, separated by `|`.
    other_names: &'static str,
}

impl Entry {
    fn fit(&self, wanted: &str) -> Option<Fit> {
        let mut others = self.other_names.split('|').filter(|name| !name.is_empty());
        if self.folded == wanted {
            Some(Fit::Same)
        } else if others.clone().any(|name| name == wanted) {
            Some(Fit::SameAsOtherName)
        } else if self.folded.starts_with(wanted) {
            Some(Fit::Begins)
        } else if others.any(|name| name.starts_with(wanted)) {
            Some(Fit::OtherNameBegins)
        } else if self.folded.split([' ', '-']).any(|word| word.starts_with(wanted)) {
            Some(Fit::WordBegins)
        } else {
            None
        }
    }
}

static TEXT: LazyLock<String> = LazyLock::new(|| {
    let packed: &[u8] = include_bytes!("../data/places.tsv.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).expect("the packed list is whole");
    text
});

static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| TEXT.lines().filter_map(entry_in).collect());

fn entry_in(line: &'static str) -> Option<Entry> {
    let mut fields = line.split('\t');
    let place = Place {
        name: fields.next()?,
        region: fields.next()?,
        country: fields.next()?,
        time_zone: fields.next()?,
    };
    Some(Entry { folded: folded(place.name), place, other_names: fields.next()? })
}

/// As a search sees it: without case and accents.
fn folded(text: &str) -> String {
    let lower = text.to_lowercase();
    let decomposed = DecomposingNormalizerBorrowed::new_nfd().normalize(&lower);
    decomposed.chars().filter(|c| !matches!(c, '\u{300}'..='\u{36f}')).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::by_name("Leeds", "Leeds, England, United Kingdom")]
    #[case::without_accents("zurich", "Zürich, Switzerland")]
    #[case::by_its_own_name("München", "Munich, Germany")]
    #[case::in_another_script("Москва", "Moscow, Russia")]
    #[case::half_typed("edinb", "Edinburgh, Scotland, United Kingdom")]
    #[case::elsewhere("London, Canada", "London, Canada")]
    #[case::by_state("Springfield, illinois", "Springfield, Illinois, United States")]
    #[case::the_largest_first("paris", "Paris, France")]
    fn a_place_is_found(#[case] query: &str, #[case] expected: &str) {
        assert_eq!(find(query, 8).first().map(Place::label).as_deref(), Some(expected));
    }

    #[rstest]
    #[case::nothing("  ")]
    #[case::nowhere("Xyzzyville")]
    #[case::signs("\u{0}%_'\"--")]
    fn what_is_no_place_is_not_found(#[case] query: &str) {
        assert_eq!(find(query, 8), []);
    }

    #[test]
    fn as_many_are_found_as_are_wanted() {
        assert_eq!(find("san", 8).len(), 8);
    }

    #[test]
    fn every_place_has_a_country_and_a_time_zone_that_is_known() {
        assert!(ALL.len() > 30_000);
        let zones: std::collections::HashSet<&str> = ALL.iter().map(|entry| entry.place.time_zone).collect();
        for zone in zones {
            assert!(jiff::tz::TimeZone::get(zone).is_ok(), "{zone}");
        }
        assert!(ALL.iter().all(|entry| !entry.place.name.is_empty() && !entry.place.country.is_empty()));
    }
}
