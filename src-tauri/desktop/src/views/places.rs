//! Towns, for the setting of the user's place.

use assistant::places::Place;
use serde::Serialize;
use ts_rs::TS;

/// A town.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlaceView {
    pub name: String,
    /// State or nation; may be empty.
    pub region: String,
    pub country: String,
    /// IANA name.
    pub time_zone: String,
    /// Name, region and country, as the prompt has them.
    pub label: String,
}

impl From<Place> for PlaceView {
    fn from(place: Place) -> Self {
        Self {
            label: place.label(),
            name: place.name.to_owned(),
            region: place.region.to_owned(),
            country: place.country.to_owned(),
            time_zone: place.time_zone.to_owned(),
        }
    }
}
