//! What is here: the models folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use settings::{ModelsSettings, Settings};
use tokio::sync::watch;

use crate::Machine;
use crate::catalogue::{Catalogue, Entry, ModelFile, Purpose};
use crate::checksum::sha256_of;
use crate::pins::{Pin, Pins};

/// Ends the name of a file that is still being downloaded.
pub(crate) const PART: &str = ".part";

/// The models folder, seen through a catalogue. Cheap to clone; other programs may change the folder at any time.
#[derive(Debug, Clone)]
pub struct Store {
    place: Place,
    catalogue: &'static Catalogue,
}

/// Which folder it is.
#[derive(Debug, Clone)]
enum Place {
    /// This one.
    Fixed(PathBuf),
    /// The one that the settings name at the time, else the usual one.
    OfSettings { settings: watch::Receiver<Settings>, usual: PathBuf },
}

/// How much of a model is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Missing,
    /// Some of its files, or a part of one.
    Partial {
        /// Bytes that need not be downloaded again.
        bytes: u64,
    },
    /// All of it.
    Installed,
    /// A file is there that is nothing the catalogue knows: download it again.
    Corrupt,
}

/// What the models folder cannot do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No such id.
    #[error("the catalogue has no model named {id}")]
    UnknownModel {
        /// What was asked for.
        id: String,
    },
    /// A file could not be read or removed.
    #[error("the model file {path} could not be read or changed")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The thread that read the files ended early.
    #[error("the check of {id} was broken off")]
    BrokenOff {
        /// The model.
        id: String,
    },
}

impl Store {
    /// The models in `folder`, which need not exist yet, with the bundled catalogue.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::with_catalogue(folder, Catalogue::bundled())
    }

    /// The models of this user: in the folder that `JARVIS_MODELS` names, else the one the settings name, else the
    /// usual one.
    ///
    /// # Errors
    ///
    /// [`settings::NoHome`] when none of them names one.
    pub fn of_this_user(settings: &ModelsSettings) -> Result<Self, settings::NoHome> {
        let folder = match named_by_environment().or_else(|| named_by(settings)) {
            Some(folder) => folder,
            None => settings::Folders::of_this_user()?.models,
        };
        Ok(Self::new(folder))
    }

    /// As [`Store::of_this_user`], in the folder that the settings name at the time, else in `usual`.
    pub fn following(settings: watch::Receiver<Settings>, usual: PathBuf) -> Self {
        let place = match named_by_environment() {
            Some(folder) => Place::Fixed(folder),
            None => Place::OfSettings { settings, usual },
        };
        Self { place, catalogue: Catalogue::bundled() }
    }

    /// The same that stays in the folder of now, for work that goes on for a while.
    #[must_use]
    pub fn staying(&self) -> Self {
        Self { place: Place::Fixed(self.folder()), catalogue: self.catalogue }
    }

    /// The models of this user where no settings are known: as [`Store::of_this_user`] with nothing set.
    ///
    /// # Errors
    ///
    /// [`settings::NoHome`].
    pub fn usual() -> Result<Self, settings::NoHome> {
        Self::of_this_user(&ModelsSettings::default())
    }

    /// The models in `folder` with another catalogue.
    pub fn with_catalogue(folder: impl Into<PathBuf>, catalogue: &'static Catalogue) -> Self {
        Self { place: Place::Fixed(folder.into()), catalogue }
    }

    /// The models folder of now.
    pub fn folder(&self) -> PathBuf {
        match &self.place {
            Place::Fixed(folder) => folder.clone(),
            Place::OfSettings { settings, usual } => {
                named_by(&settings.borrow().models).unwrap_or_else(|| usual.clone())
            }
        }
    }

    /// The catalogue it is seen through.
    pub fn catalogue(&self) -> &'static Catalogue {
        self.catalogue
    }

    /// The entry of a model.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownModel`].
    pub fn entry(&self, id: &str) -> Result<&'static Entry, StoreError> {
        self.catalogue.entry(id).ok_or_else(|| StoreError::UnknownModel { id: id.to_owned() })
    }

    /// Where the file to load of a model lies, or would lie.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownModel`].
    pub fn path_of(&self, id: &str) -> Result<PathBuf, StoreError> {
        Ok(self.path_of_file(&self.entry(id)?.files[0]))
    }

    /// Where all files of a model lie, or would lie, in the order of the catalogue: for Piper the network and its
    /// configuration; for Kokoro the network, the vocabulary and the voice; for MiniLM the network and its tokeniser.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownModel`].
    pub fn paths_of(&self, id: &str) -> Result<Vec<PathBuf>, StoreError> {
        Ok(self.entry(id)?.files.iter().map(|file| self.path_of_file(file)).collect())
    }

    /// Where one file lies, or would lie.
    pub fn path_of_file(&self, file: &ModelFile) -> PathBuf {
        file.name.split('/').fold(self.folder(), |path, part| path.join(part))
    }

    /// How much of a model is here, judged by sizes: cheap enough to ask at every start. [`Store::verify`] reads the
    /// files as well.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownModel`].
    pub fn installed(&self, id: &str) -> Result<State, StoreError> {
        let entry = self.entry(id)?;
        let pins = Pins::of(&self.folder());
        Ok(State::of_all(entry.files.iter().map(|file| self.state_of_file(file, &pins))))
    }

    /// Is all of a model here? `false` for an id that is not in the catalogue.
    pub fn is_installed(&self, id: &str) -> bool {
        matches!(self.installed(id), Ok(State::Installed))
    }

    /// The best model for `purpose` that is here: the first of the catalogue that `machine` carries, else the least
    /// demanding one.
    pub fn best_installed(&self, purpose: Purpose, machine: &Machine) -> Option<&'static Entry> {
        let here = || self.catalogue.for_purpose(purpose).filter(|entry| self.is_installed(&entry.id));
        here().find(|entry| machine.fits(&entry.minimum)).or_else(|| here().min_by_key(|e| e.ram_bytes))
    }

    /// How much of a model is here, judged by checksums. Reads every file of it: about a second per gigabyte.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownModel`]; [`StoreError::File`] when a file cannot be read.
    pub async fn verify(&self, id: &str) -> Result<State, StoreError> {
        let cheap = self.installed(id)?;
        if cheap != State::Installed {
            return Ok(cheap);
        }
        let store = self.clone();
        let entry = self.entry(id)?;
        let check = tokio::task::spawn_blocking(move || store.verify_blocking(entry));
        check.await.map_err(|_| StoreError::BrokenOff { id: id.to_owned() })?
    }

    fn verify_blocking(&self, entry: &Entry) -> Result<State, StoreError> {
        let pins = Pins::of(&self.folder());
        for file in &entry.files {
            let path = self.path_of_file(file);
            let sum = sha256_of(&path).map_err(|source| StoreError::File { path, source })?;
            if !acceptable(file, &pins).any(|known| known.sha256 == sum) {
                return Ok(State::Corrupt);
            }
        }
        Ok(State::Installed)
    }

    /// The checksum a file was pinned to when it was first downloaded; `None` for files whose checksum came with
    /// the catalogue.
    pub fn pin_of(&self, file: &ModelFile) -> Option<Pin> {
        Pins::of(&self.folder()).get(&file.name).cloned()
    }

    /// Deletes a model's files, parts and pins; a file that another installed model needs stays.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownModel`]; [`StoreError::File`] when a file cannot be removed, for instance because it
    /// is in use on Windows.
    pub fn delete(&self, id: &str) -> Result<(), StoreError> {
        let entry = self.entry(id)?;
        let others: Vec<_> =
            self.catalogue.entries().iter().filter(|e| e.id != id && self.is_installed(&e.id)).collect();
        for file in &entry.files {
            let path = self.path_of_file(file);
            remove(&part_of(&path))?;
            if !others.iter().any(|other| other.files.iter().any(|f| f.name == file.name)) {
                remove(&path)?;
                Pins::change(&self.folder(), |pins| pins.remove(&file.name))
                    .map_err(|source| StoreError::File { path: self.folder(), source })?;
            }
        }
        Ok(())
    }

    /// Is this very file here, judged by its size?
    pub fn has_file(&self, file: &ModelFile) -> bool {
        self.state_of_file(file, &Pins::of(&self.folder())) == State::Installed
    }

    pub(crate) fn state_of_file(&self, file: &ModelFile, pins: &Pins) -> State {
        let path = self.path_of_file(file);
        match fs::metadata(&path) {
            Ok(found) if acceptable(file, pins).any(|known| known.size_bytes == found.len()) => {
                State::Installed
            }
            Ok(_) => State::Corrupt,
            Err(_) => match fs::metadata(part_of(&path)) {
                Ok(part) => State::Partial { bytes: part.len() },
                Err(_) => State::Missing,
            },
        }
    }
}

fn named_by_environment() -> Option<PathBuf> {
    std::env::var_os("JARVIS_MODELS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn named_by(settings: &ModelsSettings) -> Option<PathBuf> {
    Some(&settings.folder).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

impl State {
    /// The state of a whole that consists of `parts`.
    fn of_all(parts: impl Iterator<Item = State>) -> State {
        let parts: Vec<_> = parts.collect();
        if parts.contains(&State::Corrupt) {
            State::Corrupt
        } else if parts.iter().all(|part| *part == State::Installed) {
            State::Installed
        } else if parts.iter().all(|part| *part == State::Missing) {
            State::Missing
        } else {
            let bytes = parts.iter().map(|p| if let State::Partial { bytes } = p { *bytes } else { 0 }).sum();
            State::Partial { bytes }
        }
    }
}

/// What a file is known to be when it is right.
struct Known<'a> {
    size_bytes: u64,
    sha256: &'a str,
}

fn acceptable<'a>(file: &'a ModelFile, pins: &'a Pins) -> impl Iterator<Item = Known<'a>> {
    // The checksum of an archive says nothing about the member.
    let listed = file.variants.iter().filter(|variant| variant.unpack.is_none());
    let listed =
        listed.filter_map(|v| Some(Known { size_bytes: v.size_bytes, sha256: v.sha256.as_deref()? }));
    let pinned = pins.get(&file.name).map(|pin| Known { size_bytes: pin.size_bytes, sha256: &pin.sha256 });
    listed.chain(pinned)
}

/// Where a file is staged while it is being downloaded.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(PART);
    path.with_file_name(name)
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::File { path: path.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
