//! Speech to text with Moonshine.
//!
//! The work grows with the length of the sound, where Whisper always reads at least ten seconds: a final pass over a short
//! order takes 0.04 s on one thread, and Whisper base 0.3 s on two. It knows one language and takes no prompt.

mod greedy; // from states to tokens
mod name; // where the name was nearly heard
mod network;
mod vocabulary;

use std::path::PathBuf;

use ::vocabulary::{Language, SAMPLE_RATE_HZ};
use models::onnx::OnnxError;
use tokio_util::sync::CancellationToken;

use self::greedy::{DecodedText, Decoding, decode};
use self::name::NameTokens;
use self::network::{Network, engine_error};
use self::vocabulary::Vocabulary;
use crate::model_slot::ModelSlot;
use crate::speech_to_text::{
    DecodeEffort, DecodeRequest, RecognisedSegment, SpeechToText, TranscribeError, Transcription,
};

/// The settings of a [`Moonshine`].
#[derive(Debug, Clone, PartialEq)]
pub struct MoonshineConfig {
    /// The ONNX Runtime.
    pub library: PathBuf,
    /// The network from sound to states.
    pub encoder: PathBuf,
    /// The network from states to tokens.
    pub decoder: PathBuf,
    /// The texts of the tokens, `tokenizer.bin`.
    pub vocabulary: PathBuf,
    /// Threads to decode with, at least 1.
    pub threads: usize,
    /// The language that the model was trained on.
    pub language: Option<Language>,
}

/// The least sound that the encoder takes, in samples. Shorter sound is filled up with silence.
const MIN_SAMPLES: usize = SAMPLE_RATE_HZ as usize / 2;
/// The most tokens per second of real speech. Source: the model card; more tokens are a loop.
const MAX_TOKENS_PER_SECOND: f64 = 6.5;
/// Tokens beyond those, for very short sound.
const SPARE_TOKENS: usize = 8;
/// The most tokens of one decoding. Source: the positions of the model, 194, with the one that starts.
const MAX_TOKENS: usize = 193;

/// A text that is often invented counts as said from this mean log probability. Source: over three seconds of music it is
/// -0.35 to -0.5, and over white noise -0.6 to -1.7; of recordings of people three in four have -0.05 to -0.11.
const SAID_LOGPROB: f32 = -0.3;

/// A Moonshine model in the ONNX Runtime. The first call loads the model.
pub struct Moonshine {
    config: MoonshineConfig,
    loaded: ModelSlot<LoadedModel>,
}

struct LoadedModel {
    network: Network,
    vocabulary: Vocabulary,
    /// The tokens of the last decoding. While the user speaks, the next one begins with most of them.
    draft: Vec<i64>,
    name: Option<WantedName>,
}

/// The name that was looked for last, and its tokens if the model has all its letters.
struct WantedName {
    name: String,
    tokens: Option<NameTokens>,
}

impl Moonshine {
    /// Loads nothing yet.
    pub fn new(config: MoonshineConfig) -> Self {
        Self { config, loaded: ModelSlot::empty() }
    }

    fn load(&self) -> Result<LoadedModel, TranscribeError> {
        let MoonshineConfig { library, encoder, decoder, vocabulary, threads, .. } = &self.config;
        for path in [library, encoder, decoder] {
            std::fs::File::open(path).map_err(|error| TranscribeError::from_file(path.clone(), error))?;
        }
        let texts = std::fs::read(vocabulary)
            .map_err(|error| TranscribeError::from_file(vocabulary.clone(), error))?;
        let damaged = |path: &PathBuf| TranscribeError::ModelDamaged { path: path.clone() };
        Ok(LoadedModel {
            vocabulary: Vocabulary::parse(&texts).ok_or_else(|| damaged(vocabulary))?,
            network: Network::load(library, encoder, decoder, *threads).map_err(|error| match error {
                OnnxError::Library { library: path, .. } | OnnxError::Model { model: path, .. } => {
                    damaged(&path)
                }
            })?,
            draft: Vec::new(),
            name: None,
        })
    }
}

impl SpeechToText for Moonshine {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        let request = DecodeRequest { language: None, name: None, effort: DecodeEffort::Partial };
        self.transcribe(&vec![0.0; SAMPLE_RATE_HZ as usize], &request, &CancellationToken::new()).map(|_| ())
    }

    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        // Words for the screen may do without the name. A thorough pass is a final one: there is no better way to decode.
        let name = request.name.as_deref().filter(|_| request.effort != DecodeEffort::Partial);
        let segments = self.loaded.run(|| self.load(), |loaded| loaded.decode(samples, name, stop))?;
        Ok(Transcription { segments, language: self.config.language.clone(), ..Default::default() })
    }
}

impl LoadedModel {
    fn decode(
        &mut self,
        samples: &[f32],
        name: Option<&str>,
        stop: &CancellationToken,
    ) -> Result<Vec<RecognisedSegment>, TranscribeError> {
        let mut sound = samples.to_vec();
        sound.resize(sound.len().max(MIN_SAMPLES), 0.0);
        let secs = sound.len() as f64 / f64::from(SAMPLE_RATE_HZ);
        let max_tokens = ((secs * MAX_TOKENS_PER_SECOND) as usize + SPARE_TOKENS).min(MAX_TOKENS);
        self.prepare_name(name);
        let name = self.name.as_ref().and_then(|wanted| wanted.tokens.as_ref()).filter(|_| name.is_some());
        let encoded = match self.network.encode(&sound, stop) {
            _ if stop.is_cancelled() => return Err(TranscribeError::Stopped),
            encoded => encoded.map_err(engine_error)?,
        };
        let watched = name.and_then(NameTokens::first);
        let rules = Decoding { beginning: &[], draft: &self.draft, watched, max_tokens, stop };
        let mut decoded = decode(&mut self.network, &encoded, &rules)?;
        self.draft = decoded.ids();
        let text = self.vocabulary.text_of(decoded.ids());
        // A sound without speech has no name in it.
        if let Some(name) = name.filter(|_| !is_probably_invented(&text, decoded.mean_logprob())) {
            let limits = (max_tokens, stop);
            let found = name.find(&mut self.network, &self.vocabulary, &encoded, &decoded, limits)?;
            decoded = found.unwrap_or(decoded);
        }
        Ok(self.segment(&decoded).into_iter().collect())
    }

    /// Finds the tokens of this name, unless it is the one of the last call.
    fn prepare_name(&mut self, name: Option<&str>) {
        let Some(name) = name else { return };
        if self.name.as_ref().is_none_or(|wanted| wanted.name != name) {
            let tokens = NameTokens::new(name, &self.vocabulary);
            self.name = Some(WantedName { name: name.to_owned(), tokens });
        }
    }

    fn segment(&self, decoded: &DecodedText) -> Option<RecognisedSegment> {
        let text = self.vocabulary.text_of(decoded.ids());
        let mean = decoded.mean_logprob();
        (!text.is_empty()).then(|| RecognisedSegment {
            no_speech_prob: Some(if is_probably_invented(&text, mean) { 1.0 } else { 0.0 }),
            text,
            avg_logprob: Some(mean),
        })
    }
}

/// Returns `true` for what the model writes over sound that is not speech: it has no number of its own for that.
fn is_probably_invented(text: &str, mean_logprob: f32) -> bool {
    let lower = text.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let is_often_invented =
        || languages::all().iter().any(|data| data.invented_over_noise.iter().any(|phrase| phrase == bare));
    bare.is_empty() || (mean_logprob < SAID_LOGPROB && is_often_invented())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::over_music("Thank you for watching!", -0.4, true)]
    #[case::over_noise("You", -1.1, true)]
    #[case::notes("♪♪", -0.1, true)]
    #[case::really_said("Thank you.", -0.1, false)]
    #[case::other_words_in_noise("Turn off the light.", -0.6, false)]
    fn invented_texts_are_no_speech(#[case] text: &str, #[case] mean_logprob: f32, #[case] expected: bool) {
        assert_eq!(is_probably_invented(text, mean_logprob), expected);
    }
}
