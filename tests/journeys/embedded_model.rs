//! The embedded language model, with no other provider on the machine.

use serde_json::json;

use testkit::VirtualSound;

use super::support::{Home, Running, User, listening_jarvis, model, wait_until};

fn settings() -> serde_json::Value {
    model("language/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    json!({
        "llm": { "provider": "embedded", "max_reply_tokens": 40, "temperature": 0.0 },
        "speaking": { "voice": "en_US-joe-medium" },
    })
}

#[test]
fn recording_is_answered_aloud() {
    let home = Home::with(&settings());
    let question = User::new().says("Jarvis, what is the capital of France?", home.path());
    let wav = home.path().join("answer.wav");

    let mut listen = home.command(&["listen"]);
    listen.arg("--wav").arg(&question).arg("--out").arg(&wav);
    let output = listen.output().unwrap();

    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{out}\n{err}\n{}", home.log());
    let (question, answer) = out.split_once("> ").unwrap().1.split_once('\n').unwrap();
    assert!(question.contains("France") && !question.contains("Paris"), "{out}");
    assert!(answer.contains("Paris"), "{out}");
    let (samples, rate_hz) = audio::read_wav(&wav).unwrap();
    let voiced = samples.iter().filter(|sample| sample.abs() > 0.02).count();
    assert!(voiced > rate_hz as usize / 10, "only {voiced} samples of a voice");
}

#[test]
fn question_is_answered_after_the_worker_was_killed() {
    let home = Home::with(&settings());
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("Say hello.");
    wait_until("the worker runs", || worker_of(jarvis.id()).is_some());

    let worker = worker_of(jarvis.id()).unwrap();
    std::process::Command::new("kill").args(["-9", &worker.to_string()]).status().unwrap();
    jarvis.types("What is the capital of France?");

    wait_until("both were answered", || home.log().matches("a reply was delivered").count() >= 2);
    let answer = jarvis.wait_for("Paris");
    assert!(!answer.contains("What is"), "that is the question: {answer}");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

#[test]
fn session_contacts_no_other_computer() {
    let mut settings = settings();
    // Looks for language-model servers on this machine first.
    settings["llm"]["provider"] = "auto".into();
    let home = Home::with(&settings);
    // All requests to other computers would go to this proxy, those for pages too, which are in no file.
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let mut command = home.command(&["chat"]);
    command.env("ALL_PROXY", format!("http://{}", proxy.local_addr().unwrap()));
    for variable in ["NO_PROXY", "no_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"] {
        command.env_remove(variable);
    }
    let mut jarvis = Running::start(command);
    jarvis.wait_for("Ready.");

    for (question, answer) in [("What is 12 times 9?", "108"), ("What is the capital of France?", "Paris")] {
        jarvis.types(question);
        jarvis.wait_for(answer);
    }

    assert!(jarvis.ends_successfully(), "{}", home.log());
    let list = std::fs::read_to_string(home.path().join("data/hosts-contacted.json")).unwrap();
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let hosts: Vec<&str> =
        list.as_array().unwrap().iter().map(|contact| contact["host"].as_str().unwrap()).collect();
    let is_here = |host: &&str| host.starts_with("127.0.0.1:") || host.starts_with("localhost:");
    assert!(!hosts.is_empty() && hosts.iter().all(is_here), "{hosts:?}");
    assert_eq!(proxy.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn unloaded_models_are_loaded_once_the_name_was_said() {
    let mut settings = settings();
    settings["models"] = json!({ "idle_unload_mins": 0.1 });
    // Too little for all tools: reading them in advance takes a slow machine two minutes.
    settings["llm"]["context_tokens"] = 4096.into();
    settings["memory"] = json!({ "diary": false });
    let home = Home::with(&settings);
    let sound = VirtualSound::start().unwrap();
    let user = User::new();
    let name = user.says("Jarvis!", home.path());
    let question = user.says("Jarvis, what is the capital of France?", home.path());
    let mut jarvis = listening_jarvis(&home, &sound);
    wait_until("the models are unloaded", || {
        let log = home.log();
        let unloaded = log.rfind(r#"idle model unloaded model="the embedding model"#);
        worker_of(jarvis.id()).is_none()
            && unloaded >= log.rfind(r#"loading a model model="the embedding model"#)
    });
    let before = home.log().len();

    sound.speak_into_microphone(&name).unwrap();

    for model in ["qwen2.5", "the embedding model"] {
        let line = format!(r#"loading a model model="{model}"#);
        wait_until(&format!("{model} is being loaded"), || home.log()[before..].contains(&line));
    }
    assert!(!home.log().contains("a query was accepted"), "{}", home.log());
    sound.speak_into_microphone(&question).unwrap();
    jarvis.wait_for("Paris");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

/// The process of the worker that this process started.
fn worker_of(parent: u32) -> Option<u32> {
    std::fs::read_dir("/proc").ok()?.filter_map(Result::ok).find_map(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).ok()?;
        let (id, rest) = stat.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let of: u32 = rest.split(' ').nth(1)?.parse().ok()?;
        (name == "llm-worker" && of == parent).then(|| id.parse().ok()).flatten()
    })
}
