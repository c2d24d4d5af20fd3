//! Measures how many orders reach the assistant: recordings go through voice activity, whisper and the rules of
//! listening.
//!
//! Run by `cargo xtask bench listening`. Without folders of recordings it speaks its own sentences with every voice that
//! is installed and with `espeak-ng`. An order counts as reached when it became a query, or when the name alone was heard.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where"
)]

mod clips;
mod pipeline;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hearing::{SpeechToText, Whisper, WhisperConfig, threads_for_this_machine};
use settings::Folders;

use self::pipeline::Outcome;

/// The time of a pass over a short order on two free cores.
const QUICK_PASS: Duration = Duration::from_millis(300);

/// The choice of a measurement.
#[derive(Default)]
struct Options {
    /// Recordings that contain the name.
    wake: Option<PathBuf>,
    /// Recordings that do not.
    other: Option<PathBuf>,
    /// Level of the speech above white noise, in decibels, measured beside the clean recordings.
    noise_db: Option<f64>,
    /// The recogniser is not told the name: shows what telling it brings.
    hides_name: bool,
    /// Only every clip of this distance is measured.
    every: usize,
    /// The time of a recognition pass, in sound.
    pass: Duration,
    /// Every clip is printed, not only those that went wrong.
    prints_all: bool,
}

impl Options {
    fn from_arguments(arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self { every: 1, pass: QUICK_PASS, ..Self::default() };
        let mut arguments = arguments.skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--wake" => options.wake = arguments.next().map(PathBuf::from),
                "--other" => options.other = arguments.next().map(PathBuf::from),
                "--noise" => {
                    options.noise_db = arguments.next().map(|db| db.parse().expect("--noise takes a number"))
                }
                "--hide-name" => options.hides_name = true,
                "--every" => {
                    options.every = arguments.next().map_or(1, |n| n.parse().expect("--every takes a number"))
                }
                "--pass" => {
                    let millis = arguments.next().map(|ms| ms.parse().expect("--pass takes milliseconds"));
                    options.pass = millis.map_or(QUICK_PASS, Duration::from_millis);
                }
                "--all" => options.prints_all = true,
                // Cargo adds arguments of its own.
                _ => {}
            }
        }
        options
    }
}

fn main() {
    let options = Options::from_arguments(std::env::args());
    let folder = std::env::var_os("JARVIS_MODELS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Folders::of_this_user().unwrap().models);
    let model = folder.join("speech/ggml-base-q8_0.bin");
    assert!(model.is_file(), "{} is missing: run `cargo xtask models`", model.display());
    let config = WhisperConfig { model, threads: threads_for_this_machine(), likely_language: None };
    let engine: Arc<dyn SpeechToText> = Arc::new(Whisper::new(config));
    engine.warm_up().unwrap();
    let (wake, other) = match (&options.wake, &options.other) {
        (None, None) => {
            (clips::orders(&folder, options.every.max(1)), clips::talk(&folder, options.every.max(1)))
        }
        (wake, other) => (clips::of_folder(wake.as_deref()), clips::of_folder(other.as_deref())),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for noise_db in [None, options.noise_db].into_iter().take(if options.noise_db.is_some() { 2 } else { 1 })
    {
        let condition = noise_db.map_or("clean".to_owned(), |db| format!("{db} dB of noise"));
        for (kind, clips, is_wanted) in [("with the name", &wake, true), ("without the name", &other, false)]
        {
            let mut reached = 0;
            let mut silent = 0;
            for clip in clips {
                let outcome = runtime.block_on(pipeline::hear(
                    Arc::clone(&engine),
                    &clip.with_noise(noise_db),
                    !options.hides_name,
                    options.pass,
                ));
                reached += usize::from(outcome.is_directed());
                silent += usize::from(outcome == Outcome::Nothing);
                if options.prints_all || outcome.is_directed() != is_wanted {
                    println!("  {condition}: {} -> {outcome}", clip.name);
                }
            }
            println!("{kind}, {condition}: {reached} of {} directed, {silent} not heard", clips.len());
        }
    }
}
