//! Undoing what a request changed on lists and in facts.

use memory::{AppointmentStatus, Branch, Forget, Meal, Memory, RecordKind, Undo, UndoneItem};
use rstest::rstest;
use vocabulary::{ConversationId, Private};

use crate::support::{Home, MINUTE, NOW, appointment, fact, open, records_without_change_times};

fn main() -> ConversationId {
    ConversationId::main()
}

fn undone(kind: RecordKind, name: &str, was_added: bool) -> UndoneItem {
    UndoneItem { kind, name: name.into(), was_added }
}

/// Undoes the newest request of the main conversation.
async fn undo(memory: &Memory, now: i64) -> Vec<UndoneItem> {
    match memory.newest_change(&main(), now).await.unwrap() {
        Some(asked_at) => memory.undo_changes(&main(), asked_at).await.unwrap(),
        None => Vec::new(),
    }
}

/// A timer, a to-do and a meal that were there before.
async fn lists(memory: &Memory) {
    memory.appoint(appointment("tea"), NOW).await.unwrap();
    memory.add_todo("shopping", "milk", NOW).await.unwrap();
    memory.learn(Branch::User.node(), fact("my name is Ada"), NOW).await.unwrap();
    memory.log_meal(Meal { eaten_at: NOW, description: "soup".into(), ..Meal::default() }).await.unwrap();
}

#[rstest]
#[case::added_todo("add", vec![undone(RecordKind::Todo, "eggs", true)])]
#[case::done_todo("finish", vec![undone(RecordKind::Todo, "milk", false)])]
#[case::removed_todo("remove", vec![undone(RecordKind::Todo, "milk", false)])]
#[case::new_timer("appoint", vec![undone(RecordKind::Appointment, "rice", true)])]
#[case::cancelled_timer("cancel", vec![undone(RecordKind::Appointment, "tea", false)])]
#[case::longer_timer("shift", vec![undone(RecordKind::Appointment, "tea", false)])]
#[case::paused_timer("pause", vec![undone(RecordKind::Appointment, "tea", false)])]
#[case::logged_meal("eat", vec![undone(RecordKind::Meal, "pie", true)])]
#[case::deleted_meal("delete meal", vec![undone(RecordKind::Meal, "soup", false)])]
#[case::new_fact("learn", vec![undone(RecordKind::Fact, "I live in York", true)])]
#[case::corrected_fact(
    "correct",
    vec![undone(RecordKind::Fact, "call me Max", true), undone(RecordKind::Fact, "my name is Ada", false)]
)]
#[case::retracted_fact("retract", vec![undone(RecordKind::Fact, "my name is Ada", false)])]
#[case::replaced_timer("replace", vec![undone(RecordKind::Appointment, "tea", false), undone(RecordKind::Appointment, "rice", true)])]
#[tokio::test]
async fn change_of_a_request_is_undone_after_a_restart(
    #[case] change: &str,
    #[case] expected: Vec<UndoneItem>,
) {
    let Home { folder, memory } = Home::new();
    lists(&memory).await;
    let before = records_without_change_times(&memory).await;
    let request = memory.in_request(&main(), NOW + 1);
    let user = Branch::User.node();
    let named = memory.facts(user).await.unwrap()[0].id;
    match change {
        "add" => drop(request.add_todo("shopping", "eggs", NOW + 1).await.unwrap()),
        "finish" => request.finish_todo(1, NOW + 1).await.unwrap(),
        "remove" => assert!(request.delete_todo(1).await.unwrap()),
        "appoint" => drop(request.appoint(appointment("rice"), NOW + 1).await.unwrap()),
        "cancel" => request.settle_appointment(1, AppointmentStatus::Cancelled).await.unwrap(),
        "shift" => request.shift_appointment(1, MINUTE).await.unwrap(),
        "pause" => request.pause_appointment(1, NOW + 1).await.unwrap(),
        "eat" => {
            let pie = Meal { eaten_at: NOW, description: "pie".into(), ..Meal::default() };
            request.log_meal(pie).await.unwrap();
        }
        "learn" => drop(request.learn(user, fact("I live in York"), NOW + 1).await.unwrap()),
        "correct" => drop(request.correct(named, fact("call me Max"), NOW + 1).await.unwrap()),
        "retract" => request.retract(named, NOW + 1).await.unwrap(),
        "delete meal" => assert!(request.delete_meal(1).await.unwrap()),
        _ => {
            request.appoint(appointment("rice"), NOW + 1).await.unwrap();
            request.settle_appointment(1, AppointmentStatus::Cancelled).await.unwrap();
        }
    }
    assert_ne!(records_without_change_times(&memory).await, before);
    memory.store().close();
    let again = open(&folder.path().join("jarvis.db"));

    let told = undo(&again, NOW + MINUTE).await;

    assert_eq!(told, expected);
    assert_eq!(records_without_change_times(&again).await, before);
    assert_eq!(undo(&again, NOW + MINUTE).await, []);
}

#[tokio::test]
async fn newest_request_of_the_conversation_is_undone_first() {
    let home = Home::new();
    home.memory.in_request(&main(), NOW).add_todo("shopping", "milk", NOW).await.unwrap();
    let other = ConversationId("other".into());
    home.memory.in_request(&main(), NOW + 1).add_todo("shopping", "eggs", NOW).await.unwrap();
    home.memory.in_request(&other, NOW + 2).add_todo("shopping", "tea", NOW).await.unwrap();

    let told = [undo(&home.memory, NOW + 3).await, undo(&home.memory, NOW + 3).await];

    assert_eq!(told, [[undone(RecordKind::Todo, "eggs", true)], [undone(RecordKind::Todo, "milk", true)]]);
    assert_eq!(home.memory.todos(None).await.unwrap().len(), 1);
}

#[tokio::test]
async fn change_cannot_be_undone_after_ten_minutes_or_once_it_is_over() {
    let home = Home::new();
    home.memory.in_request(&main(), NOW).add_todo("shopping", "milk", NOW).await.unwrap();
    assert_eq!(undo(&home.memory, NOW + 10 * MINUTE).await, []);
    let id = home.memory.in_request(&main(), NOW).appoint(appointment("tea"), NOW).await.unwrap();
    home.memory.settle_appointment(id, AppointmentStatus::Done).await.unwrap();

    assert_eq!(undo(&home.memory, NOW + 1).await, []);
    assert_eq!(home.memory.todos(None).await.unwrap().len(), 1);
}

#[tokio::test]
async fn forgotten_words_do_not_come_back_by_undoing_a_change() {
    let home = Home::new();
    lists(&home.memory).await;
    home.memory.in_request(&main(), NOW + 1).delete_todo(1).await.unwrap();

    home.memory.forget(Forget::Words(Private("milk".into())), Undo::Never, NOW + 2).await.unwrap();

    assert_eq!(undo(&home.memory, NOW + 3).await, []);
    assert_eq!(home.memory.todos(None).await.unwrap(), []);
}

#[tokio::test]
async fn undoing_what_was_forgotten_leaves_changes_of_requests_alone() {
    let home = Home::new();
    home.say(NOW, "I keep bees").await;
    home.memory.forget(Forget::LastThing, Undo::Possible, NOW + 1).await.unwrap();
    home.memory.in_request(&main(), NOW + 2).add_todo("shopping", "milk", NOW + 2).await.unwrap();

    let back = home.memory.undo(None, NOW + 3).await.unwrap();

    assert_eq!(back.len(), 1);
    assert_eq!(home.memory.todos(None).await.unwrap().len(), 1);
}
