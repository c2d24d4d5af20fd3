//! The Moonshine recogniser with its real model, on speech made by espeak-ng.
#![cfg(feature = "moonshine")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::PathBuf;
use std::process::Command;

use hearing::{
    DecodeEffort, DecodeRequest, Moonshine, MoonshineConfig, SpeechToText, TranscribeError, Transcription,
};
use models::onnx::ort::value::Tensor;
use models::onnx::{Arena, run_until_stopped, session};
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, SAMPLE_RATE_HZ};

fn models_folder() -> PathBuf {
    std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from)
}

fn config() -> MoonshineConfig {
    let folder = models_folder();
    let file = |name: &str| {
        let file = folder.join("speech/moonshine-tiny-en").join(name);
        assert!(file.is_file(), "{} is missing: run `cargo xtask models`", file.display());
        file
    };
    MoonshineConfig {
        library: folder.join("runtime/libonnxruntime.so"),
        encoder: file("encoder_model.ort"),
        decoder: file("decoder_model_merged.ort"),
        vocabulary: file("tokenizer.bin"),
        threads: 1,
        language: Language::new("en"),
    }
}

/// Speech at 16 kHz, mono, with a little silence around it.
fn spoken(text: &str, voice: &str) -> Vec<f32> {
    let output = Command::new("espeak-ng").args(["-v", voice, "-s", "155", "--stdout", text]).output();
    let wav = output.expect("espeak-ng is installed: run `cargo xtask system`").stdout;
    let mut reader = hound::WavReader::new(std::io::Cursor::new(wav)).unwrap();
    let step = f64::from(reader.spec().sample_rate) / f64::from(SAMPLE_RATE_HZ);
    let samples: Vec<f32> =
        reader.samples::<i16>().map_while(Result::ok).map(|s| f32::from(s) / 32768.0).collect();
    let length = (samples.len() as f64 / step) as usize;
    // Between two samples, because picking the nearest one distorts the speech.
    let sample_at = |place: f64| {
        let (before, share) = (place as usize, place.fract() as f32);
        samples[before] * (1.0 - share) + samples[(before + 1).min(samples.len() - 1)] * share
    };
    let speech = (0..length).map(|i| sample_at(i as f64 * step));
    let silence = || std::iter::repeat_n(0.0, 4000);
    silence().chain(speech).chain(silence()).collect()
}

fn hear(engine: &Moonshine, samples: &[f32], name: Option<&str>, effort: DecodeEffort) -> Transcription {
    let request = DecodeRequest { language: None, name: name.map(str::to_owned), effort };
    engine.transcribe(samples, &request, &CancellationToken::new()).unwrap()
}

fn text_of(words: &Transcription) -> String {
    words.segments.iter().map(|segment| segment.text.as_str()).collect()
}

#[test]
fn question_is_heard_word_for_word() {
    let engine = Moonshine::new(config());
    engine.warm_up().unwrap();

    let heard =
        hear(&engine, &spoken("What time is it in London right now?", "en-gb"), None, DecodeEffort::Final);

    assert_eq!(text_of(&heard), "What time is it in London right now?");
    assert_eq!(heard.language, Language::new("en"));
    let logprob = heard.segments[0].avg_logprob.unwrap();
    assert!((-0.5..=0.0).contains(&logprob), "{logprob}");
}

#[test]
fn words_before_change_no_words_after() {
    let engine = Moonshine::new(config());
    let question = spoken("What is the weather like tomorrow?", "en-gb");
    let fresh = hear(&engine, &question, None, DecodeEffort::Final);

    // As while the user speaks: parts of the same sound, and once another sound.
    hear(&engine, &question[..question.len() / 2], None, DecodeEffort::Partial);
    let after_a_part = hear(&engine, &question, None, DecodeEffort::Final);
    hear(&engine, &spoken("The car was parked behind the church.", "en-gb"), None, DecodeEffort::Partial);
    let after_other_words = hear(&engine, &question, None, DecodeEffort::Final);

    assert_eq!(text_of(&fresh), "What is the weather like tomorrow?");
    assert_eq!(text_of(&after_a_part), text_of(&fresh));
    assert_eq!(text_of(&after_other_words), text_of(&fresh));
}

#[test]
fn name_is_found_where_it_was_said_and_nowhere_else() {
    let engine = Moonshine::new(config());
    for (sentence, is_said) in [
        ("Jarvis, what is in my calendar?", true),
        ("Good morning Jarvis, play some music.", true),
        ("Jarvis, set a timer for ten minutes.", true),
        ("The service was excellent, as always.", false),
        ("Travis and Harvey are coming for dinner.", false),
        ("The job is done, and the garden is finished.", false),
    ] {
        for voice in ["en-gb", "en-us", "en-gb-x-rp"] {
            let heard = hear(&engine, &spoken(sentence, voice), Some("jarvis"), DecodeEffort::Final);

            assert_eq!(text_of(&heard).contains("Jarvis"), is_said, "{voice}: {}", text_of(&heard));
        }
    }
}

#[test]
fn silence_and_a_single_sample_are_no_words() {
    let engine = Moonshine::new(config());
    for samples in [0, 1, 16_000, 16_000 * 29] {
        let heard = hear(&engine, &vec![0.0; samples], Some("jarvis"), DecodeEffort::Final);

        assert!(text_of(&heard).split_whitespace().count() <= 1, "{samples}: {}", text_of(&heard));
        assert!(!text_of(&heard).contains("Jarvis"), "{samples}");
    }
}

#[test]
fn noise_is_no_speech_and_never_the_name() {
    let engine = Moonshine::new(config());
    for level in [0.002, 0.02, 0.1] {
        let noise: Vec<f32> = (0..32_000_u32).map(|i| noise_at(i) * level).collect();

        let heard = hear(&engine, &noise, Some("jarvis"), DecodeEffort::Final);

        assert!(!text_of(&heard).contains("Jarvis"), "{level}: {}", text_of(&heard));
        assert!(
            heard.segments.iter().all(|segment| segment.no_speech_prob == Some(1.0)),
            "{level}: {}",
            text_of(&heard)
        );
    }
}

/// The same noise in every run, from -1 to 1.
fn noise_at(index: u32) -> f32 {
    let mixed = index.wrapping_mul(0x9E37_79B1) ^ (index.wrapping_mul(0x85EB_CA6B) >> 13);
    (mixed.wrapping_mul(0xC2B2_AE35) >> 8) as f32 / (1 << 23) as f32 - 1.0
}

#[test]
fn cancelled_run_of_the_encoder_ends_without_its_output() {
    let MoonshineConfig { library, encoder, .. } = config();
    let mut encoder = session(&library, &encoder, 1, Arena::GivenBack).unwrap();
    // Half a minute takes seconds, so the run cannot end before the stop is seen.
    let length = 30 * SAMPLE_RATE_HZ as usize;
    let mut run = |stop: &CancellationToken| {
        let samples = Tensor::from_array(([1, length], vec![0.0_f32; length])).unwrap();
        let mask = Tensor::from_array(([1, length], vec![1_i64; length])).unwrap();
        let inputs = vec![("input_values", samples.into()), ("attention_mask", mask.into())];
        run_until_stopped(&mut encoder, inputs, stop, |_| ())
    };
    let stop = CancellationToken::new();

    let whole = run(&stop);
    stop.cancel();
    let stopped = run(&stop);

    assert!(whole.is_ok() && stopped.is_err());
}

#[test]
fn cancelled_decoding_stops_and_the_next_one_works() {
    let engine = Moonshine::new(config());
    let request = DecodeRequest { language: None, name: None, effort: DecodeEffort::Final };
    let stop = CancellationToken::new();
    stop.cancel();

    let stopped = engine.transcribe(&spoken("Hello there.", "en-gb"), &request, &stop);

    assert!(matches!(stopped, Err(TranscribeError::Stopped)));
    assert!(!text_of(&hear(&engine, &spoken("Hello there.", "en-gb"), None, DecodeEffort::Final)).is_empty());
}

#[test]
fn missing_and_damaged_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("decoder_model_merged.ort");
    std::fs::write(&broken, b"not a network").unwrap();
    let missing = folder.path().join("tokenizer.bin");

    let damaged = Moonshine::new(MoonshineConfig { decoder: broken.clone(), ..config() }).warm_up();
    let absent = Moonshine::new(MoonshineConfig { vocabulary: missing.clone(), ..config() }).warm_up();

    assert!(matches!(damaged, Err(TranscribeError::ModelDamaged { path }) if path == broken));
    assert!(matches!(absent, Err(TranscribeError::ModelMissing { path }) if path == missing));
}
