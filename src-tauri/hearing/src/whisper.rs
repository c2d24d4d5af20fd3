//! Speech to text with whisper.cpp.

use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tokio_util::sync::CancellationToken;
use vocabulary::{Language, SAMPLE_RATE_HZ};
use whisper_rs::{FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState};

use crate::speech_to_text::{
    DecodeEffort, DecodeRequest, RecognisedSegment, SpeechToText, TranscribeError, Transcription,
};
use crate::threads::Threads;

/// What a recogniser is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct WhisperConfig {
    /// The model in ggml form.
    pub model: PathBuf,
    /// Threads to decode with, at least 1; a crowded machine gets one less for a while. See [`threads_for_this_machine`].
    pub threads: usize,
    /// The language to assume where the sound does not tell, such as the system's.
    pub likely_language: Option<Language>,
}

/// Positions of the encoder for 30 s: its full context.
const FULL_CONTEXT: usize = 1500;
/// Positions of the encoder for a second of sound.
const POSITIONS_A_SECOND: f64 = 50.0;
/// The encoder is never cut below this: words break. Source: measured with base q8_0 and tiny.en over 86 recordings,
/// word error rate 2.12 % against 1.84 % in full, 3 times faster; at 384 it is 3.5 %, without a floor 11 %.
const CONTEXT_FLOOR: usize = 512;
/// Positions beyond the sound's own. Same source.
const CONTEXT_MARGIN: usize = 128;
/// ggml's kernels like round sizes.
const CONTEXT_STEP: usize = 64;

/// Shorter sound says too little about its language, in seconds.
const MIN_SECS_TO_TELL_LANGUAGE: f64 = 1.0;
/// Words at least so sure, as a mean log probability, are in the language they were decoded as. Source: base q8_0 on
/// speech by espeak-ng, English as English -0.41 to -0.05, seven other languages as English -1.3 to -0.7.
const SURE_OF_WORDS: f32 = -0.45;
/// So sure a detection is taken whatever was spoken before.
const SURE_OF_LANGUAGE: f32 = 0.7;
/// The language spoken before stays if it is at least so likely.
const LIKELY_ENOUGH: f32 = 0.1;

/// The fastest token rate of real speech, in tokens a second with a wide margin: more is a loop.
const MAX_TOKENS_A_SECOND: f64 = 12.0;

/// Threads that decode fastest here: all of two cores, else all but one, never more than four.
///
/// Source: on two quiet cores a command takes 0.29 s with two threads and 0.5 s with one; beyond four the threads
/// wait for each other. ggml's threads spin, so one core stays free where there are more.
pub fn threads_for_this_machine() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores <= 2 { cores } else { (cores - 1).min(4) }
}

/// whisper.cpp with one model, loaded at the first call and kept.
pub struct Whisper {
    config: WhisperConfig,
    loaded: Mutex<Option<Loaded>>,
}

struct Loaded {
    state: WhisperState,
    is_multilingual: bool,
    end_of_text: i32,
    last_language: Option<Language>,
    threads: Threads,
}

impl Whisper {
    /// Nothing is loaded yet.
    pub fn new(config: WhisperConfig) -> Self {
        whisper_rs::install_logging_hooks();
        Self { config, loaded: Mutex::new(None) }
    }

    fn load(&self) -> Result<Loaded, TranscribeError> {
        let path = &self.config.model;
        match std::fs::File::open(path) {
            Ok(_) => {}
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(TranscribeError::ModelMissing { path: path.clone() });
            }
            Err(source) => return Err(TranscribeError::ModelUnreadable { path: path.clone(), source }),
        }
        let damaged = |_| TranscribeError::ModelDamaged { path: path.clone() };
        // Flash attention is the slower one on processors: a command takes 0.40 s with it, 0.28 s without.
        let parameters = WhisperContextParameters { flash_attn: false, ..Default::default() };
        let context = WhisperContext::new_with_params(path, parameters).map_err(damaged)?;
        Ok(Loaded {
            is_multilingual: context.is_multilingual(),
            end_of_text: context.token_eot(),
            state: context.create_state().map_err(damaged)?,
            last_language: self.config.likely_language.clone(),
            threads: Threads::new(self.config.threads),
        })
    }
}

impl SpeechToText for Whisper {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        // Not silence: the decoder would stop at its first token and warm nothing.
        let noise: Vec<f32> =
            (0..SAMPLE_RATE_HZ).map(|i| 0.01 * ((i * 7919 % 101) as f32 / 50.0 - 1.0)).collect();
        let request = DecodeRequest { language: Language::new("en"), effort: DecodeEffort::Partial };
        self.transcribe(&noise, &request, &CancellationToken::new()).map(|_| ())
    }

    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        // A panic in another call leaves plain state behind: the next decoding overwrites all of it.
        let mut slot = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = match &mut *slot {
            Some(loaded) => loaded,
            empty => empty.insert(self.load()?),
        };
        let result = loaded.decode(samples, request, stop);
        if matches!(result, Err(TranscribeError::Engine { .. })) {
            // Start afresh next time: the state may be half written.
            *slot = None;
        }
        result
    }
}

impl Loaded {
    fn decode(
        &mut self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        let pass = match request.effort {
            DecodeEffort::Partial | DecodeEffort::Final => {
                Pass { positions: positions_for(samples.len()), may_fall_back: false }
            }
            DecodeEffort::Thorough => Pass { positions: FULL_CONTEXT, may_fall_back: true },
        };
        let given = if self.is_multilingual { request.language.clone() } else { Language::new("en") };
        let Some(assumed) = given.clone().or_else(|| self.last_language.clone()) else {
            let language = self.find_language(samples, stop)?;
            let segments = self.run(samples, language.as_ref(), &pass, stop)?;
            return Ok(Transcription { segments, language });
        };
        let segments = self.run(samples, Some(&assumed), &pass, stop)?;
        let tells_language = samples.len() as f64 >= MIN_SECS_TO_TELL_LANGUAGE * f64::from(SAMPLE_RATE_HZ);
        if given.is_some() || !tells_language || are_sure(&segments) {
            self.last_language = Some(assumed.clone());
            return Ok(Transcription { segments, language: Some(assumed) });
        }
        // Finding the language out costs as much as the words did: only where they leave doubt.
        let language = self.find_language(samples, stop)?;
        if language.as_ref() == Some(&assumed) {
            return Ok(Transcription { segments, language });
        }
        let segments = self.run(samples, language.as_ref(), &pass, stop)?;
        Ok(Transcription { segments, language })
    }

    fn find_language(
        &mut self,
        samples: &[f32],
        stop: &CancellationToken,
    ) -> Result<Option<Language>, TranscribeError> {
        let threads = self.threads.next();
        self.state.pcm_to_mel(samples, threads).map_err(engine_error)?;
        let (_, likelihoods) = self.state.lang_detect(0, threads).map_err(engine_error)?;
        if stop.is_cancelled() {
            return Err(TranscribeError::Stopped);
        }
        let likelihoods = likelihoods.iter().enumerate().filter_map(|(id, likelihood)| {
            Some((Language::new(whisper_rs::get_lang_str(id as i32)?)?, *likelihood))
        });
        self.last_language = settle_language(likelihoods, self.last_language.as_ref());
        Ok(self.last_language.clone())
    }

    fn run(
        &mut self,
        samples: &[f32],
        language: Option<&Language>,
        pass: &Pass,
        stop: &CancellationToken,
    ) -> Result<Vec<RecognisedSegment>, TranscribeError> {
        let secs = samples.len() as f64 / f64::from(SAMPLE_RATE_HZ);
        let mut params = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        params.set_n_threads(self.threads.next() as i32);
        params.set_audio_ctx(if pass.positions >= FULL_CONTEXT { 0 } else { pass.positions as i32 });
        params.set_language(Some(language.map_or("en", Language::code)));
        params.set_no_timestamps(true);
        params.set_single_segment(true);
        params.set_no_context(true);
        params.set_suppress_nst(true);
        params.set_temperature_inc(if pass.may_fall_back { 0.2 } else { 0.0 });
        params.set_max_tokens(16 + (secs * MAX_TOKENS_A_SECOND) as i32);
        params.set_print_special(false);
        params.set_print_progress(false);
        params.set_print_realtime(false);
        params.set_print_timestamps(false);
        // The library's safe form of this callback reads its closure as the wrong type.
        //
        // SAFETY: `stop` outlives the call to `full` below, the only place that calls back, and is only read.
        unsafe {
            params.set_abort_callback(Some(is_called_off));
            params.set_abort_callback_user_data(std::ptr::from_ref(stop).cast_mut().cast());
        }
        let began = Instant::now();
        let outcome = self.state.full(params, samples);
        if stop.is_cancelled() {
            return Err(TranscribeError::Stopped);
        }
        outcome.map_err(engine_error)?;
        self.threads.note(pass.positions, began.elapsed());
        Ok(self.segments())
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

struct Pass {
    positions: usize,
    may_fall_back: bool,
}

/// Called by ggml between the steps of a decoding; `true` ends it.
unsafe extern "C" fn is_called_off(stop: *mut c_void) -> bool {
    // SAFETY: `run` passes a reference that outlives the decoding.
    let stop = unsafe { &*stop.cast::<CancellationToken>() };
    stop.is_cancelled()
}

fn engine_error(error: whisper_rs::WhisperError) -> TranscribeError {
    TranscribeError::Engine { reason: error.to_string() }
}

/// Encoder positions for so many samples: enough for the sound, never so few that words break.
fn positions_for(samples: usize) -> usize {
    let own = (samples as f64 / f64::from(SAMPLE_RATE_HZ) * POSITIONS_A_SECOND).ceil() as usize;
    (own + CONTEXT_MARGIN).max(CONTEXT_FLOOR).next_multiple_of(CONTEXT_STEP).min(FULL_CONTEXT)
}

fn are_sure(segments: &[RecognisedSegment]) -> bool {
    !segments.is_empty()
        && segments.iter().all(|segment| segment.avg_logprob.is_some_and(|logprob| logprob >= SURE_OF_WORDS))
}

/// The language of an utterance: the likeliest if we can be sure, else the one spoken before if it is possible at
/// all. Short commands in one language often look a little like another.
fn settle_language(
    likelihoods: impl Iterator<Item = (Language, f32)>,
    before: Option<&Language>,
) -> Option<Language> {
    let mut best: Option<(Language, f32)> = None;
    let mut likelihood_of_before = 0.0;
    for (language, likelihood) in likelihoods {
        if before == Some(&language) {
            likelihood_of_before = likelihood;
        }
        if best.as_ref().is_none_or(|(_, other)| likelihood > *other) {
            best = Some((language, likelihood));
        }
    }
    let (best, likelihood) = best?;
    let keep_before = likelihood < SURE_OF_LANGUAGE && likelihood_of_before >= LIKELY_ENOUGH;
    if keep_before { before.cloned() } else { Some(best) }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::short_commands_get_the_floor(1.0, 512)]
    #[case::the_margin_counts_from_eight_seconds(8.0, 576)]
    #[case::never_beyond_full(40.0, 1500)]
    fn cuts_the_encoder_to_the_sound(#[case] secs: f64, #[case] expected: usize) {
        assert_eq!(positions_for((secs * f64::from(SAMPLE_RATE_HZ)) as usize), expected);
    }

    #[rstest]
    #[case::sure(&[("de", 0.9), ("en", 0.05)], Some("en"), Some("de"))]
    #[case::unsure_keeps_what_was_spoken(&[("nl", 0.5), ("en", 0.3)], Some("en"), Some("en"))]
    #[case::unless_that_is_impossible(&[("nl", 0.5), ("en", 0.01)], Some("en"), Some("nl"))]
    #[case::nothing_before(&[("nl", 0.5)], None, Some("nl"))]
    #[case::nothing_detected(&[], Some("en"), None)]
    fn settles_on_a_language(
        #[case] likelihoods: &[(&str, f32)],
        #[case] before: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        let before = before.and_then(Language::new);
        let likelihoods = likelihoods.iter().map(|(code, p)| (Language::new(code).unwrap(), *p));

        assert_eq!(settle_language(likelihoods, before.as_ref()), expected.and_then(Language::new));
    }

    #[test]
    fn a_missing_model_says_where_it_was_looked_for() {
        let model = PathBuf::from("/nowhere/ggml-base-q8_0.bin");
        let whisper = Whisper::new(WhisperConfig { model, threads: 1, likely_language: None });

        let error = whisper.warm_up().unwrap_err();

        assert_eq!(error.to_string(), "the speech model is not installed at /nowhere/ggml-base-q8_0.bin");
    }
}
