//! The days of sentences, as tables of cases.

mod other_languages;
mod any_text;

use jiff::civil::{Date, date};
use rstest::rstest;

use crate::{Calendar, span_of, whole_span_of};

/// A Thursday.
const TODAY: Date = date(2024, 9, 5);

/// The words found and their days, such as `last week: 2024-08-26..2024-09-01`; `-` for nothing.
fn found(text: &str, calendar: &Calendar) -> String {
    match span_of(text, calendar) {
        None => "-".to_owned(),
        Some(found) if found.first == found.last => format!("{}: {}", &text[found.words], found.first),
        Some(found) => format!("{}: {}..{}", &text[found.words], found.first, found.last),
    }
}

fn asked(text: &str) -> String {
    found(text, &Calendar::looking_back(TODAY))
}

fn planned(text: &str) -> String {
    found(text, &Calendar::looking_ahead(TODAY))
}

/// The tables beside the expressions of a language: `dates.samples.txt`.
#[test]
fn samples_of_each_language_have_their_days() {
    let mut wrong = String::new();
    for data in languages::all() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../languages/data");
        let Ok(samples) = std::fs::read_to_string(format!("{folder}/{}/dates.samples.txt", data.code)) else {
            continue;
        };
        for line in samples.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (text, expected) = line.split_once(" => ").unwrap_or_else(|| panic!("{}: {line}", data.code));
            let found = text.strip_prefix("+ ").map_or_else(|| asked(text), planned);
            if found != expected {
                wrong += &format!("{}: {text} => {found}\n    instead of {expected}\n", data.code);
            }
        }
    }

    assert!(wrong.is_empty(), "{wrong}");
}

#[rstest]
#[case("What did I say today?", "today: 2024-09-05")]
#[case("Whom did we meet yesterday afternoon?", "yesterday: 2024-09-04")]
#[case("What happened the day before yesterday?", "the day before yesterday: 2024-09-03")]
#[case("Who rang last night?", "last night: 2024-09-04")]
#[case("What did I eat this morning?", "this morning: 2024-09-05")]
#[case("Where were we last week?", "last week: 2024-08-26..2024-09-01")]
#[case("And the week before last?", "the week before last: 2024-08-19..2024-08-25")]
#[case("What have I done THIS MONTH", "THIS MONTH: 2024-09-01..2024-09-30")]
#[case("last year's tax", "last year: 2023-01-01..2023-12-31")]
#[case("How was last weekend", "last weekend: 2024-08-31..2024-09-01")]
#[case("What did we do this weekend?", "this weekend: 2024-08-31..2024-09-01")]
#[case("Where did we go last spring?", "last spring: 2024-03-01..2024-05-31")]
#[case("Where did we go last autumn?", "last autumn: 2023-09-01..2023-11-30")]
#[case("the fall of 2022", "the fall of 2022: 2022-09-01..2022-11-30")]
#[case("in the winter", "in the winter: 2023-12-01..2024-02-29")]
#[case("this summer", "this summer: 2024-06-01..2024-08-31")]
#[case("three days ago", "three days ago: 2024-09-02")]
#[case("two weeks ago I called", "two weeks ago: 2024-08-19..2024-08-25")]
#[case("a week ago", "a week ago: 2024-08-26..2024-09-01")]
#[case("2 months ago", "2 months ago: 2024-07-01..2024-07-31")]
#[case("twelve years ago", "twelve years ago: 2012-01-01..2012-12-31")]
#[case("half a year ago", "half a year ago: 2024-02-01..2024-04-30")]
#[case("a couple of days ago", "a couple of days ago: 2024-09-02..2024-09-04")]
#[case("a few weeks ago", "a few weeks ago: 2024-07-29..2024-08-25")]
#[case("in the last three months", "in the last three months: 2024-06-05..2024-09-05")]
#[case("over the past week", "over the past week: 2024-08-29..2024-09-05")]
#[case("since Monday", "since Monday: 2024-09-02..2024-09-05")]
#[case("since March", "since March: 2024-03-01..2024-09-05")]
#[case("since last Christmas", "since last Christmas: 2023-12-24..2024-09-05")]
#[case("since yesterday", "since yesterday: 2024-09-04..2024-09-05")]
#[case("What did I plan on Monday?", "on Monday: 2024-09-02")]
#[case("said on Thursday", "on Thursday: 2024-08-29")]
#[case("Last Tuesday she came", "Last Tuesday: 2024-09-03")]
#[case("Monday of last week", "Monday of last week: 2024-08-26")]
#[case("last week on Tuesday", "last week on Tuesday: 2024-08-27")]
#[case("in March", "in March: 2024-03-01..2024-03-31")]
#[case("in September", "in September: 2024-09-01..2024-09-30")]
#[case("in early March", "in early March: 2024-03-01..2024-03-31")]
#[case("at the end of July", "at the end of July: 2024-07-01..2024-07-31")]
#[case("in October", "in October: 2023-10-01..2023-10-31")]
#[case("in March 2023", "in March 2023: 2023-03-01..2023-03-31")]
#[case("in March last year", "in March last year: 2023-03-01..2023-03-31")]
#[case("last year in March", "last year in March: 2023-03-01..2023-03-31")]
#[case("the summer two years ago", "the summer two years ago: 2022-06-01..2022-08-31")]
#[case("Was it March last year?", "March last year: 2023-03-01..2023-03-31")]
#[case("in 2023", "in 2023: 2023-01-01..2023-12-31")]
#[case("on 3 May", "on 3 May: 2024-05-03")]
#[case("May 3rd", "May 3rd: 2024-05-03")]
#[case("on the twenty-third of May, 2022", "on the twenty-third of May, 2022: 2022-05-23")]
#[case("on December 24", "on December 24: 2023-12-24")]
#[case("on Friday, 3 May 2024", "on Friday, 3 May 2024: 2024-05-03")]
#[case("on 3.5.2024", "3.5.2024: 2024-05-03")]
#[case("2024-05-03 please", "2024-05-03: 2024-05-03")]
#[case("between March and May", "between March and May: 2024-03-01..2024-05-31")]
#[case("between November and February", "between November and February: 2023-11-01..2024-02-29")]
#[case("from Monday to Wednesday", "from Monday to Wednesday: 2024-09-02..2024-09-04")]
#[case("from 3 May 2023 until June", "from 3 May 2023 until June: 2023-05-03..2023-06-30")]
#[case("at Easter", "at Easter: 2024-03-29..2024-04-01")]
#[case("on 29 February", "on 29 February: 2024-02-29")]
#[case::narrowed("What did I do this year, say on 3 May?", "on 3 May: 2024-05-03")]
#[case::first_of_two("Was it yesterday or in 2021?", "yesterday: 2024-09-04")]
#[case::future_time_is_skipped("What did she say about next week's trip on Monday?", "on Monday: 2024-09-02")]
fn english_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("may I ask something")]
#[case("How long may it last? May we see?")]
#[case("march on")]
#[case("in march on the castle")]
#[case("the sun and the second")]
#[case("did he fall over")]
#[case("did I buy it for the soup in spring onions")]
#[case("her last will")]
#[case("mon ami")]
#[case("every Monday")]
#[case("tomorrow")]
#[case("next week")]
#[case("in two weeks")]
#[case("What is my sister's name?")]
#[case("I was here last. Week two was better")]
#[case("the score was 3.5. May I?")]
#[case("on 30 February")]
#[case("room 2024")]
#[case("during the day, and on the last day of the holiday")]
#[case("over the years")]
#[case("estate planning in estate agencies, what was that about")]
#[case::not_french("Wer war hier?")]
#[case::not_a_summer("Il a été malade")]
#[case::never_is_not_may("Non ho mai detto questo")]
#[case::mars_is_a_planet("What did I say about Mars?")]
#[case::second_is_not_monday("A segunda vez que falei com ela")]
#[case::habits("Was mache ich jeden Montag?")]
#[case("")]
fn words_without_a_time_are_ignored(#[case] text: &str) {
    assert_eq!(asked(text), "-");
}

#[rstest]
#[case("remind me tomorrow", "tomorrow: 2024-09-06")]
#[case("on Monday", "on Monday: 2024-09-09")]
#[case("on Thursday", "on Thursday: 2024-09-12")]
#[case("next week", "next week: 2024-09-09..2024-09-15")]
#[case("in two weeks", "in two weeks: 2024-09-16..2024-09-22")]
#[case("this weekend", "this weekend: 2024-09-07..2024-09-08")]
#[case("on 3 May", "on 3 May: 2025-05-03")]
#[case("next summer", "next summer: 2025-06-01..2025-08-31")]
#[case("from Monday to Wednesday", "from Monday to Wednesday: 2024-09-09..2024-09-11")]
#[case("what we said yesterday", "-")]
#[case("übermorgen", "übermorgen: 2024-09-07")]
#[case("in drei Tagen", "in drei Tagen: 2024-09-08")]
#[case("la semaine prochaine", "la semaine prochaine: 2024-09-09..2024-09-15")]
#[case("pasado mañana", "pasado mañana: 2024-09-07")]
#[case("下周", "下周: 2024-09-09..2024-09-15")]
#[case("через неделю", "через неделю: 2024-09-09..2024-09-15")]
fn plan_names_days_in_the_future(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(planned(text), expected);
}

#[rstest]
#[case::weeks_are_exact("in six weeks", Some(date(2024, 10, 17)))]
#[case::german("in sechs Wochen", Some(date(2024, 10, 17)))]
#[case::name_alone("Christmas", Some(date(2024, 12, 24)))]
#[case::day_and_month("24 December", Some(date(2024, 12, 24)))]
#[case::weekday_alone("Freitag", Some(date(2024, 9, 6)))]
#[case::month_in_a_year("May 2025", Some(date(2025, 5, 1)))]
#[case::turkish("altı hafta sonra", Some(date(2024, 10, 17)))]
#[case::turkish_day("24 Aralık", Some(date(2024, 12, 24)))]
#[case::turkish_weekday("gelecek cuma", Some(date(2024, 9, 6)))]
#[case::more_than_a_time("Christmas dinner", None)]
#[case::no_time("six", None)]
#[case::nothing("?", None)]
fn text_that_is_only_a_time_names_its_first_day(#[case] text: &str, #[case] expected: Option<Date>) {
    let calendar = Calendar::looking_ahead(TODAY).with_exact_weeks();

    assert_eq!(whole_span_of(text, &calendar).map(|span| span.first), expected);
}
