//! What Jarvis remembers, from the outside: what the model is told, and what another process forgets.

use std::time::{SystemTime, UNIX_EPOCH};

use memory::{Branch, DiaryFilter, Forget, Memory, MessageContent, NewEntry, NewMessage, Participant, Undo};
use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer};
use vocabulary::{ConversationId, Private};

use super::support::{Home, Running, deaf, wait_until};

const DAY: i64 = 86_400_000_000;

fn now_micros() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as i64
}

fn memory_of(home: &Home) -> Memory {
    Memory::open(&home.path().join("data").join("jarvis.db")).unwrap().memory
}

fn within_runtime<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(work)
}

/// Something said some days ago.
fn said(home: &Home, days_ago: i64, text: &str) {
    let message = NewMessage {
        conversation: ConversationId(format!("{days_ago} days ago")),
        channel: "voice".into(),
        said: MessageContent::new(Participant::User, text, now_micros() - days_ago * DAY),
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
    let server = OllamaServer::start([(); 40].map(|()| ScriptedAnswer::says("Noted.")));
    let home = Home::deaf(&server);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("my locker number is plumtree seven");
    jarvis.wait_for("Noted.");
    let memory = memory_of(&home);
    let what = || Forget::Words(Private("plumtree".into()));
    wait_until("the words on disk", || {
        within_runtime(memory.would_forget(what(), now_micros())).unwrap().len() == 1
    });

    within_runtime(memory.forget(what(), Undo::Never, now_micros())).unwrap();
    // A running Jarvis looks once a second whether somebody changed its memory.
    wait_until("an answer without the words", || {
        jarvis.types("what is my locker number?");
        jarvis.wait_for("Noted.");
        !messages_told(&server).iter().any(|message| message.to_string().contains("plumtree"))
    });

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

#[test]
fn nothing_is_kept_of_what_is_asked_in_passing() {
    let server = OllamaServer::start(["Noted.", "Noted.", "I do not know."].map(ScriptedAnswer::says));
    let home = Home::deaf(&server);

    let alone = home.command(&["ask", "--temporary", "my locker number is plumtree seven"]).output().unwrap();
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    let beside =
        home.command(&["ask", "--temporary", "my locker number is plumtree seven"]).output().unwrap();
    jarvis.types("what is my locker number?");
    jarvis.wait_for("I do not know.");

    assert!(alone.status.success() && beside.status.success(), "{}", home.log());
    assert!(messages_told(&server).iter().all(|message| !message.to_string().contains("plumtree")));
    assert!(jarvis.ends_well());
    let kept = within_runtime(memory_of(&home).would_forget(Forget::Words(Private("plumtree".into())), 0));
    assert!(kept.unwrap().is_empty());
}

#[test]
fn the_diary_is_cleaned_by_the_model_shown_first_and_undone_if_unwanted() {
    const AS_WRITTEN: &str = "The user rode the bike by the river and planned a picnic for Sunday with Anna. \
                              The assistant said that it could not look up the weather.";
    const CLEANED: &str = "The user rode the bike by the river and planned a picnic for Sunday with Anna.";
    let server = OllamaServer::start([(); 2].map(|()| ScriptedAnswer::says(CLEANED)));
    let home = Home::deaf(&server);
    let memory = memory_of(&home);
    let entry = NewEntry {
        day: "2026-05-03".parse().unwrap(),
        source: "conversation".into(),
        summary: AS_WRITTEN.into(),
        topics: vec!["cycling".into()],
    };
    let id = within_runtime(memory.write_entry(entry, vec![], now_micros())).unwrap();
    let summary = || within_runtime(memory.entry(id)).unwrap().unwrap().summary;
    let run = |arguments: &[&str]| {
        let output = home.command(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };

    let shown = run(&["memory", "maintain", "--with", "deflections", "--preview"]);
    let after_the_preview = summary();
    let done = run(&["memory", "maintain", "--with", "deflections"]);
    let after = summary();
    run(&["memory", "undo"]);

    assert!(shown.contains(CLEANED) && shown.contains("1 of 1"), "{shown}");
    assert_eq!(after_the_preview, AS_WRITTEN);
    assert!(done.contains("jarvis memory undo"), "{done}");
    assert_eq!(after, CLEANED);
    assert_eq!(summary(), AS_WRITTEN);
}

#[test]
fn the_diary_is_written_before_jarvis_ends_and_facts_are_taken_from_it() {
    let server = OllamaServer::start([
        ScriptedAnswer::says("What a fine thing."),
        ScriptedAnswer::says("SUMMARY: The user has a cello called Bertha.\nTOPICS: music, cello, names"),
        ScriptedAnswer::says(
            r#"[{"branch": "USER", "fact": "The user has a cello called Bertha.", "quote": "I have a cello called Bertha"}]"#,
        ),
        ScriptedAnswer::says("NONE"),
    ]);
    let mut settings = deaf(&server);
    settings["memory"] = json!({ "diary": true });
    let home = Home::with(&settings);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("I have a cello called Bertha");
    jarvis.wait_for("What a fine thing.");

    assert!(jarvis.ends_well());

    let memory = memory_of(&home);
    let entries = within_runtime(memory.entries(DiaryFilter::default())).unwrap();
    assert_eq!(entries[0].summary, "The user has a cello called Bertha.");
    let facts = within_runtime(memory.facts(Branch::User.node())).unwrap();
    assert_eq!(facts[0].text, "The user has a cello called Bertha.");
    let evidence = within_runtime(memory.evidence(facts[0].id)).unwrap();
    assert_eq!(evidence[0].quote, "I have a cello called Bertha");
    assert!(within_runtime(memory.unwritten(9)).unwrap().is_empty());
}
