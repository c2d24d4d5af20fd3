//! Joins the bytes of tokens into whole letters: many letters take more than one token.

/// Bytes go in, whole letters come out.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The beginning of a letter.
    started: Vec<u8>,
}

impl Pieces {
    /// Takes the bytes of one token, gives the letters they complete. Bytes that can never become a letter are
    /// replaced by the sign for that.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.started.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.started) {
                Ok(whole) => {
                    text.push_str(whole);
                    self.started.clear();
                    return text;
                }
                Err(error) => {
                    let valid = error.valid_up_to();
                    text.push_str(&String::from_utf8_lossy(&self.started[..valid]));
                    let Some(broken) = error.error_len() else {
                        self.started.drain(..valid);
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.started.drain(..valid + broken);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_come_whole_however_their_bytes_are_cut() {
        let mut pieces = Pieces::default();

        let texts: Vec<String> = "aé€😀z".bytes().map(|byte| pieces.push(&[byte])).collect();

        assert_eq!(texts.concat(), "aé€😀z");
        assert_eq!(texts[0], "a");
    }

    #[test]
    fn bytes_that_are_no_letter_are_replaced_and_the_rest_goes_on() {
        let mut pieces = Pieces::default();

        assert_eq!(pieces.push(b"a\xffb\xc3"), "a\u{fffd}b");
        assert_eq!(pieces.push(b"\xa9"), "é");
    }
}
