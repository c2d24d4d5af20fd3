//! One file per language.

mod arabic;
mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod italian;
mod japanese;
mod korean;
mod polish;
mod portuguese;
mod russian;
mod spanish;
mod turkish;
mod ukrainian;

use crate::language_data::LanguageData;

/// The languages, English first.
pub(crate) static ALL: [LanguageData; 15] = [
    english::ENGLISH,
    german::GERMAN,
    french::FRENCH,
    spanish::SPANISH,
    italian::ITALIAN,
    portuguese::PORTUGUESE,
    dutch::DUTCH,
    polish::POLISH,
    turkish::TURKISH,
    russian::RUSSIAN,
    ukrainian::UKRAINIAN,
    japanese::JAPANESE,
    chinese::CHINESE,
    korean::KOREAN,
    arabic::ARABIC,
];
