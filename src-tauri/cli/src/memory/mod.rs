//! `jarvis memory`: what is remembered, found, put right, forgotten and kept in files.
//!
//! Every verb works whether or not a Jarvis runs: processes share the database, and a running one looks for changes
//! every second.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use ::memory::{Days, ItemId, Kind, MemoryError};
use ::settings::{Folders, Keychain, SecretStore, SettingsFile};
use anyhow::Context;
use assistant::OpenedMemory;
use clap::Subcommand;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use llm::Embedder;

mod search;
mod show;
mod edit;
mod forget;
mod files; // exports, imports, backups
mod encryption;
mod maintain;
mod sweep; // upkeep that asks the language model
mod page; // how it looks

use page::Look;

/// What to do with what is remembered.
#[derive(Subcommand)]
pub(crate) enum What {
    /// Find what was said, written and learned, by words and by meaning: the best of it, the newest first. Words such as
    /// “last spring” are understood, and what is of that time comes before the rest.
    Search(search::Search),
    /// Show one thing with all that is known about it; without an id everything in short.
    Show(show::Show),
    /// Put a fact, a day of the diary or a node right. What a fact said before is kept as its history.
    Edit(edit::Edit),
    /// Tell a fact.
    Add(edit::Add),
    /// Take a fact back that is no longer true; it is kept as history. To delete it, use `forget`.
    Retract {
        /// The fact, such as `fact-7`.
        id: ItemId,
    },
    /// Forget things and all that was made of them. For ten minutes it can be undone.
    Forget(forget::Forget),
    /// Undo what was forgotten or edited last, if that is not longer ago than ten minutes. Corrected facts keep their
    /// history instead.
    Undo,
    /// Write everything down as files that people and programs can read. They are plain, also of an encrypted memory.
    Export(files::Export),
    /// Take in what was exported, or what the reference program remembered. What is known already stays as it is.
    Import {
        /// An exported folder, a `.tar.gz`, a `memory.json`, or a database of the reference program.
        path: std::path::PathBuf,
    },
    /// Make a backup.
    Backup {
        /// Name the backups there are instead.
        #[arg(long)]
        list: bool,
    },
    /// Put a backup in the place of the memory, which is set aside, never deleted. Jarvis must not be running.
    Restore(files::Restore),
    /// Encrypt the memory on the disk, and every backup of it; the key is made and kept in the keychain. Everything else
    /// works as before. Jarvis must not be running.
    Encrypt,
    /// Make an encrypted memory plain again, and every backup of it. Jarvis must not be running.
    Decrypt(encryption::Decrypt),
    /// Look everything over, mend what is not in order, drop what can no longer be undone, and make a backup.
    Maintain {
        /// Only look.
        #[arg(long)]
        check: bool,
        /// Have the language model go through this instead.
        #[arg(long, value_enum, conflicts_with = "check")]
        with: Option<sweep::Upkeep>,
        /// Show what the language model would change, and change nothing.
        #[arg(long, requires = "with")]
        preview: bool,
    },
}

/// Works on the memory of this user.
pub(crate) async fn run(what: What) -> anyhow::Result<()> {
    let folders = Folders::of_this_user()?;
    let zone = zone_of(&folders);
    let secrets = Arc::new(Keychain);
    let meaning = match &what {
        What::Search(_) => assistant::embedder_of_this_user(&folders).await,
        _ => None,
    };
    let can_ask = io::stdin().is_terminal();
    let desk = Desk { folders, secrets, meaning, zone, now_micros: now_micros(), can_ask };
    let look = Look { zone: desk.zone.clone(), width: page::width_of_terminal(), is_whole: false };
    desk.work(what, &look, &mut io::stdout().lock()).await
}

/// What the verbs work with.
struct Desk {
    folders: Folders,
    secrets: Arc<dyn SecretStore>,
    /// What tells how alike two texts are, where it is needed.
    meaning: Option<Arc<dyn Embedder>>,
    zone: TimeZone,
    now_micros: i64,
    /// Somebody is there to be asked.
    can_ask: bool,
}

impl Desk {
    async fn work(&self, what: What, look: &Look, out: &mut dyn Write) -> anyhow::Result<()> {
        // These want nobody to use the memory, not even us.
        match &what {
            What::Restore(restore) => return files::restore(self, restore, out),
            What::Encrypt => return encryption::encrypt(self, out),
            What::Decrypt(decrypt) => return encryption::decrypt(self, decrypt, out),
            _ => {}
        }
        let opened = assistant::memory_of_this_user(&self.folders, &self.secrets);
        let OpenedMemory { memory, trouble } = opened.map_err(told)?;
        if let Some(trouble) = trouble {
            writeln!(io::stderr(), "jarvis: {trouble}")?;
        }
        let outcome = match what {
            What::Search(search) => search::run(self, &memory, &search, look, out).await,
            What::Show(show) => show::run(self, &memory, &show, look, out).await,
            What::Edit(edit) => edit::run(self, &memory, edit, out).await,
            What::Add(add) => edit::add(self, &memory, add, out).await,
            What::Retract { id } => edit::retract(self, &memory, id, out).await,
            What::Forget(wish) => forget::run(self, &memory, wish, look, out).await,
            What::Undo => forget::undo(self, &memory, look, out).await,
            What::Export(export) => files::export(self, &memory, &export, out).await,
            What::Import { path } => files::import(self, &memory, &path, out).await,
            What::Backup { list: true } => files::list(self, &memory, out),
            What::Backup { list: false } => files::back_up(self, &memory, out).await,
            What::Maintain { with: Some(upkeep), preview, .. } => {
                sweep::run(self, &memory, upkeep, preview, out).await
            }
            What::Maintain { check, with: None, .. } => maintain::run(self, &memory, check, out).await,
            What::Restore(_) | What::Encrypt | What::Decrypt(_) => Ok(()),
        };
        memory.store().close();
        outcome
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.now_micros).unwrap_or_default()
    }

    /// The user's date now.
    fn today(&self) -> Date {
        self.now().to_zoned(self.zone.clone()).date()
    }

    /// Asks on the terminal; a program has to say `--yes`.
    fn is_agreed(&self, question: &str, yes: bool, out: &mut dyn Write) -> anyhow::Result<bool> {
        if yes {
            return Ok(true);
        }
        anyhow::ensure!(self.can_ask, "nobody is there to be asked: add --yes to do it all the same");
        write!(out, "{question} [y/N] ")?;
        out.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).context("standard input could not be read")?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}

/// Days as they are asked for.
#[derive(clap::Args, Default)]
pub(crate) struct Since {
    /// The first day: YYYY-MM-DD, `today` or `yesterday`.
    #[arg(long, value_name = "DAY")]
    from: Option<Day>,
    /// The last day.
    #[arg(long, value_name = "DAY")]
    to: Option<Day>,
}

impl Since {
    fn days(&self, today: Date) -> Days {
        let date = |day: Day| match day {
            Day::On(date) => date,
            Day::Ago(days) => today.saturating_sub(days.days()),
        };
        Days { from: self.from.map(date), to: self.to.map(date) }
    }
}

#[derive(Clone, Copy)]
enum Day {
    On(Date),
    /// So many days before today.
    Ago(i32),
}

impl std::str::FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().to_lowercase().as_str() {
            "today" => Ok(Self::Ago(0)),
            "yesterday" => Ok(Self::Ago(1)),
            day => day.parse().map(Self::On).map_err(|_| {
                format!("{text:?} is no day: write one as 2025-11-22, or `today` or `yesterday`")
            }),
        }
    }
}

/// What goes wrong with the memory, and what to do about it.
fn told(error: MemoryError) -> anyhow::Error {
    match error {
        MemoryError::Refused(refusal) => refusal.into(),
        error => anyhow::anyhow!("{}", error.trouble()),
    }
}

fn no_such(id: ItemId) -> anyhow::Error {
    ::memory::Refusal::NoSuchItem(id).into()
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::FOUND
        .into_iter()
        .find(|kind| kind.name() == name)
        .ok_or_else(|| format!("{name:?} is no kind: use message, diary, fact or node"))
}

fn zone_of(folders: &Folders) -> TimeZone {
    let settings = SettingsFile::load(&folders.config.join("settings.json"));
    // Without settings the system's zone holds, as in the assistant.
    let name = settings.map(|loaded| loaded.file.current().location.time_zone).unwrap_or_default();
    replying::context::zone_named(
        Some(&name).filter(|name| !name.is_empty()).map(String::as_str),
        TimeZone::system,
    )
}

/// The time now: microseconds since 1970 UTC.
pub(crate) fn now_micros() -> i64 {
    Timestamp::now().as_microsecond()
}

#[cfg(test)]
mod tests;
