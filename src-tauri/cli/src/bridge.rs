//! `jarvis bridge`: prompts for a local model with the tools of a configuration file.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::settings::{Folders, Settings};
use anyhow::Context;
use assistant::bridge_config::{BridgeConfig, ConfigReport, FormatWish, KeywordMode, PromptMemory};
use assistant::{ApprovalAnswer, ApprovalRequest, BridgeSession, BridgeSetup, BridgeUser, DataOwnerParts};
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::sync::Mutex;

use crate::owner;

/// The arguments of the bridge.
#[derive(Args)]
pub(crate) struct BridgeArguments {
    /// The configuration of the model and the tool servers.
    #[arg(long, default_value = "bridge_config.json")]
    config: PathBuf,
    /// Let each prompt know the earlier ones.
    #[arg(long)]
    conversation: bool,
    /// Find the tool that a prompt means by its words.
    #[arg(long, value_enum, default_value_t = Keywords::Strict)]
    keywords: Keywords,
    /// Ask for replies by a JSON schema instead of any JSON.
    #[arg(long)]
    schema: bool,
    /// Start Ollama without asking when it does not run.
    #[arg(long)]
    start_server: bool,
}

/// The comparison of a prompt with the words of tools.
#[derive(Clone, Copy, ValueEnum)]
enum Keywords {
    /// Whole words; nothing when two tools fit.
    Strict,
    /// Parts of words too; the first tool that fits.
    Compat,
    /// No hints.
    Off,
}

/// Answers the prompts of standard input until it ends, or somebody quits.
pub(crate) async fn run(arguments: BridgeArguments) -> anyhow::Result<()> {
    let settings = current_settings().await?;
    let folders = Folders::from_environment()?;
    let config = read_config(&arguments.config)?;
    let user = Arc::new(TerminalUser::new());
    let setup = BridgeSetup {
        config,
        keywords: match arguments.keywords {
            Keywords::Strict => Some(KeywordMode::Strict),
            Keywords::Compat => Some(KeywordMode::Compat),
            Keywords::Off => None,
        },
        format: if arguments.schema { FormatWish::Schema } else { FormatWish::Json },
        memory: if arguments.conversation { PromptMemory::Conversation } else { PromptMemory::Independent },
        may_start_server: arguments.start_server,
        settings,
        user: Arc::clone(&user) as Arc<dyn BridgeUser>,
        owner: Box::new(move || DataOwnerParts::new(folders.clone())),
    };
    let mut session = BridgeSession::open(setup).await?;
    for problem in session.server_problems() {
        writeln!(io::stderr(), "jarvis: {problem}")?;
    }
    let outcome = answer_all(&mut session, &user).await;
    session.close().await;
    outcome
}

/// The settings of this user, from the owner of the data.
async fn current_settings() -> anyhow::Result<Settings> {
    let owner = owner::find().await?;
    let settings = owner::settings(&owner).await;
    owner.close().await;
    settings
}

/// Reads the configuration, and says what of it is not used. A missing file leaves the defaults.
fn read_config(path: &Path) -> anyhow::Result<BridgeConfig> {
    let file = match std::fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    };
    let home = std::env::home_dir().context("this user has no home folder")?;
    let (config, report) = BridgeConfig::read(file.as_deref(), &home);
    for line in report_lines(path, &report) {
        writeln!(io::stderr(), "jarvis: {line}")?;
    }
    Ok(config)
}

fn report_lines(path: &Path, report: &ConfigReport) -> Vec<String> {
    let mut lines: Vec<String> =
        report.problems.iter().map(|problem| format!("{}: {problem}", path.display())).collect();
    if !report.problems.is_empty() {
        lines.push("The defaults stand in for what cannot be used.".to_owned());
    }
    if !report.ignored.is_empty() {
        lines.push(format!("{}: ignored: {}.", path.display(), report.ignored.join(", ")));
    }
    lines
}

async fn answer_all(session: &mut BridgeSession, user: &TerminalUser) -> anyhow::Result<()> {
    loop {
        user.invite()?;
        let line = tokio::select! {
            line = user.next_line() => line?,
            _ = tokio::signal::ctrl_c() => None,
        };
        match line.as_deref().map(str::trim) {
            None | Some("quit") => return Ok(()),
            Some("") => {}
            Some("list-tools") => list_tools(session)?,
            Some(prompt) => tokio::select! {
                answer = session.ask(prompt) => {
                    let answer = answer.map(|answer| answer.text.trim().to_owned());
                    let line = answer.unwrap_or_else(|error| format!("Error processing message: {error}."));
                    let mut out = io::stdout().lock();
                    writeln!(out, "{line}")?;
                    out.flush()?;
                }
                _ = tokio::signal::ctrl_c() => writeln!(io::stderr(), "Stopped.")?,
            },
        }
    }
}

fn list_tools(session: &BridgeSession) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut count = 0;
    for (name, description) in session.tools() {
        count += 1;
        writeln!(out, "{name}: {}", description.lines().next().unwrap_or_default())?;
    }
    if count == 0 {
        writeln!(out, "There are no tools.")?;
    }
    out.flush()
}

/// The one who types.
struct TerminalUser {
    lines: Mutex<Lines<BufReader<Stdin>>>,
    is_person: bool,
}

impl TerminalUser {
    fn new() -> Self {
        let lines = Mutex::new(BufReader::new(tokio::io::stdin()).lines());
        Self { lines, is_person: io::stdin().is_terminal() }
    }

    /// Shows that a prompt may be typed.
    fn invite(&self) -> io::Result<()> {
        if self.is_person { self.show("> ") } else { Ok(()) }
    }

    fn show(&self, text: &str) -> io::Result<()> {
        let mut err = io::stderr().lock();
        write!(err, "{text}")?;
        err.flush()
    }

    async fn next_line(&self) -> io::Result<Option<String>> {
        self.lines.lock().await.next_line().await
    }

    /// The answer to a question in lower case; an empty one if there is none.
    async fn answer(&self, question: &str) -> String {
        // Without standard error nobody reads the question, and no answer means no.
        let is_shown = self.show(question).is_ok();
        let line = if is_shown { self.next_line().await } else { Ok(None) };
        line.ok().flatten().unwrap_or_default().trim().to_lowercase()
    }
}

#[async_trait]
impl BridgeUser for TerminalUser {
    async fn allows_server_start(&self) -> bool {
        let answer = self.answer("Ollama does not run. Start it? [y]es, [n]o: ").await;
        matches!(answer.as_str(), "y" | "yes")
    }

    async fn allows_call(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let always = if request.can_remember { " [a]lways," } else { "" };
        let question = format!("{} Allow it? [y]es,{always} [n]o: ", *request.sentence);
        match self.answer(&question).await.as_str() {
            "y" | "yes" => ApprovalAnswer::Once,
            "a" | "always" if request.can_remember => ApprovalAnswer::Always,
            _ => ApprovalAnswer::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_names_problems_and_what_is_ignored() {
        let report = ConfigReport {
            problems: vec!["llm.model must be a text.".into()],
            ignored: vec!["llm.apiKey".into(), "theme".into()],
        };

        let lines = report_lines(Path::new("c.json"), &report);

        let expected = [
            "c.json: llm.model must be a text.",
            "The defaults stand in for what cannot be used.",
            "c.json: ignored: llm.apiKey, theme.",
        ];
        assert_eq!(lines, expected);
        assert_eq!(report_lines(Path::new("c.json"), &ConfigReport::default()), Vec::<String>::new());
    }
}
