//! Other programs: a bot with recordings, the OpenAI interface by curl, and a client of the Model Context Protocol.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use testkit::{OllamaServer, ScriptedAnswer};

use super::support::{Home, User, model, program_key, serve};

#[test]
fn bot_of_the_documentation_is_answered_aloud() {
    model("language/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    let home = Home::with(&json!({
        "llm": { "provider": "embedded", "max_reply_tokens": 40, "temperature": 0.0 },
        "speaking": { "voice": "en_US-joe-medium" },
    }));
    let key = program_key(&home, "bot", "ask,audio");
    let question = User::new().says("What is the capital of France?", home.path());
    let wav = home.path().join("answer.wav");
    let (serving, address) = serve(&home);

    let bot = Command::new("python3")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/bot.py"))
        .args([&question, &wav])
        .env("JARVIS_KEY", key)
        .env("JARVIS_URL", address)
        .output()
        .unwrap();

    let (out, err) = (String::from_utf8_lossy(&bot.stdout), String::from_utf8_lossy(&bot.stderr));
    assert!(bot.status.success(), "{out}\n{err}\n{}", home.log());
    let (heard, said) = out.split_once('\n').unwrap();
    assert!(heard.contains("France") && said.contains("Paris"), "{out}");
    let (samples, rate_hz) = audio::read_wav(&wav).unwrap();
    let voiced = samples.iter().filter(|sample| sample.abs() > 0.02).count();
    assert!(voiced > rate_hz as usize / 10, "only {voiced} samples of a voice");
    drop(serving);
}

#[test]
fn curl_is_answered_over_the_openai_interface_until_its_key_is_revoked() {
    let server = OllamaServer::start([ScriptedAnswer::says("It is."), ScriptedAnswer::says("It is.")]);
    let home = Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }));
    let key = program_key(&home, "curl", "ask");
    let (serving, address) = serve(&home);
    let ask = |key: &str| {
        let body = json!({ "model": "jarvis", "messages": [{ "role": "user", "content": "is ice cold?" }] });
        let output = Command::new("curl")
            .args([
                "-s",
                "-H",
                "Content-Type: application/json",
                "-H",
                &format!("Authorization: Bearer {key}"),
            ])
            .args(["-d", &body.to_string(), &format!("{address}/v1/chat/completions")])
            .output()
            .unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };

    let answered = ask(&key);
    let revoked = home.command(&["programs", "revoke", "curl"]).status().unwrap();
    super::support::wait_until("the key is refused", || ask(&key)["error"]["type"] == "authentication_error");

    assert_eq!(answered["choices"][0]["message"]["content"], "It is.", "{answered} {}", home.log());
    assert!(revoked.success());
    let settings = std::fs::read_to_string(home.path().join("settings.json")).unwrap();
    assert!(!settings.contains(key.split(':').nth(1).unwrap()));
    drop(serving);
}

#[test]
fn client_of_the_model_context_protocol_asks_and_searches() {
    let server = OllamaServer::start([ScriptedAnswer::says("Yes."), ScriptedAnswer::says("It is.")]);
    let home = Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }));
    assert!(home.command(&["ask", "is ice cold?"]).status().unwrap().success());
    let mut mcp = home.command(&["mcp"]);
    let mut mcp = mcp.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, from) = (mcp.stdin.take().unwrap(), mcp.stdout.take().unwrap());
    let mut lines = BufReader::new(from).lines();
    let mut call = |id: u64, method: &str, params: Value| {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(to, "{request}").unwrap();
        let answer = lines.by_ref().map(Result::unwrap).find(|line| line.contains(&format!("\"id\":{id}")));
        let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
        if method == "initialize" {
            writeln!(to, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
        }
        answer["result"].clone()
    };

    let hello = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let hello = call(1, "initialize", hello);
    let asked =
        call(2, "tools/call", json!({ "name": "ask", "arguments": { "question": "is dry ice hot?" } }));
    let words = json!({ "name": "search_memory", "arguments": { "words": "ice" } });
    let found = call(3, "tools/call", words);
    drop(to);

    assert_eq!(hello["serverInfo"]["name"], "jarvis", "{hello}");
    assert_eq!(asked["content"][0]["text"], "It is.", "{asked} {}", home.log());
    let found = found["content"][0]["text"].as_str().unwrap();
    assert!(found.contains("is ice cold") && !found.contains("dry"), "{found}");
    assert!(mcp.wait().unwrap().success(), "{}", home.log());
}
