//! `jarvis memory export`, `import`, `backup`, `restore`.

use std::io::Write;
use std::path::{Path, PathBuf};

use ::memory::{Archive, Backup, Imported, Memory};
use anyhow::Context;
use jiff::tz::TimeZone;

use super::page::counted;
use super::{Desk, told};

#[derive(clap::Args)]
pub(crate) struct Export {
    /// A new folder, or a new file that ends in `.tar.gz`.
    path: PathBuf,
    /// Write one file, whatever its name.
    #[arg(long)]
    archive: bool,
}

#[derive(clap::Args)]
pub(crate) struct Restore {
    /// The backup, as `jarvis memory backup --list` names it; without one the newest.
    backup: Option<String>,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

pub(super) async fn export(
    desk: &Desk,
    memory: &Memory,
    wish: &Export,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let path = &wish.path;
    let is_taken = match path.read_dir() {
        Ok(mut files) => files.next().is_some(),
        Err(_) => path.exists(),
    };
    anyhow::ensure!(!is_taken, "{} is there already: name a new folder or file", path.display());
    let archive = memory.archive().await.map_err(told)?;
    let is_file = wish.archive || path.to_string_lossy().ends_with(".tar.gz");
    let written = match is_file {
        true => archive.write_file(path, &desk.zone),
        false => archive.write_folder(path, &desk.zone),
    };
    written.with_context(|| format!("{} could not be written", path.display()))?;
    writeln!(
        out,
        "Everything is in {}, in plain words: keep it as private as what you say.",
        path.display()
    )?;
    Ok(())
}

pub(super) async fn import(
    desk: &Desk,
    memory: &Memory,
    path: &Path,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let archive = Archive::read(path)?;
    let imported = memory.import(archive, desk.now_micros).await.map_err(told)?;
    writeln!(out, "{}", came_in(imported))?;
    Ok(())
}

fn came_in(imported: Imported) -> String {
    if imported == Imported::default() {
        return "Nothing in it was new.".to_owned();
    }
    let parts = [
        counted(imported.messages, "message", "messages"),
        counted(imported.entries, "diary entry", "diary entries"),
        counted(imported.facts, "fact", "facts"),
        counted(imported.nodes, "node", "nodes"),
        counted(imported.others, "other thing", "other things"),
    ];
    let new: Vec<String> = parts.into_iter().filter(|part| !part.starts_with("0 ")).collect();
    format!("New: {}. What was known already stays as it was.", new.join(", "))
}

pub(super) async fn back_up(desk: &Desk, memory: &Memory, out: &mut dyn Write) -> anyhow::Result<()> {
    let made = memory.back_up(desk.now_micros).await.map_err(told)?;
    writeln!(out, "A backup is at {}.", made.display())?;
    Ok(())
}

pub(super) fn list(desk: &Desk, memory: &Memory, out: &mut dyn Write) -> anyhow::Result<()> {
    for backup in memory.backups() {
        let size = format!("{:.1} MB", backup.bytes as f64 / 1e6);
        writeln!(out, "{}  {}  {size:>9}", name(&backup), made_at(&backup, &desk.zone))?;
    }
    writeln!(out, "The files are in {}", ::memory::backup_folder(memory.store().path()).display())?;
    Ok(())
}

pub(super) fn restore(desk: &Desk, wish: &Restore, out: &mut dyn Write) -> anyhow::Result<()> {
    let backups = assistant::backups_of_this_user(&desk.folders);
    let backup = match &wish.backup {
        None => backups.first().context("there is no backup: `jarvis memory backup` makes one")?,
        Some(wanted) => backups
            .iter()
            .find(|backup| name(backup) == *wanted || backup.path == Path::new(wanted))
            .with_context(|| {
                format!("there is no backup {wanted}: `jarvis memory backup --list` names them")
            })?,
    };
    writeln!(
        out,
        "The backup of {} takes the place of all that is remembered now.",
        made_at(backup, &desk.zone)
    )?;
    if !desk.is_agreed("Is that what you want?", wish.yes, out)? {
        writeln!(out, "Nothing was changed.")?;
        return Ok(());
    }
    match assistant::restore_memory(&desk.folders, &desk.secrets, backup).map_err(|error| match error {
        assistant::RestoreError::Memory(error) => told(error),
        error => error.into(),
    })? {
        Some(aside) => writeln!(
            out,
            "Done. What was there is kept at {}; `jarvis memory forget` reaches into it too.",
            aside.display()
        )?,
        None => writeln!(out, "Done.")?,
    }
    Ok(())
}

/// The name of a backup: when it was made, UTC.
fn name(backup: &Backup) -> String {
    backup.made_at.strftime("%Y%m%d-%H%M%S").to_string()
}

fn made_at(backup: &Backup, zone: &TimeZone) -> String {
    let made_at = TimeZone::UTC.to_timestamp(backup.made_at).unwrap_or_default();
    made_at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}
