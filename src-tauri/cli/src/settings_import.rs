//! `jarvis settings import`: takes over what the user had set in another program.

use std::io::{self, Write};
use std::path::Path;

use ::settings::Import;
use anyhow::Context;
use assistant::{DataOwner, Request, SettingsRequest};
use secrecy::ExposeSecret;
use vocabulary::Private;

use crate::owner;

/// Reads the file, sets what it says, and prints what was done and what was not.
pub(crate) async fn import(owner: &DataOwner, path: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let import =
        Import::read(&text, &owner::settings(owner).await?).with_context(|| path.display().to_string())?;
    let mut out = io::stdout();
    for (key, value) in import.values {
        let request = SettingsRequest::Set { key: key.to_owned(), value: value.clone() };
        owner::request(owner, Request::Settings(request), |_| Ok(())).await?;
        // Servers may be many; their names are in the settings.
        let shown = if value.is_object() { String::new() } else { format!(" = {value}") };
        writeln!(out, "Set: {key}{shown}")?;
    }
    for (name, secret) in import.secrets {
        let secret = Some(Private(secret.expose_secret().to_owned()));
        let request = SettingsRequest::SetSecret { name: name.clone(), secret };
        owner::request(owner, Request::Settings(request), |_| Ok(())).await?;
        writeln!(out, "Kept in the keychain: {name}")?;
    }
    for reason in import.left_out {
        writeln!(out, "Not taken over: {reason}")?;
    }
    Ok(())
}
