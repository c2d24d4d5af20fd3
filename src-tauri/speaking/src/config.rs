//! What the user wrote, checked once.

use settings::{AudioSettings, SpeakingSettings};

/// The slowest and fastest speech that can still be understood.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.5..=3.0;

/// What the voice runs on.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeakingConfig {
    /// Speak at all.
    pub is_enabled: bool,
    /// `auto`, `system`, or the id of a voice in the catalogue.
    pub voice: String,
    /// 1.0 is the voice's own pace, 2.0 twice as fast.
    pub speed: f32,
    /// 0.0 is silent, 1.0 as loud as the voice is.
    pub volume: f32,
}

impl Default for SpeakingConfig {
    fn default() -> Self {
        Self { is_enabled: true, voice: "auto".into(), speed: 1.0, volume: 1.0 }
    }
}

/// A setting that cannot be. Names the key, the value and what would do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{key} is {value}: use {lowest} to {highest}")]
pub struct OutOfRange {
    key: &'static str,
    value: f64,
    lowest: f64,
    highest: f64,
}

impl TryFrom<(&SpeakingSettings, &AudioSettings)> for SpeakingConfig {
    type Error = OutOfRange;

    fn try_from((speaking, audio): (&SpeakingSettings, &AudioSettings)) -> Result<Self, OutOfRange> {
        Ok(Self {
            is_enabled: speaking.enabled,
            voice: speaking.voice.trim().to_owned(),
            speed: checked("speaking.speed", speaking.speed, SPEEDS)?,
            volume: checked("audio.volume", audio.volume, 0.0..=1.0)?,
        })
    }
}

fn checked(key: &'static str, value: f64, range: std::ops::RangeInclusive<f64>) -> Result<f32, OutOfRange> {
    if range.contains(&value) {
        Ok(value as f32)
    } else {
        Err(OutOfRange { key, value, lowest: *range.start(), highest: *range.end() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_refused_with_what_would_do() {
        let too_fast = SpeakingSettings { speed: 9.0, ..SpeakingSettings::default() };

        let refused = SpeakingConfig::try_from((&too_fast, &AudioSettings::default())).unwrap_err();

        assert_eq!(refused.to_string(), "speaking.speed is 9: use 0.5 to 3");
    }

    #[test]
    fn the_defaults_of_the_settings_are_the_defaults_here() {
        let config =
            SpeakingConfig::try_from((&SpeakingSettings::default(), &AudioSettings::default())).unwrap();

        assert_eq!(config, SpeakingConfig::default());
    }
}
