//! Everyday requests with the real embedded model, judged by what was done. What a model words is looked at for the one
//! word that matters.

use memory::{Appointment, AppointmentKind, AppointmentStatus, Memory, Repeats, Todo};
use serde_json::json;

use super::support::{Home, model};

/// A Jarvis as it is installed, with the embedded model and in York, and nobody else on the machine.
fn home() -> Home {
    model("language/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    Home::with(&json!({
        "llm": { "provider": "embedded", "max_reply_tokens": 60, "temperature": 0.0 },
        "location": { "place": "York, United Kingdom", "time_zone": "UTC" },
        "replying": { "fast_path": true },
    }))
}

/// The answer that `jarvis ask` prints.
fn answer(home: &Home, text: &str) -> String {
    let output = home.command(&["ask", text]).output().unwrap();
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), home.log());
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Returns the content of memory after the requests.
fn kept(home: &Home) -> (Vec<Appointment>, Vec<Todo>) {
    let memory = Memory::open(&home.path().join("data").join("jarvis.db")).unwrap().memory;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut appointments = runtime.block_on(memory.appointments()).unwrap();
    let todos = runtime.block_on(memory.todos(None)).unwrap();
    memory.store().close();
    appointments.retain(|it| it.status == AppointmentStatus::Waiting);
    appointments.sort_by_key(|it| it.label.clone());
    (appointments, todos)
}

/// Hours and minutes, UTC.
fn time_of_day(appointment: &Appointment) -> String {
    let at = jiff::Timestamp::from_microsecond(appointment.due_at).unwrap();
    at.to_zoned(jiff::tz::TimeZone::UTC).strftime("%H:%M").to_string()
}

#[test]
fn timer_alarm_and_reminders_are_set() {
    let home = home();
    for request in [
        "Set a tea timer for four minutes",
        "Wake me every weekday at half past six",
        "Remind me to call the dentist tomorrow at nine",
        "Remind me in 20 minutes to check the oven",
    ] {
        answer(&home, request);
    }

    let (appointments, _) = kept(&home);
    let set: Vec<(&str, AppointmentKind, Repeats)> =
        appointments.iter().map(|it| (it.label.as_str(), it.kind, it.repeats)).collect();
    assert_eq!(
        set,
        [
            ("", AppointmentKind::Alarm, Repeats::Weekdays),
            ("call the dentist", AppointmentKind::Reminder, Repeats::Once),
            ("check the oven", AppointmentKind::Timer, Repeats::Once),
            ("tea", AppointmentKind::Timer, Repeats::Once),
        ]
    );
    assert_eq!(time_of_day(&appointments[0]), "06:30");
    assert_eq!(time_of_day(&appointments[1]), "09:00");
}

#[test]
fn alarm_is_listed_and_cancelled() {
    let home = home();
    answer(&home, "Wake me up at 7:15");

    let listed = answer(&home, "Which alarms are set?");
    answer(&home, "Cancel my alarm");

    assert!(listed.contains("7:15"), "{listed}");
    assert_eq!(kept(&home).0, []);
}

#[test]
fn list_is_filled_read_and_ticked_off() {
    let home = home();
    answer(&home, "Put milk, eggs and olive oil on my shopping list");

    let read = answer(&home, "What's on my shopping list?");
    answer(&home, "Take the eggs off my list");

    assert!(["milk", "eggs", "olive oil"].iter().all(|it| read.contains(it)), "{read}");
    let left: Vec<String> = kept(&home).1.into_iter().map(|todo| todo.text).collect();
    assert_eq!(left, ["milk", "olive oil"]);
}

#[test]
fn request_in_german_is_carried_out() {
    let home = home();

    let said = answer(&home, "Stell einen Timer auf zehn Minuten");

    assert!(said.contains("10 Minuten"), "{said}");
    assert_eq!(kept(&home).0.len(), 1);
}

#[test]
fn voice_is_made_quieter_and_turned_off() {
    let home = home();
    answer(&home, "Set the volume to 40 percent");
    answer(&home, "Mute yourself");

    let settings = std::fs::read_to_string(home.path().join("settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(
        (&settings["audio"]["volume"], &settings["speaking"]["enabled"]),
        (&json!(0.4), &json!(false))
    );
}

#[test]
fn small_questions_are_answered() {
    let home = home();
    for (question, expected) in [
        ("What is the capital of France?", "Paris"),
        ("What is 15 percent of 80?", "12"),
        ("Convert five miles to kilometres", "8.0"),
        ("What time is it in Tokyo?", "Tokyo"),
        ("How many days are there until Christmas?", "days"),
    ] {
        let said = answer(&home, question);
        assert!(said.contains(expected), "{question}: {said}");
    }
}

#[test]
fn what_was_told_is_known_later_and_nothing_else() {
    let home = home();
    answer(&home, "My sister lives in Lisbon.");

    let known = answer(&home, "Where does my sister live?");
    let unknown = answer(&home, "Where did I park my car?");
    let unknown_name = answer(&home, "What is the name of my dentist?");

    assert!(known.contains("Lisbon"), "{known}");
    for said in [unknown, unknown_name] {
        assert_eq!(said, "I don't know that: I find nothing about it in my memory.");
    }
}
