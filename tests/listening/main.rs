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
mod noise;
mod pipeline;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hearing::{
    KeywordSpotter, Moonshine, MoonshineConfig, PhonemeSpotter, PhonemeSpotterFiles, SpeechToText, Whisper,
    WhisperConfig, threads_for_this_machine,
};
use settings::Folders;
use testkit::cpu_time;
use vocabulary::{Language, SAMPLE_RATE_HZ};

use self::noise::Noise;
use self::pipeline::{CountedSpotter, Heard, Outcome, Parts, Timed};

/// The time of a pass over a short order on two free cores.
const QUICK_PASS: Duration = Duration::from_millis(300);

/// The choice of a measurement.
#[derive(Default)]
struct Options {
    /// Recordings that contain the name.
    wake: Option<PathBuf>,
    /// Recordings that do not.
    other: Option<PathBuf>,
    /// Level of the speech above the noise, in decibels, measured beside the clean recordings.
    noise_db: Option<f64>,
    /// `white`, `babble` or `music`.
    noise_kind: Option<String>,
    /// Recordings that sound as noise in place of that.
    noise_from: Option<PathBuf>,
    /// The number of these recordings that sound at once.
    layers: usize,
    /// The recogniser is not told the name: shows what telling it brings.
    hides_name: bool,
    /// Only every clip of this distance is measured.
    every: usize,
    /// The time of a recognition pass, in sound.
    pass: Duration,
    /// Every clip is printed, not only those that went wrong.
    prints_all: bool,
    /// Moonshine tiny recognises in place of Whisper base.
    uses_moonshine: bool,
    /// The first stage looks for the name in sound.
    looks_for_name: bool,
}

impl Options {
    fn from_arguments(arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self { every: 1, layers: 1, pass: QUICK_PASS, ..Self::default() };
        let mut arguments = arguments.skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--wake" => options.wake = arguments.next().map(PathBuf::from),
                "--other" => options.other = arguments.next().map(PathBuf::from),
                "--noise" => {
                    options.noise_db = arguments.next().map(|db| db.parse().expect("--noise takes a number"))
                }
                "--noise-kind" => options.noise_kind = arguments.next(),
                "--noise-from" => options.noise_from = arguments.next().map(PathBuf::from),
                "--layers" => {
                    options.layers =
                        arguments.next().map_or(1, |n| n.parse().expect("--layers takes a number"))
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
                "--moonshine" => options.uses_moonshine = true,
                "--name-in-sound" => options.looks_for_name = true,
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
    let folder = folder.unwrap_or_else(|| Folders::from_environment().unwrap().models);
    let engine = Arc::new(Timed::new(engine(&folder, options.uses_moonshine)));
    engine.warm_up().unwrap();
    let spotter = options.looks_for_name.then(|| Arc::new(CountedSpotter::new(spotter(&folder))));
    let parts = Parts {
        engine: engine.clone(),
        keyword_spotter: spotter.clone().map(|spotter| spotter as Arc<dyn KeywordSpotter>),
        knows_name: !options.hides_name,
        pass: options.pass,
    };
    let (wake, other) = match (&options.wake, &options.other) {
        (None, None) => {
            (clips::orders(&folder, options.every.max(1)), clips::talk(&folder, options.every.max(1)))
        }
        (wake, other) => (clips::in_folder(wake.as_deref()), clips::in_folder(other.as_deref())),
    };
    let noise = noise(&options, &folder);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for noise_db in [None, options.noise_db].into_iter().take(if options.noise_db.is_some() { 2 } else { 1 })
    {
        let condition = noise_db.map_or("clean".to_owned(), |db| format!("{db} dB of noise"));
        for (kind, clips, is_wanted) in [("with the name", &wake, true), ("without the name", &other, false)]
        {
            let mut counts = Counts::default();
            let began = cpu_time(std::process::id());
            for (number, clip) in clips.iter().enumerate() {
                let samples = clip.with_noise(&noise, noise_db, number);
                let before = engine.passes();
                let heard = runtime.block_on(pipeline::hear(parts.clone(), &samples));
                counts.decoded += usize::from(engine.passes() > before);
                counts.add(&heard, &samples);
                if options.prints_all || heard.outcome.is_directed() != is_wanted {
                    println!("  {condition}: {} -> {}", clip.name, heard.outcome);
                }
            }
            let work = cpu_time(std::process::id()).zip(began).map(|(now, began)| now - began);
            counts.print(&format!("{kind}, {condition}"), clips.len(), work, &engine.take_final_passes());
            if let Some(spotter) = &spotter {
                print_first_stage(spotter, &counts);
            }
        }
    }
}

fn noise(options: &Options, models: &Path) -> Noise {
    if let Some(folder) = &options.noise_from {
        return Noise::from_folder(folder, options.layers);
    }
    match options.noise_kind.as_deref() {
        None | Some("white") => Noise::White,
        Some("babble") => Noise::of_crowd(&clips::talk(models, 1)),
        Some("music") => Noise::of_music(),
        Some(other) => panic!("--noise-kind takes white, babble or music, not {other}"),
    }
}

/// The outcomes of some clips, counted.
#[derive(Default)]
struct Counts {
    directed: usize,
    silent: usize,
    cut_off: usize,
    /// Clips of which something was decoded.
    decoded: usize,
    sound: Duration,
}

impl Counts {
    fn add(&mut self, heard: &Heard, samples: &[f32]) {
        self.directed += usize::from(heard.outcome.is_directed());
        self.silent += usize::from(heard.outcome == Outcome::Nothing);
        self.cut_off += usize::from(heard.pieces > 1);
        self.sound += Duration::from_secs_f64(samples.len() as f64 / f64::from(SAMPLE_RATE_HZ));
    }

    /// `work` is the processor time that the clips took, `passes` the times of the final passes, the shortest first.
    fn print(&self, label: &str, clips: usize, work: Option<Duration>, passes: &[Duration]) {
        let Self { directed, silent, cut_off, sound, .. } = self;
        println!("{label}: {directed} of {clips} directed, {silent} not heard, {cut_off} in several pieces");
        let at = |share: f64| {
            let index = ((passes.len() as f64 * share) as usize).min(passes.len().saturating_sub(1));
            passes.get(index).map_or(0, Duration::as_millis)
        };
        let share = work.unwrap_or_default().as_secs_f64() / sound.as_secs_f64().max(1.0) * 100.0;
        println!(
            "  final pass p50 {} ms, p95 {} ms; {share:.1} % of a core over {:.0} s of sound",
            at(0.5),
            at(0.95),
            sound.as_secs_f64()
        );
    }
}

/// The clips in which the name was spotted, and the work of looking for it since the last call.
fn print_first_stage(spotter: &CountedSpotter, counts: &Counts) {
    let (searches, micros) =
        (spotter.searches.swap(0, Ordering::Relaxed), spotter.micros.swap(0, Ordering::Relaxed));
    let (secs, decoded) = (counts.sound.as_secs_f64().max(1.0), counts.decoded);
    println!(
        "  first stage: {decoded} clips decoded ({:.0} an hour); {searches} searches, {:.1} ms for each second of sound",
        decoded as f64 / secs * 3600.0,
        micros as f64 / 1000.0 / secs
    );
}

fn spotter(folder: &Path) -> Arc<dyn KeywordSpotter> {
    let file = |name: &str| folder.join("speech/hama").join(name);
    Arc::new(PhonemeSpotter::new(PhonemeSpotterFiles {
        library: folder.join("runtime/libonnxruntime.so"),
        recogniser: file("asr_waveform_fp16.onnx"),
        encoder: file("encoder.onnx"),
        decoder: file("decoder_step.onnx"),
        vocabulary: file("g2p_vocab.json"),
    }))
}

fn engine(folder: &Path, is_moonshine: bool) -> Arc<dyn SpeechToText> {
    let file = |name: &str| {
        let file = folder.join(name);
        assert!(file.is_file(), "{} is missing: run `cargo xtask models`", file.display());
        file
    };
    if is_moonshine {
        return Arc::new(Moonshine::new(MoonshineConfig {
            library: file("runtime/libonnxruntime.so"),
            encoder: file("speech/moonshine-tiny-en/encoder_model.ort"),
            decoder: file("speech/moonshine-tiny-en/decoder_model_merged.ort"),
            vocabulary: file("speech/moonshine-tiny-en/tokenizer.bin"),
            threads: 1,
            language: Language::new("en"),
        }));
    }
    let model = file("speech/ggml-base-q8_0.bin");
    Arc::new(Whisper::new(WhisperConfig {
        model,
        threads: threads_for_this_machine(),
        likely_language: None,
    }))
}
