//! How well a language model reflects on written conversations. Run by `cargo xtask eval memory`; prints a table, and
//! JSON with `--json FILE`.
//!
//! Diary, facts and meals are asked of the model as the product asks them; what comes of it is compared with what
//! the file of conversations wants kept and left out. A judgement of models and prompts, not a test of code.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where"
)]

mod passes; // what the model is asked: start here
mod judging; // what came of it, beside what was wanted
mod recording; // what the model answered
mod cases; // the file of conversations
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cases::{Cases, Half};
use clap::{Parser, ValueEnum};
use llm::embedded::default_worker_path;
use llm::{ChatModel, EmbeddedConfig, EmbeddedModel, Message, Ollama, OpenAi, ServerConfig};
use net::{Http, Url};
use settings::LlmSettings;

/// How well a language model writes the diary, finds facts and reads meals.
///
/// The file of conversations is described in tests/reflecting/README.md.
#[derive(Parser)]
#[command(name = "reflecting")]
struct Arguments {
    /// The conversations: tests/reflecting/conversations.json, or your own
    #[arg(long, value_name = "FILE")]
    conversations: PathBuf,
    /// The model's name at the server; without a server a GGUF file, which the worker program runs
    #[arg(long, value_name = "NAME", default_value = "default")]
    model: String,
    /// The server's address, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL")]
    server: Option<Url>,
    /// The server is Ollama, and not one that speaks the OpenAI format
    #[arg(long, requires = "server")]
    ollama: bool,
    /// This half alone
    #[arg(long, value_enum)]
    half: Option<Half>,
    /// This pass alone
    #[arg(long, value_enum)]
    pass: Option<Pass>,
    /// The conversation or meal of this id alone
    #[arg(long)]
    only: Option<String>,
    /// Print what the model answered as well
    #[arg(long)]
    show: bool,
    /// Write the figures to this file as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// What the model is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Pass {
    /// Write the diary of a day.
    Diary,
    /// Find facts, and keep them.
    Facts,
    /// Read what was eaten.
    Meals,
}

/// Tokens of context: the default of the settings.
const CONTEXT_TOKENS: u32 = 8192;

/// A server that shares its processor with a build may think for long before its first word.
const PATIENCE: Duration = Duration::from_secs(600);

fn main() {
    let arguments = Arguments::parse();
    let cases = read(&arguments);
    let model = model(&arguments);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let greeting = runtime.block_on(model.warm_up(&[Message::user("Hello")]));
    greeting.unwrap_or_else(|error| panic!("the model does not answer: {error}; is it loaded?"));
    let mut table = table::Table::default();
    for pass in [Pass::Diary, Pass::Facts, Pass::Meals] {
        if arguments.pass.is_none_or(|wanted| wanted == pass) {
            let tell = |judged: &judging::Judged| table::tell(judged, arguments.show);
            table.add(pass, runtime.block_on(passes::run(pass, &cases, &model, tell)));
        }
    }
    table.print();
    if let Some(path) = &arguments.json {
        std::fs::write(path, table.json()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        println!("written to {}", path.display());
    }
}

fn read(arguments: &Arguments) -> Cases {
    let file = &arguments.conversations;
    let json = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut cases = Cases::read(&json).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    cases.keep(|half, id| {
        arguments.half.is_none_or(|wanted| wanted == half)
            && arguments.only.as_ref().is_none_or(|wanted| wanted == id)
    });
    cases
}

fn model(arguments: &Arguments) -> Arc<dyn ChatModel> {
    let Some(server) = &arguments.server else { return embedded(Path::new(&arguments.model)) };
    let settings = LlmSettings {
        context_tokens: CONTEXT_TOKENS.into(),
        silence_timeout_secs: PATIENCE.as_secs_f64(),
        ..LlmSettings::default()
    };
    let config = ServerConfig::from_settings(&settings, server.clone(), arguments.model.clone(), None);
    let http = Http::new().unwrap();
    match arguments.ollama {
        true => Arc::new(Ollama::new(http, config)),
        false => Arc::new(OpenAi::new(http, config)),
    }
}

fn embedded(model: &Path) -> Arc<dyn ChatModel> {
    assert!(model.is_file(), "{}: no such file; give a GGUF file, or --server", model.display());
    let mut config = EmbeddedConfig::new(default_worker_path(), model.to_owned());
    config.context_tokens = CONTEXT_TOKENS;
    config.silence_timeout = PATIENCE;
    Arc::new(EmbeddedModel::new(config))
}
