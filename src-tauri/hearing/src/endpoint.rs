//! Judges if an utterance is complete, and how much silence ends it.
//!
//! People pause as long inside a sentence as between two, so the words tell more than the silence: after "what is the"
//! we wait, after "what time is it?" we don't. The sound has a vote beside them.

use std::time::Duration;

use languages::{LanguageData, Writing};

use crate::config::HearingConfig;

/// The completeness of an utterance, by its words or its sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// More words will follow: wait for the longest silence.
    Unfinished,
    /// The last word has a comma: more may follow, but recognisers write one at the end of many a sentence too.
    Comma,
    /// It could be either.
    Unsure,
    /// A whole sentence.
    Complete,
}

const COMMAS: [char; 4] = [',', '、', '，', '،'];

/// Returns the completeness of these words, by their punctuation and the last word.
pub fn completeness(text: &str) -> Completeness {
    let text =
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '’' | '\'' | ')'));
    let has_ellipsis = text.ends_with("...") || text.ends_with('…');
    let has_open_punctuation = text.ends_with(['-', '–', '—', ':', ';']) || text.ends_with(",,");
    let last_word = text.split_whitespace().next_back().map(languages::normalised).unwrap_or_default();
    if last_word.is_empty() || has_ellipsis || has_open_punctuation || is_to_be_continued(text, &last_word) {
        return Completeness::Unfinished;
    }
    if text.ends_with(COMMAS) {
        return Completeness::Comma;
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

/// The signs in a pause that an utterance may be over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PauseSigns {
    /// The words sound complete, or not.
    pub words: Completeness,
    /// The user said nothing but the name of the assistant, so that a request probably follows.
    pub is_name_only: bool,
    /// The probability by the sound that the user has finished; `None` without a vote of an
    /// [`EndpointModel`](crate::EndpointModel).
    pub finished: Option<f32>,
}

/// A vote of at least this probability shortens the wait after words that may be complete. Source:
/// tests/listening/README.md, "End of a turn".
const SURE_OF_END: f32 = 0.95;
/// A vote below this probability makes the wait longer. Source: tests/listening/README.md, "End of a turn".
const SURE_OF_MORE: f32 = 0.4;

impl PauseSigns {
    /// The signs of these words, beside a vote.
    pub fn new(text: &str, finished: Option<f32>, config: &HearingConfig) -> Self {
        Self { words: completeness(text), is_name_only: is_name_only(text, &config.names), finished }
    }

    /// Returns `true` if a vote could change [`PauseSigns::closing_silence`].
    pub(crate) fn can_use_vote(self) -> bool {
        self.words != Completeness::Unfinished
    }

    /// The silence that ends the utterance. The sound alone ends nothing that the words leave unfinished.
    pub fn closing_silence(self, config: &HearingConfig) -> Duration {
        match (self.words, self.sound()) {
            (Completeness::Unfinished, _) | (_, Completeness::Unfinished) => config.endpoint,
            // A request follows the name.
            (Completeness::Comma, _) if self.is_name_only => config.endpoint,
            // A sentence before a comma sounds finished too, so that a vote for its end tells nothing.
            (Completeness::Comma, _) | (Completeness::Unsure, Completeness::Unsure) => {
                (config.early_endpoint + config.endpoint) / 2
            }
            (Completeness::Complete, _) | (Completeness::Unsure, _) => config.early_endpoint,
        }
    }

    /// The completeness by the sound. The name alone sounds like a whole sentence.
    fn sound(self) -> Completeness {
        match self.finished {
            Some(finished) if finished < SURE_OF_MORE => Completeness::Unfinished,
            Some(finished) if finished >= SURE_OF_END && !self.is_name_only => Completeness::Complete,
            Some(_) | None => Completeness::Unsure,
        }
    }
}

/// Returns `true` for one of the names, alone or with one other word such as a greeting.
fn is_name_only(text: &str, names: &[String]) -> bool {
    let words: Vec<String> =
        text.split_whitespace().map(languages::normalised).filter(|word| !word.is_empty()).collect();
    let is_one_of_two = || words.len() <= 2 && words.iter().any(|word| names.contains(word));
    let ends_in_name = |start: usize| words.get(start..).is_some_and(|rest| names.contains(&rest.join(" ")));
    is_one_of_two() || ends_in_name(0) || ends_in_name(1)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::{HearingSettings, ListeningSettings};

    use super::*;

    #[rstest]
    #[case::question("What time is it?", Completeness::Complete)]
    #[case::quoted("He said \"no.\"", Completeness::Complete)]
    #[case::chinese("现在几点？", Completeness::Complete)]
    #[case::no_punctuation("what time is it", Completeness::Unsure)]
    #[case::comma("Jarvis,", Completeness::Comma)]
    #[case::comma_in_japanese("ジャービス、", Completeness::Comma)]
    #[case::comma_in_arabic("جارفيس،", Completeness::Comma)]
    #[case::comma_behind_a_continuation_word("Remind me to,", Completeness::Unfinished)]
    #[case::two_commas("However,,", Completeness::Unfinished)]
    #[case::colon("Remind me of this:", Completeness::Unfinished)]
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

    #[rstest]
    #[case::request("what time is it", None, 550)]
    #[case::request_with_a_vote("what time is it", Some(0.95), 300)]
    #[case::undecided_vote("what time is it", Some(0.94), 550)]
    #[case::vote_for_more("what time is it", Some(0.39), 800)]
    #[case::sentence("What time is it?", None, 300)]
    #[case::sentence_with_a_vote("What time is it?", Some(0.99), 300)]
    #[case::sentence_with_a_vote_for_more("What time is it?", Some(0.1), 800)]
    #[case::words_that_hang("remind me to", Some(1.0), 800)]
    #[case::comma("How warm is it in Leeds,", None, 550)]
    #[case::comma_with_a_vote("How warm is it in Leeds,", Some(1.0), 550)]
    #[case::comma_with_a_vote_for_more("How warm is it in Leeds,", Some(0.1), 800)]
    #[case::name_with_a_comma("Jarvis,", Some(1.0), 800)]
    #[case::greeting_with_a_comma("Hello Jarvis,", None, 800)]
    #[case::name("jarvis", Some(1.0), 550)]
    #[case::name_as_a_sentence("Jarvis.", Some(1.0), 300)]
    #[case::greeting("Hello Jarvis", Some(1.0), 550)]
    #[case::request_with_the_name("Jarvis turn it off", Some(1.0), 300)]
    fn closing_silence_follows_words_and_vote(
        #[case] text: &str,
        #[case] finished: Option<f32>,
        #[case] expected_ms: u128,
    ) {
        let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();

        let silence = PauseSigns::new(text, finished, &config).closing_silence(&config);

        assert_eq!(silence.as_millis(), expected_ms);
    }
}
