//! The state that people see, derived from all that goes on. Pure.

use vocabulary::AssistantState;

/// All that goes on at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Activity {
    /// The user muted the microphone.
    pub is_muted: bool,
    /// The user speaks.
    pub somebody_speaks: bool,
    /// A follow-up needs no wake word.
    pub is_hot: bool,
    /// A reply is under way.
    pub is_replying: bool,
    /// Our voice can be heard.
    pub is_speaking: bool,
    /// A part does not work.
    pub has_trouble: bool,
}

impl Activity {
    /// The state, most important first.
    pub fn state(self) -> AssistantState {
        match self {
            Self { is_speaking: true, .. } => AssistantState::Speaking,
            Self { is_replying: true, .. } => AssistantState::Thinking,
            Self { is_muted: true, .. } => AssistantState::Muted,
            Self { somebody_speaks: true, .. } | Self { is_hot: true, .. } => AssistantState::Listening,
            Self { has_trouble: true, .. } => AssistantState::Error,
            _ => AssistantState::Idle,
        }
    }
}

/// Returns `true` if nobody speaks or waits for an answer.
pub(crate) fn is_quiet(state: AssistantState) -> bool {
    matches!(state, AssistantState::Idle | AssistantState::Muted | AssistantState::Error)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing(Activity::default(), AssistantState::Idle)]
    #[case::voice_before_all(Activity { is_speaking: true, is_replying: true, is_muted: true, ..Activity::default() }, AssistantState::Speaking)]
    #[case::typed_while_muted(Activity { is_replying: true, is_muted: true, ..Activity::default() }, AssistantState::Thinking)]
    #[case::muted_hears_nobody(Activity { is_muted: true, is_hot: true, ..Activity::default() }, AssistantState::Muted)]
    #[case::follow_up_welcome(Activity { is_hot: true, has_trouble: true, ..Activity::default() }, AssistantState::Listening)]
    #[case::trouble(Activity { has_trouble: true, ..Activity::default() }, AssistantState::Error)]
    fn most_important_activity_decides_the_state(
        #[case] activity: Activity,
        #[case] expected: AssistantState,
    ) {
        assert_eq!(activity.state(), expected);
    }
}
