//! A staged file that is right gets its name.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::DownloadError;
use crate::catalogue::{ModelFile, Variant};
use crate::checksum::sha256_of;
use crate::pins::{Pin, Pins};

/// What is to be installed, and from where it came.
pub(super) struct Arrival<'a> {
    pub(super) folder: &'a Path,
    pub(super) file: &'a ModelFile,
    pub(super) variant: &'a Variant,
    pub(super) url: &'a str,
    /// The staged file, complete and checked.
    pub(super) part: PathBuf,
    pub(super) sha256: String,
    pub(super) bytes: u64,
    /// Its name in the end.
    pub(super) path: PathBuf,
}

impl Arrival<'_> {
    /// Unpacks it if it is an archive, pins it if the catalogue does not say what it has to be, and renames it.
    /// Blocks: some disks take a while.
    pub(super) fn install(self) -> Result<(), DownloadError> {
        let pin = match &self.variant.unpack {
            Some(member) => Some(self.unpack(member)?),
            None if self.variant.sha256.is_none() => Some((self.sha256.clone(), self.bytes)),
            None => None,
        };
        let unwritable = |source| DownloadError::Unwritable { path: self.path.clone(), source };
        // The pin first: a file without its pin would be downloaded again, a pin without its file harms nobody.
        Pins::change(self.folder, |pins| match pin {
            Some((sha256, size_bytes)) => {
                pins.set(&self.file.name, Pin { sha256, size_bytes, url: self.url.to_owned() });
            }
            None => pins.remove(&self.file.name),
        })
        .map_err(unwritable)?;
        fs::rename(&self.part, &self.path).map_err(unwritable)?;
        sync_folder_of(&self.path).map_err(unwritable)
    }

    /// Puts a member of the archive in the archive's place, and tells its checksum and size.
    fn unpack(&self, member: &str) -> Result<(String, u64), DownloadError> {
        let bad = |source| DownloadError::BadArchive { file: self.file.name.clone(), source };
        let unpacked = self.part.with_extension("unpacked");
        extract(&self.part, member, &unpacked).map_err(bad)?;
        let sha256 = sha256_of(&unpacked).map_err(bad)?;
        let bytes = fs::metadata(&unpacked).map_err(bad)?.len();
        fs::rename(&unpacked, &self.part).map_err(bad)?;
        Ok((sha256, bytes))
    }
}

/// Writes a member of an archive to a file of its own. Archives for Windows are zip, the others compressed tar.
fn extract(archive: &Path, member: &str, to: &Path) -> io::Result<()> {
    let mut start = [0; 2];
    let mut source = File::open(archive)?;
    source.read_exact(&mut start)?;
    source.rewind()?;
    let mut file = File::create(to)?;
    let found = if start == *b"PK" {
        copy_from_zip(source, member, &mut file)?
    } else {
        copy_from_tar(source, member, &mut file)?
    };
    if !found {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("{member} is not in the archive")));
    }
    file.sync_all()
}

fn copy_from_zip(archive: File, member: &str, to: &mut File) -> io::Result<bool> {
    let mut archive = zip::ZipArchive::new(archive)?;
    match archive.by_name(member) {
        Ok(mut found) => io::copy(&mut found, to).map(|_| true),
        Err(zip::result::ZipError::FileNotFound) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn copy_from_tar(archive: File, member: &str, to: &mut File) -> io::Result<bool> {
    for entry in tar::Archive::new(GzDecoder::new(archive)).entries()? {
        let mut entry = entry?;
        if entry.path()?.to_string_lossy().trim_start_matches("./") == member {
            return io::copy(&mut entry, to).map(|_| true);
        }
    }
    Ok(false)
}

/// Makes the new name survive a power cut.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Other systems write names through by themselves, and open no folders.
#[cfg(not(unix))]
fn sync_folder_of(_path: &Path) -> io::Result<()> {
    Ok(())
}
