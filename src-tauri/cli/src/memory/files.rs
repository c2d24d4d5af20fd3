//! `jarvis memory export`, `import`, `backup`, `restore`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use assistant::{BackupView, ImportedView, MemoryAnswer, MemoryRequest};
use jiff::tz::TimeZone;

use super::layout::{Layout, counted};
use super::session::{Session, unexpected};

#[derive(clap::Args)]
pub(crate) struct Export {
    /// A new folder, or a new file that ends in `.tar.gz`.
    path: PathBuf,
    /// Write one compressed file, whatever its name.
    #[arg(long)]
    archive: bool,
}

#[derive(clap::Args)]
pub(crate) struct Restore {
    /// The backup, as `jarvis memory backup --list` names it; without one, the newest.
    backup: Option<String>,
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
}

pub(super) async fn export(session: &Session, export: &Export, out: &mut dyn Write) -> anyhow::Result<()> {
    let path = absolute(&export.path)?;
    session.tell(MemoryRequest::Export { path, as_archive: export.archive }).await?;
    let path = export.path.display();
    writeln!(out, "Everything is in {path}, in plain words: keep it as private as what you say.")?;
    Ok(())
}

pub(super) async fn import(session: &Session, path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    let answer = session.answer(MemoryRequest::Import { path: absolute(path)? }).await?;
    let MemoryAnswer::Imported(imported) = answer else { return unexpected(&answer) };
    writeln!(out, "{}", import_in_words(imported))?;
    Ok(())
}

/// The owner of the data may run in another folder.
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("{} is not a path", path.display()))
}

fn import_in_words(imported: ImportedView) -> String {
    if imported == ImportedView::default() {
        return "Nothing in it was new.".to_owned();
    }
    let parts = [
        counted(imported.messages, "message", "messages"),
        counted(imported.entries, "diary entry", "diary entries"),
        counted(imported.facts, "fact", "facts"),
        counted(imported.nodes, "node", "nodes"),
        counted(imported.others, "other record", "other records"),
    ];
    let new: Vec<String> = parts.into_iter().filter(|part| !part.starts_with("0 ")).collect();
    format!("New: {}. What was known already stays as it was.", new.join(", "))
}

pub(super) async fn back_up(session: &Session, out: &mut dyn Write) -> anyhow::Result<()> {
    let answer = session.answer(MemoryRequest::BackUp).await?;
    let MemoryAnswer::BackedUp(path) = answer else { return unexpected(&answer) };
    writeln!(out, "A backup is at {}.", path.display())?;
    Ok(())
}

pub(super) async fn list(session: &Session, layout: &Layout, out: &mut dyn Write) -> anyhow::Result<()> {
    let (folder, backups) = backups(session).await?;
    for backup in backups {
        let size = format!("{:.1} MB", backup.bytes as f64 / 1e6);
        writeln!(out, "{}  {}  {size:>9}", name(&backup), made_at(&backup, &layout.zone))?;
    }
    writeln!(out, "The files are in {}", folder.display())?;
    Ok(())
}

/// Their folder, and all of them, the newest first.
async fn backups(session: &Session) -> anyhow::Result<(PathBuf, Vec<BackupView>)> {
    let answer = session.answer(MemoryRequest::ListBackups).await?;
    let MemoryAnswer::Backups { folder, backups } = answer else { return unexpected(&answer) };
    Ok((folder, backups))
}

pub(super) async fn restore(
    session: &Session,
    restore: &Restore,
    layout: &Layout,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (_, backups) = backups(session).await?;
    let backup = match &restore.backup {
        None => backups.first().context("there is no backup: `jarvis memory backup` makes one")?,
        Some(wanted) => backups
            .iter()
            .find(|backup| name(backup) == *wanted || backup.path == Path::new(wanted))
            .with_context(|| {
                format!("there is no backup {wanted}: `jarvis memory backup --list` names them")
            })?,
    };
    let made_at = made_at(backup, &layout.zone);
    writeln!(out, "The backup of {made_at} takes the place of everything that is remembered now.")?;
    if !session.confirm("Is that what you want?", restore.yes, out)? {
        writeln!(out, "Nothing was changed.")?;
        return Ok(());
    }
    let answer = session.answer(MemoryRequest::Restore { path: backup.path.clone() }).await?;
    match answer {
        MemoryAnswer::Restored(Some(replaced)) => writeln!(
            out,
            "Done. The replaced memory is kept at {}; `jarvis memory forget` forgets in it too.",
            replaced.display()
        )?,
        MemoryAnswer::Restored(None) => writeln!(out, "Done.")?,
        other => return unexpected(&other),
    }
    Ok(())
}

/// The name of a backup: when it was made, UTC.
fn name(backup: &BackupView) -> String {
    backup.made_at.strftime("%Y%m%d-%H%M%S").to_string()
}

fn made_at(backup: &BackupView, zone: &TimeZone) -> String {
    let made_at = TimeZone::UTC.to_timestamp(backup.made_at).unwrap_or_default();
    made_at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}
