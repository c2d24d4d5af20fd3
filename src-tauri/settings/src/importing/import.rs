//! Files of other programs in our keys.

use secrecy::SecretString;
use serde_json::{Map, Value, json};

use super::bridge_config::{self, ReadBridge};
use super::flat_config::FlatConfig;
use super::tool_servers::{self, ReadServers};
use crate::keys::Key;
use crate::sections::Settings;

/// The name in the keychain of the key of the second search engine.
const BRAVE_API_KEY: &str = "web.brave_api_key";

/// The wake window that is off.
const OFF: f64 = 0.0;

/// The changes that a file asks for.
#[derive(Debug, Default)]
pub struct Import {
    /// Keys and their values. Each value is one that its key takes.
    pub values: Vec<(&'static str, Value)>,
    /// Names in the keychain and what belongs there.
    pub secrets: Vec<(String, SecretString)>,
    /// Sentences about what is not taken over, and why.
    pub left_out: Vec<String>,
}

/// A file that cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is no JSON object.
    #[error("this is no file of settings: a JSON object is expected")]
    Malformed,
    /// It asks for nothing.
    #[error("no setting in this file differs from what Jarvis does anyway")]
    Empty,
}

impl Import {
    /// Reads a flat `config.json`, a `bridge_config.json`, or a file with `mcpServers`. Servers are added to those of `current`.
    ///
    /// # Errors
    ///
    /// [`ImportError`] when it is neither, or has nothing in it.
    pub fn read(text: &str, current: &Settings) -> Result<Self, ImportError> {
        let parsed = serde_json::from_str::<Map<String, Value>>(text.trim_start_matches('\u{feff}'));
        let file = parsed.map_err(|_| ImportError::Malformed)?;
        let mut import = Self::default();
        match file.get("mcpServers") {
            Some(Value::Object(servers)) => {
                import.take_servers(servers, current);
                import.take_bridge(&file);
            }
            Some(_) => return Err(ImportError::Malformed),
            None if bridge_config::is_bridge(&file) => import.take_bridge(&file),
            None => import.take_flat(&FlatConfig::read(text, |_| None), current),
        }
        if import.values.is_empty() && import.secrets.is_empty() && import.left_out.is_empty() {
            return Err(ImportError::Empty);
        }
        Ok(import)
    }

    fn take_servers(&mut self, written: &Map<String, Value>, current: &Settings) {
        let mut all = current.mcp.servers.clone();
        // A name may be allowed: another program must not take its place, nor its secrets.
        let (known, new): (Map<_, _>, Map<_, _>) =
            written.clone().into_iter().partition(|(name, _)| all.contains_key(name.trim()));
        self.left_out.extend(known.keys().map(|name| format!("A server named \"{name}\" is there already.")));
        let ReadServers { servers, secrets, left_out } = tool_servers::read(&new);
        self.secrets.extend(secrets);
        self.left_out.extend(left_out);
        if !servers.is_empty() {
            all.extend(servers);
            self.take("mcp.servers", json!(all), "mcps");
        }
    }

    fn take_bridge(&mut self, file: &Map<String, Value>) {
        let ReadBridge { values, left_out } = bridge_config::read(file);
        values.into_iter().for_each(|(key, value, name)| self.take(key, value, &name));
        self.left_out.extend(left_out);
    }

    fn take_flat(&mut self, config: &FlatConfig, current: &Settings) {
        let changed = config.changed();
        for (name, value) in &changed {
            match (*name, *value) {
                ("mcps", Value::Object(servers)) => self.take_servers(servers, current),
                ("brave_search_api_key", Value::String(key)) => {
                    self.secrets.push((BRAVE_API_KEY.to_owned(), SecretString::from(key.clone())));
                }
                ("ollama_base_url", url) => {
                    self.take("llm.base_url", url.clone(), name);
                    self.take("llm.provider", json!("ollama"), name);
                }
                ("hot_window_enabled", _) => self.take("listening.hot_window_secs", json!(OFF), name),
                ("hot_window_seconds", _) if changed.contains_key("hot_window_enabled") => {}
                (name, value) => match our_key(name) {
                    Some(key) => self.take(key, in_our_form(key, value), name),
                    None => self.left_out.push(format!("{name}: Jarvis has no such setting.")),
                },
            }
        }
        self.left_out.extend(config.unreadable.iter().cloned());
        self.left_out
            .extend(config.unknown.iter().map(|name| format!("{name}: nothing is known of this key.")));
    }

    /// Takes a value that its key takes; says so of another.
    fn take(&mut self, key: &'static str, value: Value, name: &str) {
        match Key::from_path(key).map(|key| key.check(&value)) {
            Some(Ok(())) => self.values.push((key, value)),
            Some(Err(bad)) => self.left_out.push(format!("{name}: {bad}")),
            None => self.left_out.push(format!("{name}: Jarvis has no setting {key}.")),
        }
    }
}

/// The key of ours with the meaning of a flat key.
fn our_key(name: &str) -> Option<&'static str> {
    Some(match name {
        "ollama_chat_model" => "llm.chat_model",
        "intent_judge_model" => "llm.fast_model",
        "ollama_embed_model" => "memory.embedding_model",
        "llm_chat_timeout_sec" => "replying.timeout_secs",
        "llm_tools_timeout_sec" => "replying.router_timeout_secs",
        "llm_digest_timeout_sec" => "replying.digest_timeout_secs",
        "tts_enabled" => "speaking.enabled",
        "voice_device" => "audio.microphone",
        "wake_word" => "listening.wake_word",
        "wake_aliases" => "listening.wake_aliases",
        "wake_fuzzy_ratio" => "listening.wake_fuzzy_ratio",
        "stop_commands" => "listening.stop_words",
        "stop_command_fuzzy_ratio" => "listening.stop_fuzzy_ratio",
        "hot_window_seconds" => "listening.hot_window_secs",
        "echo_energy_threshold" => "listening.echo_energy_threshold",
        "echo_tolerance" => "listening.echo_tolerance_secs",
        "intent_judge_timeout_sec" => "listening.judge_timeout_secs",
        "transcript_buffer_duration_sec" => "listening.transcript_secs",
        "whisper_min_confidence" => "hearing.min_confidence",
        "whisper_no_speech_threshold" => "hearing.no_speech_threshold",
        "whisper_min_audio_duration" => "hearing.min_utterance_ms",
        "vad_pre_roll_ms" => "hearing.pre_roll_ms",
        "endpoint_silence_ms" => "hearing.endpoint_silence_ms",
        "max_utterance_ms" => "hearing.max_utterance_ms",
        "tts_max_utterance_ms" => "hearing.max_utterance_while_speaking_ms",
        "dialogue_memory_timeout" => "memory.dialogue_window_secs",
        "memory_digest_enabled" => "replying.memory_digest",
        "tool_result_digest_enabled" => "replying.tool_digest",
        "tool_carryover_max_turns" => "replying.carry_over_replies",
        "tool_carryover_per_entry_chars" => "replying.carry_over_chars",
        "agentic_max_turns" => "replying.max_turns",
        "planner_enabled" => "replying.planner",
        "planner_timeout_sec" => "replying.planner_timeout_secs",
        "tool_selection_strategy" => "tools.selection_strategy",
        "tool_search_max_calls" => "tools.search_max_calls",
        "web_search_enabled" => "web.search",
        "wikipedia_fallback_enabled" => "web.wikipedia",
        _ => return None,
    })
}

/// The value in the unit and form of our key.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the casts saturate, and the key checks its range"
)]
fn in_our_form(key: &str, value: &Value) -> Value {
    match (key, value) {
        ("hearing.min_utterance_ms", Value::Number(secs)) => {
            json!((secs.as_f64().unwrap_or_default() * 1000.0).round() as u64)
        }
        ("memory.dialogue_window_secs", Value::Number(secs)) => {
            json!(secs.as_f64().unwrap_or_default().round() as u64)
        }
        ("replying.memory_digest" | "replying.tool_digest", Value::Bool(is_on)) => {
            json!(if *is_on { "on" } else { "off" })
        }
        (_, value) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn read(file: &Value) -> Import {
        Import::read(&file.to_string(), &Settings::default()).unwrap()
    }

    #[test]
    fn values_of_the_flat_file_become_ours_in_our_units() {
        let import = read(&json!({
            "wake_word": "Friday", "whisper_min_audio_duration": 0.2, "hot_window_seconds": 5,
            "memory_digest_enabled": false, "dialogue_memory_timeout": 600, "ollama_base_url": "http://10.0.0.2:11434",
            "planner_enabled": true, "agentic_max_turns": 500, "voice_min_energy": 0.5, "colour": "red"
        }));

        assert_eq!(
            import.values,
            [
                ("memory.dialogue_window_secs", json!(600)),
                ("listening.hot_window_secs", json!(5.0)),
                ("replying.memory_digest", json!("off")),
                ("llm.base_url", json!("http://10.0.0.2:11434")),
                ("llm.provider", json!("ollama")),
                ("listening.wake_word", json!("friday")),
                ("hearing.min_utterance_ms", json!(200)),
            ]
        );
        let left_out = import.left_out.join("\n");
        for name in ["agentic_max_turns", "voice_min_energy", "colour"] {
            assert!(left_out.contains(name), "{left_out}");
        }
    }

    #[test]
    fn every_key_that_is_mapped_exists_and_takes_its_default() {
        let config = FlatConfig::read("", |_| None);
        for (name, value) in &config.values {
            if let (Some(key), false) = (our_key(name), value.is_null()) {
                let known = Key::from_path(key).unwrap_or_else(|| panic!("there is no {key}"));
                known.check(&in_our_form(key, value)).unwrap();
            }
        }
    }

    #[test]
    fn follow_up_time_is_zero_where_it_was_switched_off() {
        let import = read(&json!({ "hot_window_enabled": false, "hot_window_seconds": 9 }));

        assert_eq!(import.values, [("listening.hot_window_secs", json!(0.0))]);
    }

    #[test]
    fn secrets_of_servers_go_to_the_keychain() {
        let import = read(&json!({ "mcpServers": {
            "github": { "command": "npx", "args": ["-y", "server-github", 3], "env": { "GITHUB_TOKEN": "tok-1", "MODE": "all" } },
            "search": { "url": "https://search.example/mcp", "headers": { "Authorization": "${secret:mine}" }, "disabled": true },
            "broken": { "args": [] }, "text": "npx"
        }}));

        let (key, servers) = &import.values[0];
        assert_eq!((*key, import.values.len()), ("mcp.servers", 1));
        assert_eq!(
            servers["github"]["env"],
            json!({ "GITHUB_TOKEN": "${secret:github.GITHUB_TOKEN}", "MODE": "all" })
        );
        assert_eq!(servers["github"]["args"], json!(["-y", "server-github", "3"]));
        assert_eq!(servers["search"]["headers"], json!({ "Authorization": "${secret:mine}" }));
        assert_eq!(servers["search"]["enabled"], json!(false));
        let secrets: Vec<_> =
            import.secrets.iter().map(|(name, value)| (&**name, value.expose_secret())).collect();
        assert_eq!(secrets, [("mcp.github.GITHUB_TOKEN", "tok-1")]);
        assert_eq!(import.left_out.len(), 2, "{:?}", import.left_out);
    }

    #[test]
    fn servers_are_added_to_those_that_stand() {
        let mut current = Settings::default();
        current.mcp.servers.insert(
            "mine".into(),
            crate::sections::ServerSettings { command: "mine".into(), ..Default::default() },
        );
        let file = json!({ "mcps": {
            "files": { "command": "files" },
            "mine": { "command": "other", "env": { "MY_TOKEN": "tok-2" } },
        } });

        let import = Import::read(&file.to_string(), &current).unwrap();

        let names: Vec<_> = import.values[0].1.as_object().unwrap().keys().collect();
        assert_eq!(names, ["files", "mine"]);
        assert_eq!(import.values[0].1["mine"]["command"], json!("mine"));
        assert!(import.secrets.is_empty());
        assert_eq!(import.left_out, ["A server named \"mine\" is there already."]);
    }

    #[test]
    fn servers_in_a_list_are_taken_over() {
        let import = read(&json!({ "mcps": [
            { "name": "files", "transport": "stdio", "command": "npx", "idle_timeout_sec": 60 },
            { "command": "other" },
        ] }));

        let (key, servers) = &import.values[0];
        assert_eq!((*key, &servers["files"]["command"]), ("mcp.servers", &json!("npx")));
        assert_eq!(servers["files"]["idle_timeout_secs"], json!(60.0));
        assert_eq!(import.left_out, ["mcps: server 2 has no name."]);
    }

    #[test]
    fn language_model_of_a_bridge_is_taken_over() {
        let import = read(&json!({
            "mcpServers": { "filesystem": { "command": "npx", "allowedDirectory": "~/notes", "alwaysAllow": [] } },
            "llm": { "model": "qwen3:8b", "baseUrl": "localhost:11434/v1/", "temperature": 0.2, "maxTokens": 2000 },
        }));

        let (key, servers) = &import.values[0];
        assert_eq!((*key, &servers["filesystem"]["cwd"]), ("mcp.servers", &json!("~/notes")));
        let mut values = import.values[1..].to_vec();
        values.sort_by_key(|(key, _)| *key);
        assert_eq!(
            values,
            [
                ("llm.base_url", json!("http://localhost:11434")),
                ("llm.chat_model", json!("qwen3:8b")),
                ("llm.max_reply_tokens", json!(2000)),
                ("llm.provider", json!("ollama")),
                ("llm.temperature", json!(0.2)),
            ]
        );
        assert!(import.left_out.is_empty(), "{:?}", import.left_out);
    }

    #[test]
    fn rest_of_a_bridge_is_named_as_left_out() {
        let mut left_out = read(&json!({
            "llm": { "apiKey": "ollama", "model": 3, "maxTokens": 0, "baseUrl": " ", "seed": 1, "systemPrompt": "Be brief." },
            "systemPrompt": "Be polite.", "theme": "dark",
        }))
        .left_out;
        left_out.sort();

        assert_eq!(
            left_out,
            [
                "llm.apiKey: a server of Ollama takes no key.",
                "llm.baseUrl: an address such as http://127.0.0.1:11434 is expected.",
                "llm.maxTokens: llm.max_reply_tokens is 0: use a whole number from 16 to 32768 tokens",
                "llm.model: llm.chat_model is 3: use a text",
                "llm.seed: nothing is known of this key.",
                "llm.systemPrompt: Jarvis has no such setting. `jarvis bridge --config FILE` answers with this prompt.",
                "systemPrompt: Jarvis has no such setting. `jarvis bridge --config FILE` answers with this prompt.",
                "theme: nothing is known of this key.",
            ]
        );
        assert_eq!(read(&json!({ "llm": "qwen3" })).left_out.len(), 1);
    }

    #[test]
    fn file_without_settings_is_refused() {
        for text in ["", "{", "[]", "{}", r#"{"mcpServers": 3}"#] {
            assert!(Import::read(text, &Settings::default()).is_err(), "{text}");
        }
    }
}
