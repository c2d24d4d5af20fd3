//! The tables of requests, `requests.samples.txt` beside the patterns of each language: what is taken with its exact calls,
//! and near misses that are left to a model.

mod variations;

use languages::LanguageData;
use proptest::prelude::*;
use rstest::rstest;
use vocabulary::Language;

use super::grammar::grammar_of;
use super::recognition::readings;
use super::tokens::tokens;
use super::{recognise, recognise_in};
use crate::test_rows::rows;

/// The languages with requests.
fn with_requests() -> impl Iterator<Item = &'static LanguageData> {
    languages::all().iter().filter(|data| data.requests.is_some())
}

/// The rows of a language's table: a text and its calls.
fn samples(data: &LanguageData) -> Vec<(String, String)> {
    rows(data, "requests.samples.txt")
}

/// The calls in one line, such as `getTime {"place":"Tokyo"}`; `-` for none.
fn taken(language: &str, text: &str) -> String {
    match recognise(text, Language::new(language).as_ref(), &["Jarvis"]) {
        Some(calls) => line(&calls),
        None => "-".to_owned(),
    }
}

fn line(calls: &[super::FastCall]) -> String {
    let line = |call: &super::FastCall| {
        let arguments = serde_json::to_string(&call.arguments).unwrap();
        let arguments = if call.arguments.is_empty() { String::new() } else { format!(" {arguments}") };
        let missing = call.missing.map(|missing| format!(" without {missing}")).unwrap_or_default();
        format!("{}{arguments}{missing}", call.tool)
    };
    calls.iter().map(line).collect::<Vec<_>>().join(" + ")
}

#[test]
fn closed_requests_are_taken_and_near_misses_left() {
    let mut wrong = String::new();
    for data in with_requests() {
        for (text, expected) in samples(data) {
            let found = taken(data.code, &text);
            if found != expected {
                wrong += &format!("{}: {text} => {found}\n    instead of {expected}\n", data.code);
            }
        }
    }

    assert!(wrong.is_empty(), "{wrong}");
}

/// The calls of every meaning that matches the words as they were said.
#[test]
fn no_request_has_two_meanings() {
    let mut ambiguous = String::new();
    for data in with_requests() {
        let grammar = grammar_of(data).unwrap();
        for (text, _) in samples(data) {
            let readings = readings(&tokens(&text), grammar);
            if readings.windows(2).any(|pair| pair[0].calls != pair[1].calls) {
                let meanings: Vec<_> = readings.iter().map(|it| (it.meaning, line(&it.calls))).collect();
                ambiguous += &format!("{}: {text}: {meanings:?}\n", data.code);
            }
        }
    }

    assert!(ambiguous.is_empty(), "{ambiguous}");
}

#[test]
fn every_table_has_requests_and_near_misses() {
    for data in with_requests() {
        let samples = samples(data);
        let (left, taken): (Vec<_>, Vec<_>) = samples.iter().partition(|(_, calls)| calls == "-");

        assert!(taken.len() >= 30 && left.len() >= 10, "{}: {}, {}", data.code, taken.len(), left.len());
    }
}

#[test]
fn language_without_a_table_is_left_to_a_model() {
    assert_eq!(taken("ja", "12 * 3"), "-");
}

#[test]
fn unknown_language_is_told_from_the_words() {
    let tool = |text| recognise(text, None, &[]).map(|calls| calls[0].tool);

    assert_eq!(
        (tool("What time is it?"), tool("12 * 3"), tool("Wie spät ist es?"), tool("lauter")),
        (Some("getTime"), Some("calculate"), Some("getTime"), Some("setVolume"))
    );
}

#[rstest]
#[case::in_its_own("de", "Setze Milch auf meine Liste", None)]
#[case::in_another("de", "Put bin bags on my list.", Some("en"))]
#[case::in_two_others("sv", "8 minuten timer", None)]
fn language_of_a_request_is_told_where_it_is_another(
    #[case] taken_for: &str,
    #[case] text: &str,
    #[case] expected: Option<&str>,
) {
    let (_, language) = recognise_in(text, Language::new(taken_for).as_ref(), &[]).unwrap();

    assert_eq!(language.as_ref().map(Language::code), expected);
}

#[rstest]
#[case::english("en", "Jarvis, undo that")]
#[case::german("de", "Mach das rückgängig")]
#[case::french("fr", "Jarvis, annule la dernière action")]
#[case::spanish("es", "Deshaz el último cambio, por favor")]
#[case::italian("it", "Annulla l'ultima modifica")]
#[case::dutch("nl", "Maak dat ongedaan")]
#[case::portuguese("pt", "Desfaz isso")]
#[case::swedish("sv", "Ångra det")]
#[case::turkish("tr", "Bunu geri al")]
#[case::polish("pl", "Jarvis, cofnij ostatnią zmianę")]
#[case::russian("ru", "Отмени последнее действие, пожалуйста")]
#[case::ukrainian("uk", "Скасуй останню зміну")]
#[case::arabic("ar", "تراجع عن ذلك من فضلك")]
#[case::japanese("ja", "最後の変更を取り消して")]
#[case::korean("ko", "마지막 변경을 되돌려 주세요")]
#[case::chinese("zh", "请撤销刚才的操作")]
fn newest_change_is_undone_in_each_language(#[case] language: &str, #[case] text: &str) {
    assert_eq!([taken(language, text), taken("en", text)], ["takeBack", "takeBack"]);
}

/// The language of the sentence before is often carried over.
#[test]
fn request_in_another_language_than_expected_is_taken() {
    let found = [
        ("de", "stop all timers"),
        ("nl", "temporizador de 8 minutos"),
        ("en", "Wie spät ist es?"),
        ("de", "stop"),
        ("en", "setz den Timer"),
        ("ja", "12 * 3"),
    ];

    assert_eq!(
        found.map(|(language, text)| taken(language, text)),
        ["cancelTimer {\"all\":true}", "setTimer {\"seconds\":480}", "getTime", "stop", "-", "-"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}", words in "(set|a|timer|half|past|[0-9.:,]{1,6}|and|for|in|\\(|%|'| ){0,60}") {
        for data in with_requests() {
            let language = data.language();
            let _ = recognise(&text, Some(&language), &["Jarvis"]);
            let _ = recognise(&words, Some(&language), &["Jarvis"]);
        }
    }
}
