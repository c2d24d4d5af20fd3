//! The words of a user who speaks over our voice, heard with and without the echo canceller.
//!
//! `cargo bench -p hearing --features whisper --bench over_our_voice -- DIR` takes the WAV files of a folder as what users say;
//! without a folder, espeak-ng speaks. Words count against those that the recogniser hears in the same recording alone. Clips
//! are in two halves: rules are tuned on the first, and judged on the second.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where, and shows its figures"
)]

#[path = "../tests/over_our_voice/talk.rs"]
mod talk;

use std::path::{Path, PathBuf};

use testkit::Room;

use talk::{Figures, OurVoice, Recogniser, Talk};

/// Words of users, if there are no recordings.
const USERS: [(&str, &str); 8] = [
    ("en-gb", "Stop, I wanted to know the weather in Paris instead."),
    ("en-gb+f3", "Could you please turn off the light in the kitchen?"),
    ("en-gb-scotland", "Set a timer for twenty minutes and play some music."),
    ("en-gb-x-rp", "No, the other train, the one that leaves after lunch."),
    ("en-gb+m3", "Remind me to call my sister tomorrow morning."),
    ("en-gb+f2", "How many people live in the capital of Norway?"),
    ("en-gb-scotland+f4", "Read me the second message again, but slower."),
    ("en-gb-x-rp+m7", "Wait, what was the name of the restaurant?"),
];
/// Our voice is as loud as the user, or twice as loud.
const ROOMS: [(&str, Room); 4] = [
    ("as loud as the user", Room { delay_ms: 80, attenuation_db: 0.0, drift_ppm: 0.0 }),
    ("6 dB louder", Room { delay_ms: 150, attenuation_db: -6.0, drift_ppm: 0.0 }),
    ("as loud, other clock", Room { delay_ms: 150, attenuation_db: 0.0, drift_ppm: 50.0 }),
    ("6 dB louder, other clock", Room { delay_ms: 150, attenuation_db: -6.0, drift_ppm: 50.0 }),
];
/// The user speaks when our voice has sounded for so long.
const STARTS_SECS: [f64; 2] = [1.0, 6.0];

fn main() {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    let recogniser = Recogniser::new();
    let users: Vec<Vec<f32>> = match folder {
        Some(folder) => recordings(&folder),
        None => USERS.iter().map(|(voice, text)| talk::spoken(voice, text)).collect(),
    };
    let users: Vec<(Vec<String>, Vec<f32>)> = users
        .into_iter()
        .map(|user| (recogniser.words(&user), user))
        .filter(|(words, _)| words.len() >= 3)
        .collect();
    for (room_name, room) in ROOMS {
        let our_voice = OurVoice::new(room);
        for start_secs in STARTS_SECS {
            for (half, name) in ["tuned", "judged"].into_iter().enumerate() {
                let (mut figures, mut losses_db) = ([Figures::default(); 2], Vec::new());
                for (words, user) in users.iter().skip(half).step_by(2) {
                    let talk = Talk::new(user, &our_voice, start_secs);
                    for (figures, sound) in figures.iter_mut().zip([talk.microphone(), talk.cancelled()]) {
                        figures.add(words, &recogniser.words(talk.words_of_user(sound)));
                    }
                    losses_db.push(talk.echo_loss_db());
                }
                let [without, with] = figures;
                println!(
                    "{room_name}, after {start_secs} s, {name}: words heard {without} without, {with} with the canceller; \
                     echo {:.1} dB less",
                    losses_db.iter().sum::<f32>() / losses_db.len() as f32
                );
            }
        }
    }
}

/// The WAV files of a folder.
fn recordings(folder: &Path) -> Vec<Vec<f32>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wav")));
    files.sort();
    files.iter().map(|file| audio::decode_speech(&std::fs::read(file).unwrap()).unwrap()).collect()
}
