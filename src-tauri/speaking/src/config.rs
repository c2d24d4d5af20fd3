//! The checked settings of speaking.

use settings::{AudioSettings, SPEAKING_SPEED, SpeakingSettings};

/// The settings of speaking, checked once, so that no other code checks them again.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeakingConfig {
    /// `true` if replies are spoken.
    pub is_enabled: bool,
    /// `auto`, `system`, or the id of a voice in the catalogue.
    pub voice: String,
    /// The speed as a factor: 1.0 is the usual speed of the voice, 2.0 is twice as fast.
    pub speed: f32,
    /// The volume as a factor: 0.0 is silent, 1.0 is the usual volume of the voice.
    pub volume: f32,
    /// `true` if earcons are played.
    pub earcons: bool,
    /// `true` if a tune is played while we think.
    pub thinking_tune: bool,
    /// The volume of both as a factor: 0.0 is silent, 1.0 is as loud as speech.
    pub earcon_volume: f32,
}

impl Default for SpeakingConfig {
    fn default() -> Self {
        Self {
            is_enabled: true,
            voice: "auto".into(),
            speed: 1.0,
            volume: 1.0,
            earcons: true,
            thinking_tune: true,
            earcon_volume: 0.3,
        }
    }
}

/// A setting that is out of range. The message contains the key, the value and the range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{key} is {value}: use {min} to {max}")]
pub struct SpeakingConfigError {
    key: &'static str,
    value: f64,
    min: f64,
    max: f64,
}

impl TryFrom<(&SpeakingSettings, &AudioSettings)> for SpeakingConfig {
    type Error = SpeakingConfigError;

    fn try_from((speaking, audio): (&SpeakingSettings, &AudioSettings)) -> Result<Self, SpeakingConfigError> {
        Ok(Self {
            is_enabled: speaking.enabled,
            voice: speaking.voice.trim().to_owned(),
            speed: check_range("speaking.speed", speaking.speed, SPEAKING_SPEED)?,
            volume: check_range("audio.volume", audio.volume, 0.0..=1.0)?,
            earcons: speaking.earcons,
            thinking_tune: speaking.thinking_tune,
            earcon_volume: check_range("speaking.earcon_volume", speaking.earcon_volume, 0.0..=1.0)?,
        })
    }
}

/// A speed that every voice can speak at: voices are also called without settings.
pub(crate) fn possible_speed(speed: f32) -> f32 {
    speed.clamp(*SPEAKING_SPEED.start() as f32, *SPEAKING_SPEED.end() as f32)
}

fn check_range(
    key: &'static str,
    value: f64,
    range: std::ops::RangeInclusive<f64>,
) -> Result<f32, SpeakingConfigError> {
    if range.contains(&value) {
        Ok(value as f32)
    } else {
        Err(SpeakingConfigError { key, value, min: *range.start(), max: *range.end() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_out_of_range_is_rejected_with_the_valid_range() {
        let too_fast = SpeakingSettings { speed: 9.0, ..SpeakingSettings::default() };

        let refused = SpeakingConfig::try_from((&too_fast, &AudioSettings::default())).unwrap_err();

        assert_eq!(refused.to_string(), "speaking.speed is 9: use 0.5 to 2.5");
    }

    #[test]
    fn default_settings_give_the_default_config() {
        let config =
            SpeakingConfig::try_from((&SpeakingSettings::default(), &AudioSettings::default())).unwrap();

        assert_eq!(config, SpeakingConfig::default());
    }
}
