//! Judges if the words of an utterance sound complete.
//!
//! People pause as long inside a sentence as between two, so the words tell more than the silence: after "what is the"
//! we wait, after "what time is it?" we don't.

use languages::{LanguageData, Writing};

/// The completeness of an utterance, by its sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// More words will follow: wait for the longest silence.
    Unfinished,
    /// It could be either.
    Unsure,
    /// A whole sentence.
    Complete,
}

/// Returns the completeness of these words, by their punctuation and the last word.
pub fn completeness(text: &str) -> Completeness {
    let text =
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '’' | '\'' | ')'));
    let has_ellipsis = text.ends_with("...") || text.ends_with('…');
    let has_open_punctuation = text.ends_with([',', '、', '，', '-', '–', '—', ':', ';']);
    let last_word = text.split_whitespace().next_back().map(languages::normalised).unwrap_or_default();
    if last_word.is_empty() || has_ellipsis || has_open_punctuation || is_to_be_continued(text, &last_word) {
        return Completeness::Unfinished;
    }
    if text.ends_with(languages::is_sentence_end) {
        return Completeness::Complete;
    }
    Completeness::Unsure
}

/// Returns `true` if the text breaks off at a word that ends no sentence, whatever punctuation follows, or at a filler.
fn is_to_be_continued(text: &str, last_word: &str) -> bool {
    let detected = languages::detect(text).and_then(|detection| languages::of(&detection.language));
    match detected {
        // The ending of a text without spaces may be a part of another word, so that punctuation counts more.
        Some(data) if data.writing == Writing::Unspaced => {
            data.continuation_words.iter().chain(data.fillers.iter()).any(|word| text.ends_with(word))
        }
        Some(data) => is_continued(data, last_word),
        // "an" is an article in English and the end of a German sentence.
        None => {
            let has_word =
                |data: &&LanguageData| data.is_function_word(last_word) || is_continued(data, last_word);
            let mut with_word = languages::all().iter().filter(has_word).peekable();
            with_word.peek().is_some() && with_word.all(|data| is_continued(data, last_word))
        }
    }
}

fn is_continued(data: &LanguageData, last_word: &str) -> bool {
    data.continuation_words.contains(last_word) || data.fillers.contains(last_word)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::question("What time is it?", Completeness::Complete)]
    #[case::quoted("He said \"no.\"", Completeness::Complete)]
    #[case::chinese("现在几点？", Completeness::Complete)]
    #[case::no_punctuation("what time is it", Completeness::Unsure)]
    #[case::comma("Jarvis,", Completeness::Unfinished)]
    #[case::ellipsis("I was thinking...", Completeness::Unfinished)]
    #[case::full_stop_after_a_continuation_word("Remind me to.", Completeness::Unfinished)]
    #[case::german("Stell einen Wecker und", Completeness::Unfinished)]
    #[case::french("Rappelle-moi d'appeler le", Completeness::Unfinished)]
    #[case::italian("Ricordami di chiamare il dentista e", Completeness::Unfinished)]
    #[case::dutch("Zet een timer op tien minuten en", Completeness::Unfinished)]
    #[case::polish("Przypomnij mi jutro o", Completeness::Unfinished)]
    #[case::turkish("Yarın dişçiyi aramamı hatırlat ve", Completeness::Unfinished)]
    #[case::russian("Напомни мне завтра позвонить в", Completeness::Unfinished)]
    #[case::ukrainian("Нагадай мені завтра подзвонити до", Completeness::Unfinished)]
    #[case::japanese("明日歯医者に", Completeness::Unfinished)]
    #[case::chinese_conjunction("把灯关掉然后", Completeness::Unfinished)]
    #[case::korean("재즈 좀 틀어줘 그리고", Completeness::Unfinished)]
    #[case::arabic("ذكرني غدا بالاتصال على", Completeness::Unfinished)]
    #[case::filler("Wie spät ist äh", Completeness::Unfinished)]
    #[case::japanese_question("雨は降る？", Completeness::Complete)]
    #[case::arabic_question("كم الساعة الآن؟", Completeness::Complete)]
    #[case::verb_particle_in_german("Mach bitte das Licht an.", Completeness::Complete)]
    #[case::english_verb("When did he die?", Completeness::Complete)]
    #[case::article_in_another_language("Radio an.", Completeness::Complete)]
    #[case::nothing("", Completeness::Unfinished)]
    fn completeness_follows_punctuation_and_last_word(#[case] text: &str, #[case] expected: Completeness) {
        assert_eq!(completeness(text), expected);
    }
}
