//! Checks of the files of messages, and of what is made of them.

mod file_check; // one file against English
mod files;

use jiff::civil::{date, time};
use rstest::rstest;

use super::*;

fn messages(code: &str) -> &'static Messages {
    Messages::for_language(Language::new(code).as_ref())
}

#[rstest]
#[case::english("en", "12,345.5 3:05 pm Monday, 4 January 2027 1 hour and 30 minutes")]
#[case::german("de", "12.345,5 15:05 Montag, 4. Januar 2027 1 Stunde und 30 Minuten")]
#[case::french("fr", "12\u{202f}345,5 15:05 lundi 4 janvier 2027 1 heure et 30 minutes")]
#[case::spanish("es", "12.345,5 15:05 lunes, 4 de enero de 2027 1 hora y 30 minutos")]
#[case::italian("it", "12.345,5 15:05 lunedì 4 gennaio 2027 1 ora e 30 minuti")]
#[case::dutch("nl", "12.345,5 15:05 maandag 4 januari 2027 1 uur en 30 minuten")]
#[case::portuguese("pt", "12.345,5 15:05 segunda-feira, 4 de janeiro de 2027 1 hora e 30 minutos")]
#[case::turkish("tr", "12.345,5 15:05 4 Ocak 2027 Pazartesi 1 saat ve 30 dakika")]
fn numbers_and_times_are_written_as_the_language_writes_them(#[case] code: &str, #[case] expected: &str) {
    let messages = messages(code);
    let parts = [
        messages.number("12345.5"),
        messages.time(time(15, 5, 0, 0)),
        messages.day(date(2027, 1, 4)),
        messages.duration(5400),
    ];

    assert_eq!(parts.join(" "), expected);
}

#[rstest]
#[case::midnight(0, "12:00 am")]
#[case::noon(12, "12:00 pm")]
#[case::evening(23, "11:00 pm")]
fn twelve_hours_begin_with_twelve(#[case] hour: i8, #[case] expected: &str) {
    assert_eq!(Messages::english().time(time(hour, 0, 0, 0)), expected);
}

#[rstest]
#[case::four_digits_stay_together("de", "1234", "1234")]
#[case::negative("de", "-1234567.25", "-1.234.567,25")]
#[case::many_digits("en", "12345678901234567890123", "12,345,678,901,234,567,890,123")]
#[case::no_number("en", "1e400", "1e400")]
fn numbers_have_the_signs_of_the_language(#[case] code: &str, #[case] digits: &str, #[case] expected: &str) {
    assert_eq!(messages(code).number(digits), expected);
}

#[rstest]
#[case::none(0, "0 seconds")]
#[case::all_three(3661, "1 hour, 1 minute and 1 second")]
fn duration_names_the_parts_that_are_not_zero(#[case] seconds: i64, #[case] expected: &str) {
    assert_eq!(Messages::english().duration(seconds), expected);
}

#[test]
fn braces_in_a_label_stay() {
    let said = messages("de").timer_set_named("5 Minuten", "{x} { $duration }");

    assert_eq!(said, "Der Timer „{x} { $duration }“ läuft: 5 Minuten.");
}

#[test]
fn language_without_messages_gets_the_english_ones() {
    let finnish = messages("fi");

    assert_eq!((finnish.language().code(), finnish.timer_none()), ("en", "No timer is running."));
}

#[test]
fn message_that_a_language_lacks_is_english() {
    let japanese = Language::new("ja");

    assert_eq!(messages("ja").ring_alarm_named("tea"), "Your alarm: tea.");
    assert_eq!(messages("ja").reply_dismissed(), "承知しました。");
    assert!(Messages::with(japanese.as_ref(), id::RING_ALARM_NAMED).is_none());
    assert!(Messages::with(japanese.as_ref(), id::REPLY_DISMISSED).is_some());
}

#[test]
fn large_number_in_a_message_has_the_signs_of_the_language() {
    assert_eq!(messages("de").date_days_until("X", 12_345), "Noch 12.345 Tage bis X.");
}
