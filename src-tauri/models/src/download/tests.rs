//! Against a loopback hub that speaks HTTP as the real ones do: ranges, tags, redirects, and bad days.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State as Shared;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::get;
use net::{Http, Url};
use rstest::rstest;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::catalogue::Catalogue;
use crate::checksum::hex;

/// Long enough to arrive in many pieces.
const LENGTH: usize = 300_000;

/// How the hub behaves. Each request is remembered with its `Range` header.
#[derive(Default)]
struct Behaviour {
    /// Ends the first answer after so many bytes.
    cut_after: Option<usize>,
    /// Holds the answer back after so many bytes, for good.
    stall_after: Option<usize>,
    ignores_ranges: bool,
    /// Sends something else so many times.
    wrong_answers: usize,
    /// Answers with 503 so many times.
    busy_answers: usize,
    publishes_checksum: bool,
    /// What is sent; a file of [`LENGTH`] bytes if empty.
    content: Vec<u8>,
}

struct Hub {
    behaviour: Behaviour,
    content: Vec<u8>,
    requests: Mutex<Vec<Option<String>>>,
}

impl Hub {
    fn requests(&self) -> Vec<Option<String>> {
        self.requests.lock().unwrap().clone()
    }
}

fn file() -> Vec<u8> {
    (0..LENGTH).map(|i| (i * 7 + i / 256) as u8).collect()
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    hex(&sha2::Sha256::digest(bytes))
}

async fn answer(Shared(hub): Shared<Arc<Hub>>, headers: HeaderMap) -> Response<Body> {
    let range = headers.get("range").map(|range| range.to_str().unwrap().to_owned());
    let number = {
        let mut requests = hub.requests.lock().unwrap();
        requests.push(range.clone());
        requests.len()
    };
    if number <= hub.behaviour.busy_answers {
        let busy = Response::builder().status(StatusCode::SERVICE_UNAVAILABLE).header("retry-after", "0");
        return busy.body(Body::from("come back later")).unwrap();
    }
    let same_version = headers.get("if-range").is_none_or(|tag| tag == "\"v1\"");
    let start = range
        .filter(|_| same_version && !hub.behaviour.ignores_ranges)
        .map_or(0, |range| range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap());
    let mut content = hub.content.clone();
    if number <= hub.behaviour.wrong_answers {
        content[0] ^= 1;
    }
    let rest = content.split_off(start);
    let mut answer = Response::builder().header("etag", "\"v1\"").header("content-length", rest.len());
    if start > 0 {
        let range = format!("bytes {start}-{}/{}", start + rest.len() - 1, start + rest.len());
        answer = answer.status(StatusCode::PARTIAL_CONTENT).header("content-range", range);
    }
    if hub.behaviour.publishes_checksum {
        answer = answer.header("x-linked-etag", format!("\"{}\"", sha256(&hub.content)));
    }
    answer.body(body(rest, &hub.behaviour, number)).unwrap()
}

/// The body in pieces of 10,000 bytes, cut or held back as the behaviour says.
fn body(bytes: Vec<u8>, behaviour: &Behaviour, number: usize) -> Body {
    let limit = behaviour.cut_after.or(behaviour.stall_after).filter(|_| number == 1);
    let stalls = behaviour.stall_after.is_some() && number == 1;
    let sent = &bytes[..limit.unwrap_or(bytes.len()).min(bytes.len())];
    let pieces: Vec<_> = sent.chunks(10_000).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let ending = futures::stream::once(async move {
        // Pausing makes the server send what it has, instead of taking it back with the connection.
        tokio::task::yield_now().await;
        if stalls {
            std::future::pending::<()>().await;
        }
        Err(io::Error::other("cut"))
    });
    let pieces = futures::stream::iter(pieces);
    match limit {
        Some(_) => Body::from_stream(futures::StreamExt::chain(pieces, ending)),
        None => Body::from_stream(pieces),
    }
}

/// A hub, a models folder and a downloader between them.
struct Scene {
    hub: Arc<Hub>,
    folder: tempfile::TempDir,
    downloader: Downloader,
    seen: Mutex<Vec<Progress>>,
}

enum Checksum {
    Listed,
    Unlisted,
}

async fn scene(behaviour: Behaviour, checksum: Checksum) -> Scene {
    scene_on(behaviour, checksum, Arc::new(SystemDisk), None).await
}

async fn scene_on(
    behaviour: Behaviour,
    checksum: Checksum,
    disk: Arc<dyn Disk>,
    unpack: Option<&str>,
) -> Scene {
    let content = if behaviour.content.is_empty() { file() } else { behaviour.content.clone() };
    let hub = Arc::new(Hub { behaviour, content, requests: Mutex::default() });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/model.bin", listener.local_addr().unwrap())).unwrap();
    let routes = Router::new().route("/model.bin", get(answer)).with_state(Arc::clone(&hub));
    tokio::spawn(async move { axum::serve(listener, routes).await });

    let sha256 = match checksum {
        Checksum::Listed => serde_json::json!(sha256(&hub.content)),
        Checksum::Unlisted => serde_json::Value::Null,
    };
    let catalogue = serde_json::json!({"entries": [{
        "id": "model", "purpose": "voice", "engine": "piper", "label": "", "languages": [], "licence": "", "ram_bytes": 0,
        "minimum": {"ram_bytes": 0, "cores": 1}, "description": "",
        "files": [{"name": "voices/model.bin", "variants": [
            {"label": "", "size_bytes": hub.content.len(), "sha256": sha256, "urls": [url.as_str()], "unpack": unpack}]}]
    }]});
    let catalogue = Box::leak(Box::new(Catalogue::parse(&catalogue.to_string()).unwrap()));
    let folder = tempfile::tempdir().unwrap();
    let http = Http::new().unwrap();
    http.allow_origin(&url);
    let store = Store::with_catalogue(folder.path(), catalogue);
    let downloader = Downloader { store, http, disk, patience: Patience::without_waiting() };
    Scene { hub, folder, downloader, seen: Mutex::default() }
}

impl Scene {
    async fn fetch(&self) -> Result<(), DownloadError> {
        let report = |progress| self.seen.lock().unwrap().push(progress);
        self.downloader.fetch("model", &report, &CancellationToken::new()).await
    }

    fn has_the_file(&self) -> bool {
        std::fs::read(self.path()).is_ok_and(|content| content == self.hub.content)
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("voices/model.bin")
    }

    fn leave_part(&self, content: &[u8], tag: &str) {
        std::fs::create_dir_all(self.folder.path().join("voices")).unwrap();
        std::fs::write(self.path().with_extension("bin.part"), content).unwrap();
        let url = &self.downloader.store.entry("model").unwrap().files[0].variants[0].urls[0];
        let source = serde_json::json!({"url": url, "validator": tag, "published": null});
        std::fs::write(self.path().with_extension("bin.part.source"), source.to_string()).unwrap();
    }

    fn files(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path().join("voices")).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn a_file_arrives_whole_and_its_progress_is_told() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.files(), ["model.bin"]);
    let seen = scene.seen.lock().unwrap();
    let phases: Vec<_> = seen.iter().map(|progress| progress.phase).collect();
    assert_eq!(phases[..2], [Phase::Connecting, Phase::Downloading]);
    assert_eq!(phases[phases.len() - 2..], [Phase::Checking, Phase::Installed]);
    let last = seen.last().unwrap();
    assert_eq!((last.done_bytes, last.total_bytes), (LENGTH as u64, LENGTH as u64));
}

#[tokio::test]
async fn a_file_that_is_here_is_not_asked_for_again() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.fetch().await.unwrap();

    scene.fetch().await.unwrap();

    assert_eq!(scene.hub.requests().len(), 1);
}

#[tokio::test]
async fn a_download_goes_on_where_an_earlier_one_stopped() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.leave_part(&file()[..100_000], "\"v1\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.hub.requests(), [Some("bytes=100000-".to_owned())]);
}

#[tokio::test]
async fn a_file_of_the_wrong_size_is_replaced() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    std::fs::create_dir_all(scene.folder.path().join("voices")).unwrap();
    std::fs::write(scene.path(), "half a model").unwrap();

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
}

#[tokio::test]
async fn a_part_of_an_older_version_is_replaced() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.leave_part(&[0; 100_000], "\"v0\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.hub.requests().len(), 1);
}

#[tokio::test]
async fn a_complete_part_only_gets_its_name() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.leave_part(&file(), "\"v1\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert!(scene.hub.requests().is_empty());
}

#[tokio::test]
async fn a_part_that_went_wrong_is_thrown_away_once() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.leave_part(&[0; 100_000], "\"v1\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.hub.requests(), [Some("bytes=100000-".to_owned()), None]);
}

#[tokio::test]
async fn a_hub_without_ranges_sends_all_of_it_again() {
    let behaviour = Behaviour { ignores_ranges: true, ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;
    scene.leave_part(&file()[..100_000], "\"v1\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
}

#[tokio::test]
async fn a_file_that_is_wrong_twice_is_refused_with_both_checksums() {
    let behaviour = Behaviour { wrong_answers: 2, ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;

    let error = scene.fetch().await.unwrap_err();

    let mut wrong = file();
    wrong[0] ^= 1;
    let DownloadError::Corrupt { expected, got, .. } = error else { panic!("{error:?}") };
    assert_eq!((expected, got), (sha256(&file()), sha256(&wrong)));
    assert!(scene.files().is_empty());
}

#[tokio::test]
async fn a_cut_stream_is_taken_up_where_it_broke_off() {
    let behaviour = Behaviour { cut_after: Some(150_000), ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    let requests = scene.hub.requests();
    assert_eq!((requests.len(), &requests[0]), (2, &None));
    assert!(requests[1].is_some());
}

#[tokio::test]
async fn a_busy_hub_is_asked_again_when_it_wants_to() {
    let behaviour = Behaviour { busy_answers: 3, ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.hub.requests().len(), 4);
}

#[tokio::test]
async fn a_cancelled_download_keeps_its_part_and_goes_on_later() {
    let behaviour = Behaviour { stall_after: Some(150_000), ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;
    let stop = CancellationToken::new();
    let cancel_half_way = |progress: Progress| {
        if progress.done_bytes >= 100_000 {
            stop.cancel();
        }
    };

    let cancelled = scene.downloader.fetch("model", &cancel_half_way, &stop).await;
    scene.fetch().await.unwrap();

    assert!(matches!(cancelled, Err(DownloadError::Cancelled)));
    assert!(scene.has_the_file());
    let requests = scene.hub.requests();
    assert_eq!((requests.len(), requests[1].is_some()), (2, true));
}

#[tokio::test]
async fn of_two_downloads_at_once_one_fetches_and_both_have_it() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;

    let (first, second) = tokio::join!(scene.fetch(), scene.fetch());

    assert!(first.is_ok() && second.is_ok());
    assert!(scene.has_the_file());
    assert_eq!(scene.hub.requests().len(), 1);
}

#[tokio::test]
async fn a_file_without_a_listed_checksum_is_held_to_the_published_one_and_pinned() {
    let behaviour = Behaviour { publishes_checksum: true, ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Unlisted).await;

    scene.fetch().await.unwrap();

    let store = &scene.downloader.store;
    let pin = store.pin_of(&store.entry("model").unwrap().files[0]).unwrap();
    assert_eq!((pin.sha256, pin.size_bytes), (sha256(&file()), LENGTH as u64));
    assert_eq!(store.verify("model").await.unwrap(), State::Installed);
}

#[tokio::test]
async fn a_file_that_nobody_vouches_for_is_refused() {
    let scene = scene(Behaviour::default(), Checksum::Unlisted).await;

    let error = scene.fetch().await.unwrap_err();

    assert!(matches!(error, DownloadError::Unverifiable { .. }), "{error:?}");
    assert!(!scene.path().exists());
}

fn tarball() -> Vec<u8> {
    let mut archive =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (name, content) in [("kit-1.0/README", "read me"), ("kit-1.0/lib/libkit.so", "the library")] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

fn zip() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    archive.start_file("kit-1.0/lib/libkit.so", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"the library").unwrap();
    archive.finish().unwrap().into_inner()
}

#[rstest]
#[case::tar(tarball())]
#[case::zip(zip())]
#[tokio::test]
async fn what_is_needed_is_taken_out_of_an_archive(#[case] content: Vec<u8>) {
    let behaviour = Behaviour { content, publishes_checksum: true, ..Behaviour::default() };
    let disk = Arc::new(SystemDisk);
    let scene = scene_on(behaviour, Checksum::Unlisted, disk, Some("kit-1.0/lib/libkit.so")).await;

    scene.fetch().await.unwrap();

    assert_eq!(std::fs::read_to_string(scene.path()).unwrap(), "the library");
    assert_eq!(scene.files(), ["model.bin"]);
    assert_eq!(scene.downloader.store.verify("model").await.unwrap(), State::Installed);
}

/// A disk with a limit: what goes beyond is refused as a full disk does.
struct SmallDisk {
    free: u64,
    holds: usize,
    opened: AtomicUsize,
}

struct SmallFile {
    file: Box<dyn StagedFile>,
    left: usize,
}

impl Disk for SmallDisk {
    fn free_bytes(&self, _folder: &Path) -> io::Result<u64> {
        Ok(self.free)
    }

    fn open(&self, path: &Path, keep: u64) -> io::Result<Box<dyn StagedFile>> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(SmallFile { file: SystemDisk.open(path, keep)?, left: self.holds - keep as usize }))
    }
}

impl Write for SmallFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let written = self.file.write(&bytes[..bytes.len().min(self.left)])?;
        self.left -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl StagedFile for SmallFile {
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

#[tokio::test]
async fn without_enough_space_nothing_is_downloaded() {
    let disk = Arc::new(SmallDisk { free: 1_000_000, holds: 0, opened: AtomicUsize::new(0) });
    let scene = scene_on(Behaviour::default(), Checksum::Listed, disk, None).await;

    let error = scene.fetch().await.unwrap_err();

    let folder = scene.folder.path().display().to_string();
    assert_eq!(error.to_string(), format!("the disk of {folder} has 1 MB free, and 67 MB are needed"));
    assert!(scene.hub.requests().is_empty());
}

#[tokio::test]
async fn a_disk_that_fills_up_is_named_and_the_part_stays() {
    let disk = Arc::new(SmallDisk { free: u64::MAX, holds: 120_000, opened: AtomicUsize::new(0) });
    let scene = scene_on(Behaviour::default(), Checksum::Listed, disk.clone(), None).await;

    let error = scene.fetch().await.unwrap_err();

    assert!(matches!(error, DownloadError::DiskFull { .. }), "{error:?}");
    assert_eq!(scene.downloader.store.installed("model").unwrap(), State::Partial { bytes: 120_000 });
    assert_eq!((disk.opened.load(Ordering::SeqCst), scene.hub.requests().len()), (1, 1));
    assert_eq!(
        error.trouble().remedy,
        "Free some space, or set another models folder, and try again; it goes on where it stopped."
    );
}
