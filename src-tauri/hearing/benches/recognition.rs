//! The duration of a pass of recognition: the longest part of the time between the end of speech and the answer.
//!
//! Real whisper and real Moonshine on speech made by espeak-ng. Needs the models of `cargo xtask models`.

use std::hint::black_box;
use std::path::PathBuf;
use std::process::Command;

use criterion::{Criterion, criterion_group, criterion_main};
use hearing::{
    DecodeEffort, DecodeRequest, Moonshine, MoonshineConfig, SpeechToText, Whisper, WhisperConfig,
    threads_for_this_machine,
};
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, SAMPLE_RATE_HZ};

/// Speech at 16 kHz, mono.
fn spoken(text: &str) -> Vec<f32> {
    let wav = Command::new("espeak-ng")
        .args(["-v", "en-gb", "-s", "150", "--stdout", text])
        .output()
        .expect("espeak-ng is installed: run `cargo xtask system`")
        .stdout;
    let mut reader = hound::WavReader::new(std::io::Cursor::new(wav)).expect("espeak-ng writes WAV");
    let step = f64::from(reader.spec().sample_rate) / f64::from(SAMPLE_RATE_HZ);
    let samples: Vec<f32> =
        reader.samples::<i16>().map_while(Result::ok).map(|s| f32::from(s) / 32768.0).collect();
    let length = (samples.len() as f64 / step) as usize;
    (0..length).map(|i| samples[(i as f64 * step) as usize]).collect()
}

fn recognition(c: &mut Criterion) {
    let models = std::env::var_os("JARVIS_MODELS").map_or_else(
        || settings::Folders::from_environment().expect("this user has a home").models,
        PathBuf::from,
    );
    let command = spoken("Jarvis, what is the weather like tomorrow?");
    let mut group = c.benchmark_group("recognition of a command");
    group.sample_size(20);
    for threads in [1, threads_for_this_machine()] {
        let whisper = Whisper::new(WhisperConfig {
            model: models.join("speech/ggml-base-q8_0.bin"),
            threads,
            likely_language: Language::new("en"),
        });
        for (name, language) in [("language given", Language::new("en")), ("language detected", None)] {
            let request = DecodeRequest { language, name: None, effort: DecodeEffort::Final };
            group.bench_function(format!("whisper base, {name}, {threads} threads"), |b| {
                b.iter(|| transcribe(&whisper, black_box(&command), &request));
            });
        }
        let moonshine = Moonshine::new(MoonshineConfig {
            library: models.join("runtime/libonnxruntime.so"),
            encoder: models.join("speech/moonshine-tiny-en/encoder_model.ort"),
            decoder: models.join("speech/moonshine-tiny-en/decoder_model_merged.ort"),
            vocabulary: models.join("speech/moonshine-tiny-en/tokenizer.bin"),
            threads,
            language: Language::new("en"),
        });
        let half = &command[..command.len() / 2];
        let request =
            DecodeRequest { language: None, name: Some("jarvis".into()), effort: DecodeEffort::Final };
        // Between two passes over the same words the draft is right, as at the end of an utterance; half of the sound is
        // what was heard a second before.
        group.bench_function(format!("moonshine tiny, all words known before, {threads} threads"), |b| {
            b.iter(|| transcribe(&moonshine, black_box(&command), &request));
        });
        group.bench_function(format!("moonshine tiny, half of it and all, {threads} threads"), |b| {
            b.iter(|| {
                transcribe(&moonshine, black_box(half), &request);
                transcribe(&moonshine, black_box(&command), &request)
            });
        });
    }
    group.finish();
}

fn transcribe(engine: &dyn SpeechToText, samples: &[f32], request: &DecodeRequest) -> usize {
    engine
        .transcribe(samples, request, &CancellationToken::new())
        .map(|words| words.segments.len())
        .expect("the model is installed: run `cargo xtask models`")
}

criterion_group!(benches, recognition);
criterion_main!(benches);
