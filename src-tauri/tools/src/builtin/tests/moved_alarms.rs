//! Alarms that are moved to another time. It is Monday, 23 November 2026, five past three in the afternoon.

use super::*;

#[tokio::test]
async fn alarm_is_moved_to_another_time() {
    let fixture = Fixture::new("en");
    let mut told = Vec::new();
    for (tool, arguments) in [
        ("setAlarm", json!({"time": "06:30"})),
        ("setAlarm", json!({"time": "08:00 or 20:00", "replaces": "any"})),
        ("setAlarm", json!({"time": "21:00"})),
        ("setAlarm", json!({"time": "09:00", "replaces": "any"})),
        ("setAlarm", json!({"time": "10:00 or 22:00", "replaces": "09:00 or 21:00"})),
        ("setAlarm", json!({"time": "09:00", "replaces": "07:00"})),
        ("listReminders", json!({})),
    ] {
        told.push(fixture.told(tool, arguments).await);
    }

    insta::assert_snapshot!(told.join("\n"), @r#"
    The alarm is set: Tuesday, 24 November 2026, 6:30 am.
    The alarm is set: Tuesday, 24 November 2026, 8:00 am.
    The alarm is set: Monday, 23 November 2026, 9:00 pm.
    failed: 2 of them are set. Ask which one is meant.
    The alarm is set: Monday, 23 November 2026, 10:00 pm.
    failed: None is set for 07:00. Look which ones there are.
    Monday, 23 November 2026, 10:00 pm; Tuesday, 24 November 2026, 8:00 am.
    "#);
}

#[rstest]
#[case::into_the_afternoon(
    "11:30",
    "00:30 or 12:30",
    "The alarm is set: Tuesday, 24 November 2026, 12:30 pm."
)]
#[case::from_the_afternoon(
    "13:00",
    "11:00 or 23:00",
    "The alarm is set: Tuesday, 24 November 2026, 11:00 am."
)]
#[case::into_the_night("23:00", "01:00 or 13:00", "The alarm is set: Tuesday, 24 November 2026, 1:00 am.")]
#[case::same_half("06:30", "08:00 or 20:00", "The alarm is set: Tuesday, 24 November 2026, 8:00 am.")]
#[tokio::test]
async fn nearest_time_is_meant(#[case] set: &str, #[case] to: &str, #[case] expected: &str) {
    let fixture = Fixture::new("en");
    fixture.call("setAlarm", json!({ "time": set })).await;

    assert_eq!(fixture.told("setAlarm", json!({ "time": to, "replaces": "any" })).await, expected);
}

#[tokio::test]
async fn weekly_alarm_keeps_its_day_or_the_user_is_asked() {
    let fixture = Fixture::new("en");
    let weekly = json!({ "time": "18:00", "date": "today", "repeats": "weekly" });
    fixture.call("setAlarm", weekly).await;

    let over = fixture.told("setAlarm", json!({ "time": "11:00", "replaces": "any" })).await;
    let later = fixture.told("setAlarm", json!({ "time": "19:00", "replaces": "any" })).await;

    assert_eq!(over, "failed: That time is over on its day. Ask which day is meant.");
    assert_eq!(later, "The alarm is set: Monday, 23 November 2026, 7:00 pm, every week.");
}
