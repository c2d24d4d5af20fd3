//! When the intent judge may be asked.

use std::time::{Duration, Instant};

/// The time that a judge that could not be reached is not asked again. Source: docs/behaviour/listening.md#intent-judge.
const BACK_OFF: Duration = Duration::from_secs(30);

/// The reason why the intent judge gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// No connection to the model.
    #[error("the intent judge cannot be reached")]
    Unreachable,
    /// The model failed, or refused the request.
    #[error("the intent judge failed")]
    Failed,
    /// No answer in time.
    #[error("the intent judge did not answer in time")]
    TooSlow,
}

/// Remembers that the judge could not be reached. Slow and failed answers do not count.
#[derive(Debug, Default)]
pub(crate) struct JudgeAvailability {
    retry_at: Option<Instant>,
}

impl JudgeAvailability {
    pub fn is_available(&self, now: Instant) -> bool {
        self.retry_at.is_none_or(|retry_at| retry_at <= now)
    }

    pub fn note_error(&mut self, error: JudgeError, now: Instant) {
        if error == JudgeError::Unreachable {
            self.retry_at = Some(now + BACK_OFF);
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::unreachable(JudgeError::Unreachable, 29, false)]
    #[case::unreachable_half_a_minute_ago(JudgeError::Unreachable, 30, true)]
    #[case::failed(JudgeError::Failed, 0, true)]
    #[case::too_slow(JudgeError::TooSlow, 0, true)]
    fn only_an_unreachable_judge_is_left_alone(
        #[case] error: JudgeError,
        #[case] secs: u64,
        #[case] expected: bool,
    ) {
        let now = Instant::now();
        let mut availability = JudgeAvailability::default();

        availability.note_error(error, now);

        assert_eq!(availability.is_available(now + Duration::from_secs(secs)), expected);
    }
}
