//! Sentences that pass over what the tools have read.
//!
//! "The calendar is a list of appointments" is no answer when the calendar was read: a small model words the question
//! again, or says that it cannot look.

use languages::{LanguageData, folded_words};

use crate::answer_text::answer_patterns::patterns_of;

/// The least number of characters of a word that tells something. Numbers always do.
const SHORTEST_WORD: usize = 3;

/// The least number of equal characters at the beginning of two forms of one word: "deliver" and "delivery".
const STEM: usize = 5;

/// Returns `true` if a sentence has nothing of what the results tell beyond the question. It is judged only if the
/// results tell something new, in a language that is known here and not another one than that of the sentence: in a
/// translation nothing could be found again. A question, and a yes or no, pass over nothing.
pub(super) fn passes_over(
    sentence: &str,
    results: &str,
    question: &[String],
    languages: &[&'static LanguageData],
) -> bool {
    let language = |text| languages::detect(text).map(|found| found.language);
    let Some(of_results) = language(results) else { return false };
    let is_known = languages.iter().any(|data| data.language() == of_results && patterns_of(data).is_some());
    let is_translated = language(sentence).is_some_and(|of_sentence| of_sentence != of_results);
    if !is_known
        || is_translated
        || sentence.trim_end().ends_with('?')
        || begins_with_yes_or_no(sentence, languages)
    {
        return false;
    }
    let tells = |word: &String| {
        has_digit(word)
            || (word.chars().count() >= SHORTEST_WORD
                && !languages.iter().any(|data| data.is_function_word(word)))
    };
    let is_in = |words: &[String], word: &String| words.iter().any(|known| is_same_word(known, word));
    let mut news = folded_words(results);
    news.retain(|word| tells(word) && !is_in(question, word));
    let said = folded_words(sentence);
    !news.is_empty() && !said.iter().any(|word| tells(word) && is_in(&news, word))
}

fn begins_with_yes_or_no(sentence: &str, languages: &[&'static LanguageData]) -> bool {
    let word = sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let part = sentence.split([',', ';', ':', '.', '!', '–', '—']).next();
    let beginnings = || word.into_iter().chain(part);
    languages.iter().any(|data| beginnings().any(|it| data.is_yes(it) || data.is_no(it)))
}

fn has_digit(word: &str) -> bool {
    word.chars().any(char::is_numeric)
}

/// Returns `true` for two forms of a word, and for "09" and "9".
fn is_same_word(one: &str, other: &str) -> bool {
    if has_digit(one) || has_digit(other) {
        return one.trim_start_matches('0') == other.trim_start_matches('0');
    }
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let shorter = one.chars().count().min(other.chars().count());
    common >= STEM.min(shorter)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const CALENDAR: &str = "09:30 dentist. 13:00 lunch with Farah.";

    #[rstest]
    #[case::question_again("en", "What's on my calendar?", "The calendar is a list.", CALENDAR, true)]
    #[case::excuse(
        "en",
        "Any new mail?",
        "I'm sorry, I can't read your mail.",
        "From Ola: the keys are here.",
        true
    )]
    #[case::yes("en", "Is the door locked?", "Yes.", "The door was locked at nine.", false)]
    #[case::no("en", "Do I need a coat?", "No, it stays dry.", "Sun all day.", false)]
    #[case::yes_in_a_sentence("en", "Is it open?", "Yes it is.", "The shop closes at nine.", false)]
    #[case::question_of_ours("en", "What's on my calendar?", "Which one do you mean?", CALENDAR, false)]
    #[case::no_language("de", "Wie ist das Wetter?", "Heute ist es sonnig.", "Sunny, 21 C", false)]
    #[case::value("en", "What's on my calendar?", "You see Farah at noon.", CALENDAR, false)]
    #[case::time_in_another_form("en", "When is the dentist?", "At 9:30.", CALENDAR, false)]
    #[case::other_form("en", "Where is it?", "It will be delivered soon.", "In Derby, delivery soon.", false)]
    #[case::nothing_new("en", "Is the door locked?", "Yes, it is.", "The door is locked.", false)]
    #[case::nothing_read("en", "Is the door locked?", "Yes, it is.", "", false)]
    #[case::german(
        "de",
        "Was steht im Kalender?",
        "Der Kalender ist eine Liste.",
        "Um 9 Uhr ist der Zahnarzt.",
        true
    )]
    #[case::translation(
        "de",
        "Was schreibt Ola?",
        "Die Schlüssel sind unter dem Topf.",
        "The keys are under the pot.",
        false
    )]
    #[case::written_without_spaces("ja", "明日の予定は", "予定はありません。", "九時に歯医者です。", false)]
    fn sentence_passes_over_what_was_read(
        #[case] code: &str,
        #[case] question: &str,
        #[case] sentence: &str,
        #[case] results: &str,
        #[case] expected: bool,
    ) {
        let languages: Vec<_> = ["en", code].into_iter().filter_map(languages::of_code).collect();
        assert_eq!(passes_over(sentence, results, &folded_words(question), &languages), expected);
    }
}
