//! The sentences that are shown and said when something rings.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use languages::messages::{Messages, id};
use vocabulary::{Language, RingKind};

use crate::user::user_languages::messages_of_user;

/// The first of the user's languages that has sentences; English without one.
pub(super) fn language_of(user: &[Language]) -> Language {
    messages_of_user(user, id::RING_TIMER).language().clone()
}

/// The sentence about what rings. `missed_at` is set when it could not ring in time.
pub(super) fn sentence(language: &Language, kind: RingKind, label: &str, missed_at: Option<&str>) -> String {
    let messages = Messages::for_language(Some(language));
    // The sentence has a full stop of its own.
    let label = label.trim_end_matches(['.', ' ']);
    let named = (!label.is_empty()).then_some(label);
    let sentence = match (kind, named, missed_at) {
        (RingKind::Timer, None, None) => messages.ring_timer().to_owned(),
        (RingKind::Timer, Some(label), None) => messages.ring_timer_named(label),
        (RingKind::Timer, None, Some(time)) => messages.ring_timer_missed(time),
        (RingKind::Timer, Some(label), Some(time)) => messages.ring_timer_missed_named(label, time),
        (RingKind::Alarm, None, None) => messages.ring_alarm().to_owned(),
        (RingKind::Alarm, Some(label), None) => messages.ring_alarm_named(label),
        (RingKind::Alarm, None, Some(time)) => messages.ring_alarm_missed(time),
        (RingKind::Alarm, Some(label), Some(time)) => messages.ring_alarm_missed_named(label, time),
        (RingKind::Reminder, None, None) => messages.ring_reminder().to_owned(),
        (RingKind::Reminder, Some(label), None) => messages.ring_reminder_named(label),
        (RingKind::Reminder, None, Some(time)) => messages.ring_reminder_missed(time),
        (RingKind::Reminder, Some(label), Some(time)) => messages.ring_reminder_missed_named(label, time),
    };
    match sentence.strip_suffix('.') {
        Some(without_stop) if without_stop.ends_with(['!', '?']) && without_stop.ends_with(label) => {
            without_stop.to_owned()
        }
        _ => sentence,
    }
}

/// The time of a moment, and its day unless that is today.
pub(super) fn time_of(language: &Language, at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let messages = Messages::for_language(Some(language));
    let (at, now) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let time = messages.clock(messages.ring_format_time(), at.time());
    if at.date() == now.date() {
        return time;
    }
    messages.ring_on_day(&messages.date(messages.ring_format_day(), at.date()), &time)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn language(code: &str) -> Language {
        Language::new(code).unwrap()
    }

    #[rstest]
    #[case::labelled("en", RingKind::Timer, "tea", None, "Your tea timer is done.")]
    #[case::without_a_label("de", RingKind::Timer, "", None, "Dein Timer ist abgelaufen.")]
    #[case::label_with_its_own_stop(
        "fr",
        RingKind::Reminder,
        "appeler Anna.",
        None,
        "Rappel : appeler Anna."
    )]
    #[case::label_that_asks("en", RingKind::Reminder, "is the oven off?", None, "Reminder: is the oven off?")]
    #[case::label_like_a_template("en", RingKind::Reminder, "{time}", None, "Reminder: {time}.")]
    #[case::missed("tr", RingKind::Alarm, "kalk", Some("07:00"), "Alarm ben kapalıyken kaçtı, 07:00: kalk.")]
    #[case::language_without_sentences("ja", RingKind::Alarm, "", None, "Your alarm is ringing.")]
    fn sentence_names_what_rings(
        #[case] code: &str,
        #[case] kind: RingKind,
        #[case] label: &str,
        #[case] missed_at: Option<&str>,
        #[case] expected: &str,
    ) {
        assert_eq!(sentence(&language(code), kind, label, missed_at), expected);
    }

    #[rstest]
    fn every_language_names_the_label_and_the_time(
        #[values(RingKind::Timer, RingKind::Alarm, RingKind::Reminder)] kind: RingKind,
    ) {
        for data in languages::all() {
            let language = language(data.code);
            let said = sentence(&language, kind, "tea", Some("07:00"));

            assert!(said.contains("tea") && said.contains("07:00") && !said.contains('{'), "{said}");
            assert!(sentence(&language, kind, "tea", None).contains("tea"));
            assert!(sentence(&language, kind, "", Some("07:00")).contains("07:00"));
        }
    }

    #[rstest]
    #[case::today("2025-11-22T07:00:00Z", "07:00")]
    #[case::the_day_before("2025-11-21T23:30:00Z", "23:30 am 21.11.")]
    fn missed_time_has_its_day_unless_it_is_today(#[case] at: &str, #[case] expected: &str) {
        let now = "2025-11-22T09:00:00Z".parse().unwrap();

        assert_eq!(time_of(&language("de"), at.parse().unwrap(), now, &TimeZone::UTC), expected);
    }

    #[rstest]
    #[case::first_with_sentences(&["ja", "it", "en"], "it")]
    #[case::none(&[], "en")]
    fn language_is_the_first_of_the_user_with_sentences(#[case] user: &[&str], #[case] expected: &str) {
        let user: Vec<Language> = user.iter().map(|code| language(code)).collect();

        assert_eq!(language_of(&user), language(expected));
    }
}
