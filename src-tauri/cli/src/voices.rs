//! `jarvis voices`: the people whose voice is known.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use assistant::{DataOwner, Request, Response, VoicesAnswer, VoicesRequest};
use clap::Subcommand;

use crate::owner;

/// Verbs for enrolled voices.
#[derive(Subcommand)]
pub(crate) enum VoicesVerb {
    /// List the enrolled voices.
    List,
    /// Enrol a voice: speak for some twelve seconds, or give recordings of it.
    Add {
        /// The name of its owner. A voice with this name is replaced.
        name: String,
        /// WAV files in place of the microphone, with this voice only: at least five seconds in all.
        #[arg(long, num_args = 1.., value_name = "FILE")]
        wav: Vec<PathBuf>,
    },
    /// Remove a voice: nothing of it is kept.
    Remove {
        /// The name of its owner.
        name: String,
    },
}

/// Lists or changes the enrolled voices of this user.
pub(crate) async fn run(verb: VoicesVerb) -> anyhow::Result<()> {
    let owner = owner::find().await?;
    let outcome = match verb {
        VoicesVerb::List => list(&owner).await,
        VoicesVerb::Add { name, wav } => add(&owner, name, wav).await,
        VoicesVerb::Remove { name } => {
            let request = Request::Voices(VoicesRequest::Remove { name });
            owner::request(&owner, request, |_| Ok(())).await
        }
    };
    owner.close().await;
    outcome
}

async fn list(owner: &DataOwner) -> anyhow::Result<()> {
    let mut count = 0;
    let take = |response| {
        if let Response::Voices(VoicesAnswer::Voice { name }) = response {
            count += 1;
            writeln!(io::stdout(), "{name}")?;
        }
        Ok(())
    };
    owner::request(owner, Request::Voices(VoicesRequest::List), take).await?;
    if count == 0 {
        writeln!(io::stderr(), "No voice is enrolled: `jarvis voices add NAME` enrols one.")?;
    }
    tell_if_unused(owner).await
}

async fn add(owner: &DataOwner, name: String, wav: Vec<PathBuf>) -> anyhow::Result<()> {
    let absolute = |file: PathBuf| {
        std::path::absolute(&file).with_context(|| format!("{} cannot be found", file.display()))
    };
    let recordings = wav.into_iter().map(absolute).collect::<anyhow::Result<_>>()?;
    let take = |response| {
        match response {
            Response::Voices(VoicesAnswer::Listening) => {
                writeln!(io::stderr(), "Speak now, as you speak to Jarvis, until this command ends.")?;
            }
            Response::Voices(VoicesAnswer::Voice { name }) => {
                writeln!(io::stderr(), "The voice of {name} is enrolled.")?;
            }
            _ => {}
        }
        Ok(())
    };
    owner::request(owner, Request::Voices(VoicesRequest::Enrol { name, recordings }), take).await?;
    tell_if_unused(owner).await
}

async fn tell_if_unused(owner: &DataOwner) -> anyhow::Result<()> {
    if !owner::settings(owner).await?.listening.only_enrolled_voices {
        writeln!(
            io::stderr(),
            "Everybody is answered: `jarvis settings set listening.only_enrolled_voices true` changes that."
        )?;
    }
    Ok(())
}
