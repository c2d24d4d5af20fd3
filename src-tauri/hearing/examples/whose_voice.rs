//! False rates of the comparison of voices, over recordings of many people.
//!
//! `cargo run -p hearing --example whose_voice -- DIR` takes a folder with a folder of WAV files (16 kHz, mono, one sentence each)
//! for each voice. The first three files enrol a voice, the others are judged. Every second voice, by name, chooses the least
//! similarity; the voices between judge it.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use hearing::{CamPlusPlus, SpeakerEmbedder};
use vocabulary::{SAMPLE_RATE_HZ, SpeakerEmbedding};

/// Files that enrol a voice.
const ENROLLING: usize = 3;
/// The lengths of speech to judge, in seconds.
const LENGTHS_SECS: [f64; 3] = [1.0, 2.0, 4.0];
/// White noise, in decibels below the speech; `None` is none.
const NOISES_DB: [Option<f32>; 2] = [None, Some(10.0)];
/// The least similarities to choose from.
const MARKS: [f32; 9] = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6];

/// A voice: what enrols it, and its other sentences.
struct Voice {
    enrolled: SpeakerEmbedding,
    sentences: Vec<Vec<f32>>,
}

/// The similarities of one length and noise.
struct Row {
    secs: f64,
    noise: Option<f32>,
    own: Vec<f32>,
    others: Vec<f32>,
}

impl Row {
    /// The shares of own voices refused and of others accepted.
    fn rates(&self, mark: f32) -> (f64, f64) {
        let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
        let refused = self.own.iter().filter(|similarity| **similarity < mark).count();
        let accepted = self.others.iter().filter(|similarity| **similarity >= mark).count();
        (share(refused, self.own.len()), share(accepted, self.others.len()))
    }
}

fn main() -> anyhow::Result<()> {
    let folder =
        PathBuf::from(std::env::args_os().nth(1).context("name a folder with a folder for each voice")?);
    let models = match std::env::var_os("JARVIS_MODELS") {
        Some(models) => PathBuf::from(models),
        None => settings::Folders::from_environment()?.models,
    };
    let model = CamPlusPlus::new(models.join("speakers/campplus_cn_en_common.pt"));
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    folders.sort();
    let mut halves = [Vec::new(), Vec::new()];
    for (at, folder) in folders.iter().enumerate() {
        halves[at % 2].push(read_voice(&model, folder)?);
    }
    let [choosing, judging] = [rows(&model, &halves[0])?, rows(&model, &halves[1])?];
    let cost =
        |mark: f32| choosing.iter().map(|row| row.rates(mark)).map(|(own, others)| own + others).sum::<f64>();
    let chosen =
        MARKS.into_iter().min_by(|a, b| cost(*a).total_cmp(&cost(*b))).context("there is no mark")?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} voices choose {chosen}, {} judge it", halves[0].len(), halves[1].len())?;
    for (half, rows) in [("choosing", choosing), ("judging", judging)] {
        for row in rows {
            let (refused, accepted) = row.rates(chosen);
            writeln!(
                out,
                "{half}: {} s, noise {:?}: own refused {:.1} % of {}, others accepted {:.1} % of {}",
                row.secs,
                row.noise,
                refused * 100.0,
                row.own.len(),
                accepted * 100.0,
                row.others.len()
            )?;
        }
    }
    Ok(())
}

fn read_voice(model: &CamPlusPlus, folder: &Path) -> anyhow::Result<Voice> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    files.sort();
    let mut sentences = Vec::new();
    for file in files {
        let samples = hound::WavReader::open(&file)?.into_samples::<i16>();
        let samples: Result<Vec<f32>, _> = samples.map(|s| s.map(|s| f32::from(s) / 32768.0)).collect();
        sentences.push(samples?);
    }
    let rest = sentences.split_off(sentences.len().min(ENROLLING));
    let embeddings = sentences.iter().map(|samples| model.embed(samples)).collect::<Result<Vec<_>, _>>()?;
    let enrolled = SpeakerEmbedding::mean(&embeddings).context("a voice needs a sentence")?;
    Ok(Voice { enrolled, sentences: rest })
}

fn rows(model: &CamPlusPlus, voices: &[Voice]) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for noise in NOISES_DB {
        for secs in LENGTHS_SECS {
            let mut row = Row { secs, noise, own: Vec::new(), others: Vec::new() };
            let samples = (secs * f64::from(SAMPLE_RATE_HZ)) as usize;
            for (at, voice) in voices.iter().enumerate() {
                for sentence in voice.sentences.iter().filter(|sentence| sentence.len() >= samples) {
                    let heard = model.embed(&with_noise(&sentence[..samples], noise))?;
                    for (other_at, other) in voices.iter().enumerate() {
                        let similarity = heard.similarity(&other.enrolled);
                        if at == other_at { row.own.push(similarity) } else { row.others.push(similarity) }
                    }
                }
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Adds white noise, the same in each run.
fn with_noise(speech: &[f32], db_below: Option<f32>) -> Vec<f32> {
    let Some(db_below) = db_below else { return speech.to_vec() };
    let rms = (speech.iter().map(|sample| sample * sample).sum::<f32>() / speech.len() as f32).sqrt();
    // Uniform noise has the power of a third of its squared peak.
    let peak = rms * 10_f32.powf(-db_below / 20.0) * 3_f32.sqrt();
    let mut state = 1_u32;
    let mut noise = || {
        // Source: the generator of Numerical Recipes.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from((state >> 16) as u16) / 32768.0 - 1.0
    };
    speech.iter().map(|sample| sample + peak * noise()).collect()
}
