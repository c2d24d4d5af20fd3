//! A user who speaks over our voice, and what is recognised.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use hearing::{DecodeEffort, DecodeRequest, SpeechToText, Whisper, WhisperConfig};
use testkit::{Room, white_noise, with_rms, without_echo};
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, SAMPLE_RATE_HZ, energy_rms};

/// The words of our voice.
pub const OUR_REPLY: &str = "Tomorrow it will be cloudy with some rain in the afternoon, and the wind comes from the west. \
    The train to Leeds leaves at ten past nine from the second platform, and it takes a little more than two hours. \
    You have three meetings before noon, and your sister has her birthday on Friday. The shop at the corner is open until eight, \
    and the book that you ordered has arrived.";
/// The loudness of the user at the microphone, and of our voice on its way to the loudspeaker.
const SPEECH_RMS: f32 = 0.05;
/// 20 dB less than the user.
pub const NOISE_RMS: f32 = 0.005;
/// The sound before and after the words of the user which is recognised with them.
const MARGIN_SECS: f64 = 0.2;

/// The sound of a microphone while we speak and the user too.
pub struct Talk {
    microphone: Vec<f32>,
    cancelled: Vec<f32>,
    user_from: usize,
    user_to: usize,
}

/// Our voice, played and at the microphone.
pub struct OurVoice {
    pub played: Vec<f32>,
    pub echo: Vec<f32>,
}

impl OurVoice {
    pub fn new(room: Room) -> Self {
        Self::saying(OUR_REPLY, room)
    }

    pub fn saying(text: &str, room: Room) -> Self {
        let played = with_rms(&spoken("en-us", text), SPEECH_RMS);
        Self { echo: room.echo_of(&played), played }
    }
}

impl Talk {
    /// The user begins `start_secs` after our voice.
    pub fn new(user: &[f32], our_voice: &OurVoice, start_secs: f64) -> Self {
        let mut microphone = our_voice.echo.clone();
        let user_from = samples_in(start_secs);
        let user_to = (user_from + user.len()).min(microphone.len());
        for (heard, user) in microphone[user_from..].iter_mut().zip(with_rms(user, SPEECH_RMS)) {
            *heard += user;
        }
        let noise = white_noise().map(|noise| noise * NOISE_RMS * 3_f32.sqrt());
        for (heard, noise) in microphone.iter_mut().zip(noise) {
            *heard += noise;
        }
        let cancelled = without_echo(&our_voice.played, &microphone);
        Self { microphone, cancelled, user_from, user_to }
    }

    /// The sound without the canceller.
    pub fn microphone(&self) -> &[f32] {
        &self.microphone
    }

    /// The sound with the canceller.
    pub fn cancelled(&self) -> &[f32] {
        &self.cancelled
    }

    /// The part of `sound` in which the user speaks.
    pub fn words_of_user<'a>(&self, sound: &'a [f32]) -> &'a [f32] {
        let margin = samples_in(MARGIN_SECS);
        &sound[self.user_from.saturating_sub(margin)..(self.user_to + margin).min(sound.len())]
    }

    /// The loss of echo in decibels in the second before the user speaks. The noise of the room stays, and limits it.
    pub fn echo_loss_db(&self) -> f32 {
        let before = self.user_from.saturating_sub(samples_in(1.0))..self.user_from;
        20.0 * (energy_rms(&self.microphone[before.clone()]) / energy_rms(&self.cancelled[before])).log10()
    }
}

/// The real recogniser.
pub struct Recogniser(pub Arc<Whisper>);

impl Recogniser {
    pub fn new() -> Self {
        let folder = std::env::var_os("JARVIS_MODELS")
            .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from);
        let model = folder.join("speech/ggml-base-q8_0.bin");
        assert!(model.is_file(), "{} is missing: run `cargo xtask models`", model.display());
        // The threads of ggml spin while they wait: when other tests run too, one thread is the fastest.
        Self(Arc::new(Whisper::new(WhisperConfig { model, threads: 1, likely_language: None })))
    }

    /// The words in lower case, without marks.
    pub fn words(&self, samples: &[f32]) -> Vec<String> {
        let request =
            DecodeRequest { language: Language::new("en"), name: None, effort: DecodeEffort::Final };
        let heard = self.0.transcribe(samples, &request, &CancellationToken::new()).unwrap();
        let text: Vec<String> = heard.segments.into_iter().map(|segment| segment.text).collect();
        let words = text.join(" ").to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    }
}

/// The words heard of those said.
#[derive(Clone, Copy, Default)]
pub struct Figures {
    said: usize,
    heard: usize,
    /// Words that the user did not say.
    foreign: usize,
}

impl Figures {
    pub fn add(&mut self, said: &[String], heard: &[String]) {
        let common = longest_common_sequence(said, heard);
        self.said += said.len();
        self.heard += common;
        self.foreign += heard.len() - common;
    }

    /// The share of the words that were heard, 0.0 to 1.0.
    pub fn share(&self) -> f64 {
        self.heard as f64 / self.said.max(1) as f64
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} % (and {} others) of {}", self.share() * 100.0, self.foreign, self.said)
    }
}

fn longest_common_sequence(one: &[String], other: &[String]) -> usize {
    let mut lengths = vec![0; other.len() + 1];
    for word in one {
        let mut before = 0;
        for (n, candidate) in other.iter().enumerate() {
            let above = lengths[n + 1];
            lengths[n + 1] = if word == candidate { before + 1 } else { above.max(lengths[n]) };
            before = above;
        }
    }
    lengths[other.len()]
}

/// Speech of espeak-ng at 16 kHz, mono.
pub fn spoken(voice: &str, text: &str) -> Vec<f32> {
    // A file, because the header on its standard output has no length.
    let file = tempfile::Builder::new().suffix(".wav").tempfile().unwrap();
    let status =
        Command::new("espeak-ng").args(["-v", voice, "-s", "155", text, "-w"]).arg(file.path()).status();
    assert!(status.expect("espeak-ng is installed: run `cargo xtask system`").success(), "espeak-ng failed");
    audio::decode_speech(&std::fs::read(file.path()).unwrap()).unwrap()
}

pub fn samples_in(secs: f64) -> usize {
    (secs * f64::from(SAMPLE_RATE_HZ)) as usize
}
