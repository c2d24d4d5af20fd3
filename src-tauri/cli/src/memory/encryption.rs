//! `jarvis memory encrypt`, `decrypt`.

use std::io::Write;
use std::path::PathBuf;

use assistant::{EncryptionError, key_name};

use super::page::counted;
use super::{Desk, told};

#[derive(clap::Args)]
pub(crate) struct Decrypt {
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

pub(super) fn encrypt(desk: &Desk, out: &mut dyn Write) -> anyhow::Result<()> {
    let migrated = assistant::encrypt_memory(&desk.folders, &desk.secrets).map_err(said)?;
    match migrated.is_changed {
        true => {
            writeln!(out, "The memory is encrypted.")?;
            for key in &migrated.remaining_keys {
                writeln!(out, "Its key is in your keychain as `{}`.", key_name(*key))?;
            }
        }
        false => writeln!(out, "The memory was encrypted already.")?,
    }
    if migrated.copies > 0 {
        let copies = counted(migrated.copies, "copy of it is", "copies of it are");
        writeln!(out, "{copies} encrypted too: backups, and files that were set aside.")?;
    }
    list(
        out,
        "These backups were damaged and could not be encrypted, so they are removed:",
        &migrated.removed,
    )?;
    list(
        out,
        "These files are damaged and could not be encrypted. Words may be readable in them: delete them yourself.",
        &migrated.left,
    )?;
    if migrated.is_changed {
        writeln!(
            out,
            "Whoever loses the key loses the memory: keep an export in a safe place.\nExports are plain, and copies of your data folder that were made before stay so."
        )?;
    }
    Ok(())
}

pub(super) fn decrypt(desk: &Desk, wish: &Decrypt, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "The memory and its backups can then be read by whoever reads your disk.")?;
    if !desk.is_agreed("Is that what you want?", wish.yes, out)? {
        writeln!(out, "Nothing was changed.")?;
        return Ok(());
    }
    let migrated = assistant::decrypt_memory(&desk.folders, &desk.secrets).map_err(said)?;
    match migrated.is_changed {
        true => writeln!(out, "The memory is plain again.")?,
        false => writeln!(out, "The memory was not encrypted.")?,
    }
    if migrated.copies > 0 {
        writeln!(out, "{} plain too.", counted(migrated.copies, "copy of it is", "copies of it are"))?;
    }
    list(out, "These copies stay encrypted, for they are damaged or their key is gone:", &migrated.left)?;
    for key in &migrated.remaining_keys {
        writeln!(out, "The key stays in the keychain as `{}`.", key_name(*key))?;
    }
    Ok(())
}

fn list(out: &mut dyn Write, what: &str, files: &[PathBuf]) -> anyhow::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    writeln!(out, "{what}")?;
    for file in files {
        writeln!(out, "    {}", file.display())?;
    }
    Ok(())
}

fn said(error: EncryptionError) -> anyhow::Error {
    match error {
        EncryptionError::Memory(error) => told(error),
        error => error.into(),
    }
}
