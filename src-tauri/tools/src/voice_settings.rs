//! The port to the settings of the assistant's own voice.

use std::error::Error;

use async_trait::async_trait;

/// The voice of the assistant: its volume, on or off.
#[async_trait]
pub trait VoiceSettings: Send + Sync {
    /// The volume in per cent, 0 to 100.
    fn volume_percent(&self) -> u8;

    /// Changes the volume, now and for later.
    ///
    /// # Errors
    ///
    /// The settings could not be written.
    async fn set_volume_percent(&self, percent: u8) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// Turns the voice off, or on again.
    ///
    /// # Errors
    ///
    /// The settings could not be written.
    async fn set_muted(&self, muted: bool) -> Result<(), Box<dyn Error + Send + Sync>>;
}
