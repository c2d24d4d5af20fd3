//! Download of one file from one address: retries, resuming and verification.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::StreamExt;
use net::{NetError, Response, Url};
use serde::{Deserialize, Serialize};

use super::file_download::FileDownload;
use super::install::VerifiedDownload;
use super::part_writer::{PartWriter, WrittenPart};
use super::progress::{DownloadPhase, Reporter};
use super::{DownloadError, Downloader, published_checksum};
use crate::store::part_of;

/// Origin of a partial file. Saved beside it, so that a later download can decide whether to resume it.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct PartOrigin {
    url: String,
    /// `ETag` or `Last-Modified` of the file; sent back as `If-Range`.
    validator: Option<String>,
    /// The published checksum, if the catalogue has none.
    published: Option<String>,
}

/// Why an attempt failed.
enum Failure {
    /// The connection failed after `received_bytes`.
    Net { error: NetError, received_bytes: u64 },
    /// The server rejects the range of the partial file: download the whole file again.
    StartOver,
    /// Another error: do not retry this address.
    Final(DownloadError),
}

/// Expected checksum and size of the download.
struct ExpectedContent {
    sha256: String,
    /// Exact size, if known.
    bytes: Option<u64>,
}

impl Downloader {
    /// Downloads a file, with retries, and installs it.
    pub(super) async fn fetch_from(
        &self,
        download: &FileDownload<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), DownloadError> {
        let written = self.download(download, reporter).await?;
        reporter.set_phase(DownloadPhase::Checking);
        self.install(download, written).await
    }

    /// Downloads the file to its partial file, with retries, until the checksum is the expected one.
    async fn download(
        &self,
        download: &FileDownload<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Result<WrittenPart, DownloadError> {
        let file = download.file;
        let part = part_of(&self.store.path_of_file(file));
        let mut backoff = self.backoff.clone();
        let mut may_restart = true;
        loop {
            reporter.set_phase(DownloadPhase::Connecting);
            match self.attempt(download, &part, reporter).await {
                Ok((written, expected)) if written.sha256 == expected => return Ok(written),
                Ok((written, expected)) => {
                    // A damaged partial file cannot be repaired by resuming it.
                    remove_part(&part);
                    if !may_restart {
                        let (file, host) = (file.name.clone(), download.host());
                        return Err(DownloadError::Corrupt { file, host, expected, actual: written.sha256 });
                    }
                    may_restart = false;
                }
                Err(Failure::StartOver) => {
                    remove_part(&part);
                    if !may_restart {
                        return Err(DownloadError::NotOffered { file: file.name.clone() });
                    }
                    may_restart = false;
                }
                Err(Failure::Net { error, received_bytes }) => {
                    match backoff.delay_after(&error, received_bytes) {
                        Some(after) => {
                            tracing::info!(file = file.name, %error, ?after, "trying again");
                            reporter.set_phase(DownloadPhase::Retrying { after });
                            tokio::time::sleep(after).await;
                        }
                        None => return Err(DownloadError::Net { file: file.name.clone(), source: error }),
                    }
                }
                Err(Failure::Final(error)) => return Err(error),
            }
        }
    }

    /// Installs the downloaded file.
    async fn install(&self, download: &FileDownload<'_>, written: WrittenPart) -> Result<(), DownloadError> {
        let path = self.store.path_of_file(download.file);
        let part = part_of(&path);
        let folder = self.store.folder();
        let (file, variant, url) =
            (download.file.clone(), download.variant.clone(), download.url.to_string());
        let unwritable = path.clone();
        let lock = Arc::clone(download.lock);
        let installing = tokio::task::spawn_blocking(move || {
            let _lock = lock;
            let origin = origin_path(&part);
            let WrittenPart { bytes, sha256 } = written;
            let verified = VerifiedDownload {
                folder: &folder,
                file: &file,
                variant: &variant,
                url: &url,
                part,
                sha256,
                bytes,
                path,
            };
            verified.install()?;
            // An error is harmless: without the partial file this one is ignored, and the next download overwrites it.
            let _ = fs::remove_file(origin);
            Ok(())
        });
        installing.await.unwrap_or_else(|panic| {
            Err(DownloadError::Unwritable { path: unwritable, source: std::io::Error::other(panic) })
        })
    }

    /// Downloads the rest of the file, or all of it, over one connection. Returns the written file and the expected
    /// checksum.
    async fn attempt(
        &self,
        download: &FileDownload<'_>,
        part: &Path,
        reporter: &mut Reporter<'_>,
    ) -> Result<(WrittenPart, String), Failure> {
        let FileDownload { file, variant, url, lock } = *download;
        let origin =
            PartOrigin::from_part(part).filter(|origin| origin.url == url.as_str()).unwrap_or_default();
        let sha256 = variant.sha256.clone().or_else(|| origin.published.clone());
        let is_resumable = variant.sha256.is_some() || origin.validator.is_some();
        let have = fs::metadata(part).map_or(0, |p| if is_resumable { p.len() } else { 0 });
        if let Some(sha256) = sha256.filter(|_| have > 0 && have == variant.size_bytes) {
            // The file is complete; only verification and installation are missing.
            let written = PartWriter::open(Arc::clone(&self.disk), part, have, lock).close().await;
            return written.map(|written| (written, sha256)).map_err(Failure::Final);
        }

        let response = self.request_rest(url, have, origin.validator.as_deref()).await?;
        let keep = kept_bytes(&response, have)?;
        let total = response.content_length().map(|rest| keep + rest);
        if let Some(total) = total {
            reporter.set_file_size(total);
        }
        let expected = self.expected(download, &response).await?;
        if let (Some(bytes), Some(total)) = (expected.bytes, total)
            && bytes != total
        {
            return Err(Failure::Final(DownloadError::WrongSize {
                file: file.name.clone(),
                host: download.host(),
                expected_bytes: bytes,
                actual_bytes: total,
            }));
        }
        let published = variant.sha256.is_none().then(|| expected.sha256.clone());
        PartOrigin { url: url.to_string(), validator: validator_of(&response), published }
            .write(part)
            .map_err(|error| Failure::Final(unwritable(part, error)))?;

        let part_writer = PartWriter::open(Arc::clone(&self.disk), part, keep, lock);
        let written = receive(response, part_writer, keep, reporter).await?;
        Ok((written, expected.sha256))
    }

    /// Requests the file from the byte `have` on. A file that no longer has the validator is sent from its start.
    async fn request_rest(&self, url: &Url, have: u64, validator: Option<&str>) -> Result<Response, Failure> {
        let mut request = self.http.get(url).header("accept-encoding", "identity");
        if have > 0 {
            request = request.header("range", &format!("bytes={have}-"));
            if let Some(validator) = validator {
                request = request.header("if-range", validator);
            }
        }
        request.send().await.map_err(|error| match error.status() {
            Some(416) => Failure::StartOver,
            _ => Failure::Net { error, received_bytes: 0 },
        })
    }

    /// Expected checksum and size: from the catalogue, else as published by the server.
    async fn expected(
        &self,
        download: &FileDownload<'_>,
        response: &Response,
    ) -> Result<ExpectedContent, Failure> {
        if let Some(sha256) = &download.variant.sha256 {
            return Ok(ExpectedContent { sha256: sha256.clone(), bytes: Some(download.variant.size_bytes) });
        }
        match published_checksum::fetch(&self.http, download.url, response).await {
            Ok(Some(sha256)) => Ok(ExpectedContent { sha256, bytes: None }),
            Ok(None) => Err(Failure::Final(DownloadError::Unverifiable {
                file: download.file.name.clone(),
                host: download.host(),
            })),
            Err(error) => Err(Failure::Net { error, received_bytes: 0 }),
        }
    }
}

/// Writes the body to disk. The data received so far stays there after an error.
async fn receive(
    response: Response,
    part_writer: PartWriter,
    keep: u64,
    reporter: &mut Reporter<'_>,
) -> Result<WrittenPart, Failure> {
    let mut have = keep;
    reporter.set_file_progress(have);
    let mut body = response.stream();
    let ending = loop {
        match body.next().await {
            None => break None,
            Some(Err(error)) => break Some(Failure::Net { error, received_bytes: have - keep }),
            Some(Ok(chunk)) => {
                have += chunk.len() as u64;
                if !part_writer.write(chunk).await {
                    break None;
                }
                reporter.set_file_progress(have);
            }
        }
    };
    // Disk errors take precedence: another attempt does not help when the disk is full.
    let written = part_writer.close().await.map_err(Failure::Final)?;
    ending.map_or(Ok(written), Err)
}

/// The number of the first `have` bytes that the response keeps: all or none.
fn kept_bytes(response: &Response, have: u64) -> Result<u64, Failure> {
    if response.status() != 206 {
        return Ok(0);
    }
    let start = response
        .header("content-range")
        .and_then(|range| range.strip_prefix("bytes ")?.split('-').next()?.parse::<u64>().ok());
    if start == Some(have) { Ok(have) } else { Err(Failure::StartOver) }
}

/// The value for `If-Range`. Weak tags are not allowed there.
fn validator_of(response: &Response) -> Option<String> {
    let strong_tag = response.header("etag").filter(|tag| !tag.starts_with("W/"));
    strong_tag.or_else(|| response.header("last-modified")).map(str::to_owned)
}

impl PartOrigin {
    /// Reads the origin of a partial file. `None` if it is missing or unreadable: then the download starts over.
    fn from_part(part: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(origin_path(part)).ok()?).ok()
    }

    fn write(&self, part: &Path) -> std::io::Result<()> {
        fs::write(origin_path(part), serde_json::to_vec(self)?)
    }
}

fn origin_path(part: &Path) -> PathBuf {
    let mut name = part.as_os_str().to_owned();
    name.push(".source");
    PathBuf::from(name)
}

/// Deletes a partial file. If that fails, the next attempt overwrites it.
fn remove_part(part: &Path) {
    let _ = fs::remove_file(part);
    let _ = fs::remove_file(origin_path(part));
}

fn unwritable(path: &Path, source: std::io::Error) -> DownloadError {
    match source.kind() {
        std::io::ErrorKind::StorageFull => DownloadError::DiskFull { path: path.to_path_buf() },
        _ => DownloadError::Unwritable { path: path.to_path_buf(), source },
    }
}
