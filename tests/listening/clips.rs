//! The clips that are played: recordings of a folder, or sentences spoken by every voice there is.

use std::path::Path;
use std::process::Command;

use models::{Machine, ModelStore};
use speaking::{InstalledVoices, Voices};
use tokio_util::sync::CancellationToken;

use crate::noise::{Noise, root_mean_square};

/// Orders, with the name first, last and in the middle.
const ORDERS: [&str; 12] = [
    "Jarvis, what time is it?",
    "Jarvis, turn off the light in the kitchen.",
    "Jarvis, set a timer for ten minutes.",
    "Jarvis, how warm will it be tomorrow?",
    "Jarvis, play some quiet music.",
    "Jarvis, read me the news of today.",
    "Jarvis, remind me to call my sister.",
    "Jarvis, stop.",
    "What is the capital of Norway, Jarvis?",
    "Could you make it a little louder, Jarvis?",
    "Good morning Jarvis, what is in my calendar?",
    "I think, Jarvis, we should leave at nine.",
];

/// Talk that is not meant for the assistant, some of it with words like the name.
const TALK: [&str; 12] = [
    "What time is it?",
    "Charles has left the house this morning.",
    "The service was excellent, as always.",
    "Travis and Harvey are coming for dinner.",
    "Could you pass me the salt, please?",
    "The job is done, and the garden is finished.",
    "There is a harvest festival in the village.",
    "We should leave at nine to catch the train.",
    "The car was parked behind the old church.",
    "She said that it would rain tomorrow.",
    "I have never seen such a large cat.",
    "Turn left at the second traffic light.",
];

/// Voices of `espeak-ng`.
const ESPEAK_VOICES: [&str; 6] = ["en-gb", "en-us", "en-gb-scotland", "en-gb-x-rp", "en-us+f3", "en-gb+m3"];

/// A piece of speech.
pub struct Clip {
    /// The voice and the sentence, or the file.
    pub name: String,
    /// Empty for a file, whose speaker is not known.
    voice: String,
    /// 16 kHz mono, without silence around it.
    samples: Vec<f32>,
}

impl Clip {
    /// The id of the voice; empty for a file.
    pub fn voice(&self) -> &str {
        &self.voice
    }

    /// The speech, 16 kHz mono.
    pub fn samples(&self) -> &[f32] {
        &self.samples
    }

    /// The speech between two stretches of silence, with noise of this distance in decibels. `seed` chooses the noise.
    pub fn with_noise(&self, noise: &Noise, noise_db: Option<f64>, seed: usize) -> Vec<f32> {
        let silence = |secs: f64| vec![0.0_f32; (secs * 16_000.0) as usize];
        let mut samples = [silence(0.6), self.samples.clone(), silence(1.6)].concat();
        let level = noise_db.map_or(0.0, |db| root_mean_square(&self.samples) / 10_f64.powf(db / 20.0));
        noise.add_to(&mut samples, level, seed, &self.voice);
        samples
    }
}

/// Every WAV file of a folder.
pub fn in_folder(folder: Option<&Path>) -> Vec<Clip> {
    let Some(folder) = folder else { return Vec::new() };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wav")));
    files.sort();
    let clips = files.iter().map(|file| {
        let (samples, rate_hz) = audio::read_wav(file).unwrap();
        Clip {
            name: file.file_name().unwrap().to_string_lossy().into_owned(),
            voice: String::new(),
            samples: to_16_khz(&samples, rate_hz),
        }
    });
    clips.collect()
}

/// Orders with the name, by every voice; only every one of that distance.
pub fn orders(models: &Path, every: usize) -> Vec<Clip> {
    spoken(models, &ORDERS, every)
}

/// Talk without the name, by every voice; only every one of that distance.
pub fn talk(models: &Path, every: usize) -> Vec<Clip> {
    spoken(models, &TALK, every)
}

fn spoken(models: &Path, sentences: &[&str], every: usize) -> Vec<Clip> {
    let mut counted = 0..;
    let mut is_measured = || counted.next().is_some_and(|n: usize| n.is_multiple_of(every));
    let voices = InstalledVoices::new(ModelStore::new(models), Machine::this(), 2);
    let mut clips = Vec::new();
    for entry in voices.installed() {
        let voice = voices.load(&entry.id).unwrap();
        for sentence in sentences.iter().filter(|_| is_measured()) {
            let speech = voice.synthesise(sentence, 1.0, &CancellationToken::new()).unwrap();
            let samples = to_16_khz(&speech.samples, speech.rate_hz);
            clips.push(Clip {
                name: format!("{}: {sentence}", entry.id),
                voice: entry.id.to_string(),
                samples,
            });
        }
    }
    for voice in ESPEAK_VOICES {
        for sentence in sentences.iter().filter(|_| is_measured()) {
            // A file, because the header on its standard output has no length.
            let file = tempfile::Builder::new().suffix(".wav").tempfile().unwrap();
            let mut espeak = Command::new("espeak-ng");
            espeak.args(["-v", voice, "-s", "155", "-w"]).arg(file.path()).arg(sentence);
            assert!(espeak.status().expect("espeak-ng is installed").success(), "{voice}: {sentence}");
            let (samples, rate_hz) = audio::read_wav(file.path()).unwrap();
            clips.push(Clip {
                name: format!("{voice}: {sentence}"),
                voice: voice.to_owned(),
                samples: to_16_khz(&samples, rate_hz),
            });
        }
    }
    clips
}

fn to_16_khz(samples: &[f32], rate_hz: u32) -> Vec<f32> {
    let step = f64::from(rate_hz) / 16_000.0;
    // Between two samples, because picking the nearest one distorts the speech.
    let sample_at = |place: f64| {
        let (before, share) = (place as usize, place.fract() as f32);
        samples[before] * (1.0 - share) + samples[(before + 1).min(samples.len() - 1)] * share
    };
    (0..(samples.len() as f64 / step) as usize).map(|i| sample_at(i as f64 * step)).collect()
}
