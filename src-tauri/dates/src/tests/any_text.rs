//! Random texts: the span is valid, whatever the words are.

use jiff::civil::date;
use proptest::prelude::*;

use crate::{Calendar, span_of};

/// Parts of expressions, so that a random text often contains a time.
const PIECES: [&str; 24] = [
    "last ",
    "3 ",
    "March ",
    "between ",
    "and ",
    "seit ",
    "2024 ",
    "from ",
    "to ",
    "十一月",
    "上周",
    "の",
    "weeks ",
    "ago ",
    "ı",
    "İ",
    "أمس ",
    "\0",
    "🙂",
    "e\u{301}te\u{301} ",
    "31.12.9999 ",
    "999 ",
    "99999999999 ",
    "years ",
];

proptest! {
    #[test]
    fn any_text_gives_a_valid_span(text in "(?s).{0,80}", year in -9999i16..=9999, ahead: bool) {
        assert_valid_span(&text, year, ahead)?;
    }

    #[test]
    fn any_sequence_of_time_words_gives_a_valid_span(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..12),
        year in -9999i16..=9999,
        ahead: bool,
    ) {
        assert_valid_span(&pieces.concat(), year, ahead)?;
    }
}

fn assert_valid_span(text: &str, year: i16, ahead: bool) -> Result<(), TestCaseError> {
    let today = date(year, 12, 31);
    let calendar = if ahead { Calendar::looking_ahead(today) } else { Calendar::looking_back(today) };
    if let Some(found) = span_of(text, &calendar) {
        prop_assert!(found.first <= found.last);
        prop_assert!(!found.words.is_empty());
        prop_assert!(text.get(found.words.clone()).is_some(), "{:?}", found.words);
        let is_skipped = if ahead { found.last < today } else { found.first > today };
        prop_assert!(!is_skipped);
    }
    Ok(())
}
