//! The verbs of the command line.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, ScriptedPull, ServerScript};

use super::support::{Home, Running};

fn home_with(server: &OllamaServer) -> Home {
    Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }))
}

#[test]
fn ask_prints_the_answer_as_text_and_json() {
    let server = OllamaServer::start([ScriptedAnswer::says("It is."), ScriptedAnswer::says("It is.")]);
    let home = home_with(&server);

    let output = home.command(&["ask", "is", "ice", "cold?"]).output().unwrap();
    let as_json = home.command(&["ask", "--json", "is ice cold?"]).output().unwrap();

    assert_eq!(String::from_utf8_lossy(&output.stdout), "It is.\n", "{}", home.log());
    let last = String::from_utf8_lossy(&as_json.stdout).lines().last().unwrap().to_owned();
    assert_eq!(last, r#"{"event":"done","text":"It is."}"#);
}

#[test]
fn debug_writes_the_steps_to_standard_error() {
    let server = OllamaServer::start([ScriptedAnswer::says("It is.")]);
    let home = home_with(&server);

    let quiet = home.command(&["ask", "is ice cold?"]).output().unwrap();
    let verbose = home.command(&["ask", "--debug", "is ice cold?"]).output().unwrap();
    let by_variable = home.command(&["ask", "is ice cold?"]).env("JARVIS_VOICE_DEBUG", "1").output().unwrap();

    assert_eq!(String::from_utf8_lossy(&quiet.stderr), "");
    for output in [verbose, by_variable] {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "It is.\n");
        let steps = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(steps.contains("a reply was prepared"), "{steps}");
        assert!(!steps.contains("is ice cold"), "the words of the user are in the log: {steps}");
    }
}

#[test]
fn ask_is_answered_by_the_running_jarvis() {
    let server = OllamaServer::start([ScriptedAnswer::says("It is.")]);
    let home = home_with(&server);
    let mut first = Running::start(home.command(&["chat"]));
    first.wait_for("Ready.");

    let second = home.command(&["chat"]).output().unwrap();
    let asked = home.command(&["ask", "is ice cold?"]).output().unwrap();

    let refused = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(!second.status.success() && refused.contains("already running"), "{refused}");
    assert_eq!(String::from_utf8_lossy(&asked.stdout), "It is.\n", "{}", home.log());
    assert!(first.ends_successfully());
}

#[test]
fn commands_without_a_data_folder_say_what_to_do() {
    let home = Home::with(&json!({}));
    std::fs::write(home.path().join("data"), "no folder").unwrap();

    for arguments in
        [&["chat"][..], &["ask", "is ice cold?"], &["serve"], &["mcp"], &["memory", "search", "ice"]]
    {
        let output = home.command(arguments).output().unwrap();

        let refused = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && refused.contains("set JARVIS_HOME"), "{arguments:?}: {refused}");
    }
}

#[test]
fn models_are_listed_and_deleted_beside_a_running_jarvis() {
    let server = OllamaServer::start([(); 0].map(|()| ScriptedAnswer::says("")));
    let home = home_with(&server);
    let folder = home.path().join("models");
    let command = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        command.env("JARVIS_MODELS", &folder);
        command
    };
    let run = |arguments: &[&str]| {
        let output = command(arguments).output().unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
        )
    };
    let mut running = Running::start(command(&["chat"]));
    running.wait_for("Ready.");

    let (is_listed, list) = run(&["models", "list"]);
    let (is_deleted, deleted) = run(&["models", "delete", "whisper-tiny.en-q8_0"]);
    let (is_known, refused) = run(&["models", "fetch", "no-such-model"]);

    assert!(is_listed && list.contains("whisper-tiny.en-q8_0") && list.contains("not installed"), "{list}");
    assert!(list.contains(folder.to_str().unwrap()), "{list}");
    assert!(is_deleted && deleted.contains("whisper-tiny.en-q8_0 was deleted"), "{deleted}");
    assert!(
        !is_known && refused.contains("no-such-model") && refused.contains("jarvis models list"),
        "{refused}"
    );
    assert!(running.ends_successfully());
}

#[test]
fn download_without_a_running_jarvis_is_among_the_contacted_hosts() {
    let home = Home::with(&json!({}));

    let mut fetch = home.command(&["models", "fetch", "whisper-tiny.en-q8_0"]);
    // Nothing is downloaded: the proxy refuses every connection.
    fetch
        .env("JARVIS_MODELS", home.path().join("models"))
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy");
    let output = fetch.output().unwrap();

    assert!(!output.status.success());
    let list = std::fs::read_to_string(home.path().join("data/hosts-contacted.json")).unwrap();
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(
        (&list[0]["purpose"], &list[0]["is_proxied"]),
        (&json!("model_download"), &json!(true)),
        "{list}"
    );
}

#[test]
fn models_are_pulled_by_the_server_of_the_settings() {
    let pulls = [
        ScriptedPull::with_layers(&[800_000_000]).with_line_delay(Duration::from_millis(100)),
        ScriptedPull::with_layers(&[8]),
        ScriptedPull::unknown(),
    ];
    let server = OllamaServer::start(ServerScript::new([]).with_pulls(pulls));
    let home = home_with(&server);
    let run = |arguments: &[&str]| {
        let output = home.command(arguments).output().unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        (output.status.success(), out, err)
    };

    let alone = run(&["models", "pull", "qwen3:4b"]);
    let mut running = Running::start(home.command(&["chat"]));
    running.wait_for("Ready.");
    let beside = run(&["models", "pull", "qwen3:8b", "--provider", "ollama"]);
    let unknown = run(&["models", "pull", "qwen99"]);
    let elsewhere = run(&["models", "pull", "qwen3", "--provider", "openai"]);

    assert!(
        alone.0 && alone.1.contains("qwen3:4b: pulled, on the Ollama server at http://127.0.0.1:"),
        "{alone:?}"
    );
    assert!(alone.2.contains("\rqwen3:4b:   0 % of 800 MB"), "{alone:?}");
    assert!(beside.0 && beside.1.contains("qwen3:8b: pulled"), "{beside:?}");
    assert!(!unknown.0 && unknown.2.contains("There is no model named \"qwen99\" to pull."), "{unknown:?}");
    assert!(
        !elsewhere.0 && elsewhere.2.contains("The provider openai fetches no models by name."),
        "{elsewhere:?}"
    );
    assert_eq!(server.pulls().len(), 3);
    assert!(running.ends_successfully());
}

#[test]
fn doctor_names_missing_parts_and_remedies() {
    let home = Home::with(&json!({ "listening": { "hot_window_secs": 90 } }));

    let mut doctor = home.command(&["doctor"]);
    doctor
        .env("JARVIS_MODELS", home.path().join("none"))
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    let output = doctor.output().unwrap();

    let findings = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success());
    for part in [
        "listening.hot_window_secs is 90: use a number from 0 to 30 s",
        "Correct it with `jarvis settings set`; until then its default is used.",
        "speech recognition: ",
        "jarvis models fetch",
    ] {
        assert!(findings.contains(part), "{part:?} is not in\n{findings}");
    }
}

#[test]
fn doctor_names_the_program_that_an_installed_voice_needs() {
    let home = Home::with(&json!({ "speaking": { "voice": "en_US-joe-medium" } }));
    let empty = home.path().join("no-programs");
    std::fs::create_dir(&empty).unwrap();

    let mut doctor = home.command(&["doctor"]);
    let without_programs = doctor.env("PATH", &empty).output().unwrap();
    let with_programs = home.command(&["doctor"]).output().unwrap();

    let findings = String::from_utf8_lossy(&without_programs.stdout).into_owned();
    assert!(findings.contains("FAIL  voice: The program espeak-ng is not installed."), "{findings}");
    assert!(findings.contains("sudo apt install espeak-ng"), "{findings}");
    let findings = String::from_utf8_lossy(&with_programs.stdout).into_owned();
    assert!(findings.contains("can speak."), "{findings}");
}

#[test]
fn settings_command_changes_values_and_refuses_bad_ones() {
    let home = Home::with(&json!({}));
    let run = |arguments: &[&str]| {
        let output = home.command(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    };

    assert_eq!(run(&["settings", "set", "listening.wake_word", "friday"]), (true, String::new()));
    assert_eq!(run(&["settings", "get", "listening.wake_word"]), (true, "\"friday\"\n".into()));
    let (went_well, refused) = run(&["settings", "set", "audio.volume", "loud"]);
    assert!(!went_well && refused.contains("use a number from 0 to 1"), "{refused}");
}

#[test]
fn policy_is_replayed_a_call_a_line() {
    let home = Home::with(&json!({}));
    let file = home.path().join("calls.jsonl");
    let write = json!({ "tool": "files__write", "effect": "writes" });
    let denied = json!({ "tool": "files__write", "effect": "writes", "settings": { "denied": ["files"] } });
    let read = json!({ "tool": "getTime", "effect": "read_only" });
    std::fs::write(&file, format!("{read}\n{write}\n{denied}\n")).unwrap();

    let output = home.command(&["policy-replay", file.to_str().unwrap()]).output().unwrap();

    assert_eq!(String::from_utf8_lossy(&output.stdout), "allow\nask\ndeny\n");
    assert!(output.status.success());
}

#[test]
fn voices_and_calls_can_be_listed_before_there_are_any() {
    let home = Home::with(&json!({}));
    let printed = |arguments: &[&str]| {
        let output = home.command(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };

    let (voices, calls) = (printed(&["voices", "list"]), printed(&["tools", "log"]));

    assert!(voices.contains("`jarvis voices add NAME` enrols one"), "{voices}");
    assert_eq!(calls, "No call of a tool is in the log.\n");
}

#[test]
fn settings_of_another_program_are_imported_with_a_report() {
    let home = Home::with(&json!({}));
    let file = home.path().join("config.json");
    let old = json!({ "wake_word": "Friday", "voice_min_energy": 0.5, "mcps": { "files": { "command": "files" } } });
    std::fs::write(&file, old.to_string()).unwrap();
    let run = |arguments: &[&str]| {
        let output = home.command(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    };

    let (went_well, report) = run(&["settings", "import", file.to_str().unwrap()]);
    std::fs::write(&file, "{").unwrap();
    let (is_broken_taken, refusal) = run(&["settings", "import", file.to_str().unwrap()]);

    assert!(went_well, "{report}");
    assert_eq!(
        report.lines().collect::<Vec<_>>(),
        [
            "Set: mcp.servers",
            "Set: listening.wake_word = \"friday\"",
            "Not taken over: voice_min_energy: Jarvis has no such setting.",
        ]
    );
    assert_eq!(run(&["settings", "get", "listening.wake_word"]), (true, "\"friday\"\n".into()));
    assert!(!is_broken_taken && refusal.contains("a JSON object is expected"), "{refusal}");
}

#[test]
fn bridge_answers_one_prompt_a_line_and_reports_its_file() {
    let answer = |text: &str| ScriptedAnswer::says(json!({ "response": text }).to_string());
    let server = OllamaServer::start([answer("Four."), answer("Blue.")]);
    let home = home_with(&server);
    let config = json!({
        "llm": { "model": "test-model", "baseUrl": server.url(), "apiKey": "ollama" },
        "mcpServers": { "filesystem": { "command": "node", "disabled": true } },
    });
    let path = home.path().join("bridge_config.json");
    std::fs::write(&path, config.to_string()).unwrap();
    let mut bridge = home.command(&["bridge", "--config"]);
    let mut bridge = bridge
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();

    bridge
        .stdin
        .take()
        .unwrap()
        .write_all(b"list-tools\ntwo plus two?\n\nthe sky?\nquit\nnot asked\n")
        .unwrap();
    let output = bridge.wait_with_output().unwrap();

    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "There are no tools.\nFour.\nBlue.\n",
        "{}",
        home.log()
    );
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(report.ends_with("ignored: llm.apiKey.\n"), "{report}");
    let asked = server.asked();
    assert_eq!((asked.len(), asked[1]["messages"].as_array().unwrap().len()), (2, 2));
}

#[cfg(unix)]
#[test]
fn bridge_starts_no_server_without_consent() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::with(&json!({}));
    let (program, mark) = (home.path().join("ollama"), home.path().join("started"));
    std::fs::write(&program, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Nothing listens on the port that throws everything away.
    let config = json!({ "llm": { "baseUrl": "http://127.0.0.1:9" }, "mcpServers": { "filesystem": { "command": "node", "disabled": true } } });
    let path = home.path().join("bridge_config.json");
    std::fs::write(&path, config.to_string()).unwrap();
    let mut command = home.command(&["bridge", "--config"]);
    command
        .arg(&path)
        .env("PATH", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut bridge = command.spawn().unwrap();

    bridge.stdin.take().unwrap().write_all(b"hello\nn\nhello again\nquit\n").unwrap();
    let output = bridge.wait_with_output().unwrap();

    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(answers.matches("Error processing message: ").count(), 2, "{answers}");
    let questions = String::from_utf8_lossy(&output.stderr).matches("Start it?").count();
    assert_eq!((questions, mark.exists()), (1, false), "{}", home.log());
}
