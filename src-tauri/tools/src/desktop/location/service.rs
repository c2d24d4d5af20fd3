//! The port to the location service of a desktop.

use async_trait::async_trait;

/// A position on the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
}

impl Position {
    /// A position that is one, else `None`: services have sent zeros and numbers beyond the poles.
    pub fn new(latitude: f64, longitude: f64) -> Option<Self> {
        let is_valid = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
        let is_nowhere = latitude == 0.0 && longitude == 0.0;
        (is_valid && !is_nowhere).then_some(Self { latitude, longitude })
    }
}

/// The position is not known. Each is a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// There is no such service.
    #[error("This desktop has no location service. Choose your place from the list.")]
    Unavailable,
    /// The user said no, now or in the settings of the desktop.
    #[error(
        "The desktop does not tell Jarvis where it is. Allow it in the privacy settings of the desktop, then try again."
    )]
    Refused,
    /// The service knows no position.
    #[error(
        "The desktop does not know where this computer is. Try again later, or choose your place from the list."
    )]
    Unknown,
    /// The setting `web.offline` is on, and the service may ask the network.
    #[error("Jarvis is set to work offline, so the desktop was not asked.")]
    Offline,
    /// The service failed.
    #[error(
        "The location service of the desktop failed: {0}. Try again later, or choose your place from the list."
    )]
    Failed(String),
}

/// The port to the location service.
#[async_trait]
pub trait LocationService: Send + Sync {
    /// The position of this computer, as precise as a town. May take as long as the user thinks about it.
    ///
    /// # Errors
    ///
    /// [`LocationError`].
    async fn position(&self) -> Result<Position, LocationError>;
}
