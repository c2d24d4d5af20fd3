//! Installs a verified download: unpacks it, pins its checksum, and gives it its final name.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::DownloadError;
use crate::catalogue::{ModelFile, Variant};
use crate::checksum::sha256_of;
use crate::pinned_checksums::{PinnedChecksum, PinnedChecksums};

/// A complete download whose checksum is correct.
pub(super) struct VerifiedDownload<'a> {
    pub(super) folder: &'a Path,
    pub(super) file: &'a ModelFile,
    pub(super) variant: &'a Variant,
    pub(super) url: &'a str,
    /// The downloaded file.
    pub(super) part: PathBuf,
    pub(super) sha256: String,
    pub(super) bytes: u64,
    /// The path to install it at.
    pub(super) path: PathBuf,
}

impl VerifiedDownload<'_> {
    /// Extracts the file if it is in an archive, pins its checksum if the catalogue has none, and renames it.
    /// Blocks during disk access.
    pub(super) fn install(self) -> Result<(), DownloadError> {
        let checksum = match &self.variant.unpack {
            Some(member) => Some(self.unpack(member)?),
            None if self.variant.sha256.is_none() => Some((self.sha256.clone(), self.bytes)),
            None => None,
        };
        let unwritable = |source| DownloadError::Unwritable { path: self.path.clone(), source };
        // Pin before renaming: a file without its checksum would be downloaded again, a checksum without a file is harmless.
        PinnedChecksums::change(self.folder, |checksums| match checksum {
            Some((sha256, size_bytes)) => {
                checksums
                    .set(&self.file.name, PinnedChecksum { sha256, size_bytes, url: self.url.to_owned() });
            }
            None => checksums.remove(&self.file.name),
        })
        .map_err(unwritable)?;
        fs::rename(&self.part, &self.path).map_err(unwritable)?;
        sync_folder_of(&self.path).map_err(unwritable)
    }

    /// Replaces the archive by the member, and returns the checksum and the size of the member.
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

/// Extracts a member of an archive into a file. Windows archives are zip, the others tar.gz.
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

/// Makes the new name survive a power failure.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Does nothing: other systems persist names themselves and cannot open folders.
#[cfg(not(unix))]
fn sync_folder_of(_path: &Path) -> io::Result<()> {
    Ok(())
}
