//! `cargo xtask eval`: quality of language models' answers to our prompts. Judges models and prompts, not code.

use std::path::{Path, PathBuf};
use std::process::Command;

use ::models::ModelStore;
use anyhow::ensure;
use clap::{Args, Subcommand, ValueEnum};

use crate::process::{cargo, cargo_for_this_machine, checkout, run};
use crate::terminal::step;

/// Quality of a language model's answers to our prompts.
#[derive(Args)]
pub struct Eval {
    #[command(subcommand)]
    of: Of,
}

#[derive(Subcommand)]
enum Of {
    Memory(Memory),
    Replies(Replies),
}

/// Measures how well a language model answers with memory and tools.
///
/// Prints for each kind of request how many were handled rightly, how often a tool ran although none was due, how often
/// something was claimed that is not so, and the times. The file of scenarios is described in tests/replying/README.md.
#[derive(Args)]
struct Replies {
    #[command(flatten)]
    model: ModelChoice,
    /// Scenarios of your own
    #[arg(long, value_name = "FILE", default_value = "tests/replying/scenarios.json")]
    scenarios: PathBuf,
    /// One half of the scenarios alone
    #[arg(long, value_enum)]
    half: Option<Half>,
    /// Scenarios of this kind alone
    #[arg(long)]
    kind: Option<String>,
    /// The scenario of this id alone
    #[arg(long, value_name = "ID")]
    only: Option<String>,
    /// The number of times that each is asked; more than once samples at the temperature of the settings
    #[arg(long)]
    runs: Option<usize>,
    /// Print questions, tools and answers as well
    #[arg(long)]
    show: bool,
    /// Write the figures to this file as well, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the figures to this file as well, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// Which model is judged.
#[derive(Args)]
struct ModelChoice {
    /// The model: its name at the server; without a server its id in the catalogue, and it is run here
    #[arg(long, required_unless_present = "server")]
    model: Option<String>,
    /// The address of a server that speaks the OpenAI format, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The server is Ollama
    #[arg(long, requires = "server")]
    ollama: bool,
}

/// Measures how well a language model writes the diary, finds facts and reads meals.
///
/// Prints for each pass how many answers were usable, how much of what should be stored was stored, what was stored
/// wrongly, in how many texts the language was right, and the seconds that it took. The file of conversations is described
/// in tests/reflecting/README.md.
#[derive(Args)]
struct Memory {
    #[command(flatten)]
    model: ModelChoice,
    /// Conversations of your own
    #[arg(long, value_name = "FILE", default_value = "tests/reflecting/conversations.json")]
    conversations: PathBuf,
    /// One half of the conversations alone
    #[arg(long, value_enum)]
    half: Option<Half>,
    /// One pass alone
    #[arg(long, value_enum)]
    pass: Option<Pass>,
    /// The conversation or meal of this id alone
    #[arg(long, value_name = "ID")]
    only: Option<String>,
    /// Print what is stored and what the model answered as well
    #[arg(long)]
    show: bool,
    /// Write the figures to this file as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Half {
    /// For work on prompts
    Tuning,
    /// For judging the prompts
    HeldOut,
}

#[derive(Clone, Copy, ValueEnum)]
enum Pass {
    /// Writing the diary
    Diary,
    /// Finding facts
    Facts,
    /// Reading meals
    Meals,
}

impl Eval {
    /// Builds and measures. Takes some minutes of two cores.
    ///
    /// # Errors
    ///
    /// The model is not there, or a step failed.
    pub fn run(self) -> anyhow::Result<()> {
        match self.of {
            Of::Memory(memory) => memory.run(),
            Of::Replies(replies) => replies.run(),
        }
    }
}

impl Memory {
    fn run(self) -> anyhow::Result<()> {
        // The model does the work, so a development build is fast enough.
        let mut measure =
            cargo(&["bench", "--profile", "dev", "-p", "reflection", "--bench", "reflecting", "--"]);
        self.model.give_to(&mut measure)?;
        // Cargo runs it in another folder, so paths are made absolute.
        measure.arg("--conversations").arg(file_of(&self.conversations)?);
        for (flag, value) in [("--half", name(self.half)), ("--pass", name(self.pass)), ("--only", self.only)]
        {
            if let Some(value) = value {
                measure.args([flag, &value]);
            }
        }
        measure.args(self.show.then_some("--show"));
        if let Some(json) = self.json {
            measure.arg("--json").arg(std::path::absolute(json)?);
        }
        step("measure", || run(&mut measure))
    }
}

impl Replies {
    fn run(self) -> anyhow::Result<()> {
        // The model does the work, so a development build is fast enough.
        let mut measure = cargo(&["bench", "--profile", "dev", "-p", "assistant", "--features", "neural"]);
        measure.args(["--bench", "replies", "--"]);
        measure.env("JARVIS_MODELS", crate::models::folder()?);
        self.model.give_to(&mut measure)?;
        measure.arg("--scenarios").arg(file_of(&self.scenarios)?);
        let runs = self.runs.map(|runs| runs.to_string());
        for (flag, value) in
            [("--half", name(self.half)), ("--kind", self.kind), ("--only", self.only), ("--runs", runs)]
        {
            if let Some(value) = value {
                measure.args([flag, &value]);
            }
        }
        measure.args(self.show.then_some("--show"));
        for (flag, path) in [("--json", self.json), ("--markdown", self.markdown)] {
            if let Some(path) = path {
                measure.arg(flag).arg(std::path::absolute(path)?);
            }
        }
        step("measure", || run(&mut measure))
    }
}

impl ModelChoice {
    /// Names the model to the measurement; builds the worker program where that runs it.
    fn give_to(&self, measure: &mut Command) -> anyhow::Result<()> {
        if let Some(server) = &self.server {
            measure.args(["--server", server]);
            measure.args(self.model.as_ref().map_or(Vec::new(), |name| vec!["--model", name]));
            measure.args(self.ollama.then_some("--ollama"));
            return Ok(());
        }
        measure.arg("--model").arg(self.file()?);
        step("worker", || run(&mut cargo_for_this_machine(&["build", "--release", "-p", "llm-worker"])))?;
        measure.env("JARVIS_LLM_WORKER", worker());
        Ok(())
    }

    fn file(&self) -> anyhow::Result<PathBuf> {
        let store = ModelStore::with_default_settings()?;
        let id = self.model.as_deref().unwrap_or_default();
        ensure!(
            store.is_installed(store.entry(id)?.id.as_str()),
            "{id} is not here: fetch it with `cargo xtask models {id}`"
        );
        Ok(store.path_of(id)?)
    }
}

/// Our own files relative to the checkout, other files relative to the current folder.
fn file_of(path: &Path) -> std::io::Result<PathBuf> {
    if path.exists() { std::path::absolute(path) } else { Ok(checkout().join(path)) }
}

/// The place where cargo puts the worker program.
fn worker() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from);
    target.join("release").join(format!("llm-worker{}", std::env::consts::EXE_SUFFIX))
}

fn name<V: ValueEnum>(value: Option<V>) -> Option<String> {
    Some(value?.to_possible_value()?.get_name().to_owned())
}
