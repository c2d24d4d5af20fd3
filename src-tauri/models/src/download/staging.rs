//! The staged file: bytes are written and hashed on a thread of their own while more arrive.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use net::Bytes;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::lock::Lock;
use super::{Disk, DownloadError};
use crate::checksum::hex;

/// Pieces on their way to the disk, of some 16 kB each: enough to bridge a slow write. When it is full the network
/// waits; nothing is dropped.
const PIECES: usize = 64;

/// What has been written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Staged {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// A staged file being written. Dropping it ends the writing; what arrived stays on the disk.
pub(super) struct Staging {
    path: PathBuf,
    pieces: mpsc::Sender<Bytes>,
    writer: JoinHandle<io::Result<Staged>>,
}

impl Staging {
    /// Goes on writing `path` after its first `keep` bytes.
    pub(super) fn open(disk: Arc<dyn Disk>, path: &Path, keep: u64, lock: &Lock) -> Self {
        let (pieces, arriving) = mpsc::channel(PIECES);
        let part = path.to_path_buf();
        let lock = Arc::clone(lock);
        let writer = tokio::task::spawn_blocking(move || {
            let written = write(&*disk, &part, keep, arriving);
            drop(lock);
            written
        });
        Self { path: path.to_path_buf(), pieces, writer }
    }

    /// Hands on a piece. `false` says that the writer has failed; [`Staging::close`] tells why.
    pub(super) async fn write(&self, piece: Bytes) -> bool {
        self.pieces.send(piece).await.is_ok()
    }

    /// Waits until all is on the disk.
    pub(super) async fn close(self) -> Result<Staged, DownloadError> {
        drop(self.pieces);
        let written = self.writer.await.unwrap_or_else(|panic| Err(io::Error::other(panic)));
        written.map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                DownloadError::DiskFull { path: self.path }
            }
            _ => DownloadError::Unwritable { path: self.path, source },
        })
    }
}

fn write(disk: &dyn Disk, path: &Path, keep: u64, mut pieces: mpsc::Receiver<Bytes>) -> io::Result<Staged> {
    let mut hasher = Sha256::new();
    if keep > 0 {
        hash_start_of(path, keep, &mut hasher)?;
    }
    let mut file = disk.open(path, keep)?;
    let mut bytes = keep;
    while let Some(piece) = pieces.blocking_recv() {
        file.write_all(&piece)?;
        hasher.update(&piece);
        bytes += piece.len() as u64;
    }
    file.sync()?;
    Ok(Staged { bytes, sha256: hex(&hasher.finalize()) })
}

fn hash_start_of(path: &Path, length: u64, hasher: &mut Sha256) -> io::Result<()> {
    let mut start = File::open(path)?.take(length);
    let mut block = vec![0; 1 << 20];
    loop {
        match start.read(&mut block)? {
            0 => return Ok(()),
            read => hasher.update(&block[..read]),
        }
    }
}
