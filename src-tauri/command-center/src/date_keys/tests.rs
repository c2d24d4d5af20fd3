use rstest::rstest;

use super::*;

/// The instants in UTC, or what is unresolved behind a question mark.
fn resolved(keys: &[&str], now: &str, zone: &str) -> String {
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let zone = TimeZone::get(zone).unwrap();
    let dates = resolve_date_keys(&keys, now.parse().unwrap(), &zone, languages::of_code("en").unwrap());
    let instants = dates.instants.iter().map(ToString::to_string);
    instants.chain(dates.unresolved.iter().map(|key| format!("?{key}"))).collect::<Vec<_>>().join(" ")
}

/// On Wednesday, 15 January 2025, in New York, five hours behind UTC.
#[rstest]
#[case::today(&["today"], "2025-01-15T05:00:00Z")]
#[case::tomorrow(&["tomorrow"], "2025-01-16T05:00:00Z")]
#[case::yesterday(&["yesterday"], "2025-01-14T05:00:00Z")]
#[case::day_after_tomorrow(&["day_after_tomorrow"], "2025-01-17T05:00:00Z")]
#[case::day_before_yesterday(&["day_before_yesterday"], "2025-01-13T05:00:00Z")]
#[case::this_week(&["this_week"], "2025-01-12T05:00:00Z")]
#[case::next_week(&["next_week"], "2025-01-19T05:00:00Z")]
#[case::last_week(&["last_week"], "2025-01-05T05:00:00Z")]
#[case::this_weekend(&["this_weekend"], "2025-01-18T05:00:00Z")]
#[case::next_weekend(&["next_weekend"], "2025-01-25T05:00:00Z")]
#[case::last_weekend(&["last_weekend"], "2025-01-11T05:00:00Z")]
#[case::next_month(&["next_month"], "2025-02-01T05:00:00Z")]
#[case::last_year(&["last_year"], "2024-01-01T05:00:00Z")]
#[case::next_friday(&["next_friday"], "2025-01-17T05:00:00Z")]
#[case::next_wednesday_is_not_today(&["next_wednesday"], "2025-01-22T05:00:00Z")]
#[case::last_monday(&["last_monday"], "2025-01-13T05:00:00Z")]
#[case::last_wednesday_is_not_today(&["last_wednesday"], "2025-01-08T05:00:00Z")]
#[case::tonight(&["tonight"], "2025-01-16T00:00:00Z")]
#[case::last_night(&["last_night"], "2025-01-15T00:00:00Z")]
#[case::morning(&["tomorrow_morning"], "2025-01-16T12:00:00Z")]
#[case::afternoon(&["today_afternoon"], "2025-01-15T18:00:00Z")]
#[case::evening(&["next_friday_evening"], "2025-01-17T23:00:00Z")]
#[case::night(&["tomorrow_night"], "2025-01-17T02:00:00Z")]
#[case::noon(&["day_after_tomorrow_noon"], "2025-01-17T17:00:00Z")]
#[case::midnight(&["tomorrow_midnight"], "2025-01-16T05:00:00Z")]
#[case::at(&["tomorrow_at_3pm"], "2025-01-16T20:00:00Z")]
#[case::at_with_minutes(&["tomorrow_at_9_30am"], "2025-01-16T14:30:00Z")]
#[case::at_out_of_range(&["tomorrow_at_25"], "2025-01-16T05:00:00Z")]
#[case::at_no_time(&["tomorrow_at_banana"], "?tomorrow_at_banana")]
#[case::minutes(&["in_30_minutes"], "2025-01-15T15:30:00Z")]
#[case::one_hour(&["in_1_hour"], "2025-01-15T16:00:00Z")]
#[case::compound(&["in_1_hours_30_minutes"], "2025-01-15T16:30:00Z")]
#[case::days_keep_the_time(&["in_2_days"], "2025-01-17T15:00:00Z")]
#[case::days_and_hours(&["in_1_day_2_hours"], "2025-01-16T17:00:00Z")]
#[case::no_number(&["in_an_hour"], "?in_an_hour")]
#[case::no_unit(&["in_5"], "?in_5")]
#[case::too_many(&["in_99999999999999999999_days"], "?in_99999999999999999999_days")]
#[case::beyond_all_years(&["in_99999999_days"], "?in_99999999_days")]
#[case::day_and_time(&["tomorrow", "morning"], "2025-01-16T12:00:00Z")]
#[case::time_before_day(&["at_3pm", "tomorrow"], "2025-01-16T20:00:00Z")]
#[case::two_days_and_time(&["today", "tomorrow", "noon"], "2025-01-15T17:00:00Z 2025-01-16T17:00:00Z")]
#[case::time_of_its_own(&["tomorrow_morning", "evening"], "2025-01-16T12:00:00Z")]
#[case::tonight_at(&["tonight", "at_9pm"], "2025-01-16T02:00:00Z")]
#[case::lone_time(&["morning"], "")]
#[case::duplicates(&["today", "tomorrow", "today"], "2025-01-15T05:00:00Z 2025-01-16T05:00:00Z")]
#[case::as_said(&["Tomorrow Morning", "today at 9:30am"], "2025-01-16T12:00:00Z 2025-01-15T14:30:00Z")]
#[case::unknown(&["someday", "today", "someday"], "2025-01-15T05:00:00Z ?someday")]
#[case::nothing(&[], "")]
fn keys_are_resolved_in_local_time(#[case] keys: &[&str], #[case] expected: &str) {
    assert_eq!(resolved(keys, "2025-01-15T10:00:00", "America/New_York"), expected);
}

#[rstest]
#[case::end_of_a_month("next_month", "2025-01-31T10:00:00", "UTC", "2025-02-01T00:00:00Z")]
#[case::end_of_a_year("tomorrow", "2024-12-31T10:00:00", "UTC", "2025-01-01T00:00:00Z")]
#[case::leap_day("tomorrow", "2024-02-28T10:00:00", "UTC", "2024-02-29T00:00:00Z")]
#[case::sunday_begins_a_week("this_week", "2025-01-12T10:00:00", "UTC", "2025-01-12T00:00:00Z")]
#[case::saturday_ends_a_week("this_week", "2025-01-18T10:00:00", "UTC", "2025-01-12T00:00:00Z")]
#[case::day_of_the_change("tomorrow", "2025-03-09T00:30:00", "America/New_York", "2025-03-10T04:00:00Z")]
#[case::days_over_the_change("in_1_days", "2025-03-08T10:00:00", "America/New_York", "2025-03-09T14:00:00Z")]
#[case::hours_over_the_change(
    "in_24_hours",
    "2025-03-08T10:00:00",
    "America/New_York",
    "2025-03-09T15:00:00Z"
)]
#[case::time_in_the_gap("today_at_2_30am", "2025-03-09T00:30:00", "America/New_York", "2025-03-09T07:30:00Z")]
#[case::midnight_in_the_gap("today", "2018-11-04T10:00:00", "America/Sao_Paulo", "2018-11-04T03:00:00Z")]
#[case::time_said_twice("today_at_1_30am", "2025-11-02T00:30:00", "America/New_York", "2025-11-02T05:30:00Z")]
#[case::half_hour_zone("today", "2025-01-15T10:00:00", "Asia/Kolkata", "2025-01-14T18:30:00Z")]
fn calendars_and_zones_are_followed(
    #[case] key: &str,
    #[case] now: &str,
    #[case] zone: &str,
    #[case] expected: &str,
) {
    assert_eq!(resolved(&[key], now, zone), expected);
}
