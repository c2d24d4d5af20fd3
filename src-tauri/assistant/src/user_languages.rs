//! The languages of the user.

use settings::Settings;
use vocabulary::Language;

/// The languages in which the user speaks and writes, as far as they are known: the one that the settings name, and that of
/// the operating system.
pub(crate) fn user_languages(settings: &Settings) -> Vec<Language> {
    let mut languages: Vec<Language> = Language::new(&settings.hearing.language).into_iter().collect();
    languages.extend(language_of_this_system().filter(|language| !languages.contains(language)));
    languages
}

/// The language of the operating system.
pub(crate) fn language_of_this_system() -> Option<Language> {
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
        .and_then(|locale| Language::new(locale.split('.').next()?))
}
