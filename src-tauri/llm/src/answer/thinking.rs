//! Separates what a model thinks to itself from what it says.

/// What opens a stretch of thinking inside the text.
const OPEN: &str = "<think>";

/// What closes it.
const CLOSE: &str = "</think>";

/// A piece of text, told apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Said.
    Said(String),
    /// Thought.
    Thought(String),
}

/// Finds `<think>…</think>` in text that comes in pieces, tags cut in two included.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    /// Text that could still become a tag.
    pending: String,
    is_thinking: bool,
    /// After thinking models leave blank lines, which nobody needs.
    skips_blanks: bool,
}

impl Thinking {
    /// Takes more text, gives back what is certain by now.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        self.pending.push_str(text);
        let mut pieces = Vec::new();
        while let Some((at, tag)) = self.next_tag() {
            let rest = self.pending.split_off(at + tag.len());
            let mut before = std::mem::replace(&mut self.pending, rest);
            before.truncate(at);
            self.give(&before, &mut pieces);
            self.is_thinking = tag == OPEN;
            self.skips_blanks = tag == CLOSE;
        }
        let rest = self.pending.split_off(self.pending.len() - possible_start(&self.pending, &[OPEN, CLOSE]));
        let certain = std::mem::replace(&mut self.pending, rest);
        self.give(&certain, &mut pieces);
        pieces
    }

    /// The answer is complete: what was waiting to become a tag is text after all.
    pub(super) fn finish(&mut self) -> Vec<Piece> {
        let rest = std::mem::take(&mut self.pending);
        let mut pieces = Vec::new();
        self.give(&rest, &mut pieces);
        pieces
    }

    fn next_tag(&self) -> Option<(usize, &'static str)> {
        let found = [OPEN, CLOSE].into_iter().filter_map(|tag| Some((self.pending.find(tag)?, tag)));
        found.min_by_key(|(at, _)| *at)
    }

    fn give(&mut self, text: &str, pieces: &mut Vec<Piece>) {
        let text = if self.skips_blanks && !self.is_thinking { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        if self.is_thinking {
            pieces.push(Piece::Thought(text.to_owned()));
        } else {
            self.skips_blanks = false;
            pieces.push(Piece::Said(text.to_owned()));
        }
    }
}

/// How many bytes at the end of `text` could be the beginning of one of the `tags`.
pub(super) fn possible_start(text: &str, tags: &[&str]) -> usize {
    let longest = tags.iter().map(|tag| tag.len() - 1).max().unwrap_or_default().min(text.len());
    let ends_with_start = |bytes: &usize| {
        text.get(text.len() - bytes..).is_some_and(|end| tags.iter().any(|tag| tag.starts_with(end)))
    };
    (1..=longest).rev().find(ends_with_start).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_thinking(&["Rain", " today."], "Rain today.", "")]
    #[case::whole_tags(&["<think>hm</think>\n\nRain."], "Rain.", "hm")]
    #[case::tags_cut_in_two(&["<th", "ink>h", "m</thi", "nk>", "\n\n", "Rain."], "Rain.", "hm")]
    #[case::never_closed(&["<think>hm, ", "and so on"], "", "hm, and so on")]
    #[case::only_closed_because_the_template_opened_it(&["</think>Rain."], "Rain.", "")]
    #[case::less_than_is_no_tag(&["1 < 2 and <t", "able>"], "1 < 2 and <table>", "")]
    #[case::an_unfinished_tag_is_text(&["so <thi"], "so <thi", "")]
    #[case::more_than_one_byte_a_letter(&["é<think>ü</think>ß"], "éß", "ü")]
    fn tells_thinking_from_saying(#[case] pieces: &[&str], #[case] said: &str, #[case] thought: &str) {
        let mut thinking = Thinking::default();

        let mut all: Vec<Piece> = pieces.iter().flat_map(|text| thinking.push(text)).collect();
        all.extend(thinking.finish());

        let join = |wanted: fn(&Piece) -> Option<&str>| all.iter().filter_map(wanted).collect::<String>();
        assert_eq!(join(|p| if let Piece::Said(text) = p { Some(text) } else { None }), said);
        assert_eq!(join(|p| if let Piece::Thought(text) = p { Some(text) } else { None }), thought);
    }

    #[test]
    fn text_that_cannot_be_a_tag_is_given_at_once() {
        let mut thinking = Thinking::default();

        assert_eq!(thinking.push("It rains"), [Piece::Said("It rains".into())]);
    }
}
