//! Requests that rules answer: no language model is asked.

use memory::{AppointmentKind, AppointmentStatus, Memory};
use serde_json::json;
use testkit::OllamaServer;

use super::support::{Home, questions};

fn home(server: &OllamaServer) -> Home {
    let llm = json!({ "provider": "ollama", "base_url": server.url() });
    Home::with(&json!({ "llm": llm, "replying": { "fast_path": true } }))
}

/// The answer that `jarvis ask` prints.
fn answer(home: &Home, text: &str) -> String {
    let output = home.command(&["ask", text]).output().unwrap();
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), home.log());
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn sums_and_times_are_answered_without_a_model() {
    let server = OllamaServer::start([]);
    let home = home(&server);

    for (text, expected) in [
        ("What is 17 times 23?", "391"),
        ("Was ist 17 mal 23?", "391"),
        ("What time is it in Tokyo?", "Tokyo"),
        ("What is 5 times 5 and what time is it in Tokyo?", "25"),
    ] {
        let said = answer(&home, text);
        assert!(said.contains(expected), "{text}: {said}");
    }

    assert!(questions(&server).is_empty(), "no model is asked");
}

#[test]
fn two_timers_are_set_by_one_sentence_without_a_model() {
    let server = OllamaServer::start([]);
    let home = home(&server);

    let said = answer(&home, "Set a tea timer for four minutes and another for eggs");

    assert!(said.contains("tea") && said.contains("egg"), "{said}");
    let memory = Memory::open(&home.path().join("data").join("jarvis.db")).unwrap().memory;
    let timers = tokio::runtime::Runtime::new().unwrap().block_on(memory.appointments()).unwrap();
    memory.store().close();
    let mut labels: Vec<&str> = timers.iter().map(|timer| timer.label.as_str()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["eggs", "tea"]);
    let are_waiting = timers
        .iter()
        .all(|timer| (timer.kind, timer.status) == (AppointmentKind::Timer, AppointmentStatus::Waiting));
    assert!(are_waiting);
    assert!(questions(&server).is_empty(), "no model is asked");
}

#[test]
fn phrase_starts_a_routine_of_the_settings() {
    let server = OllamaServer::start([]);
    let home = home(&server);
    let routines = json!({ "tea": {
        "phrases": ["tea time"],
        "commands": ["set a timer for 4 minutes", "what is 17 times 23?"],
    } });
    let set = home.command(&["settings", "set", "routines.list", &routines.to_string()]).status().unwrap();
    assert!(set.success());

    let said = answer(&home, "It's tea time!");

    assert!(said.contains("4 minutes") && said.contains("391"), "{said}");
    assert!(questions(&server).is_empty(), "no model is asked");
}
