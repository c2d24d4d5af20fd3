//! The inputs of the verbs: the owner of the data, and a person who may be asked.

use std::io::{self, Write};

use anyhow::{Context, bail};
use assistant::{DataOwner, MemoryAnswer, MemoryRequest, Request, Response};

use crate::owner;

/// The inputs of the verbs.
pub(super) struct Session {
    pub owner: DataOwner,
    /// `true` if a person can answer questions on standard input.
    pub can_ask: bool,
}

impl Session {
    /// Sends a request and hands on its answers.
    pub async fn answers(
        &self,
        request: MemoryRequest,
        mut take: impl FnMut(MemoryAnswer) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let take = |response| match response {
            Response::Memory(answer) => take(*answer),
            _ => Ok(()),
        };
        owner::request(&self.owner, Request::Memory(request), take).await
    }

    /// The single answer to a request.
    pub async fn answer(&self, request: MemoryRequest) -> anyhow::Result<MemoryAnswer> {
        let mut only = None;
        let take = |answer| {
            only = Some(answer);
            Ok(())
        };
        self.answers(request, take).await?;
        only.context("the owner of the data gave no answer")
    }

    /// Sends a request that is done without an answer.
    pub async fn tell(&self, request: MemoryRequest) -> anyhow::Result<()> {
        self.answers(request, |_| Ok(())).await
    }

    /// Asks the user on the terminal; without one, `--yes` is required.
    pub fn confirm(&self, question: &str, yes: bool, out: &mut dyn Write) -> anyhow::Result<bool> {
        if yes {
            return Ok(true);
        }
        anyhow::ensure!(
            self.can_ask,
            "there is no terminal to confirm on: add --yes to do it without asking"
        );
        write!(out, "{question} [y/N] ")?;
        out.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).context("standard input could not be read")?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}

/// The owner answered something else than what was asked for.
pub(super) fn unexpected<T>(_: &MemoryAnswer) -> anyhow::Result<T> {
    bail!("the owner of the data gave an answer of another kind")
}
