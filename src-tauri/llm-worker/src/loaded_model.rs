//! A loaded model with its context and prefix cache.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use anyhow::Result;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llm::embedded::protocol::{RequestId, WorkerEvent, WorkerFailure, WorkerRequest};
use llm::{FinishReason, Usage};

use crate::events::send;
use crate::prompt::Prompts;
use crate::requests::Cancellations;
use crate::sampling::sampler;
use crate::token_decoder::TokenDecoder;

/// Tokens of a prompt read at once. Between two pieces we look whether the request was cancelled.
/// Source: on one core 128 and 64 are equally fast (79 to 81 tokens a second with Qwen2.5 0.5B), 32 is a seventh
/// slower.
const PROMPT_PIECE_TOKENS: usize = 64;

/// Room an answer needs at least: a prompt that leaves less is too long.
const MIN_ANSWER_TOKENS: usize = 16;

/// The model to load.
pub(crate) struct LoadRequest {
    pub(crate) id: RequestId,
    pub(crate) path: PathBuf,
    pub(crate) context_tokens: u32,
    pub(crate) threads: u32,
}

/// What follows when a loaded model is no longer needed.
pub(crate) enum AfterModel {
    /// Another model is to be loaded.
    Load(LoadRequest),
    /// The standard input was closed.
    End,
}

/// A model with its context.
pub(crate) struct LoadedModel<'m> {
    model: &'m LlamaModel,
    context: LlamaContext<'m>,
    prompts: Prompts<'m>,
    batch: LlamaBatch<'static>,
    /// The tokens the context has read, in order: the prefix cache. Whatever a new prompt shares with it at the
    /// beginning needs not be read again.
    read: Vec<LlamaToken>,
    threads: u32,
    answers: u32,
}

/// What is to be generated.
struct Generation {
    prompt: Vec<LlamaToken>,
    max_tokens: u32,
    sampler: LlamaSampler,
}

impl<'m> LoadedModel<'m> {
    /// Makes a context for `model`, of at most as many tokens as it was trained on.
    ///
    /// # Errors
    ///
    /// [`WorkerFailure::Engine`] when there is not enough memory for it.
    pub(crate) fn new(
        backend: &LlamaBackend,
        model: &'m LlamaModel,
        context_tokens: u32,
        threads: i32,
    ) -> Result<Self, WorkerFailure> {
        let tokens = NonZeroU32::new(context_tokens.min(model.n_ctx_train()));
        let params = LlamaContextParams::default()
            .with_n_ctx(tokens)
            .with_n_batch(PROMPT_PIECE_TOKENS as u32)
            .with_n_ubatch(PROMPT_PIECE_TOKENS as u32)
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let context = model.new_context(backend, params).map_err(|_| WorkerFailure::Engine {
            reason: format!("there is not enough memory for a context of {context_tokens} tokens"),
        })?;
        Ok(Self {
            model,
            context,
            prompts: Prompts::of(model),
            batch: LlamaBatch::new(PROMPT_PIECE_TOKENS, 1),
            read: Vec::new(),
            threads: threads.unsigned_abs(),
            answers: 0,
        })
    }

    /// Tokens of context there are.
    pub(crate) fn context_tokens(&self) -> u32 {
        self.context.n_ctx()
    }

    /// Threads it computes with.
    pub(crate) fn threads(&self) -> u32 {
        self.threads
    }

    /// Carries out requests until the model is no longer needed.
    ///
    /// # Errors
    ///
    /// When the standard output is closed.
    pub(crate) fn serve(
        &mut self,
        requests: &Receiver<WorkerRequest>,
        cancellations: &Cancellations,
    ) -> Result<AfterModel> {
        for request in requests {
            let (id, done) = match request {
                WorkerRequest::Load { id, path, context_tokens, threads } => {
                    return Ok(AfterModel::Load(LoadRequest { id, path, context_tokens, threads }));
                }
                WorkerRequest::Cancel { .. } => continue,
                WorkerRequest::Warm { id, messages, tools } => {
                    let prompt = self.prompts.tokens(&messages, &tools, false, false);
                    (id, prompt.and_then(|prompt| self.warm(id, &prompt, cancellations)))
                }
                WorkerRequest::Chat { id, messages, tools, max_tokens, temperature, format, thinking } => {
                    self.answers += 1;
                    let seed = seed(self.answers);
                    let generation =
                        self.prompts.tokens(&messages, &tools, thinking, true).and_then(|prompt| {
                            let sampler = sampler(self.model, temperature, format.as_ref(), seed)?;
                            Ok(Generation { prompt, max_tokens, sampler })
                        });
                    (id, generation.and_then(|generation| self.answer(id, generation, cancellations)))
                }
            };
            cancellations.forget(id);
            match done {
                Ok(usage) => send(&WorkerEvent::Finished { id, usage })?,
                Err(failure) => send(&WorkerEvent::Failed { id, failure })?,
            }
        }
        Ok(AfterModel::End)
    }

    fn warm(
        &mut self,
        id: RequestId,
        prompt: &[LlamaToken],
        cancellations: &Cancellations,
    ) -> Result<Usage, WorkerFailure> {
        let cached = self.read_prompt(id, prompt, cancellations)?;
        let reason = if cached.is_some() { FinishReason::Stop } else { FinishReason::Cancelled };
        Ok(usage(prompt, cached.unwrap_or(0), 0, reason))
    }

    fn answer(
        &mut self,
        id: RequestId,
        mut generation: Generation,
        cancellations: &Cancellations,
    ) -> Result<Usage, WorkerFailure> {
        let Some(cached) = self.read_prompt(id, &generation.prompt, cancellations)? else {
            return Ok(usage(&generation.prompt, 0, 0, FinishReason::Cancelled));
        };
        let mut decoder = TokenDecoder::default();
        let mut written = 0;
        let reason = loop {
            if cancellations.is_cancelled(id) {
                break FinishReason::Cancelled;
            }
            if written == generation.max_tokens {
                break FinishReason::Length;
            }
            let token = generation.sampler.sample(&self.context, -1);
            if self.model.vocab().is_eog(token) {
                break FinishReason::Stop;
            }
            written += 1;
            let text = decoder.push(&self.model.vocab().token_to_piece(token, false, None));
            if !text.is_empty() && send(&WorkerEvent::Text { id, text: text.into() }).is_err() {
                // The standard output is closed: the next event ends the program.
                break FinishReason::Cancelled;
            }
            if self.read.len() >= self.context.n_ctx() as usize {
                break FinishReason::Length;
            }
            self.read_tokens(&[token])?;
        };
        Ok(usage(&generation.prompt, cached, written, reason))
    }

    /// Reads the part of `prompt` that the context has not read yet. Returns how many tokens were cached, or `None` when the
    /// request was cancelled; what was read until then stays cached.
    fn read_prompt(
        &mut self,
        id: RequestId,
        prompt: &[LlamaToken],
        cancellations: &Cancellations,
    ) -> Result<Option<usize>, WorkerFailure> {
        let context = self.context.n_ctx();
        if prompt.len() + MIN_ANSWER_TOKENS > context as usize {
            return Err(WorkerFailure::TooLong { tokens: prompt.len() as u32, context });
        }
        if prompt.is_empty() {
            return Err(WorkerFailure::Unsupported { reason: "there is nothing to answer to".into() });
        }
        let cached = self.keep_prefix(prompt);
        for piece in prompt[cached..].chunks(PROMPT_PIECE_TOKENS) {
            if cancellations.is_cancelled(id) {
                return Ok(None);
            }
            self.read_tokens(piece)?;
            if send(&WorkerEvent::Reading { id }).is_err() {
                return Ok(None);
            }
        }
        Ok(Some(cached))
    }

    /// Removes what `prompt` does not begin with from the cache. Returns how many of its tokens are left.
    fn keep_prefix(&mut self, prompt: &[LlamaToken]) -> usize {
        // The last token is always read again: that yields the first token of the answer.
        let common = common_prefix(&self.read, prompt).min(prompt.len() - 1);
        let kept = self.context.clear_kv_cache_seq(Some(0), Some(common as u32), None);
        if kept == Ok(true) {
            self.read.truncate(common);
            return common;
        }
        // Some models cannot drop a part of their cache.
        self.forget();
        0
    }

    fn forget(&mut self) {
        self.context.clear_kv_cache();
        self.read.clear();
    }

    /// Reads tokens after those read so far, and makes the next one ready to be chosen.
    fn read_tokens(&mut self, tokens: &[LlamaToken]) -> Result<(), WorkerFailure> {
        self.batch.clear();
        for (at, token) in tokens.iter().enumerate() {
            let position = (self.read.len() + at) as i32;
            let is_last = at + 1 == tokens.len();
            self.batch
                .add(*token, position, &[0], is_last)
                .expect("a piece is never longer than the batch was made for");
        }
        if let Err(error) = self.context.decode(&mut self.batch) {
            // The state of the context is unknown now.
            self.forget();
            return Err(WorkerFailure::Engine { reason: error.to_string() });
        }
        self.read.extend_from_slice(tokens);
        Ok(())
    }
}

fn usage(prompt: &[LlamaToken], cached: usize, written: u32, reason: FinishReason) -> Usage {
    Usage {
        prompt_tokens: prompt.len() as u32,
        cached_prompt_tokens: Some(cached as u32),
        completion_tokens: written,
        reason,
    }
}

/// Length of the common prefix.
fn common_prefix(one: &[LlamaToken], other: &[LlamaToken]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// A different seed for every answer, so that a repeated request can get another one.
fn seed(answer: u32) -> u32 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.subsec_nanos() ^ answer.rotate_left(16)
}
