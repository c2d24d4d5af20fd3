//! Exports, imports, backups, and encryption of the file.

use std::path::{Path, PathBuf};

use memory::{Archive, Memory, MemoryError, StorageError};

use super::failure::Failure;
use super::memory_source::OpenMemory;
use super::parts::DataService;
use super::responder::Responder;
use super::views::all;
use crate::data_access::requests::MemoryAnswer;
use crate::memory_upkeep::memory_files::{database, place};

impl DataService {
    pub(super) async fn export(
        &self,
        memory: &Memory,
        path: PathBuf,
        as_archive: bool,
    ) -> Result<(), Failure> {
        let is_taken = match path.read_dir() {
            Ok(mut files) => files.next().is_some(),
            Err(_) => path.exists(),
        };
        if is_taken {
            let message = format!("{} is there already: name a new folder or file", path.display());
            return Err(Failure::refused(message));
        }
        let archive = memory.archive().await?;
        let is_file = as_archive || path.to_string_lossy().ends_with(".tar.gz");
        let zone = self.zone();
        let written = tokio::task::spawn_blocking(move || {
            let written =
                if is_file { archive.write_file(&path, &zone) } else { archive.write_folder(&path, &zone) };
            written.map_err(|error| format!("{} could not be written: {error}", path.display()))
        });
        written.await?.map_err(Failure::refused)
    }

    pub(super) async fn import(
        &self,
        opened: &OpenMemory,
        path: PathBuf,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let archive = tokio::task::spawn_blocking(move || Archive::read(&path)).await?;
        let archive = archive.map_err(|error| Failure::refused(with_causes(&error)))?;
        let imported = opened.import(archive, self.now_micros()).await?;
        opened.reload_dialogue().await?;
        responder.memory(MemoryAnswer::Imported(imported.into())).await
    }

    pub(super) async fn back_up(&self, memory: &Memory, responder: &Responder) -> Result<(), Failure> {
        let path = memory.back_up(self.now_micros()).await?;
        responder.memory(MemoryAnswer::BackedUp(path)).await
    }

    pub(super) async fn list_backups(&self, responder: &Responder) -> Result<(), Failure> {
        let path = database(&self.parts.folders);
        let folder = memory::backup_folder(&path);
        let backups = all(tokio::task::spawn_blocking(move || memory::backups(&path)).await?);
        responder.memory(MemoryAnswer::Backups { folder, backups }).await
    }

    pub(super) async fn restore(&self, backup: PathBuf, responder: &Responder) -> Result<(), Failure> {
        self.refuse_while_in_use("the memory cannot be replaced while it is in use: quit Jarvis first")?;
        let quarantined = self.on_file(move |place| memory::restore(place, Path::new(&backup))).await?;
        responder.memory(MemoryAnswer::Restored(quarantined)).await
    }

    pub(super) async fn encrypt(&self, responder: &Responder) -> Result<(), Failure> {
        self.refuse_while_in_use("the memory cannot be encrypted while it is in use: quit Jarvis first")?;
        let migrated = self.on_file(|place| memory::encrypt(&place)).await?;
        responder.memory(MemoryAnswer::Migrated(migrated.into())).await
    }

    pub(super) async fn decrypt(&self, responder: &Responder) -> Result<(), Failure> {
        self.refuse_while_in_use("the memory cannot be decrypted while it is in use: quit Jarvis first")?;
        let migrated = self.on_file(|place| memory::decrypt(&place)).await?;
        responder.memory(MemoryAnswer::Migrated(migrated.into())).await
    }

    fn refuse_while_in_use(&self, message: &str) -> Result<(), Failure> {
        if self.is_in_use() { Err(Failure::refused(message)) } else { Ok(()) }
    }

    async fn on_file<T: Send + 'static>(
        &self,
        work: impl FnOnce(memory::DatabaseLocation) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, Failure> {
        let place = place(&self.parts.folders, &self.parts.secrets);
        let done = tokio::task::spawn_blocking(move || work(place)).await?;
        Ok(done.map_err(MemoryError::from)?)
    }
}

/// The message of an error with its causes, joined by colons.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    message
}
