//! Speech to text with whisper.cpp.

use std::ffi::c_void;
use std::path::PathBuf;
use std::time::Instant;

use tokio_util::sync::CancellationToken;
use vocabulary::{Language, SAMPLE_RATE_HZ};
use whisper_rs::{FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState};

use crate::filters::are_sure_of_language;
use crate::model_slot::ModelSlot;
use crate::name_prompt::name_prompt;
use crate::speech_to_text::{
    DecodeEffort, DecodeRequest, RecognisedSegment, SpeechToText, TranscribeError, Transcription,
};
use crate::threads::{ThreadCount, running_threads};

/// The settings of a [`Whisper`].
#[derive(Debug, Clone, PartialEq)]
pub struct WhisperConfig {
    /// The model file, in ggml format.
    pub model: PathBuf,
    /// Threads to decode with, at least 1; a busy machine temporarily gets one less. See [`threads_for_this_machine`].
    pub threads: usize,
    /// The language to assume when detection is uncertain, such as that of the system.
    pub likely_language: Option<Language>,
}

/// The full context of the encoder: its positions for 30 s of sound.
const FULL_CONTEXT: usize = 1500;
/// Positions of the encoder per second of sound.
const POSITIONS_PER_SECOND: f64 = 50.0;
/// The least positions of the encoder: with fewer, words are lost. Source: measured with base q8_0 and tiny.en over 86
/// recordings: word error rate 2.12 %, against 1.84 % with the full context, and 3 times faster; with a minimum of 384
/// it is 3.5 %, without one 11 %.
const MIN_CONTEXT: usize = 512;
/// Positions added to those of the sound. Same source.
const CONTEXT_MARGIN: usize = 128;
/// The kernels of ggml are faster at round sizes.
const CONTEXT_STEP: usize = 64;

/// The language of shorter sound is uncertain, in seconds.
const MIN_LANGUAGE_SECS: f64 = 1.0;
/// A language with at least this probability replaces the previous one.
const CONFIDENT_LANGUAGE: f32 = 0.7;
/// The previous language stays when it has at least this probability.
const MIN_PREVIOUS_LANGUAGE: f32 = 0.1;
/// The same for a language that we have no words of: short orders in noise resemble some of them, and a language that is
/// really spoken leaves the others almost nothing. Source: an order in noise of 10 dB was decoded as Thai.
const CONFIDENT_LANGUAGE_WITHOUT_WORDS: f32 = 0.9;

/// More tokens than any [`name_prompt`] has. The model reads at most 223.
const MAX_PROMPT_TOKENS: usize = 200;

/// The most tokens per second of real speech, with a wide margin: more tokens are a loop.
const MAX_TOKENS_PER_SECOND: f64 = 12.0;

/// The number of threads that decodes fastest on this machine: all of up to two cores, else all but one, at most four.
///
/// Source: on two idle cores a command takes 0.29 s with two threads and 0.5 s with one; with more than four, the
/// threads wait for each other. The threads of ggml spin, so one of three or more cores stays free.
pub fn threads_for_this_machine() -> usize {
    let cores = cores();
    if cores <= 2 { cores } else { (cores - 1).min(4) }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// whisper.cpp with one model. The first call loads the model.
pub struct Whisper {
    config: WhisperConfig,
    loaded: ModelSlot<LoadedModel>,
}

struct LoadedModel {
    context: WhisperContext,
    state: WhisperState,
    prompt: Option<Prompt>,
    is_multilingual: bool,
    end_of_text: i32,
    last_language: Option<Language>,
    threads: ThreadCount,
}

impl Whisper {
    /// Loads nothing yet.
    pub fn new(config: WhisperConfig) -> Self {
        whisper_rs::install_logging_hooks();
        Self { config, loaded: ModelSlot::empty() }
    }

    fn load(&self) -> Result<LoadedModel, TranscribeError> {
        let path = &self.config.model;
        std::fs::File::open(path).map_err(|error| TranscribeError::from_file(path.clone(), error))?;
        let damaged = |_| TranscribeError::ModelDamaged { path: path.clone() };
        // Flash attention is slower on processors: a command takes 0.40 s with it, 0.28 s without.
        let parameters = WhisperContextParameters { flash_attn: false, ..Default::default() };
        let context = WhisperContext::new_with_params(path, parameters).map_err(damaged)?;
        Ok(LoadedModel {
            is_multilingual: context.is_multilingual(),
            end_of_text: context.token_eot(),
            state: context.create_state().map_err(damaged)?,
            context,
            prompt: None,
            last_language: self.config.likely_language.clone(),
            threads: ThreadCount::new(self.config.threads, cores()),
        })
    }
}

impl SpeechToText for Whisper {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        // Noise, because the decoder stops at its first token when it gets silence.
        let noise: Vec<f32> =
            (0..SAMPLE_RATE_HZ).map(|i| 0.01 * ((i * 7919 % 101) as f32 / 50.0 - 1.0)).collect();
        let request =
            DecodeRequest { language: Language::new("en"), name: None, effort: DecodeEffort::Partial };
        self.transcribe(&noise, &request, &CancellationToken::new()).map(|_| ())
    }

    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        // The state of a call that panicked does no harm: the next decoding overwrites all of it.
        self.loaded.run(|| self.load(), |loaded| loaded.decode(samples, request, stop))
    }
}

impl LoadedModel {
    fn decode(
        &mut self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        let name = request.name.as_deref();
        let pass = match request.effort {
            DecodeEffort::Partial | DecodeEffort::Final => {
                PassOptions { positions: positions_for(samples.len()), has_fallback: false, name }
            }
            DecodeEffort::Thorough => PassOptions { positions: FULL_CONTEXT, has_fallback: true, name },
        };
        let requested = if self.is_multilingual { request.language.clone() } else { Language::new("en") };
        let Some(assumed) = requested.clone().or_else(|| self.last_language.clone()) else {
            let language = self.detect_language(samples, stop)?;
            let segments = self.run(samples, language.as_ref(), &pass, stop)?;
            return Ok(Transcription { segments, language, ..Default::default() });
        };
        let segments = self.run(samples, Some(&assumed), &pass, stop)?;
        let is_long_enough = samples.len() as f64 >= MIN_LANGUAGE_SECS * f64::from(SAMPLE_RATE_HZ);
        if requested.is_some() || !is_long_enough || are_sure_of_language(&segments) {
            self.last_language = Some(assumed.clone());
            return Ok(Transcription { segments, language: Some(assumed), ..Default::default() });
        }
        // Detecting the language costs as much time as decoding the words, so it is only done when they leave doubt.
        let language = self.detect_language(samples, stop)?;
        if language.as_ref() == Some(&assumed) {
            return Ok(Transcription { segments, language, ..Default::default() });
        }
        let segments = self.run(samples, language.as_ref(), &pass, stop)?;
        Ok(Transcription { segments, language, ..Default::default() })
    }

    fn detect_language(
        &mut self,
        samples: &[f32],
        stop: &CancellationToken,
    ) -> Result<Option<Language>, TranscribeError> {
        let threads = self.threads.next(running_threads());
        self.state.pcm_to_mel(samples, threads).map_err(engine_error)?;
        let (_, likelihoods) = self.state.lang_detect(0, threads).map_err(engine_error)?;
        if stop.is_cancelled() {
            return Err(TranscribeError::Stopped);
        }
        let likelihoods = likelihoods.iter().enumerate().filter_map(|(id, likelihood)| {
            Some((Language::new(whisper_rs::get_lang_str(id as i32)?)?, *likelihood))
        });
        self.last_language = choose_language(likelihoods, self.last_language.as_ref());
        Ok(self.last_language.clone())
    }

    fn run(
        &mut self,
        samples: &[f32],
        language: Option<&Language>,
        pass: &PassOptions<'_>,
        stop: &CancellationToken,
    ) -> Result<Vec<RecognisedSegment>, TranscribeError> {
        let secs = samples.len() as f64 / f64::from(SAMPLE_RATE_HZ);
        self.prepare_prompt(pass.name, language);
        let mut params = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        let threads = self.threads.next(running_threads());
        params.set_n_threads(threads as i32);
        params.set_audio_ctx(if pass.positions >= FULL_CONTEXT { 0 } else { pass.positions as i32 });
        params.set_language(Some(language.map_or("en", Language::code)));
        params.set_no_timestamps(true);
        params.set_single_segment(true);
        params.set_no_context(true);
        if let Some(prompt) = &self.prompt {
            // The library leaks the text of a prompt, but not its tokens.
            params.set_tokens(&prompt.tokens);
        }
        params.set_suppress_nst(true);
        params.set_temperature_inc(if pass.has_fallback { 0.2 } else { 0.0 });
        params.set_max_tokens(16 + (secs * MAX_TOKENS_PER_SECOND) as i32);
        params.set_print_special(false);
        params.set_print_progress(false);
        params.set_print_realtime(false);
        params.set_print_timestamps(false);
        // The safe wrapper of this callback in the library reads its closure as the wrong type.
        //
        // SAFETY: `stop` outlives the call to `full` below, the only place that calls back, and is only read.
        unsafe {
            params.set_abort_callback(Some(is_cancelled));
            params.set_abort_callback_user_data(std::ptr::from_ref(stop).cast_mut().cast());
        }
        let began = Instant::now();
        let outcome = self.state.full(params, samples);
        if stop.is_cancelled() {
            return Err(TranscribeError::Stopped);
        }
        outcome.map_err(engine_error)?;
        self.threads.record_pass(threads, pass.positions, began.elapsed());
        Ok(self.segments())
    }

    /// Makes the prompt with this name in this language, unless it is the one of the last pass.
    fn prepare_prompt(&mut self, name: Option<&str>, language: Option<&Language>) {
        let text = name.zip(language).and_then(|(name, language)| name_prompt(name, language));
        if self.prompt.as_ref().map(|prompt| &prompt.text) == text.as_ref() {
            return;
        }
        self.prompt = text.and_then(|text| match self.context.tokenize(&text, MAX_PROMPT_TOKENS) {
            Ok(tokens) => Some(Prompt { text, tokens }),
            Err(error) => {
                tracing::warn!(%error, "the recogniser takes no prompt, so it may miss the name");
                None
            }
        });
    }

    fn segments(&self) -> Vec<RecognisedSegment> {
        self.state
            .as_iter()
            .map(|segment| {
                let logprobs: Vec<f32> = (0..segment.n_tokens())
                    .filter_map(|i| segment.get_token(i))
                    .filter(|token| token.token_id() < self.end_of_text)
                    .map(|token| token.token_data().plog)
                    .collect();
                let mean = logprobs.iter().sum::<f32>() / logprobs.len() as f32;
                RecognisedSegment {
                    text: segment.to_str_lossy().map(|text| text.trim().to_owned()).unwrap_or_default(),
                    avg_logprob: (!logprobs.is_empty()).then_some(mean),
                    no_speech_prob: Some(segment.no_speech_probability()),
                }
            })
            .filter(|segment| !segment.text.is_empty())
            .collect()
    }
}

struct PassOptions<'a> {
    positions: usize,
    has_fallback: bool,
    /// The name that the prompt mentions.
    name: Option<&'a str>,
}

/// A prompt as the model reads it.
struct Prompt {
    text: String,
    tokens: Vec<i32>,
}

/// Called by ggml between the steps of a decoding; `true` cancels the decoding.
unsafe extern "C" fn is_cancelled(stop: *mut c_void) -> bool {
    // SAFETY: `run` passes a reference that outlives the decoding.
    let stop = unsafe { &*stop.cast::<CancellationToken>() };
    stop.is_cancelled()
}

fn engine_error(error: whisper_rs::WhisperError) -> TranscribeError {
    TranscribeError::Engine { reason: error.to_string() }
}

/// The encoder positions for this number of samples, at least [`MIN_CONTEXT`].
fn positions_for(samples: usize) -> usize {
    let needed = (samples as f64 / f64::from(SAMPLE_RATE_HZ) * POSITIONS_PER_SECOND).ceil() as usize;
    (needed + CONTEXT_MARGIN).max(MIN_CONTEXT).next_multiple_of(CONTEXT_STEP).min(FULL_CONTEXT)
}

/// The language of an utterance: the most likely one when its probability is high, else the previous language when that
/// is possible. Short commands in one language often resemble another.
fn choose_language(
    likelihoods: impl Iterator<Item = (Language, f32)>,
    previous: Option<&Language>,
) -> Option<Language> {
    let mut best: Option<(Language, f32)> = None;
    let mut previous_likelihood = 0.0;
    for (language, likelihood) in likelihoods {
        if previous == Some(&language) {
            previous_likelihood = likelihood;
        }
        if best.as_ref().is_none_or(|(_, other)| likelihood > *other) {
            best = Some((language, likelihood));
        }
    }
    let (best, likelihood) = best?;
    let has_words = languages::of(&best).is_some();
    let confident = if has_words { CONFIDENT_LANGUAGE } else { CONFIDENT_LANGUAGE_WITHOUT_WORDS };
    let keep_previous = likelihood < confident && previous_likelihood >= MIN_PREVIOUS_LANGUAGE;
    if keep_previous { previous.cloned() } else { Some(best) }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::short_commands_get_the_minimum(1.0, 512)]
    #[case::longer_sound_gets_a_margin(8.0, 576)]
    #[case::never_more_than_the_full_context(40.0, 1500)]
    fn encoder_context_follows_the_length_of_the_sound(#[case] secs: f64, #[case] expected: usize) {
        assert_eq!(positions_for((secs * f64::from(SAMPLE_RATE_HZ)) as usize), expected);
    }

    #[rstest]
    #[case::sure(&[("de", 0.9), ("en", 0.05)], Some("en"), Some("de"))]
    #[case::unsure_keeps_the_previous_language(&[("nl", 0.5), ("en", 0.3)], Some("en"), Some("en"))]
    #[case::previous_language_is_improbable(&[("nl", 0.5), ("en", 0.01)], Some("en"), Some("nl"))]
    #[case::language_without_words_is_only_likely(&[("th", 0.8), ("en", 0.15)], Some("en"), Some("en"))]
    #[case::language_without_words_is_the_most_likely(&[("th", 0.5), ("nl", 0.3)], None, Some("th"))]
    #[case::language_without_words_is_sure(&[("th", 0.98), ("en", 0.005)], Some("en"), Some("th"))]
    #[case::no_previous_language(&[("nl", 0.5)], None, Some("nl"))]
    #[case::nothing_detected(&[], Some("en"), None)]
    fn previous_language_stays_unless_detection_is_sure(
        #[case] likelihoods: &[(&str, f32)],
        #[case] previous: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        let previous = previous.and_then(Language::new);
        let likelihoods = likelihoods.iter().map(|(code, p)| (Language::new(code).unwrap(), *p));

        assert_eq!(choose_language(likelihoods, previous.as_ref()), expected.and_then(Language::new));
    }

    #[test]
    fn missing_model_error_contains_the_expected_path() {
        let model = PathBuf::from("/nowhere/ggml-base-q8_0.bin");
        let whisper = Whisper::new(WhisperConfig { model, threads: 1, likely_language: None });

        let error = whisper.warm_up().unwrap_err();

        assert_eq!(error.to_string(), "the speech model is not installed at /nowhere/ggml-base-q8_0.bin");
    }
}
