//! Writes the partial file of a download. A separate thread writes and hashes the data while more is received.

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

/// Capacity of the channel to the writing thread. A chunk has about 16 kB, so this bridges a slow write. When the
/// channel is full, receiving waits; nothing is dropped.
const CHANNEL_CAPACITY: usize = 64;

/// A partial file after its writer was closed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrittenPart {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Writes a partial file. Dropping it ends the writing; the data received so far stays on disk.
pub(super) struct PartWriter {
    path: PathBuf,
    chunks: mpsc::Sender<Bytes>,
    writer: JoinHandle<io::Result<WrittenPart>>,
}

impl PartWriter {
    /// Continues to write `path` after its first `keep` bytes.
    pub(super) fn open(disk: Arc<dyn Disk>, path: &Path, keep: u64, lock: &Lock) -> Self {
        let (chunks, received) = mpsc::channel(CHANNEL_CAPACITY);
        let part = path.to_path_buf();
        let lock = Arc::clone(lock);
        let writer = tokio::task::spawn_blocking(move || {
            let written = write(&*disk, &part, keep, received);
            drop(lock);
            written
        });
        Self { path: path.to_path_buf(), chunks, writer }
    }

    /// Queues a chunk. Returns `false` if writing has failed; [`PartWriter::close`] returns the error.
    pub(super) async fn write(&self, chunk: Bytes) -> bool {
        self.chunks.send(chunk).await.is_ok()
    }

    /// Waits until all data is on disk.
    pub(super) async fn close(self) -> Result<WrittenPart, DownloadError> {
        drop(self.chunks);
        let written = self.writer.await.unwrap_or_else(|panic| Err(io::Error::other(panic)));
        written.map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                DownloadError::DiskFull { path: self.path }
            }
            _ => DownloadError::Unwritable { path: self.path, source },
        })
    }
}

fn write(
    disk: &dyn Disk,
    path: &Path,
    keep: u64,
    mut chunks: mpsc::Receiver<Bytes>,
) -> io::Result<WrittenPart> {
    let mut hasher = Sha256::new();
    if keep > 0 {
        hash_start_of(path, keep, &mut hasher)?;
    }
    let mut file = disk.open(path, keep)?;
    let mut bytes = keep;
    while let Some(chunk) = chunks.blocking_recv() {
        file.write_all(&chunk)?;
        hasher.update(&chunk);
        bytes += chunk.len() as u64;
    }
    file.sync()?;
    Ok(WrittenPart { bytes, sha256: hex(&hasher.finalize()) })
}

fn hash_start_of(path: &Path, length: u64, hasher: &mut Sha256) -> io::Result<()> {
    let mut start = File::open(path)?.take(length);
    let mut buffer = vec![0; 1 << 20];
    loop {
        match start.read(&mut buffer)? {
            0 => return Ok(()),
            read => hasher.update(&buffer[..read]),
        }
    }
}
