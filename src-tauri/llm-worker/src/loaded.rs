//! A loaded model and what it remembers of the last prompt.

use std::num::NonZeroU32;
use std::sync::mpsc::Receiver;

use anyhow::Result;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llm::embedded::protocol::{Failure, Order, Report, RequestId};
use llm::{FinishReason, Usage};

use crate::engine::{Load, Next};
use crate::orders::Stops;
use crate::pieces::Pieces;
use crate::prompt::Prompts;
use crate::reports::tell;
use crate::sampling::sampler;

/// Tokens of a prompt read at once. Between two pieces we look whether the request was cancelled.
/// Source: on one core 128 and 64 are equally fast (79 to 81 tokens a second with Qwen2.5 0.5B), 32 is a seventh
/// slower.
const PROMPT_PIECE_TOKENS: usize = 64;

/// Room an answer needs at least: a prompt that leaves less is too long.
const MIN_ANSWER_TOKENS: usize = 16;

/// A model with its context.
pub(crate) struct Loaded<'m> {
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

/// What to answer with.
struct Wish {
    prompt: Vec<LlamaToken>,
    max_tokens: u32,
    sampler: LlamaSampler,
}

impl<'m> Loaded<'m> {
    /// Makes a context for `model`, of at most as many tokens as it was trained on.
    ///
    /// # Errors
    ///
    /// [`Failure::Engine`] when there is not enough memory for it.
    pub(crate) fn new(
        backend: &LlamaBackend,
        model: &'m LlamaModel,
        context_tokens: u32,
        threads: i32,
    ) -> Result<Self, Failure> {
        let tokens = NonZeroU32::new(context_tokens.min(model.n_ctx_train()));
        let params = LlamaContextParams::default()
            .with_n_ctx(tokens)
            .with_n_batch(PROMPT_PIECE_TOKENS as u32)
            .with_n_ubatch(PROMPT_PIECE_TOKENS as u32)
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let context = model.new_context(backend, params).map_err(|_| Failure::Engine {
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

    /// Carries out orders until the model is not needed any more.
    ///
    /// # Errors
    ///
    /// When nobody hears the reports.
    pub(crate) fn serve(&mut self, orders: &Receiver<Order>, stops: &Stops) -> Result<Next> {
        for order in orders {
            let (id, done) = match order {
                Order::Load { id, path, context_tokens, threads } => {
                    return Ok(Next::Load(Load { id, path, context_tokens, threads }));
                }
                Order::Cancel { .. } => continue,
                Order::Warm { id, messages, tools } => {
                    let prompt = self.prompts.tokens(&messages, &tools, false, false);
                    (id, prompt.and_then(|prompt| self.warm(id, &prompt, stops)))
                }
                Order::Chat { id, messages, tools, max_tokens, temperature, format, thinking } => {
                    self.answers += 1;
                    let seed = seed(self.answers);
                    let wish = self.prompts.tokens(&messages, &tools, thinking, true).and_then(|prompt| {
                        let sampler = sampler(self.model, temperature, format.as_ref(), seed)?;
                        Ok(Wish { prompt, max_tokens, sampler })
                    });
                    (id, wish.and_then(|wish| self.answer(id, wish, stops)))
                }
            };
            stops.forget(id);
            match done {
                Ok(usage) => tell(&Report::Finished { id, usage })?,
                Err(failure) => tell(&Report::Failed { id, failure })?,
            }
        }
        Ok(Next::End)
    }

    fn warm(&mut self, id: RequestId, prompt: &[LlamaToken], stops: &Stops) -> Result<Usage, Failure> {
        let cached = self.read_prompt(id, prompt, stops)?;
        let reason = if cached.is_some() { FinishReason::Stop } else { FinishReason::Cancelled };
        Ok(usage(prompt, cached.unwrap_or(0), 0, reason))
    }

    fn answer(&mut self, id: RequestId, mut wish: Wish, stops: &Stops) -> Result<Usage, Failure> {
        let Some(cached) = self.read_prompt(id, &wish.prompt, stops)? else {
            return Ok(usage(&wish.prompt, 0, 0, FinishReason::Cancelled));
        };
        let mut pieces = Pieces::default();
        let mut written = 0;
        let reason = loop {
            if stops.is_stopped(id) {
                break FinishReason::Cancelled;
            }
            if written == wish.max_tokens {
                break FinishReason::Length;
            }
            let token = wish.sampler.sample(&self.context, -1);
            if self.model.vocab().is_eog(token) {
                break FinishReason::Stop;
            }
            written += 1;
            let text = pieces.push(&self.model.vocab().token_to_piece(token, false, None));
            if !text.is_empty() && tell(&Report::Text { id, text: text.into() }).is_err() {
                // Nobody hears us: the next report ends the program.
                break FinishReason::Cancelled;
            }
            if self.read.len() >= self.context.n_ctx() as usize {
                break FinishReason::Length;
            }
            self.read_tokens(&[token])?;
        };
        Ok(usage(&wish.prompt, cached, written, reason))
    }

    /// Reads what of `prompt` the context has not read yet. Gives how many tokens it had, or `None` when the request
    /// was stopped on the way; what was read until then stays.
    fn read_prompt(
        &mut self,
        id: RequestId,
        prompt: &[LlamaToken],
        stops: &Stops,
    ) -> Result<Option<usize>, Failure> {
        let context = self.context.n_ctx();
        if prompt.len() + MIN_ANSWER_TOKENS > context as usize {
            return Err(Failure::TooLong { tokens: prompt.len() as u32, context });
        }
        if prompt.is_empty() {
            return Err(Failure::Unsupported { reason: "there is nothing to answer to".into() });
        }
        let cached = self.keep_prefix(prompt);
        for piece in prompt[cached..].chunks(PROMPT_PIECE_TOKENS) {
            if stops.is_stopped(id) {
                return Ok(None);
            }
            self.read_tokens(piece)?;
            if tell(&Report::Reading { id }).is_err() {
                return Ok(None);
            }
        }
        Ok(Some(cached))
    }

    /// Forgets what `prompt` does not begin with, and says how many of its tokens are left.
    fn keep_prefix(&mut self, prompt: &[LlamaToken]) -> usize {
        // The last token is always read anew: its reading brings the first word of the answer.
        let common = common_prefix(&self.read, prompt).min(prompt.len() - 1);
        let kept = self.context.clear_kv_cache_seq(Some(0), Some(common as u32), None);
        if kept == Ok(true) {
            self.read.truncate(common);
            return common;
        }
        // Some kinds of models cannot forget a part.
        self.forget();
        0
    }

    fn forget(&mut self) {
        self.context.clear_kv_cache();
        self.read.clear();
    }

    /// Reads tokens after those read so far, and makes the next one ready to be chosen.
    fn read_tokens(&mut self, tokens: &[LlamaToken]) -> Result<(), Failure> {
        self.batch.clear();
        for (at, token) in tokens.iter().enumerate() {
            let position = (self.read.len() + at) as i32;
            let is_last = at + 1 == tokens.len();
            self.batch
                .add(*token, position, &[0], is_last)
                .expect("a piece is never longer than the batch was made for");
        }
        if let Err(error) = self.context.decode(&mut self.batch) {
            // Nobody knows what the context holds now.
            self.forget();
            return Err(Failure::Engine { reason: error.to_string() });
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

/// How many tokens both begin with.
fn common_prefix(one: &[LlamaToken], other: &[LlamaToken]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// Another seed for every answer, so that asking again may bring another one.
fn seed(answer: u32) -> u32 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.subsec_nanos() ^ answer.rotate_left(16)
}
