//! The verbs of `jarvis memory`, beside a running Jarvis and without one.

use serde_json::{Value, json};
use testkit::{OllamaServer, ScriptedAnswer};

use super::support::{Home, Running, questions, wait_until};

/// Runs a command; returns `true` if it succeeded, and its output on both streams.
fn run(home: &Home, arguments: &[&str]) -> (bool, String) {
    let output = home.command(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// Returns the output of a command that must succeed.
fn succeeded(home: &Home, arguments: &[&str]) -> String {
    let (went_well, text) = run(home, arguments);
    assert!(went_well, "{arguments:?} failed:\n{text}");
    text
}

#[test]
fn messages_are_found_forgotten_and_restored() {
    let server = OllamaServer::start([ScriptedAnswer::says("The cello suits her.")]);
    let home = Home::without_listening(&server);
    succeeded(&home, &["ask", "my sister Mara plays the cello"]);

    let found = succeeded(&home, &["memory", "search", "cello"]);
    let hits = succeeded(&home, &["memory", "search", "--json", "Mara"]);
    let first: Value = serde_json::from_str(hits.lines().next().unwrap()).unwrap();
    let (unasked, refused) = run(&home, &["memory", "forget", "--last"]);
    let forgotten = succeeded(&home, &["memory", "forget", "--last", "--yes"]);
    let gone = succeeded(&home, &["memory", "search", "cello"]);
    succeeded(&home, &["memory", "undo"]);

    assert!(found.contains("my sister Mara plays the cello") && found.contains("suits her"), "{found}");
    assert_eq!(first["context"], "user");
    assert!(!unasked && refused.contains("add --yes"), "{refused}");
    assert!(forgotten.contains("`jarvis memory undo`"), "{forgotten}");
    assert!(gone.contains("Nothing was found."), "{gone}");
    assert_eq!(succeeded(&home, &["memory", "search", "cello"]), found);
    assert!(!home.log().contains("cello"), "what is said reaches no log");
}

/// Runs every verb of `jarvis memory`, except those that need the file closed, in an order in which each has something to
/// do. Returns what each prints.
fn every_verb(home: &Home, folder: &str) -> Vec<(&'static str, String)> {
    let path = |name: &str| home.path().join(folder).join(name).to_str().unwrap().to_owned();
    std::fs::create_dir_all(home.path().join(folder)).unwrap();
    let (archive, all) = (path("all.tar.gz"), path("all"));
    let steps: [(&'static str, &[&str]); 20] = [
        ("add", &["add", "Plays the theremin."]),
        ("add to a branch", &["add", "--branch", "directives", "Answer in short sentences."]),
        ("search", &["search", "theremin"]),
        ("search as JSON", &["search", "--json", "theremin"]),
        ("show", &["show"]),
        ("show a fact", &["show", "fact-1"]),
        ("edit", &["edit", "fact-1", "--text", "Plays the theremin and the zither."]),
        ("retract", &["retract", "fact-2"]),
        ("forget on trial", &["forget", "--words", "zither", "--dry-run"]),
        ("forget", &["forget", "--words", "zither", "--yes"]),
        ("search for what is forgotten", &["search", "zither"]),
        ("undo", &["undo"]),
        ("search for what is back", &["search", "zither"]),
        ("export", &["export", &archive]),
        ("export to a folder", &["export", &all]),
        ("import", &["import", &archive]),
        ("backup", &["backup"]),
        ("list backups", &["backup", "--list"]),
        ("maintain", &["maintain"]),
        ("check", &["maintain", "--check"]),
    ];
    steps
        .into_iter()
        .map(|(name, arguments)| (name, succeeded(home, &[&["memory"], arguments].concat())))
        .collect()
}

/// Asserts what every verb prints, with or without a running Jarvis.
fn assert_every_verb_worked(printed: &[(&'static str, String)]) {
    let expected = [
        ("add", "fact-1 is remembered."),
        ("search", "Plays the theremin."),
        ("search as JSON", "\"id\":\"fact-1\""),
        ("show", "Answer in short sentences."),
        ("show a fact", "Known from:"),
        ("edit", "fact-3 took the place of fact-1"),
        ("retract", "fact-2 no longer holds"),
        ("forget on trial", "nothing was changed"),
        ("forget", "`jarvis memory undo` brings it back"),
        ("search for what is forgotten", "Nothing was found."),
        ("undo", "as before."),
        ("search for what is back", "Plays the theremin and the zither."),
        ("export", "in plain words"),
        ("import", "Nothing in it was new."),
        ("backup", "A backup is at"),
        ("list backups", "The files are in"),
        ("maintain", "A backup is at"),
        ("check", "are remembered"),
    ];
    for (name, part) in expected {
        let (_, text) = printed.iter().find(|(verb, _)| *verb == name).unwrap();
        assert!(text.contains(part), "{name}: {part:?} is not in\n{text}");
    }
}

#[test]
fn every_memory_verb_works_without_a_running_jarvis() {
    let home = Home::without_listening(&OllamaServer::start([]));

    assert_every_verb_worked(&every_verb(&home, "alone"));
    let restored = succeeded(&home, &["memory", "restore", "--yes"]);
    let examined = succeeded(&home, &["doctor", "memory", "--repair"]);

    assert!(restored.contains("Done."), "{restored}");
    assert!(examined.contains("are remembered"), "{examined}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn every_memory_verb_works_beside_a_running_window() {
    use super::display::{Display, end_jarvis};

    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let _page = display.open_jarvis().await;

    assert_every_verb_worked(&every_verb(&home, "beside"));
    let refused =
        [&["memory", "restore", "--yes"][..], &["memory", "encrypt"], &["memory", "decrypt", "--yes"]]
            .map(|arguments| run(&home, arguments));
    let examined = succeeded(&home, &["doctor", "memory", "--repair"]);
    succeeded(&home, &["settings", "set", "listening.wake_word", "friday"]);
    let set = succeeded(&home, &["settings", "get", "listening.wake_word"]);
    end_jarvis(&home);

    for (went_well, text) in refused {
        assert!(!went_well && text.contains("quit Jarvis first"), "{text}");
    }
    assert!(examined.contains("are remembered"), "{examined}");
    assert_eq!(set, "\"friday\"\n");
    assert!(succeeded(&home, &["memory", "search", "zither"]).contains("Plays the theremin and the zither."));
}

#[test]
fn forgotten_words_leave_the_next_prompt_of_a_running_jarvis() {
    let server = OllamaServer::start([(); 60].map(|()| ScriptedAnswer::says("Noted.")));
    let home = Home::without_listening(&server);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    succeeded(&home, &["ask", "the safe opens with zanzibar"]);
    // The words reach the disk within milliseconds of the answer.
    wait_until("the words are on disk", || {
        succeeded(&home, &["memory", "search", "zanzibar"]).contains("message-")
    });

    succeeded(&home, &["memory", "forget", "--words", "zanzibar", "--yes"]);
    let is_forgotten = || {
        succeeded(&home, &["ask", "how does the safe open?"]);
        let mut asked = questions(&server).into_iter().map(|asked| asked.to_string());
        let last = asked.rfind(|asked| asked.contains("how does the safe open?"));
        last.is_some_and(|asked| !asked.contains("zanzibar"))
    };

    wait_until("the running Jarvis has forgotten", is_forgotten);
    assert!(jarvis.ends_successfully());
}

#[test]
fn facts_are_added_corrected_and_retracted() {
    let home = Home::with(&json!({}));

    succeeded(&home, &["memory", "add", "Lives in Leeds."]);
    succeeded(&home, &["memory", "edit", "fact-1", "--text", "Lives in York."]);
    let shown = succeeded(&home, &["memory", "show", "fact-2"]);
    succeeded(&home, &["memory", "retract", "fact-2"]);
    let overview = succeeded(&home, &["memory", "show"]);
    let (went_well, refused) = run(&home, &["memory", "show", "fact-9"]);

    for part in ["Lives in York.", "fact-1", "Lives in Leeds.", "edited"] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
    assert!(!overview.contains("York"), "{overview}");
    assert!(!went_well && refused.contains("fact-9 does not exist"), "{refused}");
}

#[test]
fn export_is_imported_in_another_home() {
    let (home, other) = (Home::with(&json!({})), Home::with(&json!({})));
    let file = home.path().join("all.tar.gz");
    let file = file.to_str().unwrap();

    succeeded(&home, &["memory", "add", "Lives in Leeds."]);
    succeeded(&home, &["memory", "export", file]);

    assert!(succeeded(&other, &["memory", "import", file]).contains("1 fact"));
    assert!(succeeded(&other, &["memory", "search", "Leeds"]).contains("Lives in Leeds."));
    assert_eq!(succeeded(&other, &["memory", "import", file]), "Nothing in it was new.\n");
}

#[test]
fn damaged_memory_is_reported_and_replaced_by_the_backup() {
    let home = Home::with(&json!({}));
    succeeded(&home, &["memory", "add", "Lives in Leeds."]);
    succeeded(&home, &["memory", "maintain"]);
    let database = home.path().join("data/jarvis.db");
    std::fs::write(&database, "no database, but long enough to be looked at".repeat(200)).unwrap();

    let (is_well, looked) = run(&home, &["doctor", "memory"]);
    let (mended_well, mended) = run(&home, &["doctor", "memory", "--repair"]);
    let findings = succeeded(&home, &["doctor", "memory", "--json"]);

    assert!(!is_well && looked.contains("damaged") && looked.contains("--repair"), "{looked}");
    assert!(mended_well && mended.contains("the backup of"), "{mended}");
    assert!(findings.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{findings}");
    assert!(succeeded(&home, &["memory", "search", "Leeds"]).contains("Lives in Leeds."));
}

#[test]
fn restore_is_refused_while_a_jarvis_runs() {
    let server = OllamaServer::start([ScriptedAnswer::says("Hello.")]);
    let home = Home::without_listening(&server);
    succeeded(&home, &["memory", "add", "Lives in Leeds."]);
    succeeded(&home, &["memory", "backup"]);
    succeeded(&home, &["memory", "retract", "fact-1"]);
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");

    let (went_well, refused) = run(&home, &["memory", "restore", "--yes"]);
    assert!(jarvis.ends_successfully());
    succeeded(&home, &["memory", "restore", "--yes"]);

    assert!(!went_well && refused.contains("quit Jarvis first"), "{refused}");
    assert!(succeeded(&home, &["memory", "search", "Leeds"]).contains("fact-1"));
}
