//! Takes back the work of an earlier call, by its id or as the newest change.

use rstest::rstest;
use serde_json::{Value, json};
use vocabulary::ConversationId;

use crate::files::Home;
use crate::fixture::Fixture;

#[rstest]
#[case::timer("setTimer", json!({"minutes": 10}), "The timer is cancelled.")]
#[case::named_timer("setTimer", json!({"minutes": 10, "label": "tea"}), "The timer “tea” is cancelled.")]
#[case::alarm("setAlarm", json!({"time": "06:30"}), "“Tuesday, 24 November 2026, 6:30 am” is cancelled.")]
#[case::reminder("setReminder", json!({"time": "17:00", "label": "call Ann"}), "“Call Ann: Monday, 23 November 2026, 5:00 pm” is cancelled.")]
#[case::thing_to_buy("addTodo", json!({"text": "milk", "list": "shopping"}), "“milk” is no longer on your shopping list.")]
#[tokio::test]
async fn what_was_set_is_gone_and_told_so(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
) {
    let fixture = Fixture::new();
    fixture.call("setTimer", json!({"minutes": 45, "label": "cake"})).await;
    let set: Vec<String> =
        fixture.call(tool, arguments).await.touched.iter().map(ToString::to_string).collect();

    let taken_back = fixture.call("takeBack", json!({"items": set})).await;

    assert_eq!(taken_back.answer.unwrap().0, expected);
    let left = fixture.memory.appointments().await.unwrap();
    assert_eq!(left.iter().map(|it| it.label.as_str()).collect::<Vec<_>>(), ["cake"]);
    assert!(fixture.memory.todos(None).await.unwrap().is_empty());
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
    assert_eq!(Fixture::new().told("takeBack", json!({"items": [id]})).await, expected);
}

/// A timer, a to-do and a meal of an earlier request.
async fn lists(fixture: &mut Fixture) {
    fixture.call("setTimer", json!({"minutes": 45, "label": "cake"})).await;
    fixture.call("addTodo", json!({"text": "milk", "list": "shopping"})).await;
    let meal = memory::Meal { eaten_at: 1, description: "soup".into(), ..memory::Meal::default() };
    fixture.memory.log_meal(meal).await.unwrap();
    fixture.next_request();
}

#[rstest]
#[case::timer("setTimer", json!({"minutes": 10, "label": "tea"}), "“tea” is gone again.")]
#[case::reminder("setReminder", json!({"time": "17:00", "label": "call Ann"}), "“call Ann” is gone again.")]
#[case::cancelled_timer("cancelTimer", json!({"label": "cake"}), "“cake” is as it was before.")]
#[case::longer_timer("changeTimer", json!({"action": "add", "seconds": 60}), "“cake” is as it was before.")]
#[case::thing_to_buy("addTodo", json!({"text": "eggs"}), "“eggs” is gone again.")]
#[case::bought("finishTodo", json!({"text": "milk"}), "“milk” is as it was before.")]
#[case::meal("deleteMeal", json!({"id": 1}), "“soup” is as it was before.")]
#[case::taken_back("takeBack", json!({"items": ["todo-1"]}), "“milk” is as it was before.")]
#[tokio::test]
async fn newest_change_is_undone_and_told_so(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
) {
    let mut fixture = Fixture::new();
    lists(&mut fixture).await;
    let before = fixture.memory.archive().await.unwrap();
    assert!(fixture.call(tool, arguments).await.success);
    assert_ne!(fixture.memory.archive().await.unwrap(), before);
    fixture.next_request();

    let undone = fixture.call("takeBack", json!({})).await;

    assert_eq!((undone.success, undone.answer.unwrap().0.as_str()), (true, expected));
    assert_eq!(fixture.memory.archive().await.unwrap(), before);
}

#[tokio::test]
async fn nothing_changed_is_said_so() {
    let undone = Fixture::new().call("takeBack", json!({"items": []})).await;

    let expected = "There is nothing to undo: I have changed nothing here in the last ten minutes.";
    assert_eq!((undone.success, undone.answer.unwrap().0.as_str()), (false, expected));
}

#[tokio::test]
async fn newest_change_is_undone_whether_it_is_one_of_a_file_or_of_a_list() {
    let mut home = Home::new();
    let write = json!({"operation": "write", "path": "notes.txt", "content": "Buy eggs."});
    home.fixture.call("localFiles", write).await;
    home.fixture.next_request();
    home.fixture.call("addTodo", json!({"text": "eggs"})).await;
    home.fixture.next_request();

    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(home.fixture.call("takeBack", json!({})).await.answer.unwrap().0);
    }

    assert_eq!(told[0], "“eggs” is gone again.");
    assert!(told[1].ends_with("notes.txt” is as it was before."), "{}", told[1]);
    assert!(told[2].starts_with("There is nothing to undo"), "{}", told[2]);
    assert_eq!(home.text("notes.txt").as_deref(), Some("Buy milk."));
}

#[rstest]
#[case::in_the_home_folder("home/Documents", "“~/Documents/shopping 2.ics” is gone again.")]
#[case::in_a_folder_with_other_names("home/Übersicht", "“~/Übersicht/shopping 2.ics” is gone again.")]
#[case::outside("elsewhere/Documents", "elsewhere/Documents/shopping 2.ics” is gone again.")]
#[tokio::test]
async fn exported_list_goes_to_the_trash(#[case] documents: &str, #[case] expected: &str) {
    let mut home = Home::with_documents(documents);
    let file = |name: &str| home.folder.path().join(documents).join(name);
    let (by_hand, exported) = (file("shopping.ics"), file("shopping 2.ics"));
    std::fs::create_dir_all(by_hand.parent().unwrap()).unwrap();
    std::fs::write(&by_hand, "by hand").unwrap();
    home.fixture.call("addTodo", json!({"text": "milk", "list": "shopping"})).await;
    home.fixture.next_request();

    let saved = home.fixture.told("exportTodos", json!({"list": "shopping"})).await;
    let was_there = exported.is_file();
    home.fixture.next_request();
    let undone = home.fixture.call("takeBack", json!({})).await.answer.unwrap().0;
    let again = home.fixture.call("takeBack", json!({})).await.answer.unwrap().0;

    assert!(was_there && saved.ends_with("shopping 2.ics. undoFileChange takes that back."), "{saved}");
    assert!(undone.ends_with(expected), "{undone}");
    assert!(!exported.exists() && home.folder.path().join("trash/shopping 2.ics").is_file());
    assert_eq!(std::fs::read_to_string(by_hand).unwrap(), "by hand");
    assert_eq!(again, "“milk” is gone again.");
}

#[tokio::test]
async fn exported_list_that_was_changed_since_stays() {
    let mut home = Home::new();
    home.fixture.call("addTodo", json!({"text": "milk"})).await;
    home.fixture.next_request();
    home.fixture.call("exportTodos", json!({})).await;
    home.put("Documents/to-do.ics", "by hand");

    let undone = home.fixture.call("takeBack", json!({})).await;

    assert!(undone.answer.unwrap().contains("cannot be undone"));
    assert_eq!(home.text("Documents/to-do.ics").as_deref(), Some("by hand"));
}

#[tokio::test]
async fn stopped_reply_exports_nothing() {
    let home = Home::new();
    home.fixture.call("addTodo", json!({"text": "milk"})).await;
    home.fixture.context.stop.cancel();

    let told = home.fixture.told("exportTodos", json!({})).await;

    assert_eq!(told, "failed: The user stopped it. Nothing was done.");
    assert_eq!(home.text("Documents/to-do.ics"), None);
}

#[tokio::test]
async fn change_of_a_file_is_undone_for_ten_minutes_and_in_its_conversation() {
    let mut home = Home::new();
    let write = json!({"operation": "write", "path": "notes.txt", "content": "Buy eggs."});
    home.fixture.call("localFiles", write).await;
    let own = home.fixture.context.conversation.clone();

    home.fixture.context.conversation = ConversationId("another".to_owned());
    let elsewhere = home.undo().await;
    home.fixture.context.conversation = own;
    home.fixture.context.now += jiff::SignedDuration::from_mins(11);
    let late = home.fixture.call("takeBack", json!({})).await.answer.unwrap().0;

    assert!(elsewhere.starts_with("failed: There is no change of a file"), "{elsewhere}");
    assert!(late.starts_with("There is nothing to undo"), "{late}");
    assert_eq!(home.undo().await, "~/notes.txt is as it was before the change.", "asked for by name");
}

#[tokio::test]
async fn file_that_was_changed_since_stays_as_it_is() {
    let mut home = Home::new();
    let write = json!({"operation": "write", "path": "notes.txt", "content": "Buy eggs."});
    home.fixture.call("localFiles", write).await;
    home.put("notes.txt", "Buy tea.");

    let undone = home.fixture.call("takeBack", json!({})).await;

    assert!(undone.answer.unwrap().contains("cannot be undone"));
    assert_eq!(home.text("notes.txt").as_deref(), Some("Buy tea."));
    home.fixture.context.conversation = vocabulary::ConversationId("other".into());
    assert!(home.fixture.call("takeBack", json!({})).await.answer.unwrap().starts_with("There is nothing"));
}

#[tokio::test]
async fn moved_alarm_is_where_it_was_before() {
    let mut fixture = Fixture::new();
    fixture.call("setAlarm", json!({ "time": "07:00", "repeats": "weekdays" })).await;
    fixture.next_request();
    let rings =
        |all: Vec<memory::Appointment>| all.into_iter().map(|it| (it.due_at, it.repeats)).collect::<Vec<_>>();
    let before = rings(fixture.memory.appointments().await.unwrap());
    assert!(fixture.call("setAlarm", json!({ "time": "08:00", "replaces": "any" })).await.success);
    assert_ne!(rings(fixture.memory.appointments().await.unwrap()), before);
    fixture.next_request();

    assert!(fixture.call("takeBack", json!({})).await.success);

    assert_eq!(rings(fixture.memory.appointments().await.unwrap()), before);
}
