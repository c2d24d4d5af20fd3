//! The parts of a [`DataService`].

use std::sync::Arc;

use audio::Microphone;
use hearing::EnrolledVoices;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use settings::{Folders, SecretStore, SettingsFile};
use tokio::sync::Notify;
use vocabulary::Clock;

use super::memory_source::MemorySource;
use super::model_source::ModelSource;
use crate::builder::Choose;
use crate::models_in_use::model_library::ModelLibrary;

/// The parts of a [`DataService`].
pub(crate) struct DataServiceParts {
    pub folders: Folders,
    pub secrets: Arc<dyn SecretStore>,
    pub settings: Arc<SettingsFile>,
    pub clock: Arc<dyn Clock>,
    pub memory: MemorySource,
    pub models: ModelSource,
    pub library: ModelLibrary,
    /// The enrolled voices, for what compares with them.
    pub voices: Arc<EnrolledVoices>,
    /// The microphone to enrol a voice with.
    pub microphone: Choose<dyn Microphone>,
    /// Notified when a secret was changed by a request.
    pub secret_changed: Arc<Notify>,
}

/// Executes requests about the data. Clones share it.
#[derive(Clone)]
pub(crate) struct DataService {
    pub(super) parts: Arc<DataServiceParts>,
}

impl DataService {
    pub fn new(parts: DataServiceParts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    pub(super) fn now_micros(&self) -> i64 {
        self.parts.clock.now().as_microsecond()
    }

    /// The user's time zone: the one in the settings, else the system's.
    pub(super) fn zone(&self) -> TimeZone {
        time_zone(&self.parts.settings.current().location.time_zone)
    }

    /// The user's date now.
    pub(super) fn today(&self) -> Date {
        self.parts.clock.now().to_zoned(self.zone()).date()
    }
}

/// The time zone of this IANA name, or the system's where the name is empty or unknown.
pub(crate) fn time_zone(name: &str) -> TimeZone {
    replying::context::zone_named(Some(name).filter(|name| !name.is_empty()), TimeZone::system)
}
