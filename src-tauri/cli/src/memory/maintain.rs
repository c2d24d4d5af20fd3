//! `jarvis memory maintain`.

use std::io::Write;

use ::memory::Memory;
use anyhow::bail;
use assistant::{Verdict, findings_of};

use super::{Desk, files, told};
use crate::doctor;

/// What needs no language model.
pub(super) async fn run(
    desk: &Desk,
    memory: &Memory,
    check: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let before = memory.examine(desk.now_micros).await.map_err(told)?;
    let findings = findings_of(&before);
    doctor::print(&findings, doctor::Form::Text, out)?;
    if !before.damage.is_empty() {
        // A copy of what is damaged would push out a sound one.
        bail!("the memory file is damaged: no backup was made of it");
    }
    if check {
        let is_ill = findings.iter().any(|finding| finding.verdict == Verdict::Ill);
        anyhow::ensure!(!is_ill, "something needs attention: `jarvis memory maintain` mends it");
        return Ok(());
    }
    if before.needs_repair() {
        memory.repair(desk.now_micros).await.map_err(told)?;
        writeln!(out, "What was not in order is mended.")?;
    }
    memory.expire_undo(desk.now_micros).await.map_err(told)?;
    files::back_up(desk, memory, out).await
}
