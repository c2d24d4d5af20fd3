//! `jarvis policy-replay`: what would happen to calls of tools.

use std::io::Write;
use std::path::Path;

use anyhow::Context;

/// Prints `allow`, `ask` or `deny` for each line of the file.
pub(crate) fn run(file: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let mut out = std::io::stdout().lock();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line): &(i32, &str)| !line.trim().is_empty()) {
        let decision = assistant::replay_policy(line)
            .with_context(|| format!("line {number} of {} is no call of a tool", file.display()))?;
        writeln!(out, "{decision}")?;
    }
    Ok(())
}
