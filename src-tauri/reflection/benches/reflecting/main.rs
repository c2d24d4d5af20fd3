//! Measures how well a language model performs the passes on written conversations. Run by `cargo xtask eval memory`;
//! prints a table, and JSON with `--json FILE`.
//!
//! The questions about diary, facts and meals are those of the product. The results are compared with the expectations in the
//! file of conversations. This evaluates models and prompts, it does not test code.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failing measurement should show where")]

mod passes; // the questions: start here
mod judging; // compares the results with the expectations
mod recording; // records the answers
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

/// Measures how well a language model writes the diary, finds facts and reads meals.
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
    /// Only this half
    #[arg(long, value_enum)]
    half: Option<Half>,
    /// Only this pass
    #[arg(long, value_enum)]
    pass: Option<Pass>,
    /// Only the conversation or meal with this id
    #[arg(long)]
    only: Option<String>,
    /// Also print the answers of the model
    #[arg(long)]
    show: bool,
    /// Also write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// A pass to evaluate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Pass {
    /// Write the diary of a day.
    Diary,
    /// Find facts and store them.
    Facts,
    /// Read meals.
    Meals,
}

/// Context size in tokens: the default of the settings.
const CONTEXT_TOKENS: u32 = 8192;

/// Time limit of an answer. A server on a busy machine may take long before its first token.
const ANSWER_LIMIT: Duration = Duration::from_secs(600);

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
            let print = |judged: &judging::Judged| table::print_case(judged, arguments.show);
            table.add(pass, runtime.block_on(passes::run(pass, &cases, &model, print)));
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
        silence_timeout_secs: ANSWER_LIMIT.as_secs_f64(),
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
    config.silence_timeout = ANSWER_LIMIT;
    Arc::new(EmbeddedModel::new(config))
}
