//! `jarvis memory maintain`.

use std::io::Write;

use assistant::{MemoryAnswer, MemoryRequest, Request, Response};

use super::session::{Session, unexpected};
use crate::{doctor, owner};

/// Maintenance that needs no language model.
pub(super) async fn run(session: &Session, is_check_only: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let print = |response| {
        match response {
            Response::Finding(finding) => doctor::print(&[finding], doctor::Form::Text, out)?,
            Response::Memory(answer) => match *answer {
                MemoryAnswer::Repaired => writeln!(out, "What was not in order is repaired.")?,
                MemoryAnswer::BackedUp(path) => writeln!(out, "A backup is at {}.", path.display())?,
                other => return unexpected(&other),
            },
            _ => {}
        }
        Ok(())
    };
    owner::request(&session.owner, Request::Memory(MemoryRequest::Maintain { is_check_only }), print).await
}
