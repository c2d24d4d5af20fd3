//! The tokens of Whisper as bytes.

use std::collections::HashMap;

use anyhow::Context;

/// From here on there are no words any more, but marks for language, task and time.
const END_OF_TEXT: &str = "<|endoftext|>";

/// The words of a vocabulary, one a line, as bytes and in order.
///
/// # Errors
///
/// A word has a character that stands for no byte.
pub fn tokens(vocabulary: &str) -> anyhow::Result<Vec<Vec<u8>>> {
    let bytes = bytes_of_characters();
    let words = vocabulary.split('\n').take_while(|word| *word != END_OF_TEXT);
    words
        .map(|word| {
            let byte =
                |c| bytes.get(&c).copied().with_context(|| format!("the token {word} has an odd character"));
            word.chars().map(byte).collect()
        })
        .collect()
}

/// Byte-pair vocabularies write every byte as a character that can be printed: itself where it can be, else the next
/// free one from 256 on. Source: the encoder of GPT-2.
fn bytes_of_characters() -> HashMap<char, u8> {
    let is_printable = |byte: u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut spare = (256..).filter_map(char::from_u32);
    (0..=255)
        .filter_map(|byte| {
            let character = if is_printable(byte) { Some(char::from(byte)) } else { spare.next() };
            Some((character?, byte))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_stand_for_bytes_up_to_the_end_of_text() {
        let words = tokens("!\nĠthe\nÃ©Ċ\n<|endoftext|>\n<|en|>").unwrap();

        assert_eq!(words, [b"!".to_vec(), b" the".to_vec(), "é\n".as_bytes().to_vec()]);
    }

    #[test]
    fn a_character_that_stands_for_no_byte_is_an_error() {
        assert_eq!(tokens("日").unwrap_err().to_string(), "the token 日 has an odd character");
    }
}
