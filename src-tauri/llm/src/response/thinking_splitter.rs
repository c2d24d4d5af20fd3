//! Separates thinking from text in a stream.

/// Starts thinking within the text.
const OPEN: &str = "<think>";

/// Ends thinking.
const CLOSE: &str = "</think>";

/// A part of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StreamPart {
    /// Text of the reply.
    Text(String),
    /// Thinking, without tags.
    Thinking(String),
}

/// Finds `<think>…</think>` in streamed text. Tags may be split over two chunks.
#[derive(Debug, Default)]
pub(super) struct ThinkingSplitter {
    /// Text that may be the start of a tag.
    pending: String,
    is_thinking: bool,
    /// Set after thinking: the white space that models write there is dropped.
    skips_whitespace: bool,
}

impl ThinkingSplitter {
    /// Adds text. Returns the parts that are certain.
    pub(super) fn push(&mut self, text: &str) -> Vec<StreamPart> {
        self.pending.push_str(text);
        let mut parts = Vec::new();
        while let Some((at, tag)) = self.next_tag() {
            let rest = self.pending.split_off(at + tag.len());
            let mut before = std::mem::replace(&mut self.pending, rest);
            before.truncate(at);
            self.emit(&before, &mut parts);
            self.is_thinking = tag == OPEN;
            self.skips_whitespace = tag == CLOSE;
        }
        let rest =
            self.pending.split_off(self.pending.len() - possible_prefix_len(&self.pending, &[OPEN, CLOSE]));
        let certain = std::mem::replace(&mut self.pending, rest);
        self.emit(&certain, &mut parts);
        parts
    }

    /// Ends the stream. Returns the pending text, which is no tag.
    pub(super) fn finish(&mut self) -> Vec<StreamPart> {
        let rest = std::mem::take(&mut self.pending);
        let mut parts = Vec::new();
        self.emit(&rest, &mut parts);
        parts
    }

    fn next_tag(&self) -> Option<(usize, &'static str)> {
        let found = [OPEN, CLOSE].into_iter().filter_map(|tag| Some((self.pending.find(tag)?, tag)));
        found.min_by_key(|(at, _)| *at)
    }

    fn emit(&mut self, text: &str, parts: &mut Vec<StreamPart>) {
        let text = if self.skips_whitespace && !self.is_thinking { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        if self.is_thinking {
            parts.push(StreamPart::Thinking(text.to_owned()));
        } else {
            self.skips_whitespace = false;
            parts.push(StreamPart::Text(text.to_owned()));
        }
    }
}

/// Number of bytes at the end of `text` that may be the start of one of the `tags`.
pub(super) fn possible_prefix_len(text: &str, tags: &[&str]) -> usize {
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
    fn thinking_is_separated_from_text(#[case] parts: &[&str], #[case] text: &str, #[case] thinking: &str) {
        let mut splitter = ThinkingSplitter::default();

        let mut all: Vec<StreamPart> = parts.iter().flat_map(|text| splitter.push(text)).collect();
        all.extend(splitter.finish());

        let join =
            |wanted: fn(&StreamPart) -> Option<&str>| all.iter().filter_map(wanted).collect::<String>();
        assert_eq!(join(|p| if let StreamPart::Text(text) = p { Some(text) } else { None }), text);
        assert_eq!(join(|p| if let StreamPart::Thinking(text) = p { Some(text) } else { None }), thinking);
    }

    #[test]
    fn text_without_a_possible_tag_is_returned_at_once() {
        let mut splitter = ThinkingSplitter::default();

        assert_eq!(splitter.push("It rains"), [StreamPart::Text("It rains".into())]);
    }
}
