//! The verbs on what is remembered, beside a running Jarvis and without one.

use serde_json::{Value, json};
use testkit::{OllamaServer, ScriptedAnswer};

use super::support::{Home, Running, questions, wait_until};

/// What a command prints on both outputs, and whether it went well.
fn run(home: &Home, arguments: &[&str]) -> (bool, String) {
    let output = home.command(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// What a command prints that has to go well.
fn told(home: &Home, arguments: &[&str]) -> String {
    let (went_well, text) = run(home, arguments);
    assert!(went_well, "{arguments:?} failed:\n{text}");
    text
}

#[test]
fn what_was_said_is_found_forgotten_and_brought_back() {
    let server = OllamaServer::start([ScriptedAnswer::says("The cello suits her.")]);
    let home = Home::deaf(&server);
    told(&home, &["ask", "my sister Mara plays the cello"]);

    let found = told(&home, &["memory", "search", "cello"]);
    let hits = told(&home, &["memory", "search", "--json", "Mara"]);
    let first: Value = serde_json::from_str(hits.lines().next().unwrap()).unwrap();
    let (unasked, refused) = run(&home, &["memory", "forget", "--last"]);
    let forgotten = told(&home, &["memory", "forget", "--last", "--yes"]);
    let gone = told(&home, &["memory", "search", "cello"]);
    told(&home, &["memory", "undo"]);

    assert!(found.contains("my sister Mara plays the cello") && found.contains("suits her"), "{found}");
    assert_eq!(first["context"], "user");
    assert!(!unasked && refused.contains("add --yes"), "{refused}");
    assert!(forgotten.contains("`jarvis memory undo`"), "{forgotten}");
    assert!(gone.contains("Nothing was found."), "{gone}");
    assert_eq!(told(&home, &["memory", "search", "cello"]), found);
    assert!(!home.log().contains("cello"), "what is said reaches no log");
}

#[test]
fn a_running_jarvis_knows_no_more_of_what_was_forgotten_beside_it() {
    let server = OllamaServer::start([(); 60].map(|()| ScriptedAnswer::says("Noted.")));
    let home = Home::deaf(&server);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    told(&home, &["ask", "the safe opens with zanzibar"]);
    // The words reach the disk within milliseconds of the answer.
    wait_until("the words are on disk", || {
        told(&home, &["memory", "search", "zanzibar"]).contains("message-")
    });

    told(&home, &["memory", "forget", "--words", "zanzibar", "--yes"]);
    let is_forgotten = || {
        told(&home, &["ask", "how does the safe open?"]);
        let mut asked = questions(&server).into_iter().map(|asked| asked.to_string());
        let last = asked.rfind(|asked| asked.contains("how does the safe open?"));
        last.is_some_and(|asked| !asked.contains("zanzibar"))
    };

    wait_until("the running Jarvis has forgotten", is_forgotten);
    assert!(jarvis.ends_well());
}

#[test]
fn facts_are_told_put_right_and_taken_back() {
    let home = Home::with(&json!({}));

    told(&home, &["memory", "add", "Lives in Leeds."]);
    told(&home, &["memory", "edit", "fact-1", "--text", "Lives in York."]);
    let shown = told(&home, &["memory", "show", "fact-2"]);
    told(&home, &["memory", "retract", "fact-2"]);
    let overview = told(&home, &["memory", "show"]);
    let (went_well, refused) = run(&home, &["memory", "show", "fact-9"]);

    for part in ["Lives in York.", "fact-1", "Lives in Leeds.", "edited"] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
    assert!(!overview.contains("York"), "{overview}");
    assert!(!went_well && refused.contains("fact-9 does not exist"), "{refused}");
}

#[test]
fn all_that_is_remembered_moves_to_another_home() {
    let (home, other) = (Home::with(&json!({})), Home::with(&json!({})));
    let file = home.path().join("all.tar.gz");
    let file = file.to_str().unwrap();

    told(&home, &["memory", "add", "Lives in Leeds."]);
    told(&home, &["memory", "export", file]);

    assert!(told(&other, &["memory", "import", file]).contains("1 fact"));
    assert!(told(&other, &["memory", "search", "Leeds"]).contains("Lives in Leeds."));
    assert_eq!(told(&other, &["memory", "import", file]), "Nothing in it was new.\n");
}

#[test]
fn a_damaged_memory_is_named_and_mended_from_the_backup() {
    let home = Home::with(&json!({}));
    told(&home, &["memory", "add", "Lives in Leeds."]);
    told(&home, &["memory", "maintain"]);
    let database = home.path().join("data/jarvis.db");
    std::fs::write(&database, "no database, but long enough to be looked at".repeat(200)).unwrap();

    let (is_well, looked) = run(&home, &["doctor", "memory"]);
    let (mended_well, mended) = run(&home, &["doctor", "memory", "--repair"]);
    let findings = told(&home, &["doctor", "memory", "--json"]);

    assert!(!is_well && looked.contains("damaged") && looked.contains("--repair"), "{looked}");
    assert!(mended_well && mended.contains("the backup of"), "{mended}");
    assert!(findings.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{findings}");
    assert!(told(&home, &["memory", "search", "Leeds"]).contains("Lives in Leeds."));
}

#[test]
fn a_backup_is_put_back_only_while_no_jarvis_runs() {
    let server = OllamaServer::start([ScriptedAnswer::says("Hello.")]);
    let home = Home::deaf(&server);
    told(&home, &["memory", "add", "Lives in Leeds."]);
    told(&home, &["memory", "backup"]);
    told(&home, &["memory", "retract", "fact-1"]);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");

    let (went_well, refused) = run(&home, &["memory", "restore", "--yes"]);
    assert!(jarvis.ends_well());
    told(&home, &["memory", "restore", "--yes"]);

    assert!(!went_well && refused.contains("quit Jarvis first"), "{refused}");
    assert!(told(&home, &["memory", "search", "Leeds"]).contains("fact-1"));
}
