//! The sentences of a reply that were spoken, and what of other words was not among them. Pure.

/// The sentences that were spoken.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    sentences: Vec<Vec<String>>,
}

impl Heard {
    /// Adds a sentence that was spoken.
    pub fn add(&mut self, sentence: &str) {
        let words = words(sentence);
        if !words.is_empty() {
            self.sentences.push(words);
        }
    }

    /// The sentences of `text` that were not spoken, as they stand there; `None` if nothing is left to say.
    pub fn missing_from(&self, text: &str) -> Option<String> {
        let pieces: Vec<&str> = text.split_inclusive(is_end).collect();
        let mut missing = String::new();
        let mut at = 0;
        while at < pieces.len() {
            match self.heard_pieces(&pieces[at..]) {
                0 => {
                    missing.push_str(pieces[at]);
                    at += 1;
                }
                heard => at += heard,
            }
        }
        let missing = missing.trim();
        missing.contains(char::is_alphanumeric).then(|| missing.to_owned())
    }

    /// The number of pieces at the beginning that are a sentence that was spoken. A sentence may have several: a full stop also
    /// stands in numbers and abbreviations.
    fn heard_pieces(&self, pieces: &[&str]) -> usize {
        let most = self.sentences.iter().map(Vec::len).max().unwrap_or_default();
        let mut said = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            said.extend(words(piece));
            if said.len() > most {
                break;
            }
            if self.sentences.contains(&said) {
                return at + 1;
            }
        }
        0
    }
}

/// The words in lower case: marks and emphasis are not heard.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn is_end(char: char) -> bool {
    matches!(char, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '\n')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing_was_spoken(&[], "It rains.", Some("It rains."))]
    #[case::other_words(&["Sure."], "It rains.", Some("It rains."))]
    #[case::the_same(&["It rains.", "Take a coat."], "It rains. Take a coat.", None)]
    #[case::the_same_with_other_marks(&["**It rains**!"], "it rains", None)]
    #[case::more_behind_it(&["It rains."], "It rains. Take a coat.", Some("Take a coat."))]
    #[case::more_around_it(&["Sure.", "It rains."], "Look out! It rains. Bye.", Some("Look out! Bye."))]
    #[case::full_stop_in_a_number(&["It is 3.5 degrees."], "It is 3.5 degrees. Brr.", Some("Brr."))]
    #[case::part_of_a_sentence(&["Yes."], "Say yes to it.", Some("Say yes to it."))]
    #[case::without_spaces(&["雨です。"], "雨です。傘をどうぞ。", Some("傘をどうぞ。"))]
    #[case::no_words(&["It rains."], " … ", None)]
    fn sentences_that_were_spoken_are_left_out(
        #[case] spoken: &[&str],
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        let mut heard = Heard::default();
        spoken.iter().for_each(|sentence| heard.add(sentence));

        assert_eq!(heard.missing_from(text).as_deref(), expected);
    }
}
