//! Tests of stopping and repeating a ring.

use std::sync::Arc;

use memory::{ItemId, RecordKind};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::ScriptedRings;
use tools::RingControl;
use vocabulary::Language;

use crate::fixture::Fixture;

#[rstest]
#[case::usual_time("snooze", json!({}), "Es klingelt wieder in 5 Minuten.", &["7 snoozed for 300 s", "9 snoozed for 300 s"])]
#[case::named_time("snooze", json!({"minutes": 12}), "Es klingelt wieder in 12 Minuten.", &["7 snoozed for 720 s", "9 snoozed for 720 s"])]
#[case::stopped("stopRinging", json!({}), "Es ist aus.", &["7 stopped", "9 stopped"])]
#[tokio::test]
async fn everything_that_rings_is_settled_and_told(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] answer: &str,
    #[case] settled: &[&str],
) {
    let (mut fixture, rings) = fixture(&[7, 9]);
    fixture.context.language = Language::new("de");

    let result = fixture.call(tool, arguments).await;

    assert_eq!((result.answer.unwrap().0.as_str(), result.touched.len()), (answer, 2));
    assert_eq!(rings.settled(), settled);
}

#[rstest]
#[case::nothing_to_snooze("snooze", json!({}), &[], "failed: Nothing is ringing. Waiting timers and alarms are cancelled by name.")]
#[case::nothing_to_stop("stopRinging", json!({}), &[], "failed: Nothing is ringing. Waiting timers and alarms are cancelled by name.")]
#[case::too_long("snooze", json!({"minutes": 1_441}), &[7], "failed: It can ring again after 1 to 1440 minutes.")]
#[tokio::test]
async fn what_cannot_be_settled_is_told(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] ringing: &[i64],
    #[case] expected: &str,
) {
    let (fixture, rings) = fixture(ringing);

    assert_eq!(fixture.told(tool, arguments).await, expected);
    assert!(rings.settled().is_empty());
}

#[tokio::test]
async fn snoozing_for_days_is_refused_without_a_model() {
    let (mut fixture, _) = fixture(&[7]);
    fixture.context.language = Language::new("de");

    let result = fixture.call("snooze", json!({"minutes": 3_000})).await;

    assert_eq!(*result.answer.unwrap(), "Es kann nach einer Minute bis 24 Stunden wieder klingeln.");
}

#[rstest]
#[case::my_alarm(json!({"kind": "alarm"}))]
#[case::all_alarms(json!({"kind": "alarm", "all": true}))]
#[tokio::test]
async fn repeating_alarm_that_rings_is_stopped_and_stays_set(#[case] arguments: Value) {
    let (fixture, rings) = fixture(&[1]);
    fixture.call("setAlarm", json!({"time": "07:00", "repeats": "weekdays"})).await;
    let before = fixture.told("listReminders", json!({})).await;

    let result = fixture.call("cancelReminder", arguments).await;

    assert!(result.success, "{result:?}");
    assert_eq!(rings.settled(), ["1 stopped"]);
    assert_eq!(fixture.told("listReminders", json!({})).await, before);
}

#[rstest]
#[case::timer("setTimer", json!({"minutes": 5}))]
#[case::alarm("setAlarm", json!({"time": "23:00"}))]
#[tokio::test]
async fn alarm_that_is_turned_off_is_what_rings(#[case] tool: &str, #[case] arguments: Value) {
    let (fixture, rings) = fixture(&[1]);
    fixture.call(tool, arguments).await;
    fixture.call("setAlarm", json!({"time": "07:00"})).await;

    let result = fixture.call("cancelReminder", json!({"kind": "alarm", "stops_ringing": true})).await;

    assert!(result.success, "{result:?}");
    assert_eq!(rings.settled(), ["1 stopped"]);
    assert!(fixture.told("listReminders", json!({"items": ["appointment-2"]})).await.contains("7:00"));
}

#[tokio::test]
async fn only_alarm_is_turned_off_while_nothing_rings() {
    let (fixture, rings) = fixture(&[]);
    fixture.call("setAlarm", json!({"time": "07:00"})).await;
    fixture.call("setReminder", json!({"time": "08:00", "label": "Ann"})).await;
    let turn_off = || fixture.call("cancelReminder", json!({"kind": "alarm", "stops_ringing": true}));

    let first = turn_off().await;
    let second = turn_off().await;

    assert_eq!((first.success, second.success), (true, false));
    assert_eq!(first.touched, [ItemId::new(RecordKind::Appointment, 1)]);
    assert!(rings.settled().is_empty());
}

#[tokio::test]
async fn repeating_alarm_stays_set_when_nothing_rings_any_more() {
    let (fixture, _) = fixture(&[]);
    fixture.call("setAlarm", json!({"time": "07:00", "repeats": "weekdays"})).await;

    let result = fixture.call("cancelReminder", json!({"kind": "alarm", "stops_ringing": true})).await;

    assert!(!result.success, "{result:?}");
    assert!(fixture.told("listReminders", json!({})).await.contains("7:00"));
}

#[tokio::test]
async fn snoozed_thing_is_listed_by_its_id_whatever_it_is() {
    let (fixture, _) = fixture(&[]);
    fixture.call("setTimer", json!({"minutes": 5, "label": "tea"})).await;
    fixture.call("setAlarm", json!({"time": "07:00"})).await;

    let listed = fixture.call("listReminders", json!({"items": ["appointment-1"]})).await;

    assert_eq!(listed.touched, [ItemId::new(RecordKind::Appointment, 1)]);
}

fn fixture(ringing: &[i64]) -> (Fixture, Arc<ScriptedRings>) {
    let rings = Arc::new(ScriptedRings::ringing(ringing.iter().copied()));
    let of_tools = Arc::clone(&rings) as Arc<dyn RingControl>;
    let fixture = Fixture::with(|parts| tools::builtin::Parts { rings: Some(of_tools), ..parts });
    (fixture, rings)
}
