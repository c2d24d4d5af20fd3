//! Recognition of the same words with nothing beside it. It says how fast this machine is: the path from speech to sound can be
//! compared with another day's only in relation to it.

use std::time::Instant;

use hearing::{DecodeEffort, DecodeRequest, SpeechToText, Whisper, WhisperConfig, threads_for_this_machine};
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use crate::turns::models;
use crate::{Figures, percentile};

/// Notes the time of one pass of Whisper base over each question, and the wait for the words in such passes.
///
/// `sounds` are the questions at 16 kHz, `tails` the milliseconds from their ends to their words.
pub fn note(figures: &mut Figures, sounds: &[Vec<f32>], tails: &[f64]) {
    let whisper = Whisper::new(WhisperConfig {
        model: models().join("speech/ggml-base-q8_0.bin"),
        threads: threads_for_this_machine(),
        likely_language: Language::new("en"),
    });
    whisper.warm_up().expect("the model is installed: run `cargo xtask models`");
    let request = DecodeRequest {
        language: Language::new("en"),
        name: Some("jarvis".to_owned()),
        effort: DecodeEffort::Final,
    };
    let passes: Vec<f64> = sounds
        .iter()
        .map(|sound| {
            let began = Instant::now();
            whisper.transcribe(sound, &request, &CancellationToken::new()).unwrap();
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    figures.note_spread("one pass of Whisper base with nothing beside it", &passes);
    if !tails.is_empty() {
        let ratio = percentile(tails, 0.5) / percentile(&passes, 0.5);
        figures.note("recognition tail, in such passes", ratio);
    }
}
