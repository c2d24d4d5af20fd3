//! Where a long sentence may be cut, so that its first words sound while the rest is still being made.

/// Sentences up to so many characters are left whole, some 6 s of speech: cutting costs a little melody.
const WHOLE_UP_TO: usize = 90;
/// The shortest first piece. A shorter one would be over before the next is made.
const SHORTEST_PIECE: usize = 24;
/// The longest piece: slow voices take long for more, and Kokoro cannot take more than 510 phonemes.
const LONGEST_PIECE: usize = 220;

/// The pieces of a sentence, in order, trimmed, none of them empty. Together they hold all its words.
pub(crate) fn clauses(sentence: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = sentence.trim();
    while rest.chars().count() > WHOLE_UP_TO {
        let Some(cut) = best_cut(rest) else { break };
        let (piece, after) = rest.split_at(cut);
        push(&mut pieces, piece);
        rest = after.trim_start();
    }
    push(&mut pieces, rest);
    pieces
}

fn push<'a>(pieces: &mut Vec<&'a str>, piece: &'a str) {
    let piece = piece.trim();
    if !piece.is_empty() {
        pieces.push(piece);
    }
}

/// Where to cut, in bytes: behind the first mark of punctuation that leaves two fair pieces, else, in a text that is
/// too long without one, before the last blank that still fits.
fn best_cut(text: &str) -> Option<usize> {
    let total = text.chars().count();
    let mut last_blank = None;
    let mut chars = text.char_indices().enumerate().peekable();
    while let Some((n, (at, c))) = chars.next() {
        let Some(&(_, (next_at, next))) = chars.peek() else { break };
        let ends_a_clause = match c {
            ',' | ';' | ':' | '!' | '?' | '—' | '–' | '…' | ')' | '\n' => true,
            '.' => !ends_in_an_abbreviation(&text[..at]),
            _ => false,
        };
        let is_fair = n + 1 >= SHORTEST_PIECE && total - n > SHORTEST_PIECE;
        if ends_a_clause && next.is_whitespace() && is_fair {
            return Some(next_at);
        }
        if next.is_whitespace() && n < LONGEST_PIECE {
            last_blank = Some(next_at);
        }
        if n >= LONGEST_PIECE {
            return last_blank.or(Some(next_at));
        }
    }
    None
}

/// Does a full stop behind `text` abbreviate rather than end? `Dr`, `Prof`, `a.m` and `No` do; a short word at the
/// end of a sentence is taken for one too, which costs nothing but a cut.
fn ends_in_an_abbreviation(text: &str) -> bool {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    word.chars().count() <= 4 || word.contains('.')
}

/// Does the piece end a sentence, so that a longer pause follows?
pub(crate) fn ends_a_sentence(piece: &str) -> bool {
    let last = piece.trim_end_matches(['"', '\'', ')', '”', '’', '»']).chars().next_back();
    last.is_none_or(|c| !matches!(c, ',' | ';' | ':' | '—' | '–') && !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_short_sentence_stays_whole("It is twenty past four, sir.", &["It is twenty past four, sir."])]
    #[case::a_long_one_is_cut_at_its_first_fair_comma(
        "Yes, although it will rain in the morning, the afternoon should be dry and rather warm for the time of \
         the year.",
        &[
            "Yes, although it will rain in the morning,",
            "the afternoon should be dry and rather warm for the time of the year.",
        ]
    )]
    #[case::commas_in_numbers_are_none(
        "There are about 1,234,567,890 of them, which is a lot more than anybody would have thought a year ago.",
        &[
            "There are about 1,234,567,890 of them,",
            "which is a lot more than anybody would have thought a year ago.",
        ]
    )]
    #[case::titles_end_nothing(
        "Your next appointment is with Dr. Smith and her colleague Prof. Jones, who will both see you in Leeds today.",
        &[
            "Your next appointment is with Dr. Smith and her colleague Prof. Jones,",
            "who will both see you in Leeds today.",
        ]
    )]
    #[case::nothing("  ", &[])]
    fn long_sentences_are_cut_where_one_breathes(#[case] sentence: &str, #[case] pieces: &[&str]) {
        assert_eq!(clauses(sentence), pieces);
    }

    #[test]
    fn words_without_any_mark_are_cut_between_words() {
        let sentence = "word ".repeat(100);

        let pieces = clauses(&sentence);

        assert!(pieces.len() > 1);
        assert!(pieces.iter().all(|p| p.len() <= LONGEST_PIECE && p.split(' ').all(|w| w == "word")));
    }

    #[rstest]
    #[case("It rains.", true)]
    #[case("\"It rains.\"", true)]
    #[case("It rains,", false)]
    #[case("It rains", false)]
    fn tells_a_pause_for_breath_from_an_end(#[case] piece: &str, #[case] is_end: bool) {
        assert_eq!(ends_a_sentence(piece), is_end);
    }

    proptest! {
        #[test]
        fn no_word_is_lost(sentence in r"[\PC\n]{0,400}") {
            let whole: Vec<&str> = sentence.split_whitespace().collect();
            let pieces = clauses(&sentence).join(" ");
            prop_assert_eq!(
                pieces.split_whitespace().collect::<String>(),
                whole.concat()
            );
        }
    }
}
