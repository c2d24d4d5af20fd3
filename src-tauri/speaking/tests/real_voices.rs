//! The voice of the system, and the neural voices with their models.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which show what they measured"
)]

use std::time::{Duration, Instant};

use speaking::{SystemVoice, TextToSpeech, VoiceError};
use tokio_util::sync::CancellationToken;
use vocabulary::energy_rms;

const SENTENCE: &str = "Tomorrow in Leeds it will be 18°C, with a 40% chance of rain.";

fn spoken(voice: &dyn TextToSpeech, text: &str, speed: f32) -> Duration {
    let began = Instant::now();
    let speech = voice.synthesise(text, speed, &CancellationToken::new()).unwrap();
    println!("{}: {:?} for {:?}", voice.name(), began.elapsed(), speech.duration());
    if !speech.samples.is_empty() {
        assert!(energy_rms(&speech.samples) > 0.01, "it is too quiet to be heard");
        let first = speech.samples.iter().position(|s| s.abs() > 0.01).unwrap();
        let delay = Duration::from_secs_f64(first as f64 / f64::from(speech.rate_hz));
        assert!(delay < Duration::from_millis(120), "{delay:?} of silence in front");
    }
    speech.duration()
}

/// The requirements for every voice.
fn check_voice(voice: &dyn TextToSpeech) {
    let usual = spoken(voice, SENTENCE, 1.0);
    let fast = spoken(voice, SENTENCE, 2.0);

    assert!((2.5..9.0).contains(&usual.as_secs_f32()), "{usual:?}");
    assert!((0.35..0.75).contains(&(fast.as_secs_f32() / usual.as_secs_f32())), "{fast:?} of {usual:?}");
    assert!(spoken(voice, "Yes.", 1.0) > Duration::from_millis(100));
    for odd in ["", " ... ", "☃ {} [[", "你好", "-v --help", "e\u{301}\u{0}\u{7}x"] {
        let speech = voice.synthesise(odd, 1.0, &CancellationToken::new());
        assert!(speech.is_ok(), "{odd:?}: {speech:?}");
    }
    let stopped = CancellationToken::new();
    stopped.cancel();
    assert!(matches!(voice.synthesise(SENTENCE, 1.0, &stopped), Err(VoiceError::Stopped)));
}

#[test]
fn system_voice_meets_the_requirements_for_voices() {
    check_voice(&SystemVoice::new("en"));
}

/// Runs the ignored test with this name in a process without any program on its PATH.
fn run_without_programs(test: &str) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored"])
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn system_voice_without_its_program_names_the_program() {
    run_without_programs("inside_system_voice_without_its_program");
}

#[test]
#[ignore = "run by its parent test"]
fn inside_system_voice_without_its_program() {
    let refused = SystemVoice::new("en").synthesise("Yes.", 1.0, &CancellationToken::new()).unwrap_err();

    assert!(matches!(&refused, VoiceError::ProgramMissing { program } if program == "espeak-ng"));
    assert!(refused.remedy().contains("espeak-ng"), "{}", refused.remedy());
}

#[cfg(feature = "neural")]
mod neural {
    use std::path::PathBuf;
    use std::sync::{Arc, mpsc};

    use audio::{Pace, WavLoudspeaker, read_wav};
    use models::{Machine, ModelStore};
    use rstest::rstest;
    use speaking::{InstalledVoices, Piper, PiperFiles, SpeakingConfig, SpeechQueue, SpeechReport, Voices};
    use vocabulary::{ReplyId, SpeechEvent};

    use super::*;

    fn voices() -> InstalledVoices {
        InstalledVoices::new(ModelStore::with_default_settings().unwrap(), Machine::this(), 1)
    }

    fn load(id: &str) -> Arc<dyn TextToSpeech> {
        let loaded = voices().load(id);
        loaded.unwrap_or_else(|e| panic!("{e}: fetch the test models with `cargo xtask models`"))
    }

    #[rstest]
    #[case::piper("en_US-joe-medium")]
    #[case::kokoro_british("kokoro-bm_george")]
    fn neural_voice_meets_the_requirements_for_voices(#[case] id: &str) {
        check_voice(load(id).as_ref());
    }

    #[test]
    fn auto_means_the_best_installed_neural_voice() {
        let best = voices().installed();

        assert!(!best.is_empty(), "fetch the test models with `cargo xtask models`");
        assert_eq!(load("auto").name(), best[0].label);
    }

    #[test]
    fn stop_ends_a_running_network() {
        let voice = load("kokoro-bm_george");
        let sentence = "The quick brown fox jumps over the lazy dog, and then it does so again. ";
        let stop = CancellationToken::new();
        let began = Instant::now();
        voice.synthesise(sentence, 1.0, &stop).unwrap();
        let one_sentence = began.elapsed();
        let long = sentence.repeat(6);
        let (done, is_done) = mpsc::channel();
        std::thread::spawn({
            let stop = stop.clone();
            move || done.send(voice.synthesise(&long, 1.0, &stop))
        });
        let early = is_done.recv_timeout(one_sentence / 2);
        assert!(early.is_err(), "the synthesis ended before it could be stopped");

        stop.cancel();
        let stopped_at = Instant::now();
        let ended = is_done.recv().unwrap();

        let took = stopped_at.elapsed();
        assert!(matches!(ended, Err(VoiceError::Stopped)));
        // The rest would take more than five times as long as one sentence, however busy the machine is.
        assert!(took < 3 * one_sentence, "took {took:?} beside {one_sentence:?} for one sentence");
    }

    #[test]
    fn error_for_a_damaged_network_contains_its_path() {
        let store = ModelStore::with_default_settings().unwrap();
        let files = store.paths_of("en_US-joe-medium").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let network = folder.path().join("broken.onnx");
        std::fs::write(&network, "no network at all").unwrap();
        let library = store.folder().join("runtime").join("libonnxruntime.so");

        let refused =
            Piper::load("x", &PiperFiles { library, network, configuration: files[1].clone() }, 1).err();

        let trouble = refused.unwrap().trouble();
        assert!(trouble.message.contains("broken.onnx"), "{trouble}");
    }

    #[test]
    fn error_for_a_missing_runtime_contains_its_path() {
        let files = ModelStore::with_default_settings().unwrap().paths_of("en_US-joe-medium").unwrap();
        run_without_runtime(files);
    }

    /// Runs the test in its own process, because a process loads the runtime only once.
    fn run_without_runtime(files: Vec<PathBuf>) {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["neural::inside_a_voice_without_its_runtime", "--exact", "--ignored"])
            .env("JARVIS_TEST_NETWORK", &files[0])
            .env("JARVIS_TEST_CONFIGURATION", &files[1])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn inside_a_voice_without_its_runtime() {
        let named = |name| PathBuf::from(std::env::var_os(name).unwrap());
        let files = PiperFiles {
            library: "/nowhere/libonnxruntime.so".into(),
            network: named("JARVIS_TEST_NETWORK"),
            configuration: named("JARVIS_TEST_CONFIGURATION"),
        };

        let refused = Piper::load("x", &files, 1).err().unwrap();

        assert!(refused.to_string().contains("/nowhere/libonnxruntime.so"), "{refused}");
    }

    #[tokio::test]
    async fn reply_in_a_sound_file_has_the_reported_duration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer.wav");
        let speaker = Arc::new(WavLoudspeaker::create(&path, Pace::Unlimited).unwrap());
        let (queue, handle, mut reports) =
            SpeechQueue::new(speaker, Arc::new(voices()), SpeakingConfig::default());
        let stop = CancellationToken::new();
        let task = tokio::spawn(queue.run(stop.clone()));

        for sentence in ["It is twenty past four.", "Rain is expected, so take a coat with you."] {
            handle.say(ReplyId(1), sentence.to_owned(), None).await;
        }
        handle.finish(ReplyId(1)).await;
        handle.until_silent().await;
        stop.cancel();
        task.await.unwrap();

        let mut reported = Duration::ZERO;
        let mut is_finished = false;
        while let Ok(report) = reports.try_recv() {
            match report {
                SpeechReport::Speech(SpeechEvent::Sentence { lasts, .. }) => reported += lasts,
                SpeechReport::Speech(SpeechEvent::Finished { .. }) => is_finished = true,
                SpeechReport::Trouble(trouble) => panic!("{trouble}"),
                _ => {}
            }
        }
        let (samples, rate_hz) = read_wav(&path).unwrap();
        let heard = Duration::from_secs_f64(samples.len() as f64 / f64::from(rate_hz));
        assert!(is_finished);
        assert!(
            heard.abs_diff(reported) < Duration::from_millis(450),
            "{heard:?} heard, {reported:?} reported"
        );
        assert!(reported > Duration::from_secs(3), "{reported:?}");
    }
}
