//! `jarvis doctor`: prints what an examination found.

use std::io::Write;

use ::settings::Folders;
use anyhow::bail;
use assistant::{Finding, MemoryRequest, Request, Response, Severity, examine};
use clap::Subcommand;

use crate::owner;

/// A part to examine more closely.
#[derive(Subcommand)]
pub(crate) enum DoctorVerb {
    /// Examine everything that is remembered.
    Memory {
        /// Repair what is not in order.
        #[arg(long)]
        repair: bool,
    },
}

/// The form in which findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Examines and prints; fails when something does not work.
pub(crate) async fn run(verb: Option<DoctorVerb>, form: Form) -> anyhow::Result<()> {
    let findings = match verb {
        None => examine(&Folders::from_environment()?).await,
        Some(DoctorVerb::Memory { repair }) => examine_memory(repair).await?,
    };
    print(&findings, form, &mut std::io::stdout().lock())?;
    let failing = findings.iter().filter(|finding| finding.severity == Severity::Failure).count();
    if failing > 0 {
        bail!("{failing} of {} things need attention", findings.len());
    }
    Ok(())
}

async fn examine_memory(repairs: bool) -> anyhow::Result<Vec<Finding>> {
    let owner = owner::find().await?;
    let mut findings = Vec::new();
    let collect = |response| {
        if let Response::Finding(finding) = response {
            findings.push(finding);
        }
        Ok(())
    };
    let outcome = owner::request(&owner, Request::Memory(MemoryRequest::Examine { repairs }), collect).await;
    owner.close().await;
    outcome.map(|()| findings)
}

pub(crate) fn print(findings: &[Finding], form: Form, out: &mut dyn Write) -> anyhow::Result<()> {
    for finding in findings {
        if form == Form::Json {
            writeln!(out, "{}", serde_json::to_string(finding)?)?;
            continue;
        }
        let sign = match finding.severity {
            Severity::Ok => "ok  ",
            Severity::Warning => "note",
            Severity::Failure => "FAIL",
        };
        writeln!(out, "{sign}  {}: {}", finding.stage, finding.message)?;
        if !finding.remedy.is_empty() {
            writeln!(out, "      {}", finding.remedy)?;
        }
    }
    Ok(())
}
