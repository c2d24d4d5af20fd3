//! The two networks of a Moonshine model: sound to states, states and tokens to the next token.

use std::path::Path;

use models::onnx::{Arena, OnnxError, run_until_stopped, session};
use ort::session::{Session, SessionInputValue, SessionInputs};
use ort::value::{DynValue, Tensor, ValueType};
use tokio_util::sync::CancellationToken;

use crate::speech_to_text::TranscribeError;

/// The output of the encoder with one state for 24 ms of sound.
const STATES: &str = "last_hidden_state";
/// The output of the decoder with one number for each token of the vocabulary.
const LOGITS: &str = "logits";
/// The beginning of the decoder's inputs for what it has read, and of its outputs for the next call.
const PAST: &str = "past_key_values.";
const PRESENT: &str = "present.";
/// The part of those names for what belongs to the sound instead of the tokens.
const OF_SOUND: &str = ".encoder.";

/// Why a network could not be run or is none of this kind.
pub(super) type NetworkError = Box<dyn std::error::Error + Send + Sync>;

/// A failed run as the port tells it.
pub(super) fn engine_error(error: NetworkError) -> TranscribeError {
    TranscribeError::Engine { reason: error.to_string() }
}

/// The networks in their sessions.
pub(super) struct Network {
    encoder: Session,
    decoder: Session,
    cached: Vec<CachedInput>,
}

/// An input of the decoder that takes an output of its last call.
struct CachedInput {
    input: String,
    output: String,
    heads: usize,
    width: usize,
    is_of_sound: bool,
}

/// The states of some sound.
pub(super) struct EncodedSound {
    states: DynValue,
}

/// The state of the decoder after the tokens that it has read, so that it reads each token once.
pub(super) struct DecoderCache {
    values: Vec<DynValue>,
    /// Tokens that were read.
    tokens: usize,
}

/// The numbers for the token after each token that was read.
pub(super) struct Logits {
    rows: Vec<f32>,
    width: usize,
}

impl Network {
    /// Loads both files, to run with `threads` threads.
    pub fn load(library: &Path, encoder: &Path, decoder: &Path, threads: usize) -> Result<Self, OnnxError> {
        // The length of the sound differs from run to run; a kept arena would grow to the longest one.
        let load = |model| session(library, model, threads, Arena::GivenBack);
        let (encoder, decoder_session) = (load(encoder)?, load(decoder)?);
        let cached: Vec<_> = decoder_session.inputs().iter().filter_map(CachedInput::from_input).collect();
        if cached.is_empty() {
            let source = "the network takes no cache, so it is no decoder of Moonshine".into();
            return Err(OnnxError::Model { model: decoder.to_owned(), source });
        }
        Ok(Self { encoder, decoder: decoder_session, cached })
    }

    /// Computes the states of mono samples at 16 kHz. When `stop` is cancelled, it fails early.
    pub fn encode(
        &mut self,
        samples: &[f32],
        stop: &CancellationToken,
    ) -> Result<EncodedSound, NetworkError> {
        let mask = Tensor::from_array(([1, samples.len()], vec![1_i64; samples.len()]))?;
        let samples = Tensor::from_array(([1, samples.len()], samples.to_vec()))?;
        let inputs: Vec<(&str, SessionInputValue<'_>)> =
            vec![("input_values", samples.into()), ("attention_mask", mask.into())];
        let states =
            run_until_stopped(&mut self.encoder, inputs, stop, |mut outputs| outputs.remove(STATES))?;
        let states = states.ok_or_else(|| format!("the encoder has no output {STATES}"))?;
        Ok(EncodedSound { states })
    }

    /// The cache before the first token.
    pub fn empty_cache(&self) -> Result<DecoderCache, NetworkError> {
        let empty = |cached: &CachedInput| cached.tensor(0, Vec::new());
        Ok(DecoderCache { values: self.cached.iter().map(empty).collect::<Result<_, _>>()?, tokens: 0 })
    }

    /// Reads `tokens` after those of the cache. Returns one row for each of them.
    pub fn read(
        &mut self,
        tokens: &[i64],
        sound: &EncodedSound,
        cache: &mut DecoderCache,
    ) -> Result<Logits, NetworkError> {
        let has_read = cache.tokens > 0;
        let input_ids = Tensor::from_array(([1, tokens.len()], tokens.to_vec()))?;
        // The mask is per sample of the sound, and the decoder picks every 384th. None of ours is padding, and a single
        // number counts for all.
        let mask = Tensor::from_array(([1, 1], vec![1_i64]))?;
        let uses_cache = Tensor::from_array(([1], vec![has_read]))?;
        let mut inputs: Vec<(&str, SessionInputValue<'_>)> = vec![
            ("input_ids", input_ids.into()),
            ("encoder_hidden_states", (&sound.states).into()),
            ("encoder_attention_mask", mask.into()),
            ("use_cache_branch", uses_cache.into()),
        ];
        for (cached, value) in self.cached.iter().zip(&cache.values) {
            inputs.push((&cached.input, value.into()));
        }
        let mut outputs = self.decoder.run(SessionInputs::from(inputs))?;
        for (cached, value) in self.cached.iter().zip(&mut cache.values) {
            // The sound is read in the first call only; later ones return nothing of use there.
            if cached.is_of_sound && has_read {
                continue;
            }
            *value = outputs
                .remove(&cached.output)
                .ok_or_else(|| format!("the decoder has no output {}", cached.output))?;
        }
        cache.tokens += tokens.len();
        let (shape, rows) = outputs
            .get(LOGITS)
            .ok_or_else(|| format!("the decoder has no output {LOGITS}"))?
            .try_extract_tensor::<f32>()?;
        let width = shape.last().and_then(|width| usize::try_from(*width).ok()).unwrap_or_default();
        if width == 0 || rows.len() != width * tokens.len() {
            return Err(
                format!("the decoder answered {} numbers for {} tokens", rows.len(), tokens.len()).into()
            );
        }
        Ok(Logits { rows: rows.to_vec(), width })
    }

    /// Forgets the tokens of the cache after the first `tokens`.
    pub fn truncate(&self, cache: &mut DecoderCache, tokens: usize) -> Result<(), NetworkError> {
        if tokens >= cache.tokens {
            return Ok(());
        }
        for (cached, value) in self.cached.iter().zip(&mut cache.values) {
            if cached.is_of_sound {
                continue;
            }
            let (_, numbers) = value.try_extract_tensor::<f32>()?;
            let heads = numbers.chunks_exact(cache.tokens * cached.width);
            let kept = heads.flat_map(|head| &head[..tokens * cached.width]).copied().collect();
            *value = cached.tensor(tokens, kept)?;
        }
        cache.tokens = tokens;
        Ok(())
    }
}

impl CachedInput {
    fn from_input(input: &ort::value::Outlet) -> Option<Self> {
        let rest = input.name().strip_prefix(PAST)?;
        let ValueType::Tensor { shape, .. } = input.dtype() else { return None };
        let [_, heads, _, width] = shape.iter().copied().collect::<Vec<_>>().try_into().ok()?;
        Some(Self {
            input: input.name().to_owned(),
            output: format!("{PRESENT}{rest}"),
            heads: usize::try_from(heads).ok()?,
            width: usize::try_from(width).ok()?,
            is_of_sound: rest.contains(OF_SOUND),
        })
    }

    fn tensor(&self, tokens: usize, numbers: Vec<f32>) -> Result<DynValue, NetworkError> {
        Ok(Tensor::from_array(([1, self.heads, tokens, self.width], numbers))?.into_dyn())
    }
}

impl Logits {
    /// The rows, one for each token that was read.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.rows.chunks_exact(self.width)
    }
}
