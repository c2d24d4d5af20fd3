//! Everything that belongs to one human language, and the language of a text.
//!
//! One folder per language in `data`, with a guide in `README.md`; the build script makes constants of the files, so that
//! nothing is read at run time. [`of`] and [`of_code`] find a language, [`all`] are for callers that do not know it,
//! [`detect`] tells it from a text, and [`messages`] has what Jarvis says in fixed words. Words are compared in the form of
//! [`normalised`]. What a caller makes of the tables of a language it makes in a [`PerLanguage`]. No I/O and no settings in
//! here.

mod tables; // the fields of the files: start here
mod answer_kinds;
mod language_data;
mod word_list;
mod normalisation;
pub mod phrases; // the words of an utterance, compared one by one
mod pattern;
mod data;
mod per_language;
mod measure_ids;
mod measures;
mod ingredients;
mod number_words;
mod detection;
pub mod messages;
#[cfg(test)]
mod reader; // of the build script

pub use answer_kinds::{DialogueQuestion, Introduction, LiveTopic, OwnFact, WorldAction, name_in};
pub use data::NAMES;
pub use detection::{Detection, detect};
pub use ingredients::ingredient;
pub use measure_ids::{INGREDIENTS, MEASURES};
pub use normalisation::{capital, folded, folded_words, is_mark, normalised};
pub use number_words::NumberWords;
pub use pattern::{PatternItem, PatternItemKind, sequences};
pub use per_language::PerLanguage;
pub use tables::{
    AnswerTable, ClockMeaning, CommandCenterWords, DateMeaning, DateTable, LanguageData, List, MeasureNames,
    NarrationWords, PlaceInList, RequestMeaning, RequestTable, SecretWords, SpokenTimerWords, TimeUnit,
    ToolWords, WordList, WordOrder, Writing,
};

use vocabulary::Language;

/// The data of a language; `None` if we have none.
pub fn of(language: &Language) -> Option<&'static LanguageData> {
    of_code(language.code())
}

/// The data of a language by its code, such as `de`; `None` if we have none.
pub fn of_code(code: &str) -> Option<&'static LanguageData> {
    all().iter().find(|data| data.code == code)
}

/// The data of all languages, English first.
pub fn all() -> &'static [LanguageData] {
    &data::ALL
}

/// Returns `true` if a text begins as a request does: with a question word or "set a". Without a language, it may be of
/// any: German "was" is a question word.
pub fn begins_request(text: &str, language: Option<&Language>) -> bool {
    let text = normalised(text);
    let own = language.and_then(of).map(std::slice::from_ref);
    own.unwrap_or(all()).iter().any(|data| {
        data.question_words
            .iter()
            .chain(data.request_openers.iter())
            .any(|phrase| data.begins_with(&text, phrase))
    })
}

/// Returns `true` if a word ends a reply only if nothing else is said.
pub fn is_lone_stop_word(word: &str) -> bool {
    let word = normalised(word);
    all().iter().any(|data| data.lone_stop_words.iter().any(|lone| lone == word))
}

/// Returns `true` if a text points to what was said before: "what do you think", "answer that".
pub fn points_back(text: &str) -> bool {
    let text = normalised(text);
    all().iter().any(|data| data.has_phrase(data.pointing_words, &text))
}

/// Returns `true` if these words follow a name that is talked about, not called: "was slow today". Without a language, they
/// may be of any.
pub fn is_said_of_others(text: &str, language: Option<&Language>) -> bool {
    let text = normalised(text);
    let own = language.and_then(of).map(std::slice::from_ref);
    own.unwrap_or(all())
        .iter()
        .any(|data| data.said_of_others.iter().any(|word| data.begins_with(&text, word)))
}

/// Returns `true` if a word has no meaning of its own: "about", "is". Without a language, it may be of any.
pub fn is_function_word(word: &str, language: Option<&Language>) -> bool {
    let word = normalised(word);
    let own = language.and_then(of).map(std::slice::from_ref);
    own.unwrap_or(all()).iter().any(|data| data.is_function_word(&word))
}

/// Returns `true` if the whole text takes back what was asked: "never mind".
pub fn is_dismissal(text: &str) -> bool {
    let text = normalised(text);
    all().iter().filter_map(|data| data.command_center.as_ref()).any(|own| own.dismissals.contains(&text))
}

/// Returns `true` if a text corrects what was said before: "No, I meant Paris."
pub fn is_correction(text: &str) -> bool {
    let Some((refusal, correction)) = text.split_once([',', '.', '!', ';', '，', '。', '、', '！', '،'])
    else {
        return false;
    };
    !normalised(correction).is_empty() && all().iter().any(|data| data.is_no(refusal))
}

/// Returns `true` if the character ends a sentence in any language; Hindi and Urdu count too, though they have no data.
pub fn is_sentence_end(c: char) -> bool {
    matches!(c, '।' | '۔') || all().iter().any(|data| data.is_sentence_end(c))
}

/// Returns `true` if the word calls somebody by name in any language: "hey".
pub fn is_greeting(word: &str) -> bool {
    let word = normalised(word);
    all().iter().any(|data| data.greetings.contains(&word))
}

/// The words between two requests in one sentence, the longer before the shorter. Languages without a folder have some too.
pub fn conjunctions(language: &Language) -> Option<WordList> {
    let own = of(language).map(|data| data.conjunctions);
    let other = || data::OTHERS.iter().find(|it| it.code == language.code()).map(|it| it.conjunctions);
    own.or_else(other).filter(|conjunctions| !conjunctions.is_empty())
}

#[cfg(test)]
mod tests;
