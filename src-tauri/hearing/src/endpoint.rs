//! Does what was said so far sound complete?
//!
//! People pause inside a sentence as long as between two. The words tell more than the silence: after "what is the"
//! we wait, after "what time is it?" we don't.

/// How finished an utterance sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// More will surely follow: wait for the longest silence.
    Unfinished,
    /// It could be either.
    Unsure,
    /// A whole sentence.
    Complete,
}

/// Words no sentence ends with, however the recogniser punctuates them. Only languages whose list we can vouch for;
/// in others the punctuation decides.
const LEADS_ON: &[&str] = &[
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

/// Judges the words of an utterance that fell silent.
pub fn completeness(text: &str) -> Completeness {
    let text =
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '’' | '\'' | ')'));
    let trails_off = text.ends_with("...") || text.ends_with('…');
    let ends_open = text.ends_with([',', '、', '，', '-', '–', '—', ':', ';']);
    let last_word = text
        .split_whitespace()
        .next_back()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_lowercase())
        .unwrap_or_default();
    if last_word.is_empty() || trails_off || ends_open || LEADS_ON.contains(&last_word.as_str()) {
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
    #[case::full_stop_after_a_word_that_leads_on("Remind me to.", Completeness::Unfinished)]
    #[case::german("Stell einen Wecker und", Completeness::Unfinished)]
    #[case::nothing("", Completeness::Unfinished)]
    fn judges_by_punctuation_and_last_word(#[case] text: &str, #[case] expected: Completeness) {
        assert_eq!(completeness(text), expected);
    }
}
