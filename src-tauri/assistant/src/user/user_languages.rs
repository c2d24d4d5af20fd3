//! The languages of the user.

use languages::messages::{MessageId, Messages};
use settings::Settings;
use vocabulary::Language;

/// The languages in which the user speaks and writes, as far as they are known: those that the settings name for hearing and for
/// replies, and that of the operating system.
pub(crate) fn user_languages(settings: &Settings) -> Vec<Language> {
    let named = [&settings.hearing.language, &settings.replying.language];
    let named = named.into_iter().filter_map(|language| Language::new(language));
    let mut languages = Vec::new();
    for language in named.chain(language_of_this_system()) {
        if !languages.contains(&language) {
            languages.push(language);
        }
    }
    languages
}

/// The messages of the first of the user's languages that itself has this one; those of English without one.
pub(crate) fn messages_of_user(user: &[Language], message: MessageId) -> &'static Messages {
    let own = user.iter().find_map(|language| Messages::with(Some(language), message));
    own.unwrap_or_else(Messages::english)
}

/// The language that the user prefers on this system: on Linux what `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` or `LANG` says, on
/// Windows and macOS the first language of the system's settings.
pub(crate) fn language_of_this_system() -> Option<Language> {
    first_language(sys_locale::get_locales())
}

/// The first language of these locales. One of no language, such as `C`, overrides those behind it.
fn first_language(locales: impl Iterator<Item = String>) -> Option<Language> {
    locales
        .take_while(|locale| !["C", "POSIX"].contains(&locale.as_str()))
        .find_map(|locale| Language::new(&locale))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::with_a_region(&["de-AT", "en"], Some("de"))]
    #[case::preferred_one_first(&["tr", "de-DE"], Some("tr"))]
    #[case::c_overrides(&["C", "de-DE"], None)]
    #[case::posix_overrides(&["POSIX", "de-DE"], None)]
    #[case::unknown(&[], None)]
    fn system_has_its_first_language(#[case] locales: &[&str], #[case] expected: Option<&str>) {
        let language = first_language(locales.iter().map(|&locale| locale.to_owned()));

        assert_eq!(language.as_ref().map(Language::code), expected);
    }

    #[rstest]
    #[case::of_hearing("de", "auto", &["de"])]
    #[case::of_replies("auto", "tr", &["tr"])]
    #[case::of_both("de", "tr", &["de", "tr"])]
    #[case::same_twice("de", "de", &["de"])]
    fn languages_of_the_settings_come_first(
        #[case] hearing: &str,
        #[case] replying: &str,
        #[case] expected: &[&str],
    ) {
        let mut settings = Settings::default();
        settings.hearing.language = hearing.to_owned();
        settings.replying.language = replying.to_owned();

        let languages = user_languages(&settings);

        let first: Vec<&str> = languages.iter().map(Language::code).take(expected.len()).collect();
        assert_eq!(first, expected);
        assert!(languages.len() <= expected.len() + 1);
    }
}
