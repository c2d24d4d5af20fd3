//! `jarvis settings`: what can be set, and setting it.

use std::io::{BufRead, Write};

use ::settings::{Folders, KEYS, Key, Keychain, Kind, SecretStore, SettingsFile};
use anyhow::Context;
use clap::Subcommand;
use serde_json::Value;

/// What to do with settings.
#[derive(Subcommand)]
pub(crate) enum What {
    /// Name every setting with its value and what it does.
    List,
    /// Print one setting.
    Get {
        /// Section and name, such as `listening.wake_word`.
        key: String,
    },
    /// Change one setting. A running Jarvis uses it from its next start.
    Set {
        /// Section and name, such as `listening.wake_word`.
        key: String,
        /// The value; lists are written as JSON.
        value: String,
    },
    /// Keep a secret in the system's keychain: it is read from standard input, and an empty one is forgotten. A running
    /// Jarvis uses it from its next start.
    Secret {
        /// Its name, such as `llm.api_key`.
        name: String,
    },
}

/// The secrets there are: the key of a language-model server that wants one.
const SECRETS: [&str; 1] = ["llm.api_key"];

/// Reads or changes the settings file.
pub(crate) fn run(what: What) -> anyhow::Result<()> {
    let path = Folders::of_this_user()?.config.join("settings.json");
    let loaded = SettingsFile::load(&path)?;
    let mut out = std::io::stdout().lock();
    for bad in &loaded.bad_values {
        writeln!(std::io::stderr(), "jarvis: {bad}")?;
    }
    let current = serde_json::to_value(loaded.file.current()).context("the settings are plain data")?;
    match what {
        What::List => {
            for key in KEYS {
                writeln!(
                    out,
                    "{} = {}\n    {} {}",
                    key.path,
                    value_of(&current, key),
                    key.help,
                    key.remedy()
                )?;
            }
        }
        What::Get { key } => {
            let key = Key::of(&key).with_context(|| no_such(&key))?;
            writeln!(out, "{}", value_of(&current, key))?;
        }
        What::Set { key, value } => {
            let known = Key::of(&key).with_context(|| no_such(&key))?;
            loaded.file.set(&key, read_value(known, &value))?;
        }
        What::Secret { name } => {
            anyhow::ensure!(
                SECRETS.contains(&name.as_str()),
                "there is no secret named {name}: use {}",
                SECRETS[0]
            );
            let mut secret = String::new();
            std::io::stdin().lock().read_line(&mut secret)?;
            match secret.trim() {
                "" => Keychain.delete(&name)?,
                secret => Keychain.set(&name, &secret.into())?,
            }
        }
    }
    Ok(())
}

fn no_such(key: &str) -> String {
    format!("there is no setting named {key}: `jarvis settings list` names them all")
}

fn value_of<'v>(settings: &'v Value, key: &Key) -> &'v Value {
    let pointer = format!("/{}", key.path.replace('.', "/"));
    settings.pointer(&pointer).unwrap_or(&Value::Null)
}

/// What was typed, as the key takes it: texts need no quotes.
fn read_value(key: &Key, typed: &str) -> Value {
    match key.kind {
        Kind::Text
        | Kind::Folder
        | Kind::Choice(_)
        | Kind::Hotkey
        | Kind::Microphone
        | Kind::Loudspeaker
        | Kind::Voice
        | Kind::TimeZone => Value::String(typed.to_owned()),
        Kind::Words => serde_json::from_str(typed)
            .unwrap_or_else(|_| typed.split(',').map(|word| Value::String(word.trim().to_owned())).collect()),
        Kind::Toggle | Kind::Whole { .. } | Kind::Number { .. } => {
            serde_json::from_str(typed).unwrap_or_else(|_| Value::String(typed.to_owned()))
        }
    }
}
