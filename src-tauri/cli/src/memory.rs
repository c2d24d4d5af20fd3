//! `jarvis memory`: searches, shows, corrects, forgets, exports and maintains what is remembered.
//!
//! Every verb works whether or not a Jarvis runs: the owner of the data executes it.

use std::io::{self, IsTerminal, Write};

use assistant::ItemId;
use clap::Subcommand;

use crate::owner;

pub(crate) mod days; // days as they are typed
mod session; // what the verbs work with
mod search;
mod show;
mod edit;
mod forget;
mod files; // exports, imports, backups
mod encryption;
mod maintain;
mod passes; // batch passes of the language model
pub(crate) mod layout; // records as lines of text

use layout::Layout;
use session::Session;

/// See, correct and forget what is remembered.
#[derive(Subcommand)]
pub(crate) enum MemoryVerb {
    /// Search messages, diary, facts and nodes by words and meaning, the newest of the best first. Times such as “last
    /// spring” are understood: what is of that time comes first.
    Search(search::Search),
    /// Show one record with everything known about it; without an id, an overview.
    Show(show::Show),
    /// Correct a fact, a day of the diary or a node. The old text of a fact is kept as its history.
    Edit(edit::Edit),
    /// Add a fact.
    Add(edit::Add),
    /// Mark a fact as no longer true; it is kept as history. To delete it, use `forget`.
    Retract {
        /// The fact, such as `fact-7`.
        id: ItemId,
    },
    /// Forget records and everything derived from them. It can be undone for ten minutes.
    Forget(forget::Forget),
    /// Undo the last forgetting or edit of the last ten minutes. Corrected facts keep their history instead.
    Undo,
    /// Write everything to files that people and programs can read. They are not encrypted, even if the memory is.
    Export(files::Export),
    /// Import an export, or the memory of an earlier assistant. Known records stay as they are.
    Import {
        /// An exported folder, a `.tar.gz`, a `memory.json`, or the database of an earlier assistant.
        path: std::path::PathBuf,
    },
    /// Make a backup.
    Backup {
        /// List the backups instead.
        #[arg(long)]
        list: bool,
    },
    /// Replace the memory by a backup. The replaced memory is kept, never deleted. Quit Jarvis first.
    Restore(files::Restore),
    /// Encrypt the memory and its backups with a new key, which the keychain keeps. Quit Jarvis first.
    Encrypt,
    /// Decrypt an encrypted memory and its backups. Quit Jarvis first.
    Decrypt(encryption::Decrypt),
    /// Examine the memory, repair it, delete what can no longer be undone, and make a backup.
    Maintain {
        /// Only examine.
        #[arg(long)]
        check: bool,
        /// Run a batch pass of the language model instead.
        #[arg(long, value_enum, conflicts_with = "check")]
        with: Option<passes::Pass>,
        /// Show what the language model would change, and change nothing.
        #[arg(long, requires = "with")]
        preview: bool,
    },
}

/// Works on the memory of this user.
pub(crate) async fn run(verb: MemoryVerb) -> anyhow::Result<()> {
    let owner = owner::find().await?;
    let layout = Layout { zone: owner.time_zone().await?, width: layout::terminal_width(), is_whole: false };
    let session = Session { owner, can_ask: io::stdin().is_terminal() };
    let outcome = execute(&session, verb, &layout, &mut io::stdout().lock()).await;
    session.owner.close().await;
    outcome
}

async fn execute(
    session: &Session,
    verb: MemoryVerb,
    layout: &Layout,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    match verb {
        MemoryVerb::Search(search) => search::run(session, search, layout, out).await,
        MemoryVerb::Show(show) => show::run(session, &show, layout, out).await,
        MemoryVerb::Edit(edit) => edit::run(session, edit, out).await,
        MemoryVerb::Add(add) => edit::add(session, &add, out).await,
        MemoryVerb::Retract { id } => edit::retract(session, id, out).await,
        MemoryVerb::Forget(forget) => forget::run(session, &forget, layout, out).await,
        MemoryVerb::Undo => forget::undo(session, layout, out).await,
        MemoryVerb::Export(export) => files::export(session, &export, out).await,
        MemoryVerb::Import { path } => files::import(session, &path, out).await,
        MemoryVerb::Backup { list: true } => files::list(session, layout, out).await,
        MemoryVerb::Backup { list: false } => files::back_up(session, out).await,
        MemoryVerb::Restore(restore) => files::restore(session, &restore, layout, out).await,
        MemoryVerb::Encrypt => encryption::encrypt(session, out).await,
        MemoryVerb::Decrypt(decrypt) => encryption::decrypt(session, &decrypt, out).await,
        MemoryVerb::Maintain { with: Some(pass), preview, .. } => {
            passes::run(session, pass, preview, out).await
        }
        MemoryVerb::Maintain { check, with: None, .. } => maintain::run(session, check, out).await,
    }
}

#[cfg(test)]
mod tests;
