//! `jarvis settings`: lists and changes settings. A running Jarvis uses a change at once.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use ::settings::{KEYS, Key, ValueKind};
use anyhow::Context;
use assistant::{DataOwner, Request, Response, SettingsAnswer, SettingsRequest};
use clap::Subcommand;
use serde_json::Value;
use vocabulary::Private;

use crate::{owner, settings_import};

/// Read and change settings.
#[derive(Subcommand)]
pub(crate) enum SettingsVerb {
    /// List every setting with its value and what it does.
    List,
    /// Print one setting.
    Get {
        /// Section and name, such as `listening.wake_word`.
        key: String,
    },
    /// Change one setting.
    Set {
        /// Section and name, such as `listening.wake_word`.
        key: String,
        /// The value; several are separated by commas, or written as a JSON list.
        value: String,
    },
    /// Take over the settings of another program: a flat `config.json`, a `bridge_config.json`, or a file with `mcpServers`.
    Import {
        /// The file to import.
        file: PathBuf,
    },
    /// Keep a secret, read from standard input, in the system's keychain. An empty one deletes it.
    Secret {
        /// Its name, such as `llm.api_key`.
        name: String,
    },
}

/// Reads or changes the settings of this user.
pub(crate) async fn run(verb: SettingsVerb) -> anyhow::Result<()> {
    let owner = owner::find().await?;
    let outcome = match &verb {
        SettingsVerb::List | SettingsVerb::Get { .. } => send(&owner, SettingsRequest::Current, &verb).await,
        SettingsVerb::Set { key, value } => set(&owner, key, value, &verb).await,
        SettingsVerb::Import { file } => settings_import::import(&owner, file).await,
        SettingsVerb::Secret { name } => keep_secret(&owner, name, &verb).await,
    };
    owner.close().await;
    outcome
}

async fn set(owner: &DataOwner, key: &str, value: &str, verb: &SettingsVerb) -> anyhow::Result<()> {
    let known = Key::from_path(key).with_context(|| no_such(key))?;
    send(owner, SettingsRequest::Set { key: key.to_owned(), value: read_value(known, value) }, verb).await
}

async fn keep_secret(owner: &DataOwner, name: &str, verb: &SettingsVerb) -> anyhow::Result<()> {
    let mut secret = String::new();
    io::stdin().lock().read_line(&mut secret)?;
    let secret = Some(secret.trim()).filter(|secret| !secret.is_empty());
    let secret = secret.map(|secret| Private(secret.to_owned()));
    send(owner, SettingsRequest::SetSecret { name: name.to_owned(), secret }, verb).await
}

async fn send(owner: &DataOwner, request: SettingsRequest, verb: &SettingsVerb) -> anyhow::Result<()> {
    let take = |response| {
        let Response::Settings(SettingsAnswer::Current { values, bad_values }) = response else {
            return Ok(());
        };
        for bad in bad_values {
            writeln!(io::stderr(), "jarvis: {bad}")?;
        }
        print(verb, &values)
    };
    owner::request(owner, Request::Settings(request), take).await
}

fn print(verb: &SettingsVerb, values: &Value) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match verb {
        SettingsVerb::Get { key } => {
            let key = Key::from_path(key).with_context(|| no_such(key))?;
            writeln!(out, "{}", value_of(values, key))?;
        }
        _ => {
            for key in KEYS {
                let value = value_of(values, key);
                writeln!(out, "{} = {value}\n    {} {}", key.path, key.help, key.remedy())?;
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

/// The typed value as JSON: texts need no quotes.
fn read_value(key: &Key, typed: &str) -> Value {
    match key.kind {
        ValueKind::Text
        | ValueKind::Folder
        | ValueKind::Choice(_)
        | ValueKind::Hotkey
        | ValueKind::Microphone
        | ValueKind::Loudspeaker
        | ValueKind::Voice
        | ValueKind::TimeZone => Value::String(typed.to_owned()),
        ValueKind::Words | ValueKind::Several(_) => serde_json::from_str(typed)
            .unwrap_or_else(|_| typed.split(',').map(|word| Value::String(word.trim().to_owned())).collect()),
        ValueKind::Toggle
        | ValueKind::Whole { .. }
        | ValueKind::Number { .. }
        | ValueKind::Servers
        | ValueKind::ProgramKeys
        | ValueKind::Routines => {
            serde_json::from_str(typed).unwrap_or_else(|_| Value::String(typed.to_owned()))
        }
    }
}
