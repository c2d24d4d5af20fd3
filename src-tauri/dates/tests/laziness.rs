//! Each language is compiled when it is used, and no other one.

use dates::{Calendar, compiled_languages, span_of};
use jiff::civil::date;

#[test]
fn questions_in_one_language_compile_no_other() {
    let calendar = Calendar::looking_back(date(2024, 9, 5));
    let spans = [
        "Was habe ich gestern zum Mittag gegessen?",
        "Wo waren wir letzten Sommer?",
        "Und was ist am Montag passiert?",
        "Was habe ich dir im September über den Zahnarzt gesagt?",
        "Wie spät ist es?",
    ]
    .map(|question| span_of(question, &calendar).is_some());

    assert_eq!((spans, compiled_languages()), ([true, true, true, true, false], vec!["de"]));
}
