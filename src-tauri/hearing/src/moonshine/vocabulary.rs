//! The texts of the tokens of a Moonshine model.

/// The file of these models marks the start of a word with this sign, as its tokeniser does.
const WORD_START: char = '\u{2581}';

/// Tokens that stand for no text, such as the start of a sentence and times.
const FIRST_TEXT_TOKEN: usize = 3;
const TIME_PREFIX: &[u8] = b"<<ST_";

/// The text of each token, by its number.
pub(super) struct Vocabulary {
    texts: Vec<Vec<u8>>,
}

impl Vocabulary {
    /// Reads `tokenizer.bin`: for each token the number of its bytes and the bytes. A number of 128 or more takes two
    /// bytes, the lower seven bits first; a token without bytes is a gap in the numbering.
    ///
    /// Returns `None` if the file ends within a token or has none.
    pub fn parse(mut file: &[u8]) -> Option<Self> {
        let mut texts = Vec::new();
        while let Some((&first, mut rest)) = file.split_first() {
            let mut length = usize::from(first);
            if let Some(low) = length.checked_sub(128) {
                let (&high, after) = rest.split_first()?;
                (length, rest) = (usize::from(high) * 128 + low, after);
            }
            let (text, after) = rest.split_at_checked(length)?;
            texts.push(text.to_vec());
            file = after;
        }
        (!texts.is_empty()).then_some(Self { texts })
    }

    /// The tokens of a word or several with a blank before them, each as long as can be; `None` if a sign is in no token.
    pub fn tokens_of_word(&self, word: &str) -> Option<Vec<i64>> {
        let text = format!("{WORD_START}{}", word.replace(' ', &WORD_START.to_string())).into_bytes();
        let mut rest = text.as_slice();
        let mut tokens = Vec::new();
        while !rest.is_empty() {
            let fitting = self.texts.iter().enumerate().skip(FIRST_TEXT_TOKEN);
            let fitting = fitting.filter(|(_, text)| !text.is_empty() && rest.starts_with(text));
            let (number, longest) = fitting.max_by_key(|(_, text)| text.len())?;
            tokens.push(i64::try_from(number).ok()?);
            rest = &rest[longest.len()..];
        }
        Some(tokens)
    }

    /// Returns `true` if a word begins with `token`.
    pub fn starts_word(&self, token: i64) -> bool {
        let text = usize::try_from(token).ok().and_then(|number| self.texts.get(number));
        text.is_some_and(|text| text.starts_with(WORD_START.to_string().as_bytes()))
    }

    /// The text of `tokens`, with single blanks between words.
    pub fn text_of(&self, tokens: impl IntoIterator<Item = i64>) -> String {
        let mut bytes = Vec::new();
        for token in tokens {
            let Ok(number) = usize::try_from(token) else { continue };
            let Some(text) = self.texts.get(number) else { continue };
            if number >= FIRST_TEXT_TOKEN && !text.starts_with(TIME_PREFIX) {
                bytes.extend_from_slice(text);
            }
        }
        String::from_utf8_lossy(&bytes).replace(WORD_START, " ").trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with these tokens after the three special ones.
    fn file(texts: &[&[u8]]) -> Vec<u8> {
        let special: [&[u8]; 3] = [b"<unk>", b"<s>", b"</s>"];
        let mut file = Vec::new();
        for text in special.iter().chain(texts) {
            if text.len() >= 128 {
                file.push((text.len() % 128 + 128) as u8);
                file.push((text.len() / 128) as u8);
            } else {
                file.push(text.len() as u8);
            }
            file.extend_from_slice(text);
        }
        file
    }

    #[test]
    fn tokens_join_to_words() {
        let long = "x".repeat(300);
        let file =
            file(&["\u{2581}Jar".as_bytes(), b"vis", b",", "\u{2581}stop".as_bytes(), long.as_bytes()]);

        let vocabulary = Vocabulary::parse(&file).unwrap();

        assert_eq!(vocabulary.text_of([1, 3, 4, 5, 6, 2]), "Jarvis, stop");
        assert_eq!(vocabulary.text_of([7]), long);
    }

    #[test]
    fn signs_of_several_tokens_are_joined_and_times_left_out() {
        let vocabulary = Vocabulary::parse(&file(&[&[0xC3], &[0xA9], b"<<ST_12>>"])).unwrap();

        assert_eq!(vocabulary.text_of([3, 4, 5, 900, -1]), "é");
    }

    #[test]
    fn word_is_read_in_the_longest_tokens() {
        let texts = ["\u{2581}", "\u{2581}J", "\u{2581}Jar", "a", "r", "v", "i", "s", "vis"];
        let vocabulary = Vocabulary::parse(&file(&texts.map(str::as_bytes))).unwrap();

        let tokens = vocabulary.tokens_of_word("Jarvis").unwrap();

        assert_eq!(vocabulary.text_of(tokens.iter().copied()), "Jarvis");
        assert_eq!(tokens, [5, 11]);
        assert!(vocabulary.starts_word(5) && !vocabulary.starts_word(11));
        assert_eq!(vocabulary.tokens_of_word("Jar J").unwrap(), [5, 4]);
        assert_eq!(vocabulary.tokens_of_word("Jörvis"), None);
    }

    #[test]
    fn truncated_file_is_no_vocabulary() {
        for length in [0, 1, 4] {
            assert!(Vocabulary::parse(&file(&[])[..length]).is_none(), "{length}");
        }
        assert!(Vocabulary::parse(&[200]).is_none());
    }
}
