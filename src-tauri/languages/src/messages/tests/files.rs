//! The files themselves.

use fluent_syntax::ast::Entry;
use fluent_syntax::parser::parse;
use jiff::civil::{date, time};
use rstest::rstest;

use super::super::*;
use super::file_check::MessageFile;

#[test]
fn every_file_goes_with_the_english_one() {
    let english = MessageFile::read("en", FILES[0].source).unwrap();
    let faults: Vec<String> = FILES
        .iter()
        .flat_map(|file| match MessageFile::read(file.code, file.source) {
            Ok(read) => read.faults(&english),
            Err(faults) => faults,
        })
        .collect();

    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

const MODEL: &str = "a = One.\nb = { $x } and { $y }\nc = { $n ->\n    [one] one\n   *[other] { $n }\n}\n";

#[rstest]
#[case::as_in_english("de", MODEL, &[])]
#[case::syntax("de", "a = Eins.\nb = { $x\n", &["de/messages.ftl:2: Expected a token starting with \"}\""])]
#[case::unknown_id("de", "a = Eins.\nd = Vier.\n", &["de/messages.ftl:2: d: English has no such message"])]
#[case::placeholder("de", "b = { $x }\n", &[r#"de/messages.ftl:1: b: has {"x"} instead of {"x", "y"}"#])]
#[case::plural_that_the_language_lacks(
    "de",
    "c = { $n ->\n    [one] eins\n    [few] { $n }\n   *[other] { $n }\n}\n",
    &["de/messages.ftl:1: c: [few] is no case"]
)]
#[case::missing_plural(
    "pl",
    "c = { $n ->\n    [one] 1\n    [many] { $n }\n   *[other] { $n }\n}\n",
    &["pl/messages.ftl:1: c: [few] is missing"]
)]
fn mistake_is_reported_with_file_and_line(
    #[case] code: &str,
    #[case] source: &str,
    #[case] expected: &[&str],
) {
    let english = MessageFile::read("en", MODEL).unwrap();
    let faults = MessageFile::read(code, source).map_or_else(|faults| faults, |file| file.faults(&english));

    assert_eq!(faults, expected);
}

#[test]
fn every_message_is_formatted_without_an_error() {
    for file in &FILES {
        let messages = Messages::for_language(Language::new(file.code).as_ref());
        let ids: Vec<&str> = ids(file.source);
        for id in ids {
            let pattern = messages.own(id).unwrap();
            let names = ["count", "days", "percent"];
            let numbers = names.into_iter().map(|name| (name, FluentValue::from(2)));
            let texts = placeholders(FILES[0].source).into_iter().filter(|name| !names.contains(name));
            let values: FluentArgs<'_> =
                texts.map(|name| (name, FluentValue::from("x"))).chain(numbers).collect();
            let mut errors = Vec::new();
            let text = messages.bundle.format_pattern(pattern, Some(&values), &mut errors);

            assert!(errors.is_empty() && !text.is_empty(), "{}: {id}: {errors:?}", file.code);
        }
    }
}

#[test]
fn every_language_formats_days_and_times() {
    for file in &FILES {
        let messages = Messages::for_language(Language::new(file.code).as_ref());
        let day = messages.day(date(2027, 1, 4));
        let short_day = messages.date(messages.ring_format_day(), date(2027, 1, 4));
        let time = messages.time(time(7, 5, 0, 0));
        let short_time = messages.clock(messages.ring_format_time(), jiff::civil::time(7, 5, 0, 0));

        assert!(
            day.contains("2027") && day.contains(&messages.weekday(date(2027, 1, 4))),
            "{}: {day}",
            file.code
        );
        assert!(short_day.contains('4') && short_day.contains('1'), "{}: {short_day}", file.code);
        assert!(time.contains('7') && short_time.contains("07"), "{}: {time} {short_time}", file.code);
        assert!((1..=31).contains(&messages.christmas_day()), "{}", file.code);
    }
}

#[test]
fn sentences_are_in_the_language_of_their_folder() {
    for file in FILES.iter().filter(|file| crate::of_code(file.code).is_some()) {
        let messages = Messages::for_language(Language::new(file.code).as_ref());
        for text in [messages.reply_nothing_known(), messages.reply_garbled(), messages.reply_no_answer()] {
            let detected = crate::detect(text).map(|it| it.language);

            assert!(detected.is_none_or(|it| it.code() == file.code), "{text} is taken for another language");
        }
    }
}

#[test]
fn every_language_has_words_for_links() {
    let ids = [id::SPOKEN_LINK_TO_HOMEPAGE, id::SPOKEN_LINK_TO_PAGE, id::SPOKEN_HOMEPAGE, id::SPOKEN_PAGE];
    for file in &FILES {
        let language = Language::new(file.code);
        let missing = ids.iter().find(|id| Messages::with(language.as_ref(), **id).is_none());

        assert_eq!(missing, None, "{}", file.code);
    }
}

fn ids(source: &'static str) -> Vec<&'static str> {
    let resource = parse(source).unwrap();
    let ids = resource.body.iter().filter_map(|entry| match entry {
        Entry::Message(message) => Some(message.id.name),
        _ => None,
    });
    ids.collect()
}

/// The names of all placeholders of a file.
fn placeholders(source: &str) -> Vec<&str> {
    let after_sign = source.split("{ $").skip(1);
    after_sign.map(|rest| rest.split([' ', '}']).next().unwrap_or_default()).collect()
}
