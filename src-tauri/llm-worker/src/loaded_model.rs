//! A loaded model with its context and prefix cache.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::context::session::LlamaStateSeqFlags;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_sys_2::LLAMA_FLASH_ATTN_TYPE_DISABLED;
use llm::embedded::protocol::{RequestId, WorkerEvent, WorkerFailure, WorkerRequest};
use llm::{FinishReason, Usage};

use crate::events::send;
use crate::first_member::FirstMember;
use crate::prompt::PromptBuilder;
use crate::requests::{Cancellations, Requests};
use crate::sampling::TokenSampler;
use crate::stored_prefixes::{StoredPrefixes, common_prefix_len};
use crate::token_decoder::TokenDecoder;

/// Number of prompt tokens per decoding step. Cancellation is checked between two steps.
/// Source: on one core, 128 and 64 are equally fast (79 to 81 tokens per second with Qwen2.5 0.5B), and 32 is a
/// seventh slower.
const PROMPT_CHUNK_TOKENS: usize = 64;

/// The same while something is read in advance: a chat that comes meanwhile waits for the end of the step, 0.3 s instead of
/// 0.9 s on one core. Reading 2,000 tokens takes as long with both.
const ADVANCE_CHUNK_TOKENS: usize = 16;

/// Minimum free context for a response. A prompt that leaves less is too long.
const MIN_RESPONSE_TOKENS: usize = 16;

/// The only sequence of the context.
const SEQUENCE: i32 = 0;

/// A request to load a model.
pub(crate) struct LoadRequest {
    pub(crate) id: RequestId,
    pub(crate) path: PathBuf,
    pub(crate) context_tokens: u32,
    pub(crate) threads: u32,
}

/// The next step when the loaded model is no longer needed.
pub(crate) enum NextStep {
    /// Load another model.
    Load(LoadRequest),
    /// The standard input was closed.
    Exit,
}

/// A model with its context.
pub(crate) struct LoadedModel<'m> {
    model: &'m LlamaModel,
    context: LlamaContext<'m>,
    prompt_builder: PromptBuilder<'m>,
    batch: LlamaBatch<'static>,
    /// The tokens in the context, in order: the prefix cache. The common prefix with a new prompt is not decoded again.
    cached_tokens: Vec<LlamaToken>,
    /// The prefixes that were read in advance.
    prefixes: StoredPrefixes,
    threads: u32,
    responses: u32,
}

/// A response to generate.
struct Generation {
    prompt: Vec<LlamaToken>,
    max_tokens: u32,
    sampler: TokenSampler,
}

impl<'m> LoadedModel<'m> {
    /// Creates a context for `model`, limited to its training context.
    ///
    /// # Errors
    ///
    /// [`WorkerFailure::Engine`] if there is not enough memory.
    pub(crate) fn new(
        backend: &LlamaBackend,
        model: &'m LlamaModel,
        context_tokens: u32,
        threads: i32,
    ) -> Result<Self, WorkerFailure> {
        let tokens = NonZeroU32::new(context_tokens.min(model.n_ctx_train()));
        let params = LlamaContextParams::default()
            .with_n_ctx(tokens)
            .with_n_batch(PROMPT_CHUNK_TOKENS as u32)
            .with_n_ubatch(PROMPT_CHUNK_TOKENS as u32)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
            // Flash attention is slower on a processor for the few tokens that a question adds: 1.7 to 2.7 s to the first
            // token behind 1,000 to 2,000 cached ones, without it 1.0 to 1.6 s, with as much memory (Qwen2.5 0.5B, context of
            // 8,192, one core of 2.1 GHz). Models with more heads and longer contexts need more memory without it: a float for
            // each head, cached token, and token of a step.
            .with_flash_attention_policy(LLAMA_FLASH_ATTN_TYPE_DISABLED);
        let context = model.new_context(backend, params).map_err(|_| WorkerFailure::Engine {
            reason: format!("there is not enough memory for a context of {context_tokens} tokens"),
        })?;
        Ok(Self {
            model,
            context,
            prompt_builder: PromptBuilder::new(model),
            batch: LlamaBatch::new(PROMPT_CHUNK_TOKENS, 1),
            cached_tokens: Vec::new(),
            prefixes: StoredPrefixes::default(),
            threads: threads.unsigned_abs(),
            responses: 0,
        })
    }

    /// Size of the context in tokens.
    pub(crate) fn context_tokens(&self) -> u32 {
        self.context.n_ctx()
    }

    /// Number of threads.
    pub(crate) fn threads(&self) -> u32 {
        self.threads
    }

    /// Processes requests until the model is no longer needed.
    ///
    /// # Errors
    ///
    /// The standard output is closed.
    pub(crate) fn serve(&mut self, requests: &Requests, cancellations: &Cancellations) -> Result<NextStep> {
        while let Some(request) = requests.next() {
            let (began, is_chat) = (Instant::now(), matches!(request, WorkerRequest::Chat { .. }));
            let (id, done) = match request {
                WorkerRequest::Load { id, path, context_tokens, threads } => {
                    return Ok(NextStep::Load(LoadRequest { id, path, context_tokens, threads }));
                }
                WorkerRequest::Cancel { .. } => continue,
                WorkerRequest::Warm { id, messages, file } => {
                    let prompt = self.prompt_builder.tokens(&messages, &[], false, false);
                    (id, prompt.and_then(|prompt| self.warm_up(id, &prompt, file.as_deref(), cancellations)))
                }
                WorkerRequest::Chat { id, messages, tools, max_tokens, temperature, format, thinking } => {
                    self.responses += 1;
                    let seed = seed(self.responses);
                    let generation =
                        self.prompt_builder.tokens(&messages, &tools, thinking, true).and_then(|prompt| {
                            let sampler = TokenSampler::new(self.model, temperature, format.as_ref(), seed)?;
                            Ok(Generation { prompt, max_tokens, sampler })
                        });
                    (id, generation.and_then(|generation| self.generate(id, generation, cancellations)))
                }
            };
            cancellations.forget(id);
            tracing::debug!(
                is_chat,
                ms = began.elapsed().as_millis() as u64,
                ?done,
                "a request was processed"
            );
            match done {
                Ok(usage) => send(&WorkerEvent::Finished { id, usage })?,
                Err(failure) => send(&WorkerEvent::Failed { id, failure })?,
            }
        }
        Ok(NextStep::Exit)
    }

    fn warm_up(
        &mut self,
        id: RequestId,
        prompt: &[LlamaToken],
        file: Option<&Path>,
        cancellations: &Cancellations,
    ) -> Result<Usage, WorkerFailure> {
        if let Some(file) = file.filter(|file| !self.has_read(prompt) && file.exists()) {
            self.load(file);
        }
        let is_interrupted = || cancellations.is_cancelled(id) || cancellations.is_chat_waiting();
        let cached = self.decode_prompt(id, prompt, ADVANCE_CHUNK_TOKENS, is_interrupted)?;
        // Stored after an interruption too, so that many questions do not keep a long start from its end.
        match self.context.state_seq_get(SEQUENCE, LlamaStateSeqFlags::empty()) {
            Ok(state) => self.prefixes.store(&self.cached_tokens, state),
            Err(error) => tracing::warn!(%error, "what was read in advance cannot be stored"),
        }
        let Some(cached) = cached else { return Ok(usage(prompt, 0, 0, FinishReason::Cancelled)) };
        if let Some(file) = file.filter(|_| cached + 1 < prompt.len()) {
            self.save(file);
        }
        Ok(usage(prompt, cached, 0, FinishReason::Stop))
    }

    fn has_read(&mut self, prompt: &[LlamaToken]) -> bool {
        let cached = common_prefix_len(&self.cached_tokens, prompt);
        cached == prompt.len()
            || self.prefixes.longest(prompt, cached).is_some_and(|it| it.tokens.starts_with(prompt))
    }

    /// Restores the state in a file. A state of other tokens is no mistake: what differs is read again.
    fn load(&mut self, file: &Path) {
        let limit = self.context.n_ctx() as usize;
        match self.context.state_seq_load_file(file, SEQUENCE, limit) {
            Ok((tokens, _)) => self.cached_tokens = tokens,
            Err(error) => {
                tracing::warn!(%error, "the state of an earlier start cannot be used");
                self.clear_cache();
            }
        }
    }

    /// Writes the state to a file, which appears complete or not at all. Without it, the next start is only slower.
    fn save(&self, file: &Path) {
        let unfinished = file.with_extension("new");
        let saved = self.context.state_seq_save_file(&unfinished, SEQUENCE, &self.cached_tokens);
        let saved = saved.map_err(anyhow::Error::from);
        if let Err(error) = saved.and_then(|_| Ok(std::fs::rename(&unfinished, file)?)) {
            tracing::warn!(%error, "the state for later starts cannot be saved");
        }
    }

    fn generate(
        &mut self,
        id: RequestId,
        mut generation: Generation,
        cancellations: &Cancellations,
    ) -> Result<Usage, WorkerFailure> {
        let is_interrupted = || cancellations.is_cancelled(id);
        let Some(cached) = self.decode_prompt(id, &generation.prompt, PROMPT_CHUNK_TOKENS, is_interrupted)?
        else {
            return Ok(usage(&generation.prompt, 0, 0, FinishReason::Cancelled));
        };
        let mut decoder = TokenDecoder::default();
        let mut written = 0;
        let mut choice = FirstMember::default();
        let reason = loop {
            if cancellations.is_cancelled(id) {
                break FinishReason::Cancelled;
            }
            if written == generation.max_tokens {
                break FinishReason::Length;
            }
            let (token, log_probability) = generation.sampler.sample(&self.context)?;
            if self.model.vocab().is_eog(token) {
                break FinishReason::Stop;
            }
            written += 1;
            let text = decoder.push(&self.model.vocab().token_to_piece(token, false, None));
            if generation.sampler.is_enforced() {
                choice.push(&text, log_probability);
            }
            if !text.is_empty() && send(&WorkerEvent::Text { id, text: text.into() }).is_err() {
                // The standard output is closed: the next event ends the program.
                break FinishReason::Cancelled;
            }
            if self.cached_tokens.len() >= self.context.n_ctx() as usize {
                break FinishReason::Length;
            }
            self.decode(&[token])?;
        };
        let choice_log_probability = choice.log_probability();
        Ok(Usage { choice_log_probability, ..usage(&generation.prompt, cached, written, reason) })
    }

    /// Decodes the part of `prompt` that is not cached, in steps of `chunk_tokens`. Returns the number of cached tokens, or
    /// `None` if the request was interrupted; the tokens decoded until then stay cached.
    fn decode_prompt(
        &mut self,
        id: RequestId,
        prompt: &[LlamaToken],
        chunk_tokens: usize,
        is_interrupted: impl Fn() -> bool,
    ) -> Result<Option<usize>, WorkerFailure> {
        let context = self.context.n_ctx();
        if prompt.len() + MIN_RESPONSE_TOKENS > context as usize {
            return Err(WorkerFailure::TooLong { tokens: prompt.len() as u32, context });
        }
        if prompt.is_empty() {
            return Err(WorkerFailure::Unsupported { reason: "the dialogue is empty".into() });
        }
        let cached = self.keep_prefix(prompt);
        for chunk in prompt[cached..].chunks(chunk_tokens) {
            if is_interrupted() {
                return Ok(None);
            }
            self.decode(chunk)?;
            if send(&WorkerEvent::Reading { id }).is_err() {
                return Ok(None);
            }
        }
        Ok(Some(cached))
    }

    /// Reduces the cache to its common prefix with `prompt`, after restoring a stored prefix if that saves more. Returns the
    /// length of the prefix.
    fn keep_prefix(&mut self, prompt: &[LlamaToken]) -> usize {
        let cached = common_prefix_len(&self.cached_tokens, prompt);
        if let Some(stored) = self.prefixes.longest(prompt, cached) {
            match self.context.state_seq_set(&stored.state, SEQUENCE) {
                Ok(()) => self.cached_tokens.clone_from(&stored.tokens),
                Err(error) => {
                    tracing::warn!(%error, "what was read in advance cannot be restored");
                    self.clear_cache();
                }
            }
        }
        // The last token is always decoded again, to get the logits for the first token of the response.
        let common = common_prefix_len(&self.cached_tokens, prompt).min(prompt.len() - 1);
        let kept = self.context.clear_kv_cache_seq(Some(SEQUENCE as u32), Some(common as u32), None);
        if kept == Ok(true) {
            self.cached_tokens.truncate(common);
            return common;
        }
        // Some models cannot remove a part of their cache.
        self.clear_cache();
        0
    }

    fn clear_cache(&mut self) {
        self.context.clear_kv_cache();
        self.cached_tokens.clear();
    }

    /// Decodes tokens after the cached ones, with logits for the last one.
    fn decode(&mut self, tokens: &[LlamaToken]) -> Result<(), WorkerFailure> {
        self.batch.clear();
        for (at, token) in tokens.iter().enumerate() {
            let position = (self.cached_tokens.len() + at) as i32;
            let is_last = at + 1 == tokens.len();
            self.batch
                .add(*token, position, &[SEQUENCE], is_last)
                .expect("a chunk is never longer than the batch");
        }
        if let Err(error) = self.context.decode(&mut self.batch) {
            // The state of the context is unknown after an error.
            self.clear_cache();
            return Err(WorkerFailure::Engine { reason: error.to_string() });
        }
        self.cached_tokens.extend_from_slice(tokens);
        Ok(())
    }
}

fn usage(prompt: &[LlamaToken], cached: usize, written: u32, reason: FinishReason) -> Usage {
    Usage {
        prompt_tokens: prompt.len() as u32,
        cached_prompt_tokens: Some(cached as u32),
        completion_tokens: written,
        choice_log_probability: None,
        reason,
    }
}

/// A different seed for every response, so that a repeated request can have another result.
fn seed(response: u32) -> u32 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.subsec_nanos() ^ response.rotate_left(16)
}
