//! The phonemes of a name, by a pair of networks: one reads the letters, the other writes a phoneme a step.

use std::collections::HashMap;
use std::path::Path;

use models::onnx::{Arena, OnnxError, session};
use ort::session::{Session, SessionInputValue, SessionInputs};
use ort::value::{DynValue, Tensor};
use serde::Deserialize;

use super::network_error::NetworkError;

/// The letters that the encoder takes at once; fewer are filled up. Source: the export of the network.
const MAX_LETTERS: usize = 128;
/// The most phonemes of a name. Source: the export of the network.
const MAX_PHONEMES: usize = 32;

/// The outputs of the encoder that the decoder reads in each step, and the names of those inputs.
const READ_IN_EACH_STEP: [&str; 3] = ["encoder_outputs", "projected_keys", "encoder_mask"];
/// The state of the decoder: its input, and the output that is the input of the next step.
const STATE: [(&str, &str); 2] = [("hidden", "hidden_out"), ("prev_attn", "prev_attn_out")];

/// The vowels after which an r before a consonant may be silent: British speakers leave it out.
const VOWELS: [&str; 12] = ["ɑ", "ɔ", "ɝ", "ɛ", "ə", "ɪ", "i", "ʊ", "u", "æ", "ʌ", "ɜ"];
const R: &str = "ɹ";

/// A phoneme of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phoneme {
    /// Its place in the rows of the network.
    pub id: usize,
    /// Some speakers leave it out.
    pub may_be_silent: bool,
}

/// Knows how words are pronounced.
pub(super) struct Pronouncer {
    encoder: Session,
    decoder: Session,
    vocabulary: Vocabulary,
}

/// The letters and phonemes of both networks.
struct Vocabulary {
    letters: HashMap<String, i64>,
    phonemes: Vec<String>,
    padding: i64,
    start: i64,
    end: i64,
}

impl Pronouncer {
    /// Loads both networks; `vocabulary` is the text of its file. `None` if it is none.
    pub fn load(
        library: &Path,
        encoder: &Path,
        decoder: &Path,
        vocabulary: &[u8],
    ) -> Result<Option<Self>, OnnxError> {
        let Some(vocabulary) = Vocabulary::parse(vocabulary) else { return Ok(None) };
        let load = |model| session(library, model, 1, Arena::GivenBack);
        Ok(Some(Self { encoder: load(encoder)?, decoder: load(decoder)?, vocabulary }))
    }

    /// The phonemes of a name, word by word. `None` if it has a letter that the network does not know.
    pub fn phonemes(&mut self, name: &str) -> Result<Option<Vec<Phoneme>>, NetworkError> {
        let mut phonemes = Vec::new();
        for word in name.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            let Some(letters) = self.vocabulary.letters(word) else { return Ok(None) };
            let ids = self.pronounce(&letters)?;
            phonemes.extend(self.vocabulary.phonemes(&ids));
        }
        Ok(Some(phonemes).filter(|phonemes| !phonemes.is_empty()))
    }

    fn pronounce(&mut self, letters: &[i64]) -> Result<Vec<i64>, NetworkError> {
        let mut padded = letters.to_vec();
        padded.resize(MAX_LETTERS, self.vocabulary.padding);
        let length = Tensor::from_array(([1], vec![letters.len() as i64]))?;
        let padded = Tensor::from_array(([1, MAX_LETTERS], padded))?;
        let inputs: Vec<(&str, SessionInputValue<'_>)> =
            vec![("input_ids", padded.into()), ("input_lengths", length.into())];
        let mut encoded = self.encoder.run(SessionInputs::from(inputs))?;
        let mut take = |name: &str| -> Result<DynValue, NetworkError> {
            encoded.remove(name).ok_or_else(|| format!("the encoder has no output {name}").into())
        };
        let read = READ_IN_EACH_STEP.map(|name| take(name).map(|value| (name, value)));
        let read: Vec<(&str, DynValue)> = read.into_iter().collect::<Result<_, _>>()?;
        let mut state = STATE.map(|(input, _)| take(input)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let (shape, _) = state[1].try_extract_tensor::<f32>()?;
        let width = shape.last().and_then(|width| usize::try_from(*width).ok()).unwrap_or_default();
        let places: Vec<f32> = (0..width).map(|place| place as f32).collect();
        let positions = Tensor::from_array(([1, width], places))?;
        let mut written = vec![self.vocabulary.start];
        while written.len() <= MAX_PHONEMES {
            let last = written.last().copied().unwrap_or(self.vocabulary.start);
            let next = step(&mut self.decoder, last, &read, &positions, &mut state)?;
            if next == self.vocabulary.end {
                break;
            }
            written.push(next);
        }
        Ok(written)
    }
}

/// Writes the phoneme after `last`.
fn step(
    decoder: &mut Session,
    last: i64,
    read: &[(&str, DynValue)],
    positions: &Tensor<f32>,
    state: &mut [DynValue],
) -> Result<i64, NetworkError> {
    let last = Tensor::from_array(([1, 1], vec![last]))?;
    let mut inputs: Vec<(&str, SessionInputValue<'_>)> =
        vec![("decoder_input_ids", last.into()), ("positions", positions.into())];
    inputs.extend(read.iter().map(|(name, value)| (*name, value.into())));
    inputs.extend(STATE.iter().zip(&*state).map(|((input, _), value)| (*input, value.into())));
    let mut outputs = decoder.run(SessionInputs::from(inputs))?;
    for ((_, output), value) in STATE.iter().zip(state) {
        *value = outputs.remove(output).ok_or_else(|| format!("the decoder has no output {output}"))?;
    }
    let (_, next) = outputs
        .get("next_token_ids")
        .ok_or("the decoder has no output next_token_ids")?
        .try_extract_tensor::<i64>()?;
    Ok(next.first().copied().ok_or("the decoder wrote nothing")?)
}

impl Vocabulary {
    fn parse(json: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct File {
            encoder: Vec<String>,
            decoder: Vec<String>,
        }
        let File { encoder, decoder } = serde_json::from_slice(json).ok()?;
        let place = |list: &[String], wanted: &str| {
            list.iter().position(|token| token == wanted).and_then(|place| i64::try_from(place).ok())
        };
        Some(Self {
            padding: place(&encoder, "<pad>")?,
            start: place(&decoder, "<sos>")?,
            end: place(&decoder, "<eos>")?,
            letters: encoder.into_iter().zip(0..).collect(),
            phonemes: decoder,
        })
    }

    /// `None` if a letter is unknown, or there are too many.
    fn letters(&self, word: &str) -> Option<Vec<i64>> {
        let id = |letter: char| self.letters.get(letter.encode_utf8(&mut [0; 4]) as &str).copied();
        let letters: Vec<i64> = word.to_lowercase().chars().map(id).collect::<Option<_>>()?;
        (letters.len() <= MAX_LETTERS).then_some(letters)
    }

    /// The phonemes of tokens, without those that make no sound.
    fn phonemes(&self, ids: &[i64]) -> Vec<Phoneme> {
        let sounds: Vec<(usize, &str)> = ids
            .iter()
            .filter_map(|id| usize::try_from(*id).ok())
            .filter_map(|id| Some((id, self.phonemes.get(id)?.as_str())))
            .filter(|(_, text)| text.chars().any(char::is_alphabetic) && !text.starts_with('<'))
            .collect();
        let text_at = |place: usize| sounds.get(place).map(|(_, text)| *text);
        let is_vowel = |text: &str| VOWELS.contains(&text);
        let may_be_silent = |place: usize| {
            text_at(place) == Some(R)
                && place.checked_sub(1).and_then(text_at).is_some_and(is_vowel)
                && text_at(place + 1).is_some_and(|next| !is_vowel(next))
        };
        sounds
            .iter()
            .enumerate()
            .map(|(place, (id, _))| Phoneme { id: *id, may_be_silent: may_be_silent(place) })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let json = r#"{"encoder": ["<pad>", "<unk>", "a", "r", "v"],
            "decoder": ["<pad>", "<sos>", "<eos>", "<unk>", " ", "ɑ", "ɹ", "v", "ː"]}"#;
        Vocabulary::parse(json.as_bytes()).unwrap()
    }

    #[test]
    fn word_with_an_unknown_letter_has_no_letters() {
        assert_eq!(vocabulary().letters("Var"), Some(vec![4, 2, 3]));
        assert_eq!(vocabulary().letters("варя"), None);
    }

    #[test]
    fn r_before_a_consonant_may_be_silent() {
        let phonemes = vocabulary().phonemes(&[1, 6, 5, 6, 7, 4, 5, 6, 5]);

        let silent: Vec<bool> = phonemes.iter().map(|phoneme| phoneme.may_be_silent).collect();
        assert_eq!(silent, [false, false, true, false, false, false, false]);
    }

    #[test]
    fn file_without_both_lists_is_no_vocabulary() {
        assert!(Vocabulary::parse(br#"{"encoder": []}"#).is_none());
    }
}
