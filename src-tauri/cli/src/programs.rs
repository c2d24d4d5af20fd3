//! `jarvis programs`: the keys of other programs.

use std::io::{self, Write};

use assistant::{DataOwner, Request, Response, SettingsAnswer, SettingsRequest};
use clap::{Subcommand, ValueEnum};
use settings::Scope;

use crate::owner;

/// Verbs for the keys of other programs.
#[derive(Subcommand)]
pub(crate) enum ProgramsVerb {
    /// List the programs that have a key, and what each may do.
    List,
    /// Give a program a key, and print it: it is shown this once.
    Add {
        /// A name of letters, digits, `-` and `_`.
        name: String,
        /// The uses that it may make of Jarvis.
        #[arg(long, value_enum, value_delimiter = ',', required = true)]
        may: Vec<May>,
    },
    /// Take the key of a program away: from now on it is refused.
    Revoke {
        /// The name of the program, as `jarvis programs list` shows it.
        name: String,
    },
}

/// A use that a program may make of Jarvis.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum May {
    /// Questions and orders, answered by the language model.
    Ask,
    /// The tools of Jarvis, in the replies to this program.
    Tools,
    /// Memory, in the replies to this program and by search.
    Memory,
    /// Speech to text, and text to speech.
    Audio,
}

impl From<May> for Scope {
    fn from(may: May) -> Self {
        match may {
            May::Ask => Self::Ask,
            May::Tools => Self::Tools,
            May::Memory => Self::Memory,
            May::Audio => Self::Audio,
        }
    }
}

/// Lists or changes the keys of this user.
pub(crate) async fn run(verb: ProgramsVerb) -> anyhow::Result<()> {
    let owner = owner::find().await?;
    let outcome = match verb {
        ProgramsVerb::List => list(&owner).await,
        ProgramsVerb::Add { name, may } => add(&owner, name, may).await,
        ProgramsVerb::Revoke { name } => {
            let request = Request::Settings(SettingsRequest::RevokeProgram { name });
            owner::request(&owner, request, |_| Ok(())).await
        }
    };
    owner.close().await;
    outcome
}

async fn list(owner: &DataOwner) -> anyhow::Result<()> {
    let programs = owner::settings(owner).await?.programs;
    let mut out = io::stdout().lock();
    for (name, key) in &programs.keys {
        let may: Vec<&str> = key.may.iter().map(|scope| scope.value()).collect();
        writeln!(out, "{name}: {}", may.join(", "))?;
    }
    if programs.keys.is_empty() {
        writeln!(io::stderr(), "No program has a key: `jarvis programs add NAME --may ask` gives one.")?;
    } else if !programs.enabled {
        writeln!(io::stderr(), "The door is closed: `jarvis settings set programs.enabled true` opens it.")?;
    }
    Ok(())
}

async fn add(owner: &DataOwner, name: String, may: Vec<May>) -> anyhow::Result<()> {
    let may = may.into_iter().map(Scope::from).collect();
    let request = Request::Settings(SettingsRequest::AddProgram { name, may });
    let take = |response| {
        if let Response::Settings(SettingsAnswer::ProgramAdded { key }) = response {
            writeln!(io::stdout(), "{}", key.0)?;
            writeln!(io::stderr(), "Keep this key: it is shown this once.")?;
        }
        Ok(())
    };
    owner::request(owner, request, take).await
}
