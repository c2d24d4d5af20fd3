//! Joins the bytes of tokens into complete characters, because a character may consist of several tokens.

/// Buffers incomplete UTF-8 sequences between tokens.
#[derive(Debug, Default)]
pub(crate) struct TokenDecoder {
    /// The first bytes of an incomplete character.
    partial: Vec<u8>,
}

impl TokenDecoder {
    /// Takes the bytes of one token and returns the characters they complete. Invalid bytes become replacement characters.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.partial.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.partial) {
                Ok(whole) => {
                    text.push_str(whole);
                    self.partial.clear();
                    return text;
                }
                Err(error) => {
                    let valid = error.valid_up_to();
                    text.push_str(&String::from_utf8_lossy(&self.partial[..valid]));
                    let Some(broken) = error.error_len() else {
                        self.partial.drain(..valid);
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.partial.drain(..valid + broken);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_split_over_tokens_are_joined() {
        let mut decoder = TokenDecoder::default();

        let texts: Vec<String> = "aé€😀z".bytes().map(|byte| decoder.push(&[byte])).collect();

        assert_eq!(texts.concat(), "aé€😀z");
        assert_eq!(texts[0], "a");
    }

    #[test]
    fn invalid_bytes_are_replaced_and_decoding_continues() {
        let mut decoder = TokenDecoder::default();

        assert_eq!(decoder.push(b"a\xffb\xc3"), "a\u{fffd}b");
        assert_eq!(decoder.push(b"\xa9"), "é");
    }
}
