//! What Jarvis remembers, from the outside: what the model is told, and what another process forgets.

use std::time::{SystemTime, UNIX_EPOCH};

use memory::{Forget, Memory, NewMessage, Said, Speaker, Store, Undo};
use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer};
use vocabulary::{ConversationId, Private};

use super::support::{Home, Running, deaf, wait_until};

const DAY: i64 = 86_400_000_000;

fn now_micros() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as i64
}

fn memory_of(home: &Home) -> Memory {
    Memory::new(Store::open(&home.path().join("data").join("jarvis.db")).unwrap().store)
}

fn within_runtime<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(work)
}

/// Something said some days ago.
fn said(home: &Home, days_ago: i64, text: &str) {
    let message = NewMessage {
        conversation: ConversationId(format!("{days_ago} days ago")),
        channel: "voice".into(),
        said: Said::new(Speaker::User, text, now_micros() - days_ago * DAY),
        is_in_diary: true,
    };
    let memory = memory_of(home);
    within_runtime(memory.add_messages(vec![message])).unwrap();
    memory.store().close();
}

/// All that the model was told last.
fn messages_told(server: &OllamaServer) -> Vec<serde_json::Value> {
    server.asked().iter().rev().find_map(|request| request["messages"].as_array().cloned()).unwrap()
}

/// The newest message of what the model was told last.
fn told(server: &OllamaServer) -> String {
    messages_told(server).last().unwrap()["content"].as_str().unwrap().to_owned()
}

#[test]
fn what_was_said_weeks_ago_is_told_where_it_fits() {
    let server = OllamaServer::start([ScriptedAnswer::says("Behind the mirror.")]);
    let home = Home::deaf(&server);
    said(&home, 40, "the spare key hangs behind the mirror in the hall");
    said(&home, 20, "bananas are cheap at the market");

    let output = home.command(&["ask", "where is the spare key?"]).output().unwrap();

    assert_eq!(String::from_utf8_lossy(&output.stdout), "Behind the mirror.\n", "{}", home.log());
    let told = told(&server);
    assert!(told.contains("behind the mirror") && !told.contains("bananas"), "{told}");
}

#[test]
fn what_was_put_in_other_words_is_found_by_its_meaning() {
    let server = OllamaServer::start([(); 3].map(|()| ScriptedAnswer::says("Very well.")));
    let home = Home::deaf(&server);
    said(&home, 40, "my puppy has to see the vet on Friday");
    said(&home, 30, "the train to Leeds was late again");
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    let memory = memory_of(&home);
    wait_until("a vector for everything", || within_runtime(memory.passages(9)).unwrap().is_empty());

    jarvis.types("is there an appointment with the animal doctor for my dog?");
    jarvis.wait_for("Very well.");

    let told = told(&server);
    assert!(told.contains("my puppy has to see the vet"), "{told}");
    assert!(!told.contains("train"), "{told}");
    assert!(jarvis.ends_well());
}

#[test]
fn what_another_process_forgets_is_not_told_a_moment_later() {
    let server = OllamaServer::start([(); 3].map(|()| ScriptedAnswer::says("Noted.")));
    let home = Home::deaf(&server);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("my locker number is plumtree seven");
    jarvis.wait_for("Noted.");
    let memory = memory_of(&home);
    let what = || Forget::Words(Private("plumtree".into()));
    wait_until("the words on disk", || within_runtime(memory.would_forget(what())).unwrap().len() == 1);

    within_runtime(memory.forget(what(), Undo::Never, now_micros())).unwrap();
    // A running Jarvis looks once a second whether somebody changed its memory.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    jarvis.types("what is my locker number?");
    jarvis.wait_for("Noted.");

    let messages = messages_told(&server);
    assert!(!messages.iter().any(|message| message.to_string().contains("plumtree")), "{messages:?}");
    assert!(told(&server).contains("holds nothing about this"));
    assert!(jarvis.ends_well());
}

#[test]
fn nothing_is_kept_where_the_user_does_not_want_it() {
    let server = OllamaServer::start([ScriptedAnswer::says("Noted.")]);
    let mut settings = deaf(&server);
    settings["memory"] = json!({ "remember": false });
    let home = Home::with(&settings);

    let output = home.command(&["ask", "my locker number is plumtree seven"]).output().unwrap();

    assert!(output.status.success(), "{}", home.log());
    assert!(within_runtime(memory_of(&home).conversations()).unwrap().is_empty());
}
