//! How the next token is chosen.

use llama_cpp_2::json_schema_to_grammar;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llm::embedded::protocol::WorkerFailure;
use serde_json::Value;

/// The usual truncation of small instruct models: 40 likeliest tokens, the likeliest 95 %, none below a twentieth
/// of the likeliest. Source: the defaults of llama.cpp's own server.
const TOP_K: i32 = 40;
const TOP_P: f32 = 0.95;
const MIN_P: f32 = 0.05;

/// Keeps models below a billion parameters from repeating a sentence without end.
/// Source: the generation settings published with Qwen2.5 0.5B, halved, since calls repeat names by right.
const REPEAT_PENALTY: f32 = 1.05;

/// How far back a repetition counts, in tokens. Source: the default of llama.cpp's own server.
const REPEAT_TOKENS: i32 = 64;

/// A sampler for one answer.
///
/// # Errors
///
/// [`WorkerFailure::Unsupported`] when the schema cannot be enforced.
pub(crate) fn sampler(
    model: &LlamaModel,
    temperature: f32,
    format: Option<&Value>,
    seed: u32,
) -> Result<LlamaSampler, WorkerFailure> {
    let mut chain = Vec::new();
    match format {
        Some(schema) => chain.push(grammar(model, schema)?),
        // An enforced format repeats its keys by right.
        None => chain.push(LlamaSampler::penalties(
            model.vocab().n_tokens(),
            REPEAT_TOKENS,
            REPEAT_PENALTY,
            0.0,
            0.0,
        )),
    }
    if temperature > 0.0 {
        chain.push(LlamaSampler::top_k(TOP_K));
        chain.push(LlamaSampler::top_p(TOP_P, 1));
        chain.push(LlamaSampler::min_p(MIN_P, 1));
        chain.push(LlamaSampler::temp(temperature));
        chain.push(LlamaSampler::dist(seed));
    } else {
        chain.push(LlamaSampler::greedy());
    }
    Ok(LlamaSampler::chain(chain, true))
}

fn grammar(model: &LlamaModel, schema: &Value) -> Result<LlamaSampler, WorkerFailure> {
    let unsupported = |reason: String| WorkerFailure::Unsupported { reason };
    let rules = json_schema_to_grammar(&schema.to_string())
        .map_err(|error| unsupported(format!("the JSON schema cannot be enforced: {error}")))?;
    LlamaSampler::grammar(model, &rules, "root")
        .map_err(|error| unsupported(format!("the JSON schema cannot be enforced: {error}")))
}
