//! Towns of at least 15,000 people and their time zones, found by name or position without a network.
//!
//! Source: GeoNames, CC BY 4.0; see `data/README.md`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

use icu_normalizer::DecomposingNormalizerBorrowed;

/// A town with its time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name, such as `Leeds`.
    pub name: &'static str,
    /// State or nation within the country. Empty unless it distinguishes places with the same name.
    pub region: &'static str,
    /// Country, such as `United Kingdom`.
    pub country: &'static str,
    /// IANA time zone, such as `Europe/London`.
    pub time_zone: &'static str,
}

impl Place {
    /// Name, region and country, such as `Leeds, England, United Kingdom`.
    pub fn label(&self) -> String {
        let parts = [self.name, self.region, self.country];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// The best matches, at most `count`; of equal matches the larger place first. A region or country may follow after a comma:
/// `London, Canada`. Case and accents are ignored.
pub fn find(query: &str, count: usize) -> Vec<Place> {
    let query = normalise(query);
    let mut parts = query.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let area: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    if name.is_empty() {
        return Vec::new();
    }
    let is_in_area = |entry: &Entry| {
        area.iter().all(|part| {
            normalise(entry.place.region).contains(part) || normalise(entry.place.country).contains(part)
        })
    };
    let mut matches: Vec<(Match, &Entry)> = ALL
        .iter()
        .filter_map(|entry| Some((entry.match_with(name)?, entry)))
        .filter(|(_, entry)| is_in_area(entry))
        .collect();
    // A stable sort: the entries are already sorted by size.
    matches.sort_by_key(|(quality, _)| *quality);
    let mut places: Vec<Place> = Vec::new();
    for (_, entry) in matches {
        if places.len() == count {
            break;
        }
        if !places.contains(&entry.place) {
            places.push(entry.place.clone());
        }
    }
    places
}

/// The largest place with exactly this name in any language; "City" at its end may be left out: `New York`. The words may be
/// run together or joined by hyphens, and a region or country may follow after a comma: `Portland, Oregon`.
pub fn named(name: &str) -> Option<Place> {
    /// The number of the largest place of each name, joined.
    static BY_NAME: LazyLock<HashMap<Cow<'static, str>, u32>> = LazyLock::new(|| {
        let mut numbers = HashMap::with_capacity(4 * ALL.len());
        // The entries are sorted by size.
        for (number, entry) in (0..).zip(ALL.iter()) {
            for name in entry.names() {
                numbers.entry(joined(name)).or_insert(number);
            }
        }
        numbers.shrink_to_fit();
        numbers
    });
    let name = normalise(name.trim());
    if let Some((name, area)) = name.split_once(',') {
        return in_area(name.trim(), area.trim());
    }
    let name = joined(&name);
    let city = format!("{name}city");
    let numbers = [name.as_ref(), &city].into_iter().filter_map(|name| BY_NAME.get(name));
    numbers.min().map(|number| ALL[*number as usize].place.clone())
}

/// The largest place with this name in a region or country.
fn in_area(name: &str, area: &str) -> Option<Place> {
    let name = joined(name);
    let is_there = |place: &Place| [place.region, place.country].iter().any(|known| normalise(known) == area);
    let mut known = ALL.iter().filter(|entry| entry.names().any(|known| joined(known) == name));
    known.find(|entry| is_there(&entry.place)).map(|entry| entry.place.clone())
}

/// The name without blanks and hyphens.
fn joined(name: &str) -> Cow<'_, str> {
    match name.contains([' ', '-']) {
        true => Cow::Owned(name.replace([' ', '-'], "")),
        false => Cow::Borrowed(name),
    }
}

/// The nearest place to a position in degrees north and east, within [`FARTHEST_KM`]; `None` at sea and far from towns.
pub fn nearest(latitude: f64, longitude: f64) -> Option<Place> {
    let distance = |entry: &Entry| distance_km((latitude, longitude), entry.position());
    let nearest = ALL.iter().map(|entry| (distance(entry), entry)).min_by(|(a, _), (b, _)| a.total_cmp(b));
    // An unknown position (NaN) is near nothing.
    nearest.filter(|(distance, _)| *distance <= FARTHEST_KM).map(|(_, entry)| entry.place.clone())
}

/// The distance up to which a town says where somebody is. Our own choice: an hour's drive.
pub const FARTHEST_KM: f64 = 80.0;

/// The mean radius of the Earth. Source: IUGG, 6,371.0 km.
const EARTH_RADIUS_KM: f64 = 6_371.0;

/// The distance over ground between two positions in degrees, by the haversine formula.
fn distance_km(from: (f64, f64), to: (f64, f64)) -> f64 {
    let half_sine = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin().powi(2);
    let along = from.0.to_radians().cos() * to.0.to_radians().cos() * half_sine(from.1, to.1);
    2.0 * EARTH_RADIUS_KM * (half_sine(from.0, to.0) + along).sqrt().asin()
}

/// The time zones of a country by its English name; empty when it is unknown.
pub fn zones_of_country(name: &str) -> Vec<&'static str> {
    static BY_COUNTRY: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
        let mut countries: HashMap<&str, Vec<&str>> = HashMap::new();
        for Entry { place, .. } in ALL.iter() {
            let zones = countries.entry(place.country).or_default();
            if !zones.contains(&place.time_zone) {
                zones.push(place.time_zone);
            }
        }
        countries.into_iter().map(|(country, zones)| (normalise(country), zones)).collect()
    });
    BY_COUNTRY.get(&normalise(name.trim())).cloned().unwrap_or_default()
}

/// The way a name matches, the best kind first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Exact,
    OtherNameExact,
    Prefix,
    OtherNamePrefix,
    WordPrefix,
}

struct Entry {
    place: Place,
    /// Hundredths of a degree north and east.
    position: (i16, i16),
    normalised: String,
    /// Normalised, separated by `|`.
    other_names: &'static str,
}

impl Entry {
    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.normalised.as_str())
            .chain(self.other_names.split('|'))
            .filter(|name| !name.is_empty())
    }

    /// Degrees north and east.
    fn position(&self) -> (f64, f64) {
        let (north, east) = self.position;
        (f64::from(north) / 100.0, f64::from(east) / 100.0)
    }

    fn match_with(&self, query: &str) -> Option<Match> {
        let mut others = self.other_names.split('|').filter(|name| !name.is_empty());
        if self.normalised == query {
            Some(Match::Exact)
        } else if others.clone().any(|name| name == query) {
            Some(Match::OtherNameExact)
        } else if self.normalised.starts_with(query) {
            Some(Match::Prefix)
        } else if others.any(|name| name.starts_with(query)) {
            Some(Match::OtherNamePrefix)
        } else if self.normalised.split([' ', '-']).any(|word| word.starts_with(query)) {
            Some(Match::WordPrefix)
        } else {
            None
        }
    }
}

static TEXT: LazyLock<String> = LazyLock::new(|| {
    let compressed: &[u8] = include_bytes!("../data/places.tsv.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(compressed).read_to_string(&mut text).expect("the compressed list is valid");
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
    let position = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Entry { normalised: normalise(place.name), place, position, other_names: fields.next()? })
}

/// The text without case and accents, for comparisons.
fn normalise(text: &str) -> String {
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
    fn best_match_comes_first(#[case] query: &str, #[case] expected: &str) {
        assert_eq!(find(query, 8).first().map(Place::label).as_deref(), Some(expected));
    }

    #[rstest]
    #[case::nothing("  ")]
    #[case::nowhere("Xyzzyville")]
    #[case::signs("\u{0}%_'\"--")]
    fn unknown_place_has_no_match(#[case] query: &str) {
        assert_eq!(find(query, 8), []);
    }

    #[rstest]
    #[case::own_name("tokyo", Some("Asia/Tokyo"))]
    #[case::other_language("Londra", Some("Europe/London"))]
    #[case::without_city("New York", Some("America/New_York"))]
    #[case::run_together("Sanfrancisco", Some("America/Los_Angeles"))]
    #[case::with_hyphens("new-york", Some("America/New_York"))]
    #[case::with_its_state("Portland, Oregon", Some("America/Los_Angeles"))]
    #[case::with_another_state("Portland, Maine", Some("America/New_York"))]
    #[case::in_no_such_state("Portland, Bavaria", None)]
    #[case::half_a_name("Tok", None)]
    #[case::nothing(" ", None)]
    fn exact_name_names_its_largest_place(#[case] name: &str, #[case] expected: Option<&str>) {
        assert_eq!(named(name).map(|place| place.time_zone), expected);
    }

    #[rstest]
    #[case::in_town((53.80, -1.55), Some("Leeds, England, United Kingdom"))]
    #[case::across_the_date_line((-16.78, -179.99), Some("Labasa, Fiji"))]
    #[case::south_and_west((-34.61, -58.38), Some("Buenos Aires, Argentina"))]
    #[case::at_sea((0.0, -30.0), None)]
    #[case::at_the_pole((90.0, 0.0), None)]
    #[case::no_number((f64::NAN, 0.0), None)]
    fn position_names_the_nearest_place(#[case] position: (f64, f64), #[case] expected: Option<&str>) {
        let nearest = nearest(position.0, position.1);

        assert_eq!(nearest.as_ref().map(Place::label).as_deref(), expected);
    }

    #[test]
    fn country_names_its_time_zones() {
        assert_eq!(zones_of_country("japan"), ["Asia/Tokyo"]);
        assert!(zones_of_country("Australia").len() > 3);
        assert!(zones_of_country("Nowhere").is_empty());
    }

    #[test]
    fn number_of_matches_is_limited() {
        assert_eq!(find("san", 8).len(), 8);
    }

    #[test]
    fn every_place_has_a_country_and_a_known_time_zone() {
        assert!(ALL.len() > 30_000);
        let zones: std::collections::HashSet<&str> = ALL.iter().map(|entry| entry.place.time_zone).collect();
        for zone in zones {
            assert!(jiff::tz::TimeZone::get(zone).is_ok(), "{zone}");
        }
        assert!(ALL.iter().all(|entry| !entry.place.name.is_empty() && !entry.place.country.is_empty()));
    }
}
