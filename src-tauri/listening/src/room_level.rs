//! The level of the room while nobody speaks.

use std::collections::VecDeque;

/// Levels that are remembered: five seconds, at ten levels a second.
const LEVELS: usize = 50;

/// The share of the levels that are as quiet as the room or quieter. A question fills most of the seconds before its
/// reply, but the pause that ends it and the pauses between its words are as loud as the room.
const QUIET_SHARE: f32 = 0.2;

/// The assumed loudness of a room that was not measured, root mean square. Source: docs/behaviour/listening.md#echo.
const ASSUMED_RMS: f32 = 0.0045;

/// Microphones are louder than this, root mean square: -80 dBFS. A quieter one is switched off, or a file.
const MIN_RMS: f32 = 0.0001;

/// The newest levels of the microphone.
#[derive(Default)]
pub(crate) struct RoomLevel {
    /// Root mean squares, the oldest first.
    levels: VecDeque<f32>,
}

impl RoomLevel {
    /// Adds a level in decibels relative to full scale.
    pub fn push(&mut self, dbfs: f32) {
        if self.levels.len() == LEVELS {
            self.levels.pop_front();
        }
        self.levels.push_back(10_f32.powf(dbfs / 20.0));
    }

    /// The loudness of the room, root mean square.
    pub fn rms(&self) -> f32 {
        let mut levels: Vec<f32> = self.levels.iter().copied().collect();
        levels.sort_by(f32::total_cmp);
        let quiet = levels.get((levels.len() as f32 * QUIET_SHARE) as usize);
        quiet.copied().filter(|rms| *rms >= MIN_RMS).unwrap_or(ASSUMED_RMS)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing_measured(&[], ASSUMED_RMS)]
    #[case::microphone_without_sound(&[(f32::NEG_INFINITY, 50)], ASSUMED_RMS)]
    #[case::quiet_room(&[(-60.0, 50)], 0.001)]
    #[case::room_with_a_fan(&[(-40.0, 50)], 0.01)]
    #[case::quiet_room_after_a_question(&[(-60.0, 12), (-20.0, 38)], 0.001)]
    #[case::fan_that_was_switched_on(&[(-60.0, 50), (-40.0, 50)], 0.01)]
    fn loudness_of_the_room_is_measured_between_words(
        #[case] levels: &[(f32, usize)],
        #[case] expected: f32,
    ) {
        let mut room = RoomLevel::default();

        for (dbfs, count) in levels {
            (0..*count).for_each(|_| room.push(*dbfs));
        }

        assert!((room.rms() - expected).abs() < 1e-6, "{}", room.rms());
    }
}
