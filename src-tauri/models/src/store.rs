//! The models folder: which models are installed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use settings::{ModelsSettings, Settings};
use tokio::sync::watch;
use vocabulary::Language;

use crate::Machine;
use crate::catalogue::{Catalogue, CatalogueEntry, ModelFile, Purpose};
use crate::checksum::sha256_of;
use crate::pinned_checksums::{PinnedChecksum, PinnedChecksums};

/// Suffix of the name of a partially downloaded file.
pub(crate) const PART: &str = ".part";

/// The models folder together with a catalogue. Cheap to clone. Other programs may change the folder at any time.
#[derive(Debug, Clone)]
pub struct ModelStore {
    folder_source: FolderSource,
    catalogue: &'static Catalogue,
}

/// The place where the path of the models folder comes from.
#[derive(Debug, Clone)]
enum FolderSource {
    /// A fixed path.
    Fixed(PathBuf),
    /// The folder in the current settings, else the default folder.
    OfSettings { settings: watch::Receiver<Settings>, default_folder: PathBuf },
}

/// The installed part of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallState {
    /// No file exists.
    Missing,
    /// Some files exist, or a partial file.
    Partial {
        /// Size of the partial files: bytes that need not be downloaded again.
        bytes: u64,
    },
    /// All files exist.
    Installed,
    /// A file has unexpected content: download it again.
    Corrupt,
}

/// Errors of the models folder.
#[derive(Debug, thiserror::Error)]
pub enum ModelStoreError {
    /// The catalogue has no model with this id.
    #[error("the catalogue has no model named {id}")]
    UnknownModel {
        /// The requested id.
        id: String,
    },
    /// A file could not be read or deleted.
    #[error("the model file {path} could not be read or deleted")]
    File {
        /// Path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The verification panicked or the runtime ended.
    #[error("the verification of {id} was aborted")]
    VerificationAborted {
        /// The id of the model.
        id: String,
    },
}

impl ModelStore {
    /// A store in `folder`, which need not exist yet, with the bundled catalogue.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::with_catalogue(folder, Catalogue::bundled())
    }

    /// The store of this user: in the folder of the environment variable `JARVIS_MODELS`, else of the settings, else in
    /// the default folder.
    ///
    /// # Errors
    ///
    /// [`settings::NoHome`] if none of them is known.
    pub fn from_settings(settings: &ModelsSettings) -> Result<Self, settings::NoHome> {
        let folder = match folder_from_environment().or_else(|| folder_from_settings(settings)) {
            Some(folder) => folder,
            None => settings::Folders::from_environment()?.models,
        };
        Ok(Self::new(folder))
    }

    /// As [`ModelStore::from_settings`], but the folder changes with the settings. `default_folder` is used while they name
    /// none.
    pub fn following_settings(settings: watch::Receiver<Settings>, default_folder: PathBuf) -> Self {
        let folder_source = match folder_from_environment() {
            Some(folder) => FolderSource::Fixed(folder),
            None => FolderSource::OfSettings { settings, default_folder },
        };
        Self { folder_source, catalogue: Catalogue::bundled() }
    }

    /// A copy whose folder does not follow the settings, for long operations.
    #[must_use]
    pub fn with_fixed_folder(&self) -> Self {
        Self { folder_source: FolderSource::Fixed(self.folder()), catalogue: self.catalogue }
    }

    /// As [`ModelStore::from_settings`] with default settings, for programs that read no settings.
    ///
    /// # Errors
    ///
    /// [`settings::NoHome`].
    pub fn with_default_settings() -> Result<Self, settings::NoHome> {
        Self::from_settings(&ModelsSettings::default())
    }

    /// A store in `folder` with another catalogue.
    pub fn with_catalogue(folder: impl Into<PathBuf>, catalogue: &'static Catalogue) -> Self {
        Self { folder_source: FolderSource::Fixed(folder.into()), catalogue }
    }

    /// The current models folder.
    pub fn folder(&self) -> PathBuf {
        match &self.folder_source {
            FolderSource::Fixed(folder) => folder.clone(),
            FolderSource::OfSettings { settings, default_folder } => {
                folder_from_settings(&settings.borrow().models).unwrap_or_else(|| default_folder.clone())
            }
        }
    }

    /// The catalogue of this store.
    pub fn catalogue(&self) -> &'static Catalogue {
        self.catalogue
    }

    /// The catalogue entry of a model.
    ///
    /// # Errors
    ///
    /// [`ModelStoreError::UnknownModel`].
    pub fn entry(&self, id: &str) -> Result<&'static CatalogueEntry, ModelStoreError> {
        self.catalogue.entry(id).ok_or_else(|| ModelStoreError::UnknownModel { id: id.to_owned() })
    }

    /// Path of the main file of a model, installed or not.
    ///
    /// # Errors
    ///
    /// [`ModelStoreError::UnknownModel`].
    pub fn path_of(&self, id: &str) -> Result<PathBuf, ModelStoreError> {
        Ok(self.path_of_file(&self.entry(id)?.files[0]))
    }

    /// Paths of all files of a model, installed or not, in catalogue order. Piper: network, configuration. Kokoro:
    /// network, vocabulary, voice. MiniLM: network, tokeniser.
    ///
    /// # Errors
    ///
    /// [`ModelStoreError::UnknownModel`].
    pub fn paths_of(&self, id: &str) -> Result<Vec<PathBuf>, ModelStoreError> {
        Ok(self.entry(id)?.files.iter().map(|file| self.path_of_file(file)).collect())
    }

    /// Path of one file, installed or not.
    pub fn path_of_file(&self, file: &ModelFile) -> PathBuf {
        file.name.split('/').fold(self.folder(), |path, part| path.join(part))
    }

    /// Returns the installed part of a model, judged by file sizes only. Fast, unlike [`ModelStore::verify`].
    ///
    /// # Errors
    ///
    /// [`ModelStoreError::UnknownModel`].
    pub fn install_state(&self, id: &str) -> Result<InstallState, ModelStoreError> {
        let entry = self.entry(id)?;
        let checksums = PinnedChecksums::from_folder(&self.folder());
        Ok(InstallState::from_files(entry.files.iter().map(|file| self.state_of_file(file, &checksums))))
    }

    /// Returns `true` if all files of a model exist. `false` for an unknown id.
    pub fn is_installed(&self, id: &str) -> bool {
        matches!(self.install_state(id), Ok(InstallState::Installed))
    }

    /// The best installed model for `purpose`: the first in the catalogue whose minimum `machine` meets, else the
    /// one that needs the least memory.
    pub fn best_installed(&self, purpose: Purpose, machine: &Machine) -> Option<&'static CatalogueEntry> {
        let installed = || self.catalogue.for_purpose(purpose).filter(|entry| self.is_installed(&entry.id));
        installed()
            .find(|entry| machine.meets(&entry.minimum))
            .or_else(|| installed().min_by_key(|e| e.ram_bytes))
    }

    /// As [`ModelStore::best_installed`], but of the models that know all these languages, if one is installed that suits
    /// `machine`.
    pub fn best_installed_for_languages(
        &self,
        purpose: Purpose,
        machine: &Machine,
        languages: &[Language],
    ) -> Option<&'static CatalogueEntry> {
        let mut entries = self.catalogue.for_purpose(purpose).filter(|entry| machine.meets(&entry.minimum));
        entries
            .find(|entry| entry.knows(languages) && self.is_installed(&entry.id))
            .or_else(|| self.best_installed(purpose, machine))
    }

    /// Returns the installed part of a model, judged by checksums. Reads every file: about a second per gigabyte.
    ///
    /// # Errors
    ///
    /// [`ModelStoreError::UnknownModel`]; [`ModelStoreError::File`] when a file cannot be read.
    pub async fn verify(&self, id: &str) -> Result<InstallState, ModelStoreError> {
        let by_size = self.install_state(id)?;
        if by_size != InstallState::Installed {
            return Ok(by_size);
        }
        let store = self.clone();
        let entry = self.entry(id)?;
        let check = tokio::task::spawn_blocking(move || store.verify_blocking(entry));
        check.await.map_err(|_| ModelStoreError::VerificationAborted { id: id.to_owned() })?
    }

    fn verify_blocking(&self, entry: &CatalogueEntry) -> Result<InstallState, ModelStoreError> {
        let checksums = PinnedChecksums::from_folder(&self.folder());
        for file in &entry.files {
            let path = self.path_of_file(file);
            let sum = sha256_of(&path).map_err(|source| ModelStoreError::File { path, source })?;
            if !accepted_contents(file, &checksums).any(|accepted| accepted.sha256 == sum) {
                return Ok(InstallState::Corrupt);
            }
        }
        Ok(InstallState::Installed)
    }

    /// The checksum that was pinned when the file was first downloaded; `None` for files whose checksum is in the
    /// catalogue.
    pub fn pinned_checksum(&self, file: &ModelFile) -> Option<PinnedChecksum> {
        PinnedChecksums::from_folder(&self.folder()).get(&file.name).cloned()
    }

    /// Deletes the files, partial files and pinned checksums of a model. Keeps files that other installed models need.
    ///
    /// # Errors
    ///
    /// [`ModelStoreError::UnknownModel`]; [`ModelStoreError::File`] when a file cannot be removed, for instance because it
    /// is in use on Windows.
    pub fn delete(&self, id: &str) -> Result<(), ModelStoreError> {
        let entry = self.entry(id)?;
        let others: Vec<_> =
            self.catalogue.entries().iter().filter(|e| e.id != id && self.is_installed(&e.id)).collect();
        for file in &entry.files {
            let path = self.path_of_file(file);
            remove(&part_of(&path))?;
            if !others.iter().any(|other| other.files.iter().any(|f| f.name == file.name)) {
                remove(&path)?;
                PinnedChecksums::change(&self.folder(), |checksums| checksums.remove(&file.name))
                    .map_err(|source| ModelStoreError::File { path: self.folder(), source })?;
            }
        }
        Ok(())
    }

    /// Returns `true` if this file exists, judged by its size.
    pub fn has_file(&self, file: &ModelFile) -> bool {
        self.state_of_file(file, &PinnedChecksums::from_folder(&self.folder())) == InstallState::Installed
    }

    pub(crate) fn state_of_file(&self, file: &ModelFile, checksums: &PinnedChecksums) -> InstallState {
        let path = self.path_of_file(file);
        match fs::metadata(&path) {
            Ok(found)
                if accepted_contents(file, checksums).any(|accepted| accepted.size_bytes == found.len()) =>
            {
                InstallState::Installed
            }
            Ok(_) => InstallState::Corrupt,
            Err(_) => match fs::metadata(part_of(&path)) {
                Ok(part) => InstallState::Partial { bytes: part.len() },
                Err(_) => InstallState::Missing,
            },
        }
    }
}

fn folder_from_environment() -> Option<PathBuf> {
    std::env::var_os("JARVIS_MODELS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn folder_from_settings(settings: &ModelsSettings) -> Option<PathBuf> {
    Some(&settings.folder).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

impl InstallState {
    /// The state of a model with files in these states.
    fn from_files(files: impl Iterator<Item = InstallState>) -> InstallState {
        let files: Vec<_> = files.collect();
        if files.contains(&InstallState::Corrupt) {
            InstallState::Corrupt
        } else if files.iter().all(|file| *file == InstallState::Installed) {
            InstallState::Installed
        } else if files.iter().all(|file| *file == InstallState::Missing) {
            InstallState::Missing
        } else {
            let bytes =
                files.iter().map(|p| if let InstallState::Partial { bytes } = p { *bytes } else { 0 }).sum();
            InstallState::Partial { bytes }
        }
    }
}

/// Size and checksum of an accepted content of a file.
struct AcceptedContent<'a> {
    size_bytes: u64,
    sha256: &'a str,
}

fn accepted_contents<'a>(
    file: &'a ModelFile,
    checksums: &'a PinnedChecksums,
) -> impl Iterator<Item = AcceptedContent<'a>> {
    // Size and checksum of an archive do not apply to its member.
    let listed = file.variants.iter().filter(|variant| variant.unpack.is_none());
    let listed = listed
        .filter_map(|v| Some(AcceptedContent { size_bytes: v.size_bytes, sha256: v.sha256.as_deref()? }));
    let pinned = checksums
        .get(&file.name)
        .map(|pinned| AcceptedContent { size_bytes: pinned.size_bytes, sha256: &pinned.sha256 });
    listed.chain(pinned)
}

/// Path of the partial file during a download.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(PART);
    path.with_file_name(name)
}

fn remove(path: &Path) -> Result<(), ModelStoreError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(ModelStoreError::File { path: path.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
