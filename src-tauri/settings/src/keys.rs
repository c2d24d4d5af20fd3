//! Every key with its label, help, unit and range, for the settings window and for the validation of the file.

mod key; // a key and its values: start here
mod hearing;
mod replying;
mod knowledge;
mod others;
mod program;

pub use self::key::{BadValue, Key, SPEAKING_SPEED, ValueKind};

/// The keys, part by part, in the order of the settings window.
const PARTS: [&[Key]; 5] = [hearing::KEYS, replying::KEYS, knowledge::KEYS, others::KEYS, program::KEYS];

/// The number of keys.
const COUNT: usize = {
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        count += PARTS[part].len();
        part += 1;
    }
    count
};

/// All keys, in the order of the settings window.
pub const KEYS: &[Key] = &{
    let mut keys = [PARTS[0][0]; COUNT];
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut at = 0;
        while at < PARTS[part].len() {
            keys[count] = PARTS[part][at];
            at += 1;
            count += 1;
        }
        part += 1;
    }
    keys
};

impl Key {
    /// The key of this path.
    pub fn from_path(path: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.path == path)
    }
}

/// The name of a section on screen.
pub fn section_label(section: &str) -> &str {
    match section {
        "audio" => "Sound",
        "hearing" => "Hearing",
        "listening" => "Wake word and listening",
        "replying" => "Replies",
        "tools" => "Tools",
        "routines" => "Routines",
        "speaking" => "Voice",
        "llm" => "Language model",
        "memory" => "Memory",
        "location" => "Location",
        "models" => "Model files",
        "appearance" => "Appearance",
        "keys" => "Keys",
        "startup" => "Starting",
        "web" => "Web",
        "mcp" => "Tool servers",
        "programs" => "Other programs",
        "command_center" => "Command Center",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Settings;

    #[test]
    fn every_setting_has_a_key_that_takes_its_default() {
        let defaults = serde_json::to_value(Settings::default()).unwrap();
        let mut settings = Vec::new();
        for (section, keys) in defaults.as_object().unwrap() {
            settings.extend(keys.as_object().unwrap().keys().map(|name| format!("{section}.{name}")));
        }

        let keys: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
        assert_eq!(keys, settings);
        for key in KEYS {
            let (section, name) = key.parts();
            assert_ne!(section_label(section), section, "{section} has no name on screen");
            assert_eq!(key.check(&defaults[section][name]), Ok(()));
        }
    }

    #[test]
    fn every_choice_of_a_key_is_a_value_of_its_type() {
        for key in KEYS {
            let (section, name) = key.parts();
            let values: Vec<Value> = match key.kind {
                ValueKind::Choice(choices) => choices.iter().map(|choice| json!(choice.value)).collect(),
                ValueKind::Several(choices) => choices.iter().map(|choice| json!([choice.value])).collect(),
                _ => Vec::new(),
            };
            for value in values {
                let settings = serde_json::from_value::<Settings>(json!({ section: { name: value } }));

                let read = serde_json::to_value(settings.unwrap()).unwrap();
                assert_eq!((key.check(&value), &read[section][name]), (Ok(()), &value));
            }
        }
    }

    #[test]
    fn unknown_choice_names_its_key_and_all_values() {
        let refused = |path, value| Key::from_path(path).unwrap().check(&value).unwrap_err().to_string();

        assert_eq!(
            refused("llm.provider", json!("gpt4all")),
            "llm.provider is \"gpt4all\": use one of auto, ollama, openai, anthropic, embedded"
        );
        assert_eq!(
            refused("replying.profiles", json!(["life", "chef"])),
            "replying.profiles is [\"life\",\"chef\"]: use a list of developer, business, life"
        );
    }

    #[test]
    fn bad_value_names_its_key_and_what_works() {
        let key = Key::from_path("listening.hot_window_secs").unwrap();

        let refused = key.check(&json!(90)).unwrap_err();

        assert_eq!(refused.to_string(), "listening.hot_window_secs is 90: use a number from 0 to 30 s");
    }

    #[test]
    fn relative_folder_is_refused() {
        let key = Key::from_path("models.folder").unwrap();

        assert_eq!(key.check(&json!(std::env::temp_dir())), Ok(()));
        assert_eq!(key.check(&json!("")), Ok(()));
        let refused = key.check(&json!("models")).unwrap_err();
        assert_eq!(refused.remedy, "the full path of a folder, or nothing");
    }

    #[test]
    fn unknown_time_zone_is_refused() {
        let key = Key::from_path("location.time_zone").unwrap();

        assert_eq!(key.check(&json!("Europe/London")), Ok(()));
        assert_eq!(key.check(&json!("")), Ok(()));
        assert!(key.check(&json!("Nowhere/Land")).is_err());
    }
}
