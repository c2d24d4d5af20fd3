//! The Ollama bridge with a server on loopback and a real server of tools.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assistant::bridge_config::{BridgeConfig, FormatWish, KeywordMode, PromptMemory};
use assistant::{
    ApprovalAnswer, ApprovalRequest, BridgeSession, BridgeSetup, BridgeUser, CallFilter, DataOwner,
    DataOwnerParts, DayRange, LoggedCall, MemoryAnswer, MemoryRequest, Request, Response,
};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use settings::{Folders, Settings};
use testkit::{FixedClock, InMemorySecrets, OllamaServer, ScriptedAnswer, ServerScript};

/// Gives one answer to every question, and remembers the questions.
struct ScriptedUser {
    may_start: bool,
    answer: ApprovalAnswer,
    asked: Mutex<Vec<String>>,
    /// The data of the user.
    data: tempfile::TempDir,
}

impl ScriptedUser {
    fn who(may_start: bool, answer: ApprovalAnswer) -> Arc<Self> {
        let data = tempfile::tempdir().unwrap();
        Arc::new(Self { may_start, answer, asked: Mutex::default(), data })
    }

    fn owner(&self) -> DataOwnerParts {
        DataOwnerParts {
            folders: Folders::under(self.data.path()),
            secrets: Arc::new(InMemorySecrets::default()),
            clock: Arc::new(FixedClock::at("2026-11-23T15:05:00Z")),
            embedder: None,
        }
    }

    /// The calls in the log of this user.
    async fn logged(&self) -> Vec<LoggedCall> {
        let owner = DataOwner::find(self.owner()).await.unwrap();
        let (filter, days) = (CallFilter::default(), DayRange::default());
        let request = MemoryRequest::ListCalls { filter, days, limit: 9 };
        let mut responses = owner.send(Request::Memory(request)).await.unwrap();
        let mut calls = Vec::new();
        loop {
            match responses.next().await.unwrap() {
                Response::Memory(answer) => {
                    let MemoryAnswer::Call(call) = *answer else { panic!("calls are listed") };
                    calls.push(call);
                }
                Response::Done => break,
                other => panic!("{other:?}"),
            }
        }
        owner.close().await;
        calls
    }
}

#[async_trait]
impl BridgeUser for ScriptedUser {
    async fn allows_server_start(&self) -> bool {
        self.asked.lock().push("start".to_owned());
        self.may_start
    }

    async fn allows_call(&self, request: ApprovalRequest) -> ApprovalAnswer {
        self.asked.lock().push(request.tool.clone());
        self.answer
    }
}

/// A configuration with the server of files in `tests/tool_servers`, which `cargo xtask test` installs, for this folder.
fn config(address: &str, folder: &Path, always_allowed: &[&str]) -> BridgeConfig {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/tool_servers/node_modules");
    let script = root.join("@modelcontextprotocol/server-filesystem/dist/index.js");
    assert!(script.is_file(), "{} is missing: run `npm ci` in tests/tool_servers", script.display());
    let script = script.canonicalize().unwrap();
    let file = json!({
        "llm": { "model": "test-model", "baseUrl": address, "temperature": 0 },
        "mcpServers": {
            "filesystem": {
                "command": "node", "args": [script, "."], "allowedDirectory": folder, "alwaysAllow": always_allowed,
            },
            "broken": { "command": "no-such-program-here" },
        },
    });
    let (config, report) = BridgeConfig::read(Some(&file.to_string()), Path::new("/nowhere"));
    assert_eq!(report.problems, Vec::<String>::new());
    config
}

/// The same without servers of tools.
fn without_tools(address: &str) -> BridgeConfig {
    let mut config = config(address, Path::new("/nowhere"), &[]);
    config.servers.clear();
    config
}

async fn session(config: BridgeConfig, memory: PromptMemory, user: &Arc<ScriptedUser>) -> BridgeSession {
    let setup = BridgeSetup {
        config,
        keywords: Some(KeywordMode::Strict),
        format: FormatWish::Json,
        memory,
        may_start_server: false,
        settings: Settings::default(),
        user: Arc::clone(user) as Arc<dyn BridgeUser>,
        owner: {
            let user = Arc::clone(user);
            Box::new(move || user.owner())
        },
    };
    BridgeSession::open(setup).await.unwrap()
}

/// The hosts in the list of contacted hosts of this user, each with its purpose.
fn hosts_contacted(user: &ScriptedUser) -> Vec<[String; 2]> {
    let file = Folders::under(user.data.path()).data.join("hosts-contacted.json");
    let listed: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let in_short = |contact: &Value| ["host", "purpose"].map(|key| contact[key].as_str().unwrap().to_owned());
    listed.iter().map(in_short).collect()
}

/// A call that writes "tea" to a note.
fn write(folder: &Path) -> ScriptedAnswer {
    let arguments = json!({ "path": note(folder), "content": "tea" });
    ScriptedAnswer::says(json!({ "tool_call": { "name": "write_file", "arguments": arguments } }).to_string())
}

fn note(folder: &Path) -> PathBuf {
    folder.join("note.txt")
}

fn answer(text: &str) -> ScriptedAnswer {
    ScriptedAnswer::says(json!({ "response": text }).to_string())
}

/// The content of the last message of a request.
fn last_content(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn allowed_tool_is_called_and_the_next_prompt_is_independent() {
    let folder = tempfile::tempdir().unwrap();
    let server = OllamaServer::start([write(folder.path()), answer("It is written."), answer("Four.")]);
    let user = ScriptedUser::who(false, ApprovalAnswer::Once);
    let config = config(&server.url(), folder.path(), &[]);
    let mut session = session(config, PromptMemory::Independent, &user).await;

    let first = session.ask("write tea to the file note.txt").await.unwrap();
    let second = session.ask("what is two plus two").await.unwrap();

    assert_eq!([first.text, second.text], ["It is written.", "Four."]);
    assert_eq!(first.detected_tool.as_deref(), Some("write_file"));
    assert_eq!(*user.asked.lock(), ["filesystem__write_file"]);
    assert_eq!(std::fs::read_to_string(note(folder.path())).unwrap(), "tea");
    let asked = server.asked();
    assert!(last_content(&asked[1]).contains("note.txt"), "{}", asked[1]);
    assert_eq!((asked[2]["messages"].as_array().unwrap().len(), &asked[2]["stream"]), (2, &json!(false)));
    let problems = session.server_problems();
    assert!(problems.len() == 1 && problems[0].contains("broken"), "{problems:?}");
    assert!(session.tools().any(|(name, _)| name == "read_text_file"));
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_in_a_prompt_does_not_reach_the_model() {
    let server = OllamaServer::start([answer("Fine.")]);
    let user = ScriptedUser::who(false, ApprovalAnswer::Once);
    let mut session = session(without_tools(&server.url()), PromptMemory::Independent, &user).await;

    session.ask("Explain this file:\npassword=swordfish77\ncolour=blue").await.unwrap();

    let asked = last_content(&server.asked()[0]);
    assert!(!asked.contains("swordfish77") && asked.contains("\ncolour=blue"), "{asked}");
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_answered_is_in_the_list_of_contacted_hosts() {
    let server = OllamaServer::start([answer("Fine.")]);
    let user = ScriptedUser::who(false, ApprovalAnswer::Once);
    let mut session = session(without_tools(&server.url()), PromptMemory::Independent, &user).await;

    session.ask("hello").await.unwrap();
    session.close().await;

    let host = server.url().replace("http://", "");
    assert_eq!(hosts_contacted(&user), [[host, "language_model".to_owned()]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn declined_tool_does_not_run_and_the_model_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let server = OllamaServer::start([write(folder.path()), answer("Then not.")]);
    let user = ScriptedUser::who(false, ApprovalAnswer::No);
    let config = config(&server.url(), folder.path(), &[]);
    let mut session = session(config, PromptMemory::Independent, &user).await;

    let answered = session.ask("note tea").await.unwrap();

    assert_eq!((answered.text.as_str(), note(folder.path()).exists()), ("Then not.", false));
    assert!(last_content(&server.asked()[1]).contains("did not allow"), "{}", server.asked()[1]);
    session.close().await;
    let [call] = user.logged().await.try_into().unwrap();
    let expected = ["filesystem__write_file", "declined", "unsure", "declined", "bridge"].map(str::to_owned);
    assert_eq!([call.tool, call.decision, call.grounds, call.outcome, call.conversation], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_that_is_described_otherwise_than_in_an_earlier_session_asks() {
    let folder = tempfile::tempdir().unwrap();
    let turn = |at| if at % 2 == 0 { write(folder.path()) } else { answer("Noted.") };
    let server = OllamaServer::start(std::array::from_fn::<_, 8, _>(turn));
    let user = ScriptedUser::who(false, ApprovalAnswer::Always);
    let ask = async || {
        let config = config(&server.url(), folder.path(), &["write_file"]);
        let mut session = session(config, PromptMemory::Independent, &user).await;
        let problems = session.server_problems().join("\n");
        session.ask("note tea").await.unwrap();
        session.close().await;
        (problems.contains("filesystem__write_file"), user.asked.lock().len())
    };

    let first = ask().await;
    let unchanged = ask().await;
    describe_otherwise(&user, "filesystem__write_file");
    let changed = ask().await;
    let agreed = ask().await;

    assert_eq!([first, unchanged, changed, agreed], [(false, 0), (false, 0), (true, 1), (false, 1)]);
    let tools = server.asked()[4].to_string();
    assert!(tools.contains("Writes, as it was.") && !tools.contains("Create a new file"), "{tools}");
}

/// Changes what earlier sessions remember of a tool.
fn describe_otherwise(user: &ScriptedUser, tool: &str) {
    let file = Folders::under(user.data.path()).data.join("bridge-tool-descriptions.json");
    let mut pins: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let pins_of_tools = pins.as_object_mut().unwrap();
    let (_, pin) = pins_of_tools.iter_mut().find(|(key, _)| key.split(' ').next() == Some(tool)).unwrap();
    *pin = json!({ "fingerprint": "of other words", "description": "Writes, as it was." });
    std::fs::write(file, pins.to_string()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn always_allowed_tool_asks_only_after_text_from_outside() {
    let folder = tempfile::tempdir().unwrap();
    let script = [write(folder.path()), answer("Once."), write(folder.path()), answer("Twice.")];
    let server = OllamaServer::start(script);
    let user = ScriptedUser::who(false, ApprovalAnswer::Once);
    let config = config(&server.url(), folder.path(), &["write_file"]);
    let mut session = session(config, PromptMemory::Conversation, &user).await;

    session.ask("note tea").await.unwrap();
    let asked_before = user.asked.lock().len();
    session.ask("note it again").await.unwrap();

    assert_eq!((asked_before, user.asked.lock().clone()), (0, vec!["filesystem__write_file".to_owned()]));
    let roles: Vec<Value> = server.asked()[2]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_one_server_do_not_go_to_another_unasked() {
    let (ours, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(note(ours.path()), "The cat is called Marigold.").unwrap();
    let call = |name: &str, arguments: Value| {
        ScriptedAnswer::says(json!({ "tool_call": { "name": name, "arguments": arguments } }).to_string())
    };
    let search =
        |pattern: &str| call("other__search_files", json!({ "path": theirs.path(), "pattern": pattern }));
    let script = [
        call("filesystem__read_text_file", json!({ "path": note(ours.path()) })),
        search("cellar"),
        search("marigold"),
        answer("Done."),
    ];
    let server = OllamaServer::start(script);
    let user = ScriptedUser::who(false, ApprovalAnswer::No);
    let mut config = config(&server.url(), ours.path(), &[]);
    let mut other = config.servers[0].clone();
    other.name = "other".to_owned();
    other.folder = Some(theirs.path().display().to_string());
    config.servers.push(other);
    let mut session = session(config, PromptMemory::Independent, &user).await;

    let place = theirs.path().display();
    session.ask(&format!("read the note, then search {place} for it")).await.unwrap();

    assert_eq!(*user.asked.lock(), ["other__search_files"], "{:?}", server.asked().last());
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_format_and_refused_tools_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let script = ServerScript::from([answer("Plain.")]);
    let script =
        script.rejecting("format", "cannot unmarshal format").rejecting("tools", "does not support tools");
    let server = OllamaServer::start(script);
    let user = ScriptedUser::who(false, ApprovalAnswer::No);
    let config = config(&server.url(), folder.path(), &[]);
    let mut session = session(config, PromptMemory::Independent, &user).await;

    let answered = session.ask("hello").await.unwrap();

    let last = server.asked().pop().unwrap();
    assert_eq!((answered.text.as_str(), last.get("format"), last.get("tools")), ("Plain.", None, None));
    assert!(last["messages"][1]["content"].as_str().unwrap().contains("- write_file: "), "{last}");
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_model_and_lost_server_are_told_and_the_session_goes_on() {
    let server = OllamaServer::start([answer("Here.")]);
    let user = ScriptedUser::who(false, ApprovalAnswer::No);
    let without_model = BridgeConfig { model: "nothing:1b".into(), ..without_tools(&server.url()) };
    let mut missing = session(without_model, PromptMemory::Independent, &user).await;
    let mut session = session(without_tools(&server.url()), PromptMemory::Independent, &user).await;
    let address = server.address();

    let no_model = missing.ask("hello").await.unwrap_err();
    drop(server);
    let lost = session.ask("hello").await.unwrap_err();
    let _server = OllamaServer::start_at(address, [answer("Back.")]);
    let back = session.ask("hello").await.unwrap();

    assert_eq!([no_model.label(), lost.label()], ["model_missing", "unreachable"]);
    assert!(no_model.to_string().contains("ollama pull nothing:1b"), "{no_model}");
    assert_eq!(back.text, "Back.");
}
