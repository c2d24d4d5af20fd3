//! Port for disk access by downloads, so that tests can simulate a full disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The disk that partial downloads are written to.
pub trait Disk: Send + Sync {
    /// Free bytes for this user on the disk that contains `folder`.
    ///
    /// # Errors
    ///
    /// The error of the operating system.
    fn free_bytes(&self, folder: &Path) -> io::Result<u64>;

    /// Opens `path` for writing after its first `keep` bytes and truncates the rest. Creates the file if necessary.
    ///
    /// # Errors
    ///
    /// The error of the operating system.
    fn open(&self, path: &Path, keep: u64) -> io::Result<Box<dyn PartFile>>;
}

/// A partially downloaded file, open for writing.
pub trait PartFile: Write + Send {
    /// Waits until everything written survives a power failure.
    ///
    /// # Errors
    ///
    /// The error of the operating system.
    fn sync(&mut self) -> io::Result<()>;
}

/// The disk of this machine.
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn free_bytes(&self, folder: &Path) -> io::Result<u64> {
        fs4::available_space(folder)
    }

    fn open(&self, path: &Path, keep: u64) -> io::Result<Box<dyn PartFile>> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        file.set_len(keep)?;
        file.seek(SeekFrom::Start(keep))?;
        Ok(Box::new(file))
    }
}

impl PartFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}
