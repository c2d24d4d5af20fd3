//! Timers that are paused, made longer or shorter, and chosen by their duration.

use super::*;

const MINUTE: i64 = 60;

#[tokio::test]
async fn paused_timer_keeps_its_time_until_it_is_resumed() {
    let fixture = Fixture::new("en");
    fixture.told("setTimer", json!({"minutes": 10, "label": "tea"})).await;
    let fixture = fixture.later(MINUTE);
    let paused = fixture.told("changeTimer", json!({"action": "pause"})).await;
    let fixture = fixture.later(20 * MINUTE);
    let again = fixture.told("changeTimer", json!({"action": "pause", "label": "tea"})).await;
    let listed = fixture.told("listTimers", json!({})).await;
    let while_paused = fixture.memory.take_due(fixture.now_micros()).await.unwrap().len();
    let resumed = fixture.told("changeTimer", json!({"action": "resume"})).await;
    let runs = fixture.told("changeTimer", json!({"action": "resume"})).await;
    let fixture = fixture.later(9 * MINUTE - 1);
    let too_early = fixture.memory.take_due(fixture.now_micros()).await.unwrap().len();
    let fixture = fixture.later(1);
    let due = fixture.memory.take_due(fixture.now_micros()).await.unwrap().len();

    insta::assert_snapshot!([paused, again, listed, resumed, runs].join("\n"), @r"
    The timer “tea” is paused, with 9 minutes left.
    failed: It is paused already, with 9 minutes left.
    The timer “tea” is paused, with 9 minutes left.
    The timer “tea” is running again: 9 minutes left.
    failed: It is not paused: 9 minutes left.
    ");
    assert_eq!((while_paused, too_early, due), (0, 0, 1));
}

#[tokio::test]
async fn time_is_added_to_a_timer_and_taken_off() {
    let fixture = Fixture::new("en");
    fixture.told("setTimer", json!({"minutes": 10})).await;
    let change = |arguments| fixture.told("changeTimer", arguments);
    let told = [
        change(json!({"action": "add", "minutes": 5})).await,
        change(json!({"action": "subtract", "seconds": 90})).await,
        change(json!({"action": "subtract", "minutes": 20})).await,
        change(json!({"action": "add", "hours": 24})).await,
        change(json!({"action": "add"})).await,
        change(json!({"action": "add", "minutes": 5, "label": "rice"})).await,
        change(json!({"action": "pause"})).await,
        change(json!({"action": "add", "minutes": 1})).await,
    ];

    insta::assert_snapshot!(told.join("\n"), @r"
    15 minutes left on the timer.
    13 minutes and 30 seconds left on the timer.
    failed: Only 13 minutes and 30 seconds left on it: less than is to be taken off. Nothing was changed.
    failed: A timer runs for at most 24 hours. Nothing was changed.
    failed: How much time to add or take off is missing. Ask for it.
    failed: No timer is called so. Running: 13 minutes and 30 seconds.
    The timer is paused, with 13 minutes and 30 seconds left.
    The timer is paused, with 14 minutes and 30 seconds left.
    ");
}

#[tokio::test]
async fn timer_is_chosen_by_the_duration_it_was_set_for() {
    let fixture = Fixture::new("en");
    fixture.told("setTimer", json!({"minutes": 10})).await;
    fixture.told("setTimer", json!({"minutes": 5})).await;
    let fixture = fixture.later(MINUTE);
    let told = [
        fixture.told("listTimers", json!({"seconds": 300})).await,
        fixture.told("cancelTimer", json!({"seconds": 600})).await,
        fixture.told("cancelTimer", json!({"seconds": 600})).await,
        fixture.told("listTimers", json!({})).await,
    ];

    insta::assert_snapshot!(told.join("\n"), @r"
    4 minutes left on the timer.
    The timer is cancelled.
    failed: No timer is called so. Running: 4 minutes.
    4 minutes left on the timer.
    ");
}

#[tokio::test]
async fn cancelled_by_their_ids_are_those_that_are_left_and_no_other() {
    let fixture = Fixture::new("en");
    for label in ["tea", "rice", "eggs"] {
        fixture.told("setTimer", json!({"minutes": 10, "label": label})).await;
    }
    fixture.told("cancelTimer", json!({"label": "tea"})).await;
    fixture.told("setTimer", json!({"minutes": 10, "label": "bread"})).await;
    let named = json!({"items": ["appointment-1", "appointment-2", "appointment-3"]});
    let told = [
        fixture.told("cancelTimer", named.clone()).await,
        fixture.told("cancelTimer", named).await,
        fixture.told("listTimers", json!({})).await,
    ];

    insta::assert_snapshot!(told.join("\n"), @r"
    The timer “rice” is cancelled. The timer “eggs” is cancelled.
    failed: Nothing of that is left: it is over, done or cancelled already.
    10 minutes left on the timer “bread”.
    ");
}

#[tokio::test]
async fn timer_to_change_is_called_by_its_duration_or_by_what_is_left() {
    let fixture = Fixture::new("en");
    fixture.told("setTimer", json!({"minutes": 10})).await;
    let fixture = fixture.later(2 * MINUTE);
    fixture.told("setTimer", json!({"minutes": 10})).await;
    fixture.told("setTimer", json!({"minutes": 30})).await;
    let fixture = fixture.later(15);
    let change = |arguments| fixture.told("changeTimer", arguments);
    let told = [
        change(json!({"action": "add", "minutes": 5, "set_for": 1800})).await,
        change(json!({"action": "pause", "set_for": 600})).await,
        change(json!({"action": "pause", "set_for": 480})).await,
        change(json!({"action": "pause", "set_for": 1200})).await,
    ];

    insta::assert_snapshot!(told.join("\n"), @r"
    34 minutes and 45 seconds left on the timer.
    failed: Several timers are running: 7 minutes and 45 seconds, 9 minutes and 45 seconds. Ask which one, or say all.
    The timer is paused, with 7 minutes and 45 seconds left.
    failed: No timer is called so. Running: 7 minutes and 45 seconds, 9 minutes and 45 seconds, 34 minutes and 45 seconds.
    ");
}

/// The refusal of a tool that a rule called is told without a model.
#[rstest]
#[case::nothing_runs(&[], "changeTimer", json!({"action": "pause"}), "Es läuft kein Timer.")]
#[case::several(&[4, 5], "changeTimer", json!({"action": "pause"}), "Es laufen mehrere Timer: 4 Minuten, 5 Minuten. Welcher?")]
#[case::unknown(&[4], "cancelTimer", json!({"label": "Reis"}), "So heißt kein Timer. Es gibt: 4 Minuten.")]
#[case::ended(&[4], "changeTimer", json!({"action": "pause", "item": "appointment-9"}), "Dieser Timer ist schon zu Ende.")]
#[case::ended_while_none_runs(&[], "changeTimer", json!({"action": "pause", "item": "appointment-9"}), "Dieser Timer ist schon zu Ende.")]
#[case::too_long(&[], "setTimer", json!({"hours": 25}), "Ein Timer läuft höchstens 24 Stunden.")]
#[case::too_many(&[1; 32], "setTimer", json!({"minutes": 1}), "Es gibt schon 32, mehr gehen nicht. Lösche erst einen.")]
#[tokio::test]
async fn refusal_is_worded_in_the_language_of_the_user(
    #[case] minutes: &[u32],
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
) {
    let fixture = Fixture::new("de");
    for minutes in minutes {
        fixture.told("setTimer", json!({"minutes": minutes})).await;
    }

    let result = fixture.call(tool, arguments).await;

    assert_eq!((result.success, result.answer.map(|answer| answer.0)), (false, Some(expected.to_owned())));
}
