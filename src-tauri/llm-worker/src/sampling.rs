//! Sampling of the next token.

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::json_schema_to_grammar;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;
use llm::embedded::protocol::WorkerFailure;
use serde_json::Value;

use crate::likely_tokens::{LikelyTokens, log_probability};

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

/// Chooses the tokens of one response.
pub(crate) struct TokenSampler {
    /// The format that the response has to follow.
    grammar: Option<LlamaSampler>,
    chain: LlamaSampler,
}

impl TokenSampler {
    /// Creates a sampler. With `format`, a JSON schema, the response is an object of that schema.
    ///
    /// # Errors
    ///
    /// [`WorkerFailure::Unsupported`] when the schema cannot be enforced.
    pub(crate) fn new(
        model: &LlamaModel,
        temperature: f32,
        format: Option<&Value>,
        seed: u32,
    ) -> Result<Self, WorkerFailure> {
        let grammar = format.map(|schema| grammar(model, schema)).transpose()?;
        let mut chain = Vec::new();
        // An enforced format has to repeat its keys.
        if grammar.is_none() {
            let tokens = model.vocab().n_tokens();
            chain.push(LlamaSampler::penalties(tokens, REPEAT_TOKENS, REPEAT_PENALTY, 0.0, 0.0));
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
        Ok(Self { grammar, chain: LlamaSampler::chain(chain, true) })
    }

    /// Returns `true` if the response has to follow a format.
    pub(crate) fn is_enforced(&self) -> bool {
        self.grammar.is_some()
    }

    /// Chooses the next token. The number beside it is the logarithm of its probability among the tokens that the format
    /// allows; 0 without a format.
    ///
    /// # Errors
    ///
    /// [`WorkerFailure::Engine`] if the format allows no token.
    pub(crate) fn sample(&mut self, context: &LlamaContext) -> Result<(LlamaToken, f32), WorkerFailure> {
        let Some(grammar) = &mut self.grammar else {
            return Ok((self.chain.sample(context, -1), 0.0));
        };
        let allowed = allowed(grammar, context.get_logits_ith(-1));
        let mut candidates = LlamaTokenDataArray::new(allowed.clone(), false);
        candidates.apply_sampler(&mut self.chain);
        let token = candidates
            .selected_token()
            .ok_or_else(|| WorkerFailure::Engine { reason: "no token was chosen".into() })?;
        grammar.accept(token);
        self.chain.accept(token);
        Ok((token, log_probability(&allowed, token)))
    }
}

/// The tokens that the grammar allows next.
///
/// Testing all tokens of a vocabulary takes half as long as computing the next token with a small model (Qwen2.5 0.5B on one
/// core: 40 ms beside 80), so only the most likely ones are tested, unless the others may weigh much among the allowed ones.
fn allowed(grammar: &mut LlamaSampler, logits: &[f32]) -> Vec<LlamaTokenData> {
    let LikelyTokens { tokens, others } = LikelyTokens::new(logits);
    let allowed = allowed_of(grammar, tokens);
    if others.are_negligible_beside(&allowed) {
        return allowed;
    }
    let all = (0_i32..).zip(logits).map(|(id, logit)| LlamaTokenData::new(LlamaToken::new(id), *logit, 0.0));
    allowed_of(grammar, all.collect())
}

fn allowed_of(grammar: &mut LlamaSampler, tokens: Vec<LlamaTokenData>) -> Vec<LlamaTokenData> {
    let mut candidates = LlamaTokenDataArray::new(tokens, false);
    candidates.apply_sampler(grammar);
    candidates.data.retain(|candidate| candidate.logit() > f32::NEG_INFINITY);
    candidates.data
}

fn grammar(model: &LlamaModel, schema: &Value) -> Result<LlamaSampler, WorkerFailure> {
    let unsupported = |reason: String| WorkerFailure::Unsupported { reason };
    let rules = json_schema_to_grammar(&schema.to_string())
        .map_err(|error| unsupported(format!("the JSON schema cannot be enforced: {error}")))?;
    LlamaSampler::grammar(model, &rules, "root")
        .map_err(|error| unsupported(format!("the JSON schema cannot be enforced: {error}")))
}
