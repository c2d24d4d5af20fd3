//! `cargo xtask eval`: quality of language models' answers to our prompts. Judges models and prompts, not code.

use std::path::PathBuf;

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
}

/// How well a language model writes the diary, finds facts and reads meals.
///
/// Prints for each pass how many answers were usable, how much of what should be stored was stored, what was stored
/// wrongly, in how many texts the language was right, and the seconds that it took. The file of conversations is described
/// in tests/reflecting/README.md.
#[derive(Args)]
struct Memory {
    /// The model: its name at the server; without a server its id in the catalogue, and it is run here
    #[arg(long, required_unless_present = "server")]
    model: Option<String>,
    /// The address of a server that speaks the OpenAI format, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The server is Ollama
    #[arg(long, requires = "server")]
    ollama: bool,
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
        }
    }
}

impl Memory {
    fn run(self) -> anyhow::Result<()> {
        // The model does the work, so a development build is fast enough.
        let mut measure =
            cargo(&["bench", "--profile", "dev", "-p", "reflection", "--bench", "reflecting", "--"]);
        if let Some(server) = &self.server {
            measure.args(["--server", server]);
            measure.args(self.model.as_ref().map_or(Vec::new(), |name| vec!["--model", name]));
        } else {
            measure.arg("--model").arg(self.file_of_model()?);
            step("worker", || run(&mut cargo_for_this_machine(&["build", "--release", "-p", "llm-worker"])))?;
            measure.env("JARVIS_LLM_WORKER", worker());
        }
        // Cargo runs it in another folder, so paths are made absolute.
        measure.arg("--conversations").arg(self.file_of_conversations()?);
        for (flag, value) in [("--half", name(self.half)), ("--pass", name(self.pass)), ("--only", self.only)]
        {
            if let Some(value) = value {
                measure.args([flag, &value]);
            }
        }
        for (flag, is_given) in [("--ollama", self.ollama), ("--show", self.show)] {
            measure.args(is_given.then_some(flag));
        }
        if let Some(json) = self.json {
            measure.arg("--json").arg(std::path::absolute(json)?);
        }
        step("measure", || run(&mut measure))
    }

    fn file_of_model(&self) -> anyhow::Result<PathBuf> {
        let store = ModelStore::with_default_settings()?;
        let id = self.model.as_deref().unwrap_or_default();
        ensure!(
            store.is_installed(store.entry(id)?.id.as_str()),
            "{id} is not here: fetch it with `cargo xtask models {id}`"
        );
        Ok(store.path_of(id)?)
    }

    /// Our own files relative to the checkout, other files relative to the current folder.
    fn file_of_conversations(&self) -> std::io::Result<PathBuf> {
        let ours = checkout().join(&self.conversations);
        if self.conversations.exists() { std::path::absolute(&self.conversations) } else { Ok(ours) }
    }
}

/// Where cargo puts the worker program.
fn worker() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from);
    target.join("release").join(format!("llm-worker{}", std::env::consts::EXE_SUFFIX))
}

fn name<V: ValueEnum>(value: Option<V>) -> Option<String> {
    Some(value?.to_possible_value()?.get_name().to_owned())
}
