//! One file from one address: attempts, resuming, checking.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::StreamExt;
use net::{NetError, Response, Url};
use serde::{Deserialize, Serialize};

use super::install::Arrival;
use super::lock::Lock;
use super::progress::{Phase, Reporter};
use super::staging::{Staged, Staging};
use super::{DownloadError, Downloader, published};
use crate::catalogue::{ModelFile, Variant};
use crate::store::part_of;

/// What a staged file is a part of. Kept beside it, so that a later download knows whether it can go on.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    url: String,
    /// What the hub calls this version of the file; sent back so that it can tell whether it has changed.
    validator: Option<String>,
    /// The published checksum, where the catalogue has none.
    published: Option<String>,
}

/// How an attempt failed.
enum Failure {
    /// The connection; `gained` bytes came before that.
    Net { error: NetError, gained: u64 },
    /// The part does not fit the file any more: from the start.
    StartOver,
    /// Anything else.
    Final(DownloadError),
}

/// What the file has to be.
struct Expected {
    sha256: String,
    /// Where it is known exactly.
    bytes: Option<u64>,
}

impl Downloader {
    /// Fetches `file` from `url` as `variant`, with patience, and gives it its name.
    pub(super) async fn fetch_from(
        &self,
        file: &ModelFile,
        variant: &Variant,
        url: &Url,
        lock: &Lock,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), DownloadError> {
        let path = self.store.path_of_file(file);
        let part = part_of(&path);
        let mut patience = self.patience.clone();
        let mut second_chance = true;
        let staged = loop {
            reporter.phase(Phase::Connecting);
            match self.attempt(file, variant, url, &part, lock, reporter).await {
                Ok((staged, expected)) if staged.sha256 == expected => break staged,
                Ok((staged, expected)) => {
                    // A part that went wrong somewhere in the middle can never become right.
                    forget(&part);
                    if !second_chance {
                        let host = url.host_str().unwrap_or_default().to_owned();
                        let file = file.name.clone();
                        return Err(DownloadError::Corrupt { file, host, expected, got: staged.sha256 });
                    }
                    second_chance = false;
                }
                Err(Failure::StartOver) => {
                    forget(&part);
                    if !second_chance {
                        return Err(DownloadError::NotOffered { file: file.name.clone() });
                    }
                    second_chance = false;
                }
                Err(Failure::Net { error, gained }) => match patience.after(&error, gained) {
                    Some(after) => {
                        tracing::info!(file = file.name, %error, ?after, "trying again");
                        reporter.phase(Phase::Retrying { after });
                        tokio::time::sleep(after).await;
                    }
                    None => return Err(DownloadError::Net { file: file.name.clone(), source: error }),
                },
                Err(Failure::Final(error)) => return Err(error),
            }
        };
        reporter.phase(Phase::Checking);
        let folder = self.store.folder();
        let (file, variant, url) = (file.clone(), variant.clone(), url.to_string());
        let unwritable = path.clone();
        let lock = Arc::clone(lock);
        let installing = tokio::task::spawn_blocking(move || {
            let _lock = lock;
            let source = source_path(&part);
            let Staged { bytes, sha256 } = staged;
            let arrival = Arrival {
                folder: &folder,
                file: &file,
                variant: &variant,
                url: &url,
                part,
                sha256,
                bytes,
                path,
            };
            arrival.install()?;
            // It has no use without its part, and the next download writes it anew.
            let _ = fs::remove_file(source);
            Ok(())
        });
        installing.await.unwrap_or_else(|panic| {
            Err(DownloadError::Unwritable { path: unwritable, source: std::io::Error::other(panic) })
        })
    }

    /// One connection: the rest of the file, or all of it. Tells what was staged and what it has to be.
    async fn attempt(
        &self,
        file: &ModelFile,
        variant: &Variant,
        url: &Url,
        part: &Path,
        lock: &Lock,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Staged, String), Failure> {
        let source = Source::of(part).filter(|source| source.url == url.as_str()).unwrap_or_default();
        let known = variant.sha256.clone().or_else(|| source.published.clone());
        let is_resumable = variant.sha256.is_some() || source.validator.is_some();
        let have = fs::metadata(part).map_or(0, |p| if is_resumable { p.len() } else { 0 });
        if let Some(sha256) = known.clone().filter(|_| have > 0 && have == variant.size_bytes) {
            // All of it is here; only its name is missing.
            let staged = Staging::open(Arc::clone(&self.disk), part, have, lock).close().await;
            return staged.map(|staged| (staged, sha256)).map_err(Failure::Final);
        }

        let mut request = self.http.get(url).header("accept-encoding", "identity");
        if have > 0 {
            request = request.header("range", &format!("bytes={have}-"));
            if let Some(validator) = &source.validator {
                request = request.header("if-range", validator);
            }
        }
        let answer = request.send().await.map_err(|error| match error.status() {
            Some(416) => Failure::StartOver,
            _ => Failure::Net { error, gained: 0 },
        })?;
        let keep = kept_bytes(&answer, have)?;
        let total = answer.content_length().map(|rest| keep + rest);
        if let Some(total) = total {
            reporter.size_is(total);
        }
        let expected = self.expected(file, variant, url, &answer).await?;
        if let (Some(bytes), Some(total)) = (expected.bytes, total)
            && bytes != total
        {
            return Err(Failure::Final(DownloadError::Corrupt {
                file: file.name.clone(),
                host: url.host_str().unwrap_or_default().to_owned(),
                expected: format!("of {bytes} bytes ({})", expected.sha256),
                got: format!("of {total} bytes"),
            }));
        }
        let published = variant.sha256.is_none().then(|| expected.sha256.clone());
        Source { url: url.to_string(), validator: validator_of(&answer), published }
            .write(part)
            .map_err(|error| Failure::Final(unwritable(part, error)))?;

        let staging = Staging::open(Arc::clone(&self.disk), part, keep, lock);
        let staged = receive(answer, staging, keep, reporter).await?;
        Ok((staged, expected.sha256))
    }

    /// What the file has to be: what the catalogue says, else what the hub publishes.
    async fn expected(
        &self,
        file: &ModelFile,
        variant: &Variant,
        url: &Url,
        answer: &Response,
    ) -> Result<Expected, Failure> {
        if let Some(sha256) = &variant.sha256 {
            return Ok(Expected { sha256: sha256.clone(), bytes: Some(variant.size_bytes) });
        }
        match published::checksum(&self.http, url, answer).await {
            Ok(Some(sha256)) => Ok(Expected { sha256, bytes: None }),
            Ok(None) => Err(Failure::Final(DownloadError::Unverifiable {
                file: file.name.clone(),
                host: url.host_str().unwrap_or_default().to_owned(),
            })),
            Err(error) => Err(Failure::Net { error, gained: 0 }),
        }
    }
}

/// Takes the body to the disk. What arrived stays there, however it ends.
async fn receive(
    answer: Response,
    staging: Staging,
    keep: u64,
    reporter: &mut Reporter<'_>,
) -> Result<Staged, Failure> {
    let mut have = keep;
    reporter.have(have);
    let mut body = answer.stream();
    let ending = loop {
        match body.next().await {
            None => break None,
            Some(Err(error)) => break Some(Failure::Net { error, gained: have - keep }),
            Some(Ok(piece)) => {
                have += piece.len() as u64;
                if !staging.write(piece).await {
                    break None;
                }
                reporter.have(have);
            }
        }
    };
    // The disk comes first: when it is full, no other attempt will help.
    let staged = staging.close().await.map_err(Failure::Final)?;
    ending.map_or(Ok(staged), Err)
}

/// How many of the `have` bytes the answer goes on from: all of them, or none.
fn kept_bytes(answer: &Response, have: u64) -> Result<u64, Failure> {
    if answer.status() != 206 {
        return Ok(0);
    }
    let start = answer
        .header("content-range")
        .and_then(|range| range.strip_prefix("bytes ")?.split('-').next()?.parse::<u64>().ok());
    if start == Some(have) { Ok(have) } else { Err(Failure::StartOver) }
}

/// What to send back with `If-Range`. Weak tags are not allowed there.
fn validator_of(answer: &Response) -> Option<String> {
    let strong_tag = answer.header("etag").filter(|tag| !tag.starts_with("W/"));
    strong_tag.or_else(|| answer.header("last-modified")).map(str::to_owned)
}

impl Source {
    /// What is known of a staged file. Anything unreadable is nothing: then the download starts over.
    fn of(part: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(source_path(part)).ok()?).ok()
    }

    fn write(&self, part: &Path) -> std::io::Result<()> {
        fs::write(source_path(part), serde_json::to_vec(self)?)
    }
}

fn source_path(part: &Path) -> PathBuf {
    let mut name = part.as_os_str().to_owned();
    name.push(".source");
    PathBuf::from(name)
}

/// Throws a staged file away. What cannot be removed is overwritten by the next attempt.
fn forget(part: &Path) {
    let _ = fs::remove_file(part);
    let _ = fs::remove_file(source_path(part));
}

fn unwritable(path: &Path, source: std::io::Error) -> DownloadError {
    match source.kind() {
        std::io::ErrorKind::StorageFull => DownloadError::DiskFull { path: path.to_path_buf() },
        _ => DownloadError::Unwritable { path: path.to_path_buf(), source },
    }
}
