//! `jarvis doctor`: the findings, printed.

use std::io::Write;

use ::settings::Folders;
use anyhow::bail;
use assistant::{Verdict, examine};

/// Examines and prints; fails when something does not work.
pub(crate) async fn run() -> anyhow::Result<()> {
    let findings = examine(&Folders::of_this_user()?).await;
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        let sign = match finding.verdict {
            Verdict::Well => "ok  ",
            Verdict::Lacking => "note",
            Verdict::Ill => "FAIL",
        };
        writeln!(out, "{sign}  {}: {}", finding.stage, finding.message)?;
        if !finding.remedy.is_empty() {
            writeln!(out, "      {}", finding.remedy)?;
        }
    }
    let ill = findings.iter().filter(|finding| finding.verdict == Verdict::Ill).count();
    if ill > 0 {
        bail!("{ill} of {} things need attention", findings.len());
    }
    Ok(())
}
