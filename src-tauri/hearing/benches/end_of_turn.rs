//! The end of a turn in the terms of eot-bench: how often a pause inside a sentence ends it, and how long a user waits.
//!
//! `cargo bench -p hearing --features moonshine,smart_turn,whisper --bench end_of_turn -- DIR…` takes WAV files with a
//! transcript beside each (`.txt`, with punctuation); without a folder, espeak-ng speaks. Every other sentence
//! belongs to the half that chooses the marks of the vote, and the rest to the half that judges them. `--moonshine` recognises with Moonshine tiny in place of
//! Whisper base, `--all` prints every pause.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where, and shows its figures"
)]

#[path = "end_of_turn/curve.rs"]
mod curve;
#[path = "end_of_turn/pauses.rs"]
mod pauses;
#[path = "end_of_turn/recordings.rs"]
mod recordings;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hearing::{
    Moonshine, MoonshineConfig, SmartTurn, SmartTurnConfig, SpeechToText, Whisper, WhisperConfig,
    threads_for_this_machine,
};
use settings::Folders;
use vocabulary::Language;

use self::curve::{Figures, Policy};
use self::pauses::{Listener, Pause};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let folders: Vec<PathBuf> =
        arguments.iter().filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    let clips = match folders.is_empty() {
        true => recordings::spoken(),
        false => folders.iter().flat_map(|folder| recordings::in_folder(folder)).collect(),
    };
    let listener = listener(!has("--moonshine"));
    let (mut halves, mut sentences): ([Vec<Pause>; 2], usize) = Default::default();
    for (n, clip) in clips.iter().enumerate() {
        let pauses = listener.pauses(clip);
        if has("--all") {
            pauses.iter().for_each(|pause| println!("{n}\t{}\t{pause}", clip.name));
        }
        for pause in pauses {
            let is_end = pause.inside.is_none();
            halves[sentences % 2].push(pause);
            sentences += usize::from(is_end);
        }
    }
    let [choosing, judging] = &halves;
    let chosen = Figures::best(choosing, Policy::candidates());
    let fixed = [Policy::SilenceAlone, Policy::Words, Policy::SoundShortens, Policy::OF_HEARING];
    let policies = fixed.into_iter().chain(chosen.filter(|chosen| *chosen != Policy::OF_HEARING));
    for (half, name) in [(choosing, "that chose"), (judging, "that judges")] {
        println!("half {name}: {}", curve::describe(half));
        for policy in policies.clone() {
            println!("  {policy}\n{}", Figures::new(half, policy));
        }
    }
}

fn listener(is_whisper: bool) -> Listener {
    let folder = std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| Folders::from_environment().unwrap().models, PathBuf::from);
    let library = folder.join("runtime/libonnxruntime.so");
    let moonshine = |name: &str| folder.join("speech/moonshine-tiny-en").join(name);
    // A pass over a short order, and the silence before it. Source: tests/listening/README.md.
    let (recogniser, pass): (Arc<dyn SpeechToText>, _) = match is_whisper {
        true => {
            let model = folder.join("speech/ggml-base-q8_0.bin");
            let likely_language = Language::new("en");
            let config = WhisperConfig { model, threads: threads_for_this_machine(), likely_language };
            (Arc::new(Whisper::new(config)), Duration::from_millis(60 + 340))
        }
        false => {
            let config = MoonshineConfig {
                library: library.clone(),
                encoder: moonshine("encoder_model.ort"),
                decoder: moonshine("decoder_model_merged.ort"),
                vocabulary: moonshine("tokenizer.bin"),
                threads: 1,
                language: Language::new("en"),
            };
            (Arc::new(Moonshine::new(config)), Duration::from_millis(60 + 50))
        }
    };
    let model = folder.join("endpoint/smart-turn-v3.2-cpu.onnx");
    let endpoint = SmartTurn::new(SmartTurnConfig { library, model });
    Listener { recogniser, endpoint, words_known_after: pass }
}
