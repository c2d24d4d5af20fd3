//! The hub: is it there, and downloads with a progress bar.

use std::time::Duration;

use anyhow::{Context, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use models::{
    CatalogueEntry, DownloadError, DownloadPhase, DownloadProgress, Downloader, Http, ModelStore, Url,
};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

/// The host most models come from.
const HUB: &str = "https://huggingface.co";

/// The time that the hub may take to answer.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// Returns `true` if models can be downloaded from the hub.
pub fn is_reachable() -> bool {
    can_reach(HUB)
}

/// Returns `true` if a server at `address` answers within three seconds. Any answer counts.
pub fn can_reach(address: &str) -> bool {
    let probe = async {
        let (Ok(http), Ok(url)) = (Http::new(), Url::parse(address)) else { return false };
        let asked = http.head(&url).silence_timeout(PROBE_TIMEOUT).send();
        match tokio::time::timeout(PROBE_TIMEOUT, asked).await {
            Ok(Ok(_)) => true,
            Ok(Err(error)) => error.status().is_some_and(|code| code < 500),
            Err(_) => false,
        }
    };
    runtime().is_ok_and(|runtime| runtime.block_on(probe))
}

/// Downloads a model. Ctrl-C ends it; the next call goes on where it stopped.
///
/// # Errors
///
/// The download failed; the error ends with what to do.
pub fn download(entry: &CatalogueEntry, store: &ModelStore) -> anyhow::Result<()> {
    let http = Http::new().context("preparing to download")?;
    let downloader = Downloader::new(store.clone(), http);
    let bar = bar(&entry.id, entry.download_bytes());
    let report = |progress: DownloadProgress| {
        bar.set_length(progress.total_bytes);
        bar.set_position(progress.done_bytes);
        bar.set_message(in_words(progress.phase));
    };
    let fetched = runtime()?.block_on(downloader.fetch(&entry.id, &report, &CancellationToken::new()));
    bar.finish_and_clear();
    fetched.map_err(|error: DownloadError| {
        let remedy = error.remedy();
        anyhow!(error).context(remedy)
    })
}

/// A progress bar with a name and bytes.
pub fn bar(name: &str, bytes: u64) -> ProgressBar {
    let style = "{prefix:36} {wide_bar} {bytes:>10}/{total_bytes:10} {binary_bytes_per_sec:12} {msg}";
    let bar = ProgressBar::new(bytes).with_prefix(name.to_owned());
    bar.set_style(ProgressStyle::with_template(style).expect("the template is a constant"));
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

fn in_words(phase: DownloadPhase) -> String {
    match phase {
        DownloadPhase::Waiting => "waiting for another download of it".into(),
        DownloadPhase::Connecting => "connecting".into(),
        DownloadPhase::Downloading => String::new(),
        DownloadPhase::Retrying { after } => format!("trying again in {} s", after.as_secs()),
        DownloadPhase::Checking => "checking".into(),
        DownloadPhase::Installed => "done".into(),
    }
}

fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
