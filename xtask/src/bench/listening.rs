//! `cargo xtask bench listening`: how many orders reach the assistant.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::models::{self, Set};
use crate::process::{cargo_for_this_machine, run};
use crate::system;
use crate::terminal::step;

/// The share of recordings with the name that reach the assistant, and of those without it.
///
/// Without folders it speaks sentences of its own with every installed voice and with espeak-ng. Clips that go wrong are
/// printed with what was heard.
#[derive(Args)]
pub struct Listening {
    /// Folder of WAV files that contain the name and an order
    #[arg(long, value_name = "DIR")]
    wake: Option<PathBuf>,
    /// Folder of WAV files that do not contain the name
    #[arg(long, value_name = "DIR")]
    other: Option<PathBuf>,
    /// Measure again with noise this many decibels below the speech
    #[arg(long, value_name = "DB", allow_negative_numbers = true)]
    noise: Option<f64>,
    /// The noise: white, babble of the voices that speak the sentences, or music made by code
    #[arg(long, value_enum, requires = "noise", default_value = "white")]
    noise_kind: NoiseKind,
    /// Folder of WAV files that sound as noise in place of that, such as music, or people
    #[arg(long, value_name = "DIR", requires = "noise", conflicts_with = "noise_kind")]
    noise_from: Option<PathBuf>,
    /// The number of these recordings that sound at once: six are a crowd
    #[arg(long, value_name = "N", requires = "noise_from")]
    layers: Option<usize>,
    /// Do not tell the recogniser the name, to see what telling it brings
    #[arg(long)]
    hide_name: bool,
    /// Measure only every clip of this distance, for a quick look
    #[arg(long, value_name = "N")]
    every: Option<usize>,
    /// Let a recognition pass take this many milliseconds of sound: 300 on two free cores, more on a slow machine
    #[arg(long, value_name = "MS")]
    pass: Option<u64>,
    /// Print every clip
    #[arg(long)]
    all: bool,
    /// Recognise with Moonshine tiny in place of Whisper base
    #[arg(long)]
    moonshine: bool,
    /// Look for the name in sound first, and recognise only clips in which it was spotted
    #[arg(long)]
    name_in_sound: bool,
    /// Measure the end of turns instead, over the WAV files of a folder with a transcript beside each (.txt, with
    /// punctuation), or over sentences of espeak-ng
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    end_of_turn: Option<Option<PathBuf>>,
    /// Install and download without asking
    #[arg(long)]
    yes: bool,
}

/// The noise beside the speech.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum NoiseKind {
    White,
    Babble,
    Music,
}

impl NoiseKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Babble => "babble",
            Self::Music => "music",
        }
    }
}

impl Listening {
    /// Builds and measures. Takes some minutes.
    ///
    /// # Errors
    ///
    /// A step failed.
    pub fn run(self) -> anyhow::Result<()> {
        step("system packages", || system::ensure_packages(true, self.yes))?;
        step("models", || models::fetch(Set::Tests, self.yes))?;
        if let Some(folder) = &self.end_of_turn {
            return measure_ends_of_turns(folder.as_deref(), self.moonshine);
        }
        // Whisper is compiled with optimisation in every profile, and all else takes milliseconds.
        let mut measure = cargo_for_this_machine(&[
            "bench",
            "--profile",
            "dev",
            "--workspace",
            "--bench",
            "listening",
            "--",
        ]);
        measure.env("JARVIS_MODELS", models::folder()?);
        let folders = [("--wake", self.wake), ("--other", self.other), ("--noise-from", self.noise_from)];
        for (name, folder) in folders {
            if let Some(folder) = folder {
                // Cargo runs it in another folder, so the path is made absolute.
                measure.arg(name).arg(std::path::absolute(folder)?);
            }
        }
        let values = [
            ("--noise", self.noise.map(|db| db.to_string())),
            ("--noise-kind", self.noise.map(|_| self.noise_kind.as_str().to_owned())),
            ("--layers", self.layers.map(|layers| layers.to_string())),
            ("--every", self.every.map(|distance| distance.to_string())),
            ("--pass", self.pass.map(|millis| millis.to_string())),
        ];
        for (name, value) in values.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            measure.arg(name).arg(value);
        }
        measure.args(self.hide_name.then_some("--hide-name"));
        measure.args(self.all.then_some("--all"));
        measure.args(self.moonshine.then_some("--moonshine"));
        measure.args(self.name_in_sound.then_some("--name-in-sound"));
        step("measure", || run(&mut measure))
    }
}

fn measure_ends_of_turns(folder: Option<&Path>, is_moonshine: bool) -> anyhow::Result<()> {
    let features = "moonshine,smart_turn,whisper";
    let mut measure = cargo_for_this_machine(&[
        "bench",
        "--profile",
        "dev",
        "--package",
        "hearing",
        "--features",
        features,
        "--bench",
        "end_of_turn",
        "--",
    ]);
    measure.env("JARVIS_MODELS", models::folder()?);
    // Cargo runs it in another folder, so the path is made absolute.
    measure.args(folder.map(std::path::absolute).transpose()?);
    measure.args(is_moonshine.then_some("--moonshine"));
    step("measure", || run(&mut measure))
}
