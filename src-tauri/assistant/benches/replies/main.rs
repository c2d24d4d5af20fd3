//! Measures how well a language model answers with memory and tools. Run by `cargo xtask eval replies`; prints
//! tables, and writes Markdown and JSON where asked.
//!
//! Each scenario is asked of a whole assistant with a home of its own. This judges models and prompts, it does not test
//! code.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failing measurement should show where")]

mod scenarios; // the file of scenarios
mod answer; // what came back
mod embedder; // the embedding model
mod asking; // a scenario and what came back: start here
mod properties; // what makes an answer wrong, whatever its words
mod judging; // was it right?
mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use embedder::SharedEmbedder;
use llm::embedded::default_worker_path;
use llm::{ChatModel, EmbeddedConfig, EmbeddedModel, Message, Ollama, OpenAi, ServerConfig};
use net::{Http, Url};
use scenarios::{Half, Scenario};
use settings::LlmSettings;

/// Measures how well a language model answers with memory and tools.
///
/// The file of scenarios is described in tests/replying/README.md.
#[derive(Parser)]
#[command(name = "replies")]
struct Arguments {
    /// The scenarios: tests/replying/scenarios.json, or your own
    #[arg(long, value_name = "FILE")]
    scenarios: PathBuf,
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
    /// Only scenarios of this kind
    #[arg(long)]
    kind: Option<String>,
    /// Only the scenario with this id
    #[arg(long)]
    only: Option<String>,
    /// The number of times that each scenario is asked; more than once samples at the temperature of the settings
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Also print questions, tools and answers
    #[arg(long)]
    show: bool,
    /// The model reads nothing in advance, as if each question followed its start
    #[arg(long)]
    unprepared: bool,
    /// A setting of the assistant, such as replying.tool_protocol=text; may be given more than once
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// Also write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write the figures to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// Context size in tokens: the default of the settings.
const CONTEXT_TOKENS: u32 = 8192;

/// Time limit of an answer. A server on a busy machine may take long before its first token.
const ANSWER_LIMIT: Duration = Duration::from_secs(600);

fn main() {
    let arguments = Arguments::parse();
    let scenarios = read(&arguments);
    let model = model(&arguments);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let greeting = runtime.block_on(model.warm_up(&[Message::user("Hello")]));
    greeting.unwrap_or_else(|error| panic!("the model does not answer: {error}; is it loaded?"));
    let embedder = std::env::var_os("JARVIS_MODELS").and_then(|folder| SharedEmbedder::of(folder.into()));
    let embedder = embedder.map(Arc::new);
    if embedder.is_none() {
        println!("without an embedding model: JARVIS_MODELS names no folder that has one");
    }
    let preparation = asking::Preparation {
        is_greedy: arguments.runs == 1,
        reads_in_advance: !arguments.unprepared,
        set: &arguments.set,
    };
    let mut results = Vec::new();
    for scenario in &scenarios {
        for _ in 0..arguments.runs {
            let asked =
                runtime.block_on(asking::ask(scenario, Arc::clone(&model), embedder.clone(), preparation));
            let judged = judging::judge(scenario, asked);
            report::print_scenario(&judged, arguments.show);
            results.push(judged);
        }
    }
    let figures = report::Figures::new(&model.identity().model, &results);
    println!("\n{}", figures.markdown());
    let write = |path: &Option<PathBuf>, text: String| {
        if let Some(path) = path {
            std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    };
    write(&arguments.markdown, figures.markdown());
    write(&arguments.json, figures.json());
}

/// Takes a setting apart into its key and its value.
fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

fn read(arguments: &Arguments) -> Vec<Scenario> {
    let file = &arguments.scenarios;
    let json = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut scenarios: Vec<Scenario> =
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    scenarios.retain(|scenario| {
        arguments.half.is_none_or(|half| half == scenario.half)
            && arguments.kind.as_ref().is_none_or(|kind| *kind == scenario.kind)
            && arguments.only.as_ref().is_none_or(|id| *id == scenario.id)
    });
    scenarios
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
    http.allow_origin(server);
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
