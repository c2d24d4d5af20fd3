//! Recordings with their transcripts, and the place of a pause in a transcript.

use std::path::Path;
use std::process::Command;

use vocabulary::SAMPLE_RATE_HZ;

/// Sentences with pauses inside, as people make them.
const SENTENCES: [&str; 12] = [
    "Jarvis, remind me to call my sister, and to buy bread on the way home.",
    "Jarvis, what time is it in Oslo?",
    "Set a timer for, let me think, twenty minutes.",
    "If it rains tomorrow, move my run to Sunday.",
    "Play some quiet music, but not in the kitchen.",
    "When I come home, turn on the light in the hall.",
    "Jarvis, write to Anna, that I will be ten minutes late.",
    "Add milk, eggs, and butter to the shopping list.",
    "How long does it take, by train, from Leeds to London?",
    "Jarvis, turn off the light in the kitchen.",
    "I would like to know, how warm it will be this weekend.",
    "Wake me at seven, or at eight, if it is a holiday.",
];
const VOICES: [&str; 6] = ["en-gb", "en-us", "en-gb-scotland", "en-gb-x-rp", "en-us+f3", "en-gb+m3"];

/// A recording and its words.
pub struct Clip {
    pub name: String,
    pub text: String,
    samples: Vec<f32>,
}

impl Clip {
    pub fn between_silence(&self, secs: usize) -> Vec<f32> {
        // A room is never quite silent: -80 dB.
        let silence = || (0..secs * SAMPLE_RATE_HZ as usize).map(|i| if i % 2 == 0 { 1e-4 } else { -1e-4 });
        silence().chain(self.samples.iter().copied()).chain(silence()).collect()
    }
}

/// Every WAV file of a folder that has a transcript beside it.
pub fn in_folder(folder: &Path) -> Vec<Clip> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wav")));
    files.sort();
    let clip = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file.with_extension("txt")).ok()?;
        let samples = audio::decode_speech(&std::fs::read(file).unwrap()).unwrap();
        Some(Clip { name: file.file_name()?.to_string_lossy().into_owned(), text, samples })
    };
    files.iter().filter_map(clip).collect()
}

/// The sentences, by voices of espeak-ng.
pub fn spoken() -> Vec<Clip> {
    let speak = |voice: &str, text: &str| {
        // A file, because the header on its standard output has no length.
        let file = tempfile::Builder::new().suffix(".wav").tempfile().unwrap();
        let mut espeak = Command::new("espeak-ng");
        espeak.args(["-v", voice, "-s", "155", "-w"]).arg(file.path()).arg(text);
        assert!(espeak.status().expect("espeak-ng is installed").success(), "{voice}: {text}");
        let samples = audio::decode_speech(&std::fs::read(file.path()).unwrap()).unwrap();
        Clip { name: format!("{voice}: {text}"), text: text.to_owned(), samples }
    };
    VOICES.iter().flat_map(|voice| SENTENCES.iter().map(|text| speak(voice, text))).collect()
}

/// The transcript of a recording, and how much of it has been heard.
pub struct Reference {
    words: Vec<Word>,
    /// The words before the current sentence.
    heard: usize,
}

struct Word {
    text: String,
    is_sentence_end: bool,
}

impl Reference {
    pub fn new(text: &str) -> Self {
        let word = |word: &str| Word {
            text: languages::normalised(word),
            is_sentence_end: word.ends_with(languages::is_sentence_end),
        };
        Self { words: text.split_whitespace().map(word).collect(), heard: 0 }
    }

    /// Returns `true` after the end of the last sentence.
    pub fn is_over(&self) -> bool {
        self.heard == self.words.len()
    }

    /// Returns `true` if a sentence ends after these words of the current sentence; then the next one begins.
    pub fn is_sentence_end_after(&mut self, recognised: &str) -> bool {
        let recognised: Vec<String> = recognised.split_whitespace().map(languages::normalised).collect();
        let rest = &self.words[self.heard..];
        let length = prefix_length(rest, &recognised);
        let is_end = length == rest.len() || length > 0 && rest[length - 1].is_sentence_end;
        self.heard += if is_end { length } else { 0 };
        is_end
    }
}

/// The number of words at the beginning of `rest` that are most like those recognised, by edit distance.
fn prefix_length(rest: &[Word], recognised: &[String]) -> usize {
    let mut distances: Vec<usize> = (0..=rest.len()).collect();
    for (i, heard) in recognised.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut distances[0], i + 1);
        for (j, word) in rest.iter().enumerate() {
            let replaced = diagonal + usize::from(word.text != *heard);
            diagonal = distances[j + 1];
            distances[j + 1] = replaced.min(diagonal + 1).min(distances[j] + 1);
        }
    }
    (0..=rest.len()).min_by_key(|length| distances[*length]).unwrap_or_default()
}
