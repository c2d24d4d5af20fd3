//! The sign 🔊, with which a model asks for its answer to be spoken: removed while the answer streams.

use vocabulary::behind_loudspeaker;

/// Removes the sign from the beginning of an answer that comes in pieces.
#[derive(Debug)]
pub(crate) struct LoudspeakerFilter {
    /// The beginning, while it may still be one; `None` behind it.
    beginning: Option<String>,
}

/// A piece of an answer without the sign.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FilteredPiece {
    /// The text to go on with.
    pub text: String,
    /// The sign with its blanks, as the model wrote it, if it was removed here.
    pub taken_off: Option<String>,
}

impl Default for LoudspeakerFilter {
    fn default() -> Self {
        Self { beginning: Some(String::new()) }
    }
}

impl LoudspeakerFilter {
    /// A filter that takes nothing off.
    pub fn open() -> Self {
        Self { beginning: None }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) -> FilteredPiece {
        let Some(beginning) = &mut self.beginning else {
            return FilteredPiece { text: piece.to_owned(), taken_off: None };
        };
        beginning.push_str(piece);
        let filtered = match behind_loudspeaker(beginning) {
            // Blanks may follow, which belong to it.
            Some("") => return FilteredPiece::default(),
            Some(rest) => {
                let taken_off = beginning[..beginning.len() - rest.len()].to_owned();
                FilteredPiece { text: rest.to_owned(), taken_off: Some(taken_off) }
            }
            None if beginning.trim_start().is_empty() => return FilteredPiece::default(),
            None => FilteredPiece { text: std::mem::take(beginning), taken_off: None },
        };
        self.beginning = None;
        filtered
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::whole(&["\u{1F50A} It rains."], "It rains.", "\u{1F50A} ")]
    #[case::in_pieces(&["\n", "\u{1F50A}", "\u{FE0F}", " ", "It ", "rains."], "It rains.", "\n\u{1F50A}\u{FE0F} ")]
    #[case::second_sign_stays(&["\u{1F50A}", "\u{1F50A} Up."], "\u{1F50A} Up.", "\u{1F50A}")]
    #[case::sign_elsewhere(&["Up ", "\u{1F50A}"], "Up \u{1F50A}", "")]
    #[case::blanks_before_text(&[" ", "It rains."], " It rains.", "")]
    #[case::sign_alone(&["\u{1F50A}", " "], "", "")]
    fn loudspeaker_at_the_beginning_is_taken_off(
        #[case] pieces: &[&str],
        #[case] expected: &str,
        #[case] expected_off: &str,
    ) {
        let mut filter = LoudspeakerFilter::default();
        let (mut text, mut off) = (String::new(), String::new());
        for piece in pieces {
            let filtered = filter.push(piece);
            text += &filtered.text;
            off += &filtered.taken_off.unwrap_or_default();
        }

        assert_eq!((text.as_str(), off.as_str()), (expected, expected_off));
    }
}
