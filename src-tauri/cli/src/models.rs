//! `jarvis models`: lists, downloads, checks and deletes model files.

use std::io::Write;

use ::settings::{Folders, SettingsFile};
use assistant::model_files::{
    Catalogue, DownloadProgress, Downloader, Http, InstallState, Machine, ModelStore, Purpose,
};
use clap::Subcommand;
use tokio_util::sync::CancellationToken;

/// What to do with models.
#[derive(Subcommand)]
pub(crate) enum ModelsVerb {
    /// List every model with its size, licence and state.
    List,
    /// Download models; without names, those that Jarvis needs on this machine.
    Fetch {
        /// Names from the list.
        ids: Vec<String>,
    },
    /// Check a model's files against their checksums.
    Verify {
        /// Its name from the list.
        id: String,
    },
    /// Delete a model's files.
    Delete {
        /// Its name from the list.
        id: String,
    },
}

/// Works on the models folder of this user.
pub(crate) async fn run(verb: ModelsVerb) -> anyhow::Result<()> {
    let folders = Folders::of_this_user()?;
    let settings = SettingsFile::peek(&folders.config.join("settings.json"))?;
    let store = ModelStore::of_this_user(&settings.models)?;
    match verb {
        ModelsVerb::List => list(&store),
        ModelsVerb::Fetch { ids } => fetch(&store, ids).await,
        ModelsVerb::Verify { id } => {
            let state = store.verify(&id).await?;
            writeln!(std::io::stdout(), "{id}: {}", in_words(&state))?;
            Ok(())
        }
        ModelsVerb::Delete { id } => {
            store.delete(&id)?;
            writeln!(std::io::stdout(), "{id} was deleted")?;
            Ok(())
        }
    }
}

fn list(store: &ModelStore) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for entry in store.catalogue().entries() {
        let state = in_words(&store.install_state(&entry.id)?);
        let mb = entry.download_bytes() / 1_000_000;
        writeln!(out, "{:<28} {mb:>5} MB  {:<14} {state}", entry.id, entry.licence)?;
        writeln!(out, "    {}. {}", entry.label, entry.description)?;
    }
    writeln!(out, "\nThe files are in {}", store.folder().display())?;
    Ok(())
}

async fn fetch(store: &ModelStore, ids: Vec<String>) -> anyhow::Result<()> {
    let ids = if ids.is_empty() { needed_here(store) } else { ids };
    let downloader = Downloader::new(store.clone(), Http::new()?);
    let stop = CancellationToken::new();
    let on_interrupt = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            on_interrupt.cancel();
        }
    });
    for id in ids {
        let label = id.clone();
        let show = move |progress: DownloadProgress| {
            let percent = progress.done_bytes * 100 / progress.total_bytes.max(1);
            // Progress that cannot be written is no reason to stop.
            let _ = write!(
                std::io::stderr(),
                "\r{label}: {percent:>3} % of {} MB ",
                progress.total_bytes / 1_000_000
            );
        };
        let fetched = downloader.fetch(&id, &show, &stop).await;
        writeln!(std::io::stderr())?;
        fetched.map_err(|error| anyhow::anyhow!("{}", error.trouble()))?;
    }
    Ok(())
}

/// The models that Jarvis needs on this machine and that are not installed.
fn needed_here(store: &ModelStore) -> Vec<String> {
    let machine = Machine::this();
    let purposes =
        [Purpose::SpeechToText, Purpose::Voice, Purpose::Runtime, Purpose::LanguageModel, Purpose::Embedding];
    purposes
        .into_iter()
        .filter(|purpose| store.best_installed(*purpose, &machine).is_none())
        .filter_map(|purpose| Catalogue::bundled().default_for(purpose, &machine))
        .map(|entry| entry.id.clone())
        .collect()
}

fn in_words(state: &InstallState) -> String {
    match state {
        InstallState::Missing => "not installed".to_owned(),
        InstallState::Partial { bytes } => format!("{} MB downloaded", bytes / 1_000_000),
        InstallState::Installed => "installed".to_owned(),
        InstallState::Corrupt => "damaged: fetch it again".to_owned(),
    }
}
