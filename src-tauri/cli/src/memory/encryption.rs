//! `jarvis memory encrypt`, `decrypt`.

use std::io::Write;
use std::path::PathBuf;

use assistant::{MemoryAnswer, MemoryRequest};

use super::layout::counted;
use super::session::{Session, unexpected};

#[derive(clap::Args)]
pub(crate) struct Decrypt {
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
}

pub(super) async fn encrypt(session: &Session, out: &mut dyn Write) -> anyhow::Result<()> {
    let answer = session.answer(MemoryRequest::Encrypt).await?;
    let MemoryAnswer::Migrated(migrated) = answer else { return unexpected(&answer) };
    match migrated.is_changed {
        true => {
            writeln!(out, "The memory is encrypted.")?;
            for key in &migrated.kept_keys {
                writeln!(out, "Its key is in your keychain as `{key}`.")?;
            }
        }
        false => writeln!(out, "The memory was encrypted already.")?,
    }
    if migrated.copies > 0 {
        let copies = counted(migrated.copies, "copy of it is", "copies of it are");
        writeln!(out, "{copies} encrypted too: backups and quarantined files.")?;
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
            "Without the key the memory is lost: keep an export in a safe place.\nExports are not encrypted, nor \
             are copies of your data folder that were made before."
        )?;
    }
    Ok(())
}

pub(super) async fn decrypt(session: &Session, decrypt: &Decrypt, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "Anyone who can read your disk can then read the memory and its backups.")?;
    if !session.confirm("Is that what you want?", decrypt.yes, out)? {
        writeln!(out, "Nothing was changed.")?;
        return Ok(());
    }
    let answer = session.answer(MemoryRequest::Decrypt).await?;
    let MemoryAnswer::Migrated(migrated) = answer else { return unexpected(&answer) };
    match migrated.is_changed {
        true => writeln!(out, "The memory is decrypted.")?,
        false => writeln!(out, "The memory was not encrypted.")?,
    }
    if migrated.copies > 0 {
        writeln!(out, "{} decrypted too.", counted(migrated.copies, "copy of it is", "copies of it are"))?;
    }
    list(out, "These copies stay encrypted: they are damaged, or their key is lost:", &migrated.left)?;
    for key in &migrated.kept_keys {
        writeln!(out, "The key stays in the keychain as `{key}`.")?;
    }
    Ok(())
}

fn list(out: &mut dyn Write, heading: &str, files: &[PathBuf]) -> anyhow::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    writeln!(out, "{heading}")?;
    for file in files {
        writeln!(out, "    {}", file.display())?;
    }
    Ok(())
}
