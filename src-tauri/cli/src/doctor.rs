//! `jarvis doctor`: the findings, printed.

use std::io::Write;
use std::sync::Arc;

use ::settings::{Folders, Keychain, SecretStore};
use anyhow::bail;
use assistant::{Finding, Repair, Verdict, examine, examine_memory};
use clap::Subcommand;

use crate::memory::now_micros;

/// What to look at more closely.
#[derive(Subcommand)]
pub(crate) enum Part {
    /// Look everything over that is remembered.
    Memory {
        /// Mend what is not in order.
        #[arg(long)]
        repair: bool,
    },
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Examines and prints; fails when something does not work.
pub(crate) async fn run(part: Option<Part>, form: Form) -> anyhow::Result<()> {
    let folders = Folders::of_this_user()?;
    let findings = match part {
        None => examine(&folders).await,
        Some(Part::Memory { repair }) => {
            let repair = if repair { Repair::Wanted } else { Repair::Unwanted };
            let secrets: Arc<dyn SecretStore> = Arc::new(Keychain);
            examine_memory(&folders, &secrets, repair, now_micros()).await
        }
    };
    print(&findings, form, &mut std::io::stdout().lock())?;
    let ill = findings.iter().filter(|finding| finding.verdict == Verdict::Ill).count();
    if ill > 0 {
        bail!("{ill} of {} things need attention", findings.len());
    }
    Ok(())
}

pub(crate) fn print(findings: &[Finding], form: Form, out: &mut dyn Write) -> anyhow::Result<()> {
    for finding in findings {
        if form == Form::Json {
            writeln!(out, "{}", serde_json::to_string(finding)?)?;
            continue;
        }
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
    Ok(())
}
