use super::*;

fn value(file: &Value, key: &str) -> Value {
    FlatConfig::read(&file.to_string(), |_| None).values[key].clone()
}

#[test]
fn every_written_form_of_a_value_is_read_or_its_default() {
    let cases = [
        ("wake_word", json!("  Friday "), json!("friday")),
        ("wake_word", json!(" "), json!("jarvis")),
        ("wake_aliases", json!("Joe, , MOE"), json!(["joe", "moe"])),
        ("wake_aliases", json!({}), value(&json!({}), "wake_aliases")),
        ("tts_rate", json!(null), Value::Null),
        ("tts_rate", json!("null"), Value::Null),
        ("tts_rate", json!("180"), json!(180)),
        ("tts_voice", json!(""), Value::Null),
        ("tts_engine", json!("system"), json!("piper")),
        ("tts_engine", json!("Chatterbox"), json!("chatterbox")),
        ("tool_selection_strategy", json!("magic"), json!("llm")),
        ("tool_search_max_calls", json!(-3), json!(0)),
        ("tool_carryover_per_entry_chars", json!(5), json!(200)),
        ("hot_window_seconds", json!("4.5"), json!(4.5)),
        ("hot_window_seconds", json!(4), json!(4.0)),
        ("hot_window_seconds", json!([]), json!(3.0)),
        ("endpoint_silence_ms", json!(700.9), json!(700)),
        ("vad_frame_ms", json!(25), json!(20)),
        ("planner_enabled", json!("off"), json!(false)),
        ("planner_enabled", json!(0), json!(false)),
        ("memory_digest_enabled", json!(true), json!(true)),
        ("memory_digest_enabled", json!("null"), Value::Null),
        ("ollama_chat_model", json!(null), json!("gemma4:e2b")),
        ("mcps", json!([]), json!({})),
        ("mcps", json!({ "a": { "command": "x" } }), json!({ "a": { "command": "x" } })),
        (
            "mcps",
            json!([{ "name": " a ", "command": "x" }, { "command": "y" }, "z", { "name": "a", "command": "w" }]),
            json!({ "a": { "command": "x" } }),
        ),
    ];
    for (key, written, expected) in cases {
        assert_eq!(value(&json!({ key: written.clone() }), key), expected, "{key}: {written}");
    }
}

#[test]
fn broken_file_gives_the_defaults_and_says_so() {
    for text in ["{", "[]", "null", "\"text\""] {
        let read = FlatConfig::read(text, |_| None);

        assert!(read.is_malformed, "{text}");
        assert_eq!(read.values, FlatConfig::read("", |_| None).values);
    }
}

#[test]
fn environment_names_the_recogniser_unless_it_is_unknown() {
    let read = |named: &str| {
        let named = named.to_owned();
        let variable = move |name: &str| (name == BACKEND_VARIABLE).then(|| named.clone());
        FlatConfig::read(r#"{"whisper_backend": "faster-whisper"}"#, variable).values["whisper_backend"]
            .clone()
    };

    assert_eq!((read("mlx"), read("abacus")), (json!("mlx"), json!("faster-whisper")));
}

#[test]
fn unknown_keys_are_named_but_not_those_for_migrations() {
    let read = FlatConfig::read(r#"{"_config_version": 1, "colour": "red"}"#, |_| None);

    assert_eq!(read.unknown, ["colour"]);
}

#[test]
fn values_that_cannot_be_read_are_named() {
    let file = json!({
        "planner_timeout_sec": "soon", "wake_word": null, "tts_rate": "",
        "mcps": [{ "name": "a" }, { "command": "y" }, "z", { "name": "a" }],
    });

    let read = FlatConfig::read(&file.to_string(), |_| None);

    assert_eq!(
        read.unreadable,
        [
            "planner_timeout_sec: its value cannot be read.",
            "mcps: server 2 has no name.",
            "mcps: server 3 has no name.",
            "mcps: server 4 has the name of another one, \"a\".",
        ]
    );
}
