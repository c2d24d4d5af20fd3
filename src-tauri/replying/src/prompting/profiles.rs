//! Profiles: manners of answering, each with the tools that belong to it. Without them one persona answers everything.
//!
//! Source: docs/behaviour/replying.md#profiles. The words are ours.

use settings::Profile;

/// Tools that only the profile `life` has. All others, those of servers too, are in every profile.
const ONLY_IN_LIFE: [&str; 3] = ["logMeal", "fetchMeals", "deleteMeal"];

/// The tool that changes the profile. Without profiles nothing offers it.
pub(crate) const SWITCH_PROFILE: &str = "switchProfile";

/// The profile of a name.
pub(crate) fn profile_named(name: &str) -> Option<Profile> {
    Profile::ALL.iter().copied().find(|profile| profile.value() == name.trim())
}

/// The manner of a profile and the instructions of a caller: a part of the system message, which may be empty.
pub(crate) fn manner(profile: Option<Profile>, instructions: Option<&str>) -> String {
    let parts: Vec<&str> = profile.map(style).into_iter().chain(instructions).collect();
    parts.join("\n\n")
}

fn style(profile: Profile) -> &'static str {
    match profile {
        Profile::Developer => include_str!("../../prompts/profile_developer.md").trim_ascii_end(),
        Profile::Business => include_str!("../../prompts/profile_business.md").trim_ascii_end(),
        Profile::Life => include_str!("../../prompts/profile_life.md").trim_ascii_end(),
    }
}

/// Returns `true` if a tool may be used with this profile, or without profiles.
pub(crate) fn is_allowed(profile: Option<Profile>, tool: &str) -> bool {
    match profile {
        Some(profile) => profile == Profile::Life || !ONLY_IN_LIFE.contains(&tool),
        None => tool != SWITCH_PROFILE,
    }
}

/// The active profile that a model's answer names: exactly, else somewhere in it.
pub fn profile_in_answer(answer: &str, active: &[Profile]) -> Option<Profile> {
    let answer = answer.trim().to_lowercase();
    let exact = active.iter().find(|profile| profile.value() == answer);
    exact.or_else(|| active.iter().find(|profile| answer.contains(profile.value()))).copied()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::exact("business", Some(Profile::Business))]
    #[case::upper_case(" Life\n", Some(Profile::Life))]
    #[case::in_a_sentence("I would take the developer profile.", Some(Profile::Developer))]
    #[case::not_active("none of them", None)]
    #[case::empty("", None)]
    fn answer_names_a_profile(#[case] answer: &str, #[case] expected: Option<Profile>) {
        assert_eq!(profile_in_answer(answer, Profile::ALL), expected);
    }

    #[test]
    fn inactive_profile_is_not_chosen() {
        assert_eq!(profile_in_answer("life", &[Profile::Developer]), None);
    }

    #[rstest]
    #[case::meals_in_life(Some(Profile::Life), "logMeal", true)]
    #[case::meals_at_work(Some(Profile::Business), "logMeal", false)]
    #[case::meals_of_a_developer(Some(Profile::Developer), "deleteMeal", false)]
    #[case::memory_in_each(Some(Profile::Developer), "searchMemory", true)]
    #[case::timers_in_each(Some(Profile::Business), "setTimer", true)]
    #[case::servers_in_each(Some(Profile::Business), "files__read", true)]
    #[case::switching(Some(Profile::Business), "switchProfile", true)]
    #[case::meals_without_profiles(None, "logMeal", true)]
    #[case::switching_without_profiles(None, "switchProfile", false)]
    fn profile_has_its_tools(#[case] profile: Option<Profile>, #[case] tool: &str, #[case] expected: bool) {
        assert_eq!(is_allowed(profile, tool), expected);
    }
}
