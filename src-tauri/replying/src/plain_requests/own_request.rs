//! Requests that only this machine can answer, whoever answers the others.

use vocabulary::Language;

use crate::config::ReplyingConfig;
use crate::plain_requests::fast_path::recognise;
use crate::plain_requests::routine::started_routine;

/// Returns `true` for a text that starts a routine of the user, or undoes the newest change that was made here.
pub fn is_own_request(text: &str, config: &ReplyingConfig, language: Option<&Language>) -> bool {
    let data = language.and_then(languages::of).unwrap_or(&languages::all()[0]);
    let starts_routine = started_routine(text, &config.routines, data, &config.name).is_some();
    let undoes = || {
        recognise(text, language, &[&config.name])
            .is_some_and(|calls| matches!(&calls[..], [call] if call.undoes()))
    };
    starts_routine || undoes()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::{RoutineSettings, Settings};

    use super::*;

    #[rstest]
    #[case::routine("good night", "en", true)]
    #[case::routine_with_the_name("Jarvis, good night", "en", true)]
    #[case::undo("undo that", "en", true)]
    #[case::undo_in_german("mach das rückgängig", "de", true)]
    #[case::question("what is the weather like?", "en", false)]
    #[case::other_request("set a timer for ten minutes", "en", false)]
    fn routines_and_undoing_are_for_this_machine(
        #[case] text: &str,
        #[case] language: &str,
        #[case] expected: bool,
    ) {
        let mut settings = Settings::default();
        let routine = RoutineSettings {
            phrases: vec!["good night".to_owned()],
            commands: vec!["stop all timers".to_owned()],
        };
        settings.routines.list.insert("night".to_owned(), routine);
        let config = ReplyingConfig::try_from(&settings).unwrap();

        assert_eq!(is_own_request(text, &config, Language::new(language).as_ref()), expected);
    }
}
