//! The disk as a download sees it: a port, since a full disk cannot be had for a test.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Where downloads are staged.
pub trait Disk: Send + Sync {
    /// Bytes that this user may still write to the disk that `folder` is on.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn free_bytes(&self, folder: &Path) -> io::Result<u64>;

    /// Opens `path` for writing after its first `keep` bytes, creating it if need be; what follows them is dropped.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn open(&self, path: &Path, keep: u64) -> io::Result<Box<dyn StagedFile>>;
}

/// A file being written.
pub trait StagedFile: Write + Send {
    /// Returns when all that was written would survive a power cut.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn sync(&mut self) -> io::Result<()>;
}

/// The real one.
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn free_bytes(&self, folder: &Path) -> io::Result<u64> {
        fs4::available_space(folder)
    }

    fn open(&self, path: &Path, keep: u64) -> io::Result<Box<dyn StagedFile>> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        file.set_len(keep)?;
        file.seek(SeekFrom::Start(keep))?;
        Ok(Box::new(file))
    }
}

impl StagedFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}
