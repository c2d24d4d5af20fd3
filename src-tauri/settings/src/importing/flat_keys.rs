//! The keys of the older flat file: their types and defaults.

use serde_json::{Value, json};

use crate::sections::ListeningSettings;

/// The type of a value in the flat file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FlatKind {
    Text,
    /// A text, or nothing.
    MaybeText,
    Whole,
    /// A whole number, or nothing.
    MaybeWhole,
    Number,
    Flag,
    /// A flag, or nothing: the program decides.
    MaybeFlag,
    Words,
    Choice(&'static [&'static str]),
    /// Servers of tools by name, or a list of them.
    Servers,
}

use FlatKind::{Choice, Flag, MaybeFlag, MaybeText, MaybeWhole, Number, Servers, Text, Whole, Words};

/// A key of the flat file.
pub(super) struct FlatKey {
    pub name: &'static str,
    pub kind: FlatKind,
    pub default: Value,
}

/// The environment variable that names the recogniser's program.
pub(super) const BACKEND_VARIABLE: &str = "JARVIS_WHISPER_BACKEND";

/// All keys, in the order of the older file.
pub(super) fn flat_keys() -> Vec<FlatKey> {
    let of = |rows: Vec<(&'static str, FlatKind, Value)>| {
        rows.into_iter().map(|(name, kind, default)| FlatKey { name, kind, default })
    };
    of(model_keys()).chain(of(speech_keys())).chain(of(hearing_keys())).chain(of(other_keys())).collect()
}

fn model_keys() -> Vec<(&'static str, FlatKind, Value)> {
    vec![
        ("db_path", MaybeText, Value::Null),
        ("sqlite_vss_path", MaybeText, Value::Null),
        ("ollama_base_url", Text, json!("http://127.0.0.1:11434")),
        ("ollama_chat_model", Text, json!("gemma4:e2b")),
        ("ollama_embed_model", Text, json!("nomic-embed-text")),
        ("llm_chat_timeout_sec", Number, json!(180.0)),
        ("llm_tools_timeout_sec", Number, json!(300.0)),
        ("llm_digest_timeout_sec", Number, json!(8.0)),
        ("intent_judge_model", Text, json!("gemma4:e2b")),
        ("intent_judge_timeout_sec", Number, json!(15.0)),
        ("memory_enrichment_max_results", Whole, json!(3)),
        ("memory_enrichment_source", Choice(&["all", "diary", "graph"]), json!("all")),
        ("memory_digest_enabled", MaybeFlag, Value::Null),
        ("tool_result_digest_enabled", MaybeFlag, Value::Null),
        ("tool_carryover_max_turns", Whole, json!(2)),
        ("tool_carryover_per_entry_chars", Whole, json!(1_200)),
        ("agentic_max_turns", Whole, json!(8)),
        ("tool_selection_strategy", Choice(&["llm", "keyword", "embedding", "all"]), json!("llm")),
        ("tool_router_model", Text, json!("")),
        ("tool_search_max_calls", Whole, json!(3)),
        ("planner_enabled", Flag, json!(true)),
        ("planner_model", Text, json!("")),
        ("planner_timeout_sec", Number, json!(6.0)),
        ("evaluator_model", Text, json!("")),
        ("dialogue_memory_timeout", Number, json!(300.0)),
    ]
}

fn speech_keys() -> Vec<(&'static str, FlatKind, Value)> {
    vec![
        ("tts_enabled", Flag, json!(true)),
        ("tts_engine", Choice(&["piper", "chatterbox"]), json!("piper")),
        ("tts_voice", MaybeText, Value::Null),
        ("tts_rate", MaybeWhole, json!(200)),
        ("tts_piper_model_path", MaybeText, Value::Null),
        ("tts_piper_speaker", MaybeWhole, Value::Null),
        ("tts_piper_length_scale", Number, json!(0.65)),
        ("tts_piper_noise_scale", Number, json!(0.8)),
        ("tts_piper_noise_w", Number, json!(1.0)),
        ("tts_piper_sentence_silence", Number, json!(0.2)),
        ("tts_chatterbox_device", Choice(&["cuda", "auto", "cpu"]), json!("cuda")),
        ("tts_chatterbox_audio_prompt", MaybeText, Value::Null),
        ("tts_chatterbox_exaggeration", Number, json!(0.5)),
        ("tts_chatterbox_cfg_weight", Number, json!(0.5)),
    ]
}

fn hearing_keys() -> Vec<(&'static str, FlatKind, Value)> {
    vec![
        ("voice_device", MaybeText, Value::Null),
        ("sample_rate", Whole, json!(16_000)),
        ("voice_min_energy", Number, json!(0.02)),
        ("voice_collect_seconds", Number, json!(4.5)),
        ("voice_max_collect_seconds", Number, json!(180.0)),
        ("wake_word", Text, json!("jarvis")),
        ("wake_aliases", Words, json!(ListeningSettings::default().wake_aliases)),
        ("wake_fuzzy_ratio", Number, json!(0.78)),
        ("whisper_model", Text, json!("medium")),
        ("whisper_backend", Choice(&["auto", "mlx", "faster-whisper"]), json!("auto")),
        ("whisper_device", Choice(&["auto", "cuda", "cpu"]), json!("auto")),
        ("whisper_compute_type", Text, json!("int8")),
        ("whisper_min_confidence", Number, json!(0.3)),
        ("whisper_no_speech_threshold", Number, json!(0.5)),
        ("whisper_min_audio_duration", Number, json!(0.15)),
        ("vad_enabled", Flag, json!(true)),
        ("vad_aggressiveness", Whole, json!(2)),
        ("vad_frame_ms", Whole, json!(20)),
        ("vad_pre_roll_ms", Whole, json!(240)),
        ("endpoint_silence_ms", Whole, json!(800)),
        ("max_utterance_ms", Whole, json!(12_000)),
        ("tts_max_utterance_ms", Whole, json!(3_000)),
        ("tune_enabled", Flag, json!(true)),
        ("hot_window_enabled", Flag, json!(true)),
        ("hot_window_seconds", Number, json!(3.0)),
        ("echo_energy_threshold", Number, json!(2.0)),
        ("echo_tolerance", Number, json!(0.3)),
        ("transcript_buffer_duration_sec", Number, json!(120.0)),
        ("stop_commands", Words, json!(ListeningSettings::default().stop_words)),
        ("stop_command_fuzzy_ratio", Number, json!(0.8)),
    ]
}

fn other_keys() -> Vec<(&'static str, FlatKind, Value)> {
    let hotkey = if cfg!(windows) { "ctrl+cmd" } else { "ctrl+alt" };
    vec![
        ("use_stdin", Flag, json!(false)),
        ("active_profiles", Words, json!(["developer", "business", "life"])),
        ("location_enabled", Flag, json!(true)),
        ("location_auto_detect", Flag, json!(true)),
        ("location_ip_address", MaybeText, Value::Null),
        ("location_cgnat_resolve_public_ip", Flag, json!(true)),
        ("location_cache_minutes", Whole, json!(60)),
        ("web_search_enabled", Flag, json!(true)),
        ("brave_search_api_key", Text, json!("")),
        ("wikipedia_fallback_enabled", Flag, json!(true)),
        ("dictation_enabled", Flag, json!(true)),
        ("dictation_hotkey", Text, json!(hotkey)),
        ("dictation_filler_removal", Flag, json!(false)),
        ("dictation_custom_dictionary", Words, json!([])),
        ("mcps", Servers, json!({})),
    ]
}
