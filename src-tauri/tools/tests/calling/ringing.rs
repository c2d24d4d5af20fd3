//! Tests of stopping and repeating a ring.

use std::sync::Arc;

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

fn fixture(ringing: &[i64]) -> (Fixture, Arc<ScriptedRings>) {
    let rings = Arc::new(ScriptedRings::ringing(ringing.iter().copied()));
    let of_tools = Arc::clone(&rings) as Arc<dyn RingControl>;
    let fixture = Fixture::with(|parts| tools::builtin::Parts { rings: Some(of_tools), ..parts });
    (fixture, rings)
}
