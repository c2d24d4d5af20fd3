//! What an earlier call set is taken back by its id.

use rstest::rstest;
use serde_json::{Value, json};

use crate::bench::Bench;

#[rstest]
#[case::timer("setTimer", json!({"minutes": 10}), "The timer is cancelled.")]
#[case::named_timer("setTimer", json!({"minutes": 10, "label": "tea"}), "The timer “tea” is cancelled.")]
#[case::alarm("setAlarm", json!({"time": "06:30"}), "“Tuesday, 24 November 2026, 6:30 am” is cancelled.")]
#[case::reminder("setReminder", json!({"time": "17:00", "label": "call Ann"}), "“Call Ann: Monday, 23 November 2026, 5:00 pm” is cancelled.")]
#[case::thing_to_buy("addTodo", json!({"text": "milk", "list": "shopping"}), "“milk” is no longer on the list shopping.")]
#[tokio::test]
async fn what_was_set_is_gone_and_told_so(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
) {
    let bench = Bench::new();
    bench.call("setTimer", json!({"minutes": 45, "label": "cake"})).await;
    let set: Vec<String> =
        bench.call(tool, arguments).await.touched.iter().map(ToString::to_string).collect();

    let taken_back = bench.call("takeBack", json!({"items": set})).await;

    assert_eq!(taken_back.answer.unwrap().0, expected);
    let left = bench.memory.appointments().await.unwrap();
    assert_eq!(left.iter().map(|it| it.label.as_str()).collect::<Vec<_>>(), ["cake"]);
    assert!(bench.memory.todos(None).await.unwrap().is_empty());
}

#[rstest]
#[case::gone("appointment-99", "failed: Nothing of that is left: it is over, done or cancelled already.")]
#[case::other_kind(
    "message-1",
    "failed: \"message-1\" is no id of a timer, an alarm, a reminder or a to-do."
)]
#[case::no_id("the tea", "failed: \"the tea\" is no id of a timer, an alarm, a reminder or a to-do.")]
#[tokio::test]
async fn what_is_not_there_cannot_be_taken_back(#[case] id: &str, #[case] expected: &str) {
    assert_eq!(Bench::new().told("takeBack", json!({"items": [id]})).await, expected);
}
