//! Memory from the outside: what reaches the prompt, and what a command forgets.

use std::time::{SystemTime, UNIX_EPOCH};

use memory::{Branch, DiaryFilter, Forget, Memory, MessageContent, NewEntry, NewMessage, Participant};
use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer};
use vocabulary::{ConversationId, Private};

use super::support::{Home, Running, settings_without_listening, wait_until};

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

/// Stores a message of some days ago.
fn said(home: &Home, days_ago: i64, text: &str) {
    let message = NewMessage {
        conversation: ConversationId(format!("{days_ago} days ago")),
        channel: "voice".into(),
        content: MessageContent::new(Participant::User, text, now_micros() - days_ago * DAY),
        is_in_diary: true,
    };
    let memory = memory_of(home);
    within_runtime(memory.add_messages(vec![message])).unwrap();
    memory.store().close();
}

/// The messages of the last prompt that is not a warm-up.
fn last_prompt(server: &OllamaServer) -> Vec<serde_json::Value> {
    let asked = server.asked();
    let of_user = asked.iter().rev().find(|request| !testkit::is_warming_up(request));
    of_user.and_then(|request| request["messages"].as_array().cloned()).unwrap()
}

/// The newest message of the last prompt.
fn told(server: &OllamaServer) -> String {
    last_prompt(server).last().unwrap()["content"].as_str().unwrap().to_owned()
}

#[test]
fn old_message_enters_the_prompt_where_it_fits() {
    let server = OllamaServer::start([ScriptedAnswer::says("Behind the mirror.")]);
    let home = Home::without_listening(&server);
    said(&home, 40, "the spare key hangs behind the mirror in the hall");
    said(&home, 20, "bananas are cheap at the market");

    let output = home.command(&["ask", "where is the spare key?"]).output().unwrap();

    assert_eq!(String::from_utf8_lossy(&output.stdout), "Behind the mirror.\n", "{}", home.log());
    let told = told(&server);
    assert!(told.contains("behind the mirror") && !told.contains("bananas"), "{told}");
}

#[test]
fn message_in_other_words_is_found_by_its_vector() {
    let server = OllamaServer::start([(); 3].map(|()| ScriptedAnswer::says("Very well.")));
    let home = Home::without_listening(&server);
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
    assert!(jarvis.ends_successfully());
}

#[test]
fn words_forgotten_by_a_command_leave_the_next_prompt() {
    let server = OllamaServer::start([(); 40].map(|()| ScriptedAnswer::says("Noted.")));
    let home = Home::without_listening(&server);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("my locker number is plumtree seven");
    jarvis.wait_for("Noted.");
    let memory = memory_of(&home);
    let what = || Forget::Words(Private("plumtree".into()));
    wait_until("the words on disk", || {
        within_runtime(memory.would_forget(what(), now_micros())).unwrap().len() == 1
    });

    let forget = ["memory", "forget", "--words", "plumtree", "--for-good", "--yes"];
    let forgotten = home.command(&forget).output().unwrap();
    jarvis.types("what is my locker number?");
    jarvis.wait_for("Noted.");

    assert!(forgotten.status.success(), "{}", String::from_utf8_lossy(&forgotten.stderr));
    assert!(!last_prompt(&server).iter().any(|message| message.to_string().contains("plumtree")));
    assert!(told(&server).contains("holds nothing about this"));
    assert!(jarvis.ends_successfully());
}

#[test]
fn nothing_is_stored_when_remembering_is_off() {
    let server = OllamaServer::start([ScriptedAnswer::says("Noted.")]);
    let mut settings = settings_without_listening(&server);
    settings["memory"] = json!({ "remember": false });
    let home = Home::with(&settings);

    let output = home.command(&["ask", "my locker number is plumtree seven"]).output().unwrap();

    assert!(output.status.success(), "{}", home.log());
    assert!(within_runtime(memory_of(&home).conversations()).unwrap().is_empty());
}

#[test]
fn nothing_is_stored_of_temporary_questions() {
    let server = OllamaServer::start(["Noted.", "Noted.", "I do not know."].map(ScriptedAnswer::says));
    let home = Home::without_listening(&server);

    let alone = home.command(&["ask", "--temporary", "my locker number is plumtree seven"]).output().unwrap();
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    let beside =
        home.command(&["ask", "--temporary", "my locker number is plumtree seven"]).output().unwrap();
    jarvis.types("what is my locker number?");
    jarvis.wait_for("I do not know.");

    assert!(alone.status.success() && beside.status.success(), "{}", home.log());
    assert!(last_prompt(&server).iter().all(|message| !message.to_string().contains("plumtree")));
    assert!(jarvis.ends_successfully());
    let kept = within_runtime(memory_of(&home).would_forget(Forget::Words(Private("plumtree".into())), 0));
    assert!(kept.unwrap().is_empty());
}

#[test]
fn diary_pass_is_previewed_applied_and_undone() {
    const AS_WRITTEN: &str = "The user rode the bike by the river and planned a picnic for Sunday with Anna. \
                              The assistant said that it could not look up the weather.";
    const CLEANED: &str = "The user rode the bike by the river and planned a picnic for Sunday with Anna.";
    let server = OllamaServer::start([(); 2].map(|()| ScriptedAnswer::says(CLEANED)));
    let home = Home::without_listening(&server);
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
fn diary_and_facts_are_written_before_jarvis_ends() {
    let server = OllamaServer::start([
        ScriptedAnswer::says("What a fine thing."),
        ScriptedAnswer::says("SUMMARY: The user has a cello called Bertha.\nTOPICS: music, cello, names"),
        ScriptedAnswer::says(
            r#"[{"branch": "USER", "fact": "The user has a cello called Bertha.", "quote": "I have a cello called Bertha"}]"#,
        ),
        ScriptedAnswer::says("NONE"),
    ]);
    let mut settings = settings_without_listening(&server);
    settings["memory"] = json!({ "diary": true });
    let home = Home::with(&settings);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("I have a cello called Bertha");
    jarvis.wait_for("What a fine thing.");

    assert!(jarvis.ends_successfully());

    let memory = memory_of(&home);
    let entries = within_runtime(memory.entries(DiaryFilter::default())).unwrap();
    assert_eq!(entries[0].summary, "The user has a cello called Bertha.");
    let facts = within_runtime(memory.facts(Branch::User.node())).unwrap();
    assert_eq!(facts[0].text, "The user has a cello called Bertha.");
    let evidence = within_runtime(memory.evidence(facts[0].id)).unwrap();
    assert_eq!(evidence[0].quote, "I have a cello called Bertha");
    assert!(within_runtime(memory.pending_messages(9)).unwrap().is_empty());
}
