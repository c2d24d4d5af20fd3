//! Splits long sentences, so that the first words play while the rest is synthesised.

use std::time::Duration;

/// Sentences up to this length are not split, about 6 s of speech: a split makes the intonation a little worse.
const MAX_UNSPLIT_CHARS: usize = 90;
/// The shortest piece. A shorter one would end before the next piece is synthesised.
const MIN_PIECE_CHARS: usize = 24;
/// The longest piece: slow voices take too long for more, and Kokoro accepts at most 510 phonemes.
const MAX_PIECE_CHARS: usize = 220;
/// The length of a digit as it is spoken. Source: the English words of the digits have 4 letters on average.
const DIGIT_CHARS: usize = 4;
/// The pause between two sentences. Source: docs/behaviour/speaking.md#pauses.
pub(crate) const PAUSE_AFTER_SENTENCE: Duration = Duration::from_millis(200);

/// The pieces of a sentence, in order, trimmed and not empty. Together they contain all its words.
pub fn split_clauses(sentence: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = sentence.trim();
    while spoken_chars(rest) > MAX_UNSPLIT_CHARS {
        let Some(split) = find_split(rest) else { break };
        let (piece, after) = rest.split_at(split);
        push_trimmed(&mut pieces, piece);
        rest = after.trim_start();
    }
    push_trimmed(&mut pieces, rest);
    pieces
}

fn push_trimmed<'a>(pieces: &mut Vec<&'a str>, piece: &'a str) {
    let piece = piece.trim();
    if !piece.is_empty() {
        pieces.push(piece);
    }
}

/// The byte position of the split: after the first punctuation mark with enough text on both sides, else, in a text that
/// is too long, before the last space that fits.
fn find_split(text: &str) -> Option<usize> {
    let total = spoken_chars(text);
    let mut last_space = None;
    let mut chars = text.char_indices().peekable();
    let mut n = 0;
    while let Some((at, c)) = chars.next() {
        let width = spoken_width(c);
        n += width;
        let Some(&(next_at, next)) = chars.peek() else { break };
        let ends_clause = match c {
            ',' | ';' | ':' | '!' | '?' | '—' | '–' | '…' | ')' | '\n' => true,
            '.' => !ends_with_abbreviation(&text[..at]),
            _ => false,
        };
        let leaves_enough = n >= MIN_PIECE_CHARS && total - n >= MIN_PIECE_CHARS;
        if ends_clause && next.is_whitespace() && leaves_enough {
            return Some(next_at);
        }
        if next.is_whitespace() && n <= MAX_PIECE_CHARS {
            last_space = Some(next_at);
        }
        if n + spoken_width(next) > MAX_PIECE_CHARS {
            return last_space.or(Some(next_at));
        }
    }
    None
}

/// The length of a text as it is spoken, in characters.
fn spoken_chars(text: &str) -> usize {
    text.chars().map(spoken_width).sum()
}

/// A digit is spoken as a word.
fn spoken_width(c: char) -> usize {
    if c.is_numeric() { DIGIT_CHARS } else { 1 }
}

/// Returns `true` if a full stop after `text` belongs to an abbreviation such as `Dr`, `Prof`, `a.m` or `No`. A short
/// last word of a sentence counts as one too; then only a possible split is missed.
fn ends_with_abbreviation(text: &str) -> bool {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    word.chars().count() <= 4 || word.contains('.')
}

/// Returns `true` if the piece ends a sentence, so that a longer pause follows.
pub(crate) fn ends_sentence(piece: &str) -> bool {
    let last = piece.trim_end_matches(['"', '\'', ')', '”', '’', '»']).chars().next_back();
    last.is_none_or(|c| !matches!(c, ',' | ';' | ':' | '—' | '–') && !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::short_sentence("It is twenty past four, sir.", &["It is twenty past four, sir."])]
    #[case::long_sentence_with_a_comma(
        "Yes, although it will rain in the morning, the afternoon should be dry and rather warm for the time of \
         the year.",
        &[
            "Yes, although it will rain in the morning,",
            "the afternoon should be dry and rather warm for the time of the year.",
        ]
    )]
    #[case::commas_in_numbers(
        "There are about 1,234,567,890 of them, which is a lot more than anybody would have thought a year ago.",
        &[
            "There are about 1,234,567,890 of them,",
            "which is a lot more than anybody would have thought a year ago.",
        ]
    )]
    #[case::abbreviated_titles(
        "Your next appointment is with Dr. Smith and her colleague Prof. Jones, who will both see you in Leeds today.",
        &[
            "Your next appointment is with Dr. Smith and her colleague Prof. Jones,",
            "who will both see you in Leeds today.",
        ]
    )]
    #[case::nothing("  ", &[])]
    fn long_sentences_are_split_at_punctuation(#[case] sentence: &str, #[case] pieces: &[&str]) {
        assert_eq!(split_clauses(sentence), pieces);
    }

    #[test]
    fn text_without_punctuation_is_split_between_words() {
        let sentence = "word ".repeat(100);

        let pieces = split_clauses(&sentence);

        assert!(pieces.len() > 1);
        assert!(pieces.iter().all(|p| p.len() <= MAX_PIECE_CHARS && p.split(' ').all(|w| w == "word")));
    }

    #[rstest]
    #[case("It rains.", true)]
    #[case("\"It rains.\"", true)]
    #[case("It rains,", false)]
    #[case("It rains", false)]
    fn final_punctuation_ends_a_sentence(#[case] piece: &str, #[case] is_end: bool) {
        assert_eq!(ends_sentence(piece), is_end);
    }

    proptest! {
        #[test]
        fn pieces_contain_all_words_of_the_sentence(sentence in r"[\PC\n]{0,400}") {
            let whole: Vec<&str> = sentence.split_whitespace().collect();
            let pieces = split_clauses(&sentence).join(" ");
            prop_assert_eq!(
                pieces.split_whitespace().collect::<String>(),
                whole.concat()
            );
        }
    }
}
