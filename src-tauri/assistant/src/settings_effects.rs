//! Every key of the settings is read somewhere, with an effect: a key that nobody reads would be a broken promise.

use std::collections::BTreeSet;
use std::path::Path;

use hearing::HearingConfig;
use listening::ListeningConfig;
use models::{Catalogue, ModelStore};
use replying::ReplyingConfig;
use serde_json::{Value, json};
use settings::{Embeddings, KEYS, Key, Persona, Settings, ValueKind};
use speaking::SpeakingConfig;
use tools::{ToolsConfig, WebConfig};

use crate::models_in_use::active_embedder::EmbedderChoice;
use crate::models_in_use::endpoint_model::EndpointModelChoice;
use crate::models_in_use::language_model::LanguageModelChoice;
use crate::models_in_use::recogniser::RecogniserChoice;
use crate::other_programs::node_role::NodeConfig;

/// The keys that are read as they are, and the test that shows their effect. `desktop::run::follow_settings` takes its
/// sections apart, so that a new field does not compile without a reader.
const READ_DIRECTLY: [&str; 29] = [
    "audio.microphone",              // startup::sound: chosen_microphone_is_used_at_once
    "audio.speaker",                 // speaking: new_speaker_is_used_after_the_current_sentence
    "audio.quieten_others",          // ducking: other_programs_are_quieter_while_we_are_called_until
    "hearing.echo_cancelling",       // capture: our_voice_is_taken_out_while_the_setting_is_on
    "hearing.name_in_sound",         // first_stage: stage_is_used_where_it_is_asked_for_and_can_work
    "listening.enabled",             // desktop: talking_while_the_microphone_is_off
    "memory.backups",                // upkeep: backup_is_made_unless_they_are_switched_off
    "appearance.theme",              // pages: pure.test.ts
    "appearance.contrast",           // pages: pure.test.ts
    "appearance.zoom",               // desktop: zoom_is_stored_and_applied_to_every_window
    "appearance.overlay",            // desktop: it_is_shown_for_who_speaks_with_us
    "appearance.notifications",      // desktop: only_who_looks_elsewhere_is_notified
    "appearance.tray_icon",          // desktop: the_setting_names_the_panel
    "appearance.software_rendering", // journeys: software_rendering_draws_the_windows
    "keys.talk",                     // journeys: tapped_talk_key_takes_a_spoken_question
    "location.from_desktop", // user_location: desktop_is_asked_only_where_the_settings_allow_and_need_it
    "mcp.servers",           // desktop: server_of_the_settings_is_listed_with_its_tools
    "programs.enabled",      // server: settings_open_and_close_the_door
    "programs.port",         // server: settings_open_and_close_the_door
    "programs.from_network", // server: address_follows_the_settings
    "programs.hosts",        // server: name_of_the_settings_is_accepted
    "programs.requests_per_minute", // server: too_many_requests_in_a_minute_are_refused
    "programs.unstarted",    // server: unstarted_conversation_is_answered_where_the_settings_say_so
    "programs.empty_lists",  // server: no_calls_are_an_empty_list_where_the_settings_say_so
    "programs.wyoming",      // server: settings_open_and_close_the_door
    "programs.wyoming_port", // server: settings_open_and_close_the_door
    "programs.satellites",   // server: satellite_of_the_settings_is_answered_in_its_room
    "programs.keys",         // server: program_may_do_what_its_key_says
    "startup.at_login",      // journeys: start_at_login_follows_its_setting
];

/// Everything that parts run on, made of settings. Where one differs, a part behaves differently: each has tests of its
/// own in its crate.
fn is_different(one: &Settings, other: &Settings) -> bool {
    let folder = Path::new("models");
    let store = ModelStore::with_catalogue(folder, Catalogue::bundled());
    // Some values are refused beside the defaults of others; that is an effect as well.
    let hearing = |settings: &Settings| {
        HearingConfig::new(&settings.hearing, &settings.listening).map_err(|error| error.to_string())
    };
    let listening = |settings: &Settings| ListeningConfig::try_from(settings).unwrap();
    let replying = |settings: &Settings| ReplyingConfig::try_from(settings).unwrap();
    let tools = |settings: &Settings| ToolsConfig::from(settings);
    let speaking =
        |settings: &Settings| SpeakingConfig::try_from((&settings.speaking, &settings.audio)).unwrap();
    let model_folder = |settings: &Settings| settings.models.folder.clone();
    hearing(one) != hearing(other)
        || listening(one) != listening(other)
        || replying(one) != replying(other)
        || tools(one) != tools(other)
        || NodeConfig::from_settings(one) != NodeConfig::from_settings(other)
        || WebConfig::from(one) != WebConfig::from(other)
        || speaking(one) != speaking(other)
        || RecogniserChoice::new(one, &store) != RecogniserChoice::new(other, &store)
        || EndpointModelChoice::new(one, &store) != EndpointModelChoice::new(other, &store)
        || LanguageModelChoice::new(one, &store, None) != LanguageModelChoice::new(other, &store, None)
        || LanguageModelChoice::helper(one, &store, None) != LanguageModelChoice::helper(other, &store, None)
        || EmbedderChoice::new(one, &store, None) != EmbedderChoice::new(other, &store, None)
        || model_folder(one) != model_folder(other)
}

/// A valid value of `key` other than `default`.
fn other_value(key: &Key, default: &Value) -> Value {
    let candidates = match (key.path, key.kind) {
        ("hearing.language", _) => vec![json!("de")],
        ("hearing.endpoint_model", _) => vec![json!("smart-turn-v3.2")],
        ("hearing.speech_model", _) => vec![json!("whisper-tiny.en-q8_0")],
        ("command_center.base_url", _) => vec![json!("http://127.0.0.1:7704")],
        ("models.folder", _) => vec![json!(std::env::temp_dir())],
        (_, ValueKind::TimeZone) => vec![json!("Asia/Tokyo")],
        (_, ValueKind::Toggle) => vec![json!(true), json!(false)],
        (_, ValueKind::Whole { min, max, .. }) => vec![json!(max), json!(min)],
        (_, ValueKind::Number { min, max, .. }) => vec![json!(max), json!(min)],
        (_, ValueKind::Choice(choices)) => choices.iter().map(|choice| json!(choice.value)).collect(),
        (_, ValueKind::Several(choices)) => choices.iter().map(|choice| json!([choice.value])).collect(),
        (_, ValueKind::Servers) => vec![json!({ "files": { "command": "files" } })],
        (_, ValueKind::ProgramKeys) => vec![json!({ "bot": { "sha256": "00", "may": ["ask"] } })],
        (_, ValueKind::Routines) => {
            vec![json!({ "night": { "phrases": ["good night"], "commands": ["pause the music"] } })]
        }
        (_, ValueKind::Words) => vec![json!(["hush"])],
        (_, _) => vec![json!("something")],
    };
    let other = candidates.into_iter().find(|candidate| candidate != default).unwrap();
    key.check(&other).unwrap();
    other
}

/// The defaults, and beside them what a key needs to have an effect.
fn settings_for(key: &Key) -> Settings {
    let mut settings = Settings::default();
    if key.path == "memory.embedding_model" {
        settings.memory.embeddings = Embeddings::Provider;
    }
    if key.path.starts_with("command_center.") && key.path != "command_center.enabled" {
        settings.command_center.enabled = true;
        settings.command_center.base_url = "http://127.0.0.1:7703".to_owned();
    }
    if key.path == "replying.profiles" {
        settings.replying.persona = Persona::Profiles;
    }
    settings
}

fn with_value(key: &Key, value: Value) -> Settings {
    let mut all = serde_json::to_value(settings_for(key)).unwrap();
    *all.pointer_mut(&format!("/{}", key.path.replace('.', "/"))).unwrap() = value;
    serde_json::from_value(all).unwrap()
}

/// The keys whose change changes nothing that parts run on.
fn keys_without_configuration() -> BTreeSet<&'static str> {
    let defaults = serde_json::to_value(Settings::default()).unwrap();
    let is_without = |key: &&Key| {
        let default = defaults.pointer(&format!("/{}", key.path.replace('.', "/"))).unwrap();
        let changed = with_value(key, other_value(key, default));
        !is_different(&settings_for(key), &changed)
    };
    KEYS.iter().filter(is_without).map(|key| key.path).collect()
}

#[test]
fn every_key_changes_a_configuration_or_is_read_directly() {
    assert_eq!(keys_without_configuration(), BTreeSet::from(READ_DIRECTLY));
}
