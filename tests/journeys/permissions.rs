//! Permissions of tools: asked in the window, aloud and in the terminal, and undone.

use std::path::{Path, PathBuf};

use fantoccini::Locator;
use serde_json::{Value, json};
use testkit::{OllamaServer, ScriptedAnswer, VirtualSound};

use super::display::{Display, types, wait_for_text};
use super::support::{
    Home, Running, User, listening_jarvis, questions, settings_without_listening, wait_until,
};

/// A real server of files from `tests/tool_servers`, which `cargo xtask test` installs.
fn file_server(folder: &Path) -> Value {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tool_servers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    assert!(script.is_file(), "{} is missing: run `npm ci` in tests/tool_servers", script.display());
    json!({ "files": { "command": "node", "args": [script, folder] } })
}

/// The folder of the user's own files.
fn files_of(home: &Home) -> PathBuf {
    let files = home.path().join("home");
    std::fs::create_dir(&files).unwrap();
    files
}

#[tokio::test]
async fn call_of_a_tool_server_runs_after_a_click_and_not_after_another() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note.txt");
    let write =
        |text: &str| ScriptedAnswer::calls("files__write_file", json!({ "path": note, "content": text }));
    let server = OllamaServer::start([
        write("tea"),
        ScriptedAnswer::says("It stands there."),
        write("coffee"),
        ScriptedAnswer::says("Then I leave it."),
    ]);
    let mut settings = settings_without_listening(&server);
    settings["mcp"]["servers"] = file_server(folder.path());
    settings["tools"]["selection_strategy"] = "all".into();
    let home = Home::with(&settings);
    let display = Display::start(&home);
    let page = display.open_jarvis().await;
    let known = home.path().join("data/tool-descriptions.json");
    wait_until("the tools are known", || {
        std::fs::read_to_string(&known).is_ok_and(|known| known.contains("files__write_file"))
    });

    let button = |label: &str| format!("//section[@data-region]//button[normalize-space()='{label}']");
    types(&page, "Write tea into my note.\u{e007}").await;
    wait_for_text(&page, "#question-text", "wants to use the tool").await;
    assert!(!note.exists(), "nothing runs before the click");
    page.find(Locator::XPath(&button("Yes"))).await.unwrap().click().await.unwrap();
    wait_for_text(&page, "[data-reply]", "It stands there.").await;
    types(&page, "No, write coffee.\u{e007}").await;
    wait_for_text(&page, "#question-text", "coffee").await;
    page.find(Locator::XPath(&button("No"))).await.unwrap().click().await.unwrap();
    wait_for_text(&page, "[data-reply]", "Then I leave it.").await;

    assert_eq!(std::fs::read_to_string(&note).unwrap(), "tea");
    assert!(questions(&server).last().unwrap()["messages"].to_string().contains("did not allow"));
}

#[test]
fn spoken_yes_allows_a_note_and_not_a_deletion() {
    let server = OllamaServer::start([
        ScriptedAnswer::calls("addTodo", json!({ "text": "oat milk", "list": "shopping" })),
        ScriptedAnswer::says("It is on your list."),
        ScriptedAnswer::calls("localFiles", json!({ "operation": "delete", "path": "letter.txt" })),
        ScriptedAnswer::says("I leave it."),
    ]);
    let home = Home::with(&json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "listening": { "hot_window_secs": 15.0 },
        "speaking": { "voice": "en_US-joe-medium" },
        "tools": { "asked": ["addTodo"], "selection_strategy": "all" },
    }));
    let letter = files_of(&home).join("letter.txt");
    std::fs::write(&letter, "Dear Ada").unwrap();
    let (sound, user) = (VirtualSound::start().unwrap(), User::new());
    let mut jarvis = listening_jarvis(&home, &sound);
    let windows = |home: &Home| home.log().matches("the hot window opened").count();
    let says = |text: &str| sound.speak_into_microphone(&user.says(text, home.path())).unwrap();

    says("Jarvis, put oat milk on my shopping list.");
    jarvis.wait_for("Is that all right?");
    wait_until("the answer is awaited", || windows(&home) > 0);
    says("Yes, please.");
    jarvis.wait_for("It is on your list.");
    wait_until("a follow-up is awaited", || windows(&home) > 1);
    says("Please delete the letter.");
    jarvis.wait_for("Is that all right?");
    wait_until("the answer is awaited again", || windows(&home) > 2);
    says("Yes, please.");
    wait_until("the way to allow it is told", || {
        home.log().contains("a spoken yes does not allow this call")
    });

    assert!(letter.exists());
    jarvis.types("no");
    jarvis.wait_for("I leave it.");
    assert!(letter.exists());
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

#[test]
fn written_file_is_undone() {
    let write = json!({ "operation": "write", "path": "letter.txt", "content": "Dear Ada" });
    let server = OllamaServer::start([
        ScriptedAnswer::calls("localFiles", write),
        ScriptedAnswer::says("It is written."),
    ]);
    let mut settings = settings_without_listening(&server);
    settings["replying"]["fast_path"] = true.into();
    settings["tools"]["selection_strategy"] = "all".into();
    let home = Home::with(&settings);
    let letter = files_of(&home).join("letter.txt");
    let mut jarvis = Running::start(home.command(&["chat"]));

    jarvis.types("Write a letter to Ada into letter.txt.");
    jarvis.wait_for("Is that all right?");
    jarvis.types("yes");
    jarvis.wait_for("It is written.");
    let written = std::fs::read_to_string(&letter).unwrap();
    jarvis.types("undo that");
    jarvis.wait_for("is gone again");

    assert_eq!(written, "Dear Ada");
    assert!(!letter.exists());
    assert!(jarvis.ends_successfully(), "{}", home.log());
}
