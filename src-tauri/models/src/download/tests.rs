//! Tests against a loopback HTTP server with ranges, tags, redirects and simulated failures.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State as Shared;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::get;
use net::{Http, Url};
use parking_lot::Mutex;
use rstest::rstest;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::catalogue::Catalogue;
use crate::checksum::hex;

/// Long enough to be received in many chunks.
const LENGTH: usize = 300_000;

/// The way the server behaves.
#[derive(Default)]
struct Behaviour {
    /// Closes the first response after this many bytes.
    cut_after: Option<usize>,
    /// Stalls the first response for ever after this many bytes.
    stall_after: Option<usize>,
    ignores_ranges: bool,
    /// Number of initial responses with a wrong byte.
    wrong_responses: usize,
    /// Number of initial responses with status 503.
    busy_responses: usize,
    publishes_checksum: bool,
    /// The content of the file; if empty, generated with [`LENGTH`] bytes.
    content: Vec<u8>,
}

struct TestServer {
    behaviour: Behaviour,
    content: Vec<u8>,
    /// The `Range` header of every request.
    requests: Mutex<Vec<Option<String>>>,
}

impl TestServer {
    fn requests(&self) -> Vec<Option<String>> {
        self.requests.lock().clone()
    }
}

fn file() -> Vec<u8> {
    (0..LENGTH).map(|i| (i * 7 + i / 256) as u8).collect()
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    hex(&sha2::Sha256::digest(bytes))
}

async fn response(Shared(server): Shared<Arc<TestServer>>, headers: HeaderMap) -> Response<Body> {
    let range = headers.get("range").map(|range| range.to_str().unwrap().to_owned());
    let number = {
        let mut requests = server.requests.lock();
        requests.push(range.clone());
        requests.len()
    };
    if number <= server.behaviour.busy_responses {
        let busy = Response::builder().status(StatusCode::SERVICE_UNAVAILABLE).header("retry-after", "0");
        return busy.body(Body::from("come back later")).unwrap();
    }
    let same_version = headers.get("if-range").is_none_or(|tag| tag == "\"v1\"");
    let start = range
        .filter(|_| same_version && !server.behaviour.ignores_ranges)
        .map_or(0, |range| range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap());
    let mut content = server.content.clone();
    if number <= server.behaviour.wrong_responses {
        content[0] ^= 1;
    }
    let rest = content.split_off(start);
    let mut response = Response::builder().header("etag", "\"v1\"").header("content-length", rest.len());
    if start > 0 {
        let range = format!("bytes {start}-{}/{}", start + rest.len() - 1, start + rest.len());
        response = response.status(StatusCode::PARTIAL_CONTENT).header("content-range", range);
    }
    if server.behaviour.publishes_checksum {
        response = response.header("x-linked-etag", format!("\"{}\"", sha256(&server.content)));
    }
    response.body(body(rest, &server.behaviour, number)).unwrap()
}

/// The body in chunks of 10,000 bytes, cut off or stalled as configured.
fn body(bytes: Vec<u8>, behaviour: &Behaviour, number: usize) -> Body {
    let limit = behaviour.cut_after.or(behaviour.stall_after).filter(|_| number == 1);
    let stalls = behaviour.stall_after.is_some() && number == 1;
    let sent = &bytes[..limit.unwrap_or(bytes.len()).min(bytes.len())];
    let chunks: Vec<_> = sent.chunks(10_000).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    let ending = futures::stream::once(async move {
        // Yielding makes the server send the data before it closes the connection.
        tokio::task::yield_now().await;
        if stalls {
            std::future::pending::<()>().await;
        }
        Err(io::Error::other("cut"))
    });
    let chunks = futures::stream::iter(chunks);
    match limit {
        Some(_) => Body::from_stream(futures::StreamExt::chain(chunks, ending)),
        None => Body::from_stream(chunks),
    }
}

/// A server, a models folder and a downloader.
struct Scene {
    server: Arc<TestServer>,
    folder: tempfile::TempDir,
    downloader: Downloader,
    seen: Mutex<Vec<DownloadProgress>>,
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
    let server = Arc::new(TestServer { behaviour, content, requests: Mutex::default() });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/model.bin", listener.local_addr().unwrap())).unwrap();
    let routes = Router::new().route("/model.bin", get(response)).with_state(Arc::clone(&server));
    tokio::spawn(async move { axum::serve(listener, routes).await });

    let sha256 = match checksum {
        Checksum::Listed => serde_json::json!(sha256(&server.content)),
        Checksum::Unlisted => serde_json::Value::Null,
    };
    let catalogue = serde_json::json!({"entries": [{
        "id": "model", "purpose": "voice", "engine": "piper", "label": "", "languages": [], "licence": "", "ram_bytes": 0,
        "minimum": {"ram_bytes": 0, "cores": 1}, "description": "",
        "files": [{"name": "voices/model.bin", "variants": [
            {"label": "", "size_bytes": server.content.len(), "sha256": sha256, "urls": [url.as_str()], "unpack": unpack}]}]
    }]});
    let catalogue = Box::leak(Box::new(Catalogue::parse(&catalogue.to_string()).unwrap()));
    let folder = tempfile::tempdir().unwrap();
    let http = Http::new().unwrap();
    http.allow_origin(&url);
    let store = ModelStore::with_catalogue(folder.path(), catalogue);
    let downloader = Downloader { store, http, disk, backoff: Backoff::without_delays() };
    Scene { server, folder, downloader, seen: Mutex::default() }
}

impl Scene {
    async fn fetch(&self) -> Result<(), DownloadError> {
        let report = |progress| self.seen.lock().push(progress);
        self.downloader.fetch("model", &report, &CancellationToken::new()).await
    }

    fn has_the_file(&self) -> bool {
        std::fs::read(self.path()).is_ok_and(|content| content == self.server.content)
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
async fn complete_download_reports_all_phases_and_bytes() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.files(), ["model.bin"]);
    let seen = scene.seen.lock();
    let phases: Vec<_> = seen.iter().map(|progress| progress.phase).collect();
    assert_eq!(phases[..2], [DownloadPhase::Connecting, DownloadPhase::Downloading]);
    assert_eq!(phases[phases.len() - 2..], [DownloadPhase::Checking, DownloadPhase::Installed]);
    let last = seen.last().unwrap();
    assert_eq!((last.done_bytes, last.total_bytes), (LENGTH as u64, LENGTH as u64));
}

#[tokio::test]
async fn installed_file_is_not_downloaded_again() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.fetch().await.unwrap();

    scene.fetch().await.unwrap();

    assert_eq!(scene.server.requests().len(), 1);
}

#[tokio::test]
async fn partial_file_is_resumed_with_a_range_request() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.leave_part(&file()[..100_000], "\"v1\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.server.requests(), [Some("bytes=100000-".to_owned())]);
}

#[tokio::test]
async fn file_with_wrong_size_is_downloaded_again() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    std::fs::create_dir_all(scene.folder.path().join("voices")).unwrap();
    std::fs::write(scene.path(), "half a model").unwrap();

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
}

#[tokio::test]
async fn partial_file_of_an_older_version_is_replaced() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.leave_part(&[0; 100_000], "\"v0\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.server.requests().len(), 1);
}

#[tokio::test]
async fn complete_partial_file_is_installed_without_a_request() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.leave_part(&file(), "\"v1\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert!(scene.server.requests().is_empty());
}

#[tokio::test]
async fn damaged_partial_file_is_downloaded_again_once() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;
    scene.leave_part(&[0; 100_000], "\"v1\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.server.requests(), [Some("bytes=100000-".to_owned()), None]);
}

#[tokio::test]
async fn server_without_ranges_sends_the_whole_file_again() {
    let behaviour = Behaviour { ignores_ranges: true, ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;
    scene.leave_part(&file()[..100_000], "\"v1\"");

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
}

#[tokio::test]
async fn wrong_checksum_after_restart_is_reported() {
    let behaviour = Behaviour { wrong_responses: 2, ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;

    let error = scene.fetch().await.unwrap_err();

    let mut wrong = file();
    wrong[0] ^= 1;
    let DownloadError::Corrupt { expected, actual, .. } = error else { panic!("{error:?}") };
    assert_eq!((expected, actual), (sha256(&file()), sha256(&wrong)));
    assert!(scene.files().is_empty());
}

#[tokio::test]
async fn interrupted_stream_is_resumed_with_a_range_request() {
    let behaviour = Behaviour { cut_after: Some(150_000), ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    let requests = scene.server.requests();
    assert_eq!((requests.len(), &requests[0]), (2, &None));
    assert!(requests[1].is_some());
}

#[tokio::test]
async fn busy_server_is_retried_until_it_responds() {
    let behaviour = Behaviour { busy_responses: 3, ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;

    scene.fetch().await.unwrap();

    assert!(scene.has_the_file());
    assert_eq!(scene.server.requests().len(), 4);
}

#[tokio::test]
async fn cancelled_download_is_resumed_by_the_next_call() {
    let behaviour = Behaviour { stall_after: Some(150_000), ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Listed).await;
    let stop = CancellationToken::new();
    let cancel_half_way = |progress: DownloadProgress| {
        if progress.done_bytes >= 100_000 {
            stop.cancel();
        }
    };

    let cancelled = scene.downloader.fetch("model", &cancel_half_way, &stop).await;
    scene.fetch().await.unwrap();

    assert!(matches!(cancelled, Err(DownloadError::Cancelled)));
    assert!(scene.has_the_file());
    let requests = scene.server.requests();
    assert_eq!((requests.len(), requests[1].is_some()), (2, true));
}

#[tokio::test]
async fn concurrent_downloads_of_a_file_send_one_request() {
    let scene = scene(Behaviour::default(), Checksum::Listed).await;

    let (first, second) = tokio::join!(scene.fetch(), scene.fetch());

    assert!(first.is_ok() && second.is_ok());
    assert!(scene.has_the_file());
    assert_eq!(scene.server.requests().len(), 1);
}

#[tokio::test]
async fn published_checksum_is_verified_and_pinned() {
    let behaviour = Behaviour { publishes_checksum: true, ..Behaviour::default() };
    let scene = scene(behaviour, Checksum::Unlisted).await;

    scene.fetch().await.unwrap();

    let store = &scene.downloader.store;
    let checksum = store.pinned_checksum(&store.entry("model").unwrap().files[0]).unwrap();
    assert_eq!((checksum.sha256, checksum.size_bytes), (sha256(&file()), LENGTH as u64));
    assert_eq!(store.verify("model").await.unwrap(), InstallState::Installed);
}

#[tokio::test]
async fn download_without_checksum_is_rejected() {
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
async fn file_is_extracted_from_a_downloaded_archive(#[case] content: Vec<u8>) {
    let behaviour = Behaviour { content, publishes_checksum: true, ..Behaviour::default() };
    let disk = Arc::new(SystemDisk);
    let scene = scene_on(behaviour, Checksum::Unlisted, disk, Some("kit-1.0/lib/libkit.so")).await;

    scene.fetch().await.unwrap();

    assert_eq!(std::fs::read_to_string(scene.path()).unwrap(), "the library");
    assert_eq!(scene.files(), ["model.bin"]);
    assert_eq!(scene.downloader.store.verify("model").await.unwrap(), InstallState::Installed);
}

/// A disk of limited capacity that fails like a full disk.
struct SmallDisk {
    free_bytes: u64,
    capacity: usize,
    opened: AtomicUsize,
}

struct SmallFile {
    file: Box<dyn PartFile>,
    free: usize,
}

impl Disk for SmallDisk {
    fn free_bytes(&self, _folder: &Path) -> io::Result<u64> {
        Ok(self.free_bytes)
    }

    fn open(&self, path: &Path, keep: u64) -> io::Result<Box<dyn PartFile>> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(SmallFile { file: SystemDisk.open(path, keep)?, free: self.capacity - keep as usize }))
    }
}

impl Write for SmallFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.free == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let written = self.file.write(&bytes[..bytes.len().min(self.free)])?;
        self.free -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl PartFile for SmallFile {
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

#[tokio::test]
async fn too_little_free_space_is_reported_before_downloading() {
    let disk = Arc::new(SmallDisk { free_bytes: 1_000_000, capacity: 0, opened: AtomicUsize::new(0) });
    let scene = scene_on(Behaviour::default(), Checksum::Listed, disk, None).await;

    let error = scene.fetch().await.unwrap_err();

    let folder = scene.folder.path().display().to_string();
    assert_eq!(error.to_string(), format!("the disk with {folder} has 1 MB free, but 67 MB are needed"));
    assert!(scene.server.requests().is_empty());
}

#[tokio::test]
async fn full_disk_is_reported_and_keeps_the_partial_file() {
    let disk = Arc::new(SmallDisk { free_bytes: u64::MAX, capacity: 120_000, opened: AtomicUsize::new(0) });
    let scene = scene_on(Behaviour::default(), Checksum::Listed, disk.clone(), None).await;

    let error = scene.fetch().await.unwrap_err();

    assert!(matches!(error, DownloadError::DiskFull { .. }), "{error:?}");
    assert_eq!(
        scene.downloader.store.install_state("model").unwrap(),
        InstallState::Partial { bytes: 120_000 }
    );
    assert_eq!((disk.opened.load(Ordering::SeqCst), scene.server.requests().len()), (1, 1));
    assert_eq!(
        error.trouble().remedy,
        "Free some disk space or choose another models folder, then try again; the download will be resumed."
    );
}
