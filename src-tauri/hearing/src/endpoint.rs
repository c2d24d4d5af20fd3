//! Whether the words of an utterance sound complete.
//!
//! People pause as long inside a sentence as between two, so the words tell more than the silence: after "what is the"
//! we wait, after "what time is it?" we don't.

/// How complete an utterance sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// More words will follow: wait for the longest silence.
    Unfinished,
    /// It could be either.
    Unsure,
    /// A whole sentence.
    Complete,
}

/// Words that end no sentence, whatever punctuation follows. In languages without a list the punctuation decides.
const CONTINUATION_WORDS: &[&str] = &[
    // English
    "a", "an", "and", "as", "at", "because", "but", "by", "for", "from", "if", "into", "my", "of", "or",
    "our", "so", "than", "that's", "the", "their", "to", "uh", "um", "until", "when", "where", "which",
    "while", "with", "your", // German
    "aber", "dass", "der", "die", "das", "ein", "eine", "mit", "oder", "und", "wenn", "zum", "zur",
    // French
    "avec", "de", "des", "du", "et", "la", "le", "les", "mais", "ou", "pour", "que", "une",
    // Spanish
    "con", "del", "el", "los", "para", "pero", "por", "una", "y",
];

/// How complete these words sound, by their punctuation and the last word.
pub fn completeness(text: &str) -> Completeness {
    let text =
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '’' | '\'' | ')'));
    let has_ellipsis = text.ends_with("...") || text.ends_with('…');
    let has_open_punctuation = text.ends_with([',', '、', '，', '-', '–', '—', ':', ';']);
    let last_word = text
        .split_whitespace()
        .next_back()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_lowercase())
        .unwrap_or_default();
    if last_word.is_empty()
        || has_ellipsis
        || has_open_punctuation
        || CONTINUATION_WORDS.contains(&last_word.as_str())
    {
        return Completeness::Unfinished;
    }
    if text.ends_with(['.', '!', '?', '。', '！', '？', '؟', '।']) {
        return Completeness::Complete;
    }
    Completeness::Unsure
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
    #[case::nothing("", Completeness::Unfinished)]
    fn completeness_follows_punctuation_and_last_word(#[case] text: &str, #[case] expected: Completeness) {
        assert_eq!(completeness(text), expected);
    }
}
