//! The place of this computer, as the desktop tells it.

use serde::Serialize;
use ts_rs::TS;

/// Knowledge about the place of this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum LocationView {
    /// The settings name a place, or do not allow to ask.
    NotAsked,
    /// The desktop has been asked.
    Looking,
    /// A town.
    Found {
        /// Name, region and country.
        place: String,
    },
    /// There is none.
    Failed {
        /// A sentence for the user.
        reason: String,
    },
}
