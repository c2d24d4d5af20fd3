//! Sampling of the next token.

use llama_cpp_2::json_schema_to_grammar;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llm::embedded::protocol::WorkerFailure;
use serde_json::Value;

/// Usual truncation for small instruct models: the 40 most likely tokens, the most likely 95 %, and none below 5 % of
/// the probability of the most likely token. Source: the defaults of the llama.cpp server.
const TOP_K: i32 = 40;
const TOP_P: f32 = 0.95;
const MIN_P: f32 = 0.05;

/// Prevents endless repetition by models below one billion parameters.
/// Source: the generation settings of Qwen2.5 0.5B, halved, because tool calls have to repeat names.
const REPEAT_PENALTY: f32 = 1.05;

/// Number of recent tokens that the repetition penalty considers. Source: the default of the llama.cpp server.
const REPEAT_TOKENS: i32 = 64;

/// Creates a sampler for one response.
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
        // An enforced format has to repeat its keys.
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
