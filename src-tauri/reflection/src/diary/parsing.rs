//! Reads summary and topics from an answer, complete or while it is streamed.

use std::sync::LazyLock;

use regex::Regex;
use vocabulary::Private;

use super::entry::DiaryEntry;

#[derive(Clone, Copy, PartialEq, Eq)]
enum DiaryPart {
    Summary,
    Topics,
}

const LABELS: [(&str, DiaryPart); 2] = [("SUMMARY:", DiaryPart::Summary), ("TOPICS:", DiaryPart::Topics)];

/// Other forms of a label that models write: in lower case, in bold, as a heading, as a list item.
static LOOSE_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^[ \t#*_>-]*(summary|topics)[ \t*_]*[:：][ \t*_]*").expect("the regex is a constant")
});

/// Topics of an entry. Further ones are details.
const MAX_TOPICS: usize = 5;

/// The entry in an answer. As [`parse_summary_reply`], but also accepts labels in other forms, and keeps at most five
/// different topics.
pub(super) fn read_entry(reply: &str) -> Option<DiaryEntry> {
    let entry = parse_summary_reply(reply).or_else(|| {
        let strict_label = |label: &regex::Captures<'_>| format!("{}: ", label[1].to_uppercase());
        parse_summary_reply(&LOOSE_LABEL.replace_all(reply, strict_label))
    })?;
    let mut topics: Vec<&str> = Vec::new();
    for topic in entry.topics.split([',', '，', '、', '،']).map(|topic| topic.trim().trim_end_matches('.'))
    {
        let is_known = topics.iter().any(|known| known.to_lowercase() == topic.to_lowercase());
        if !topic.is_empty() && !is_known && topics.len() < MAX_TOPICS {
            topics.push(topic);
        }
    }
    let topics = topics.join(", ");
    (!topics.is_empty()).then_some(DiaryEntry { topics: Private(topics), ..entry })
}

/// The entry in an answer: all lines after `SUMMARY:` and the line after `TOPICS:`, in any order, the last of each. `None`
/// when a part is missing or empty.
pub fn parse_summary_reply(reply: &str) -> Option<DiaryEntry> {
    let mut summary: Vec<&str> = Vec::new();
    let mut topics: Vec<&str> = Vec::new();
    let mut part = None;
    for line in reply.lines() {
        let (begun, text) = label_of(line);
        match begun {
            Some(DiaryPart::Summary) => summary.clear(),
            Some(DiaryPart::Topics) => topics.clear(),
            None => {}
        }
        part = begun.or(part);
        match part {
            Some(DiaryPart::Summary) => summary.push(text.trim_end()),
            Some(DiaryPart::Topics) if !text.trim().is_empty() => {
                topics.push(text.trim());
                // Lines below the topics are not topics.
                part = None;
            }
            Some(DiaryPart::Topics) | None => {}
        }
    }
    summary.retain(|line| !is_fence(line));
    let summary = summary.join("\n").trim().to_owned();
    let topics = topics.first().map(|topics| topics.trim_start_matches(['-', '*', '•']).trim().to_owned());
    let topics = topics.filter(|topics| !topics.is_empty())?;
    (!summary.is_empty()).then_some(DiaryEntry { summary: Private(summary), topics: Private(topics) })
}

fn label_of(line: &str) -> (Option<DiaryPart>, &str) {
    let text = line.trim_start();
    let labelled = LABELS.into_iter().find_map(|(label, part)| Some((part, text.strip_prefix(label)?)));
    match labelled {
        Some((part, rest)) => (Some(part), rest.trim_start()),
        None => (None, line),
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("```") && line.chars().skip(3).all(char::is_alphanumeric)
}

/// Extracts the summary from an answer while it is streamed.
#[derive(Default)]
pub(super) struct SummaryFilter {
    /// The beginning of the current line, while it may still become a label.
    buffer: String,
    is_at_line_start: bool,
    part: Option<DiaryPart>,
    has_started: bool,
}

impl SummaryFilter {
    pub(super) fn new() -> Self {
        Self { is_at_line_start: true, ..Self::default() }
    }

    /// Adds a piece of the answer and returns the text that now surely belongs to the summary.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for c in piece.chars() {
            self.push_char(c, &mut shown);
        }
        shown
    }

    fn push_char(&mut self, c: char, shown: &mut String) {
        self.buffer.push(c);
        if c == '\n' {
            self.flush(shown);
            self.is_at_line_start = true;
        } else if !self.is_at_line_start {
            self.flush(shown);
        } else if let (Some(part), _) = label_of(&self.buffer) {
            self.part = Some(part);
            self.buffer.clear();
            self.is_at_line_start = false;
        } else if !may_become_label(&self.buffer) {
            self.flush(shown);
            self.is_at_line_start = false;
        }
    }

    fn flush(&mut self, shown: &mut String) {
        let text = std::mem::take(&mut self.buffer);
        let is_fence = self.is_at_line_start && is_fence(&text);
        if self.part != Some(DiaryPart::Summary) || is_fence {
            return;
        }
        let text = if self.has_started { &text[..] } else { text.trim_start() };
        self.has_started |= !text.is_empty();
        shown.push_str(text);
    }
}

fn may_become_label(line: &str) -> bool {
    let line = line.trim_start();
    let is_fence_so_far = line.starts_with("```") || "```".starts_with(line);
    is_fence_so_far || LABELS.iter().any(|(label, _)| label.starts_with(line))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::two_lines("SUMMARY: Tea.\nTOPICS: tea, cake", Some(("Tea.", "tea, cake")))]
    #[case::any_order("TOPICS: tea\n  SUMMARY: Tea.", Some(("Tea.", "tea")))]
    #[case::block("SUMMARY:\nTea.\n\nCake.\nTOPICS: tea", Some(("Tea.\n\nCake.", "tea")))]
    #[case::words_around("Sure!\nSUMMARY: Tea.\nTOPICS: tea\nDone.", Some(("Tea.", "tea")))]
    #[case::later_one_wins("SUMMARY: a\nTOPICS: b\nSUMMARY: c\nTOPICS: d", Some(("c", "d")))]
    #[case::fenced("```\nTOPICS: tea\nSUMMARY: Tea.\n```", Some(("Tea.", "tea")))]
    #[case::topics_below_their_label("SUMMARY: Tea.\nTOPICS:\n- tea, cake", Some(("Tea.", "tea, cake")))]
    #[case::no_topics("SUMMARY: Tea.", None)]
    #[case::empty_summary("SUMMARY:\nTOPICS: tea", None)]
    #[case::empty_topics("SUMMARY: Tea.\nTOPICS:  ", None)]
    #[case::not_in_capitals("Summary: Tea.\nTopics: tea", None)]
    #[case::label_in_a_sentence("The SUMMARY: Tea.\nTOPICS: tea", None)]
    #[case::nonsense("{\"facts\": null}", None)]
    #[case::empty("", None)]
    fn strict_parser_reads_both_parts_or_nothing(
        #[case] reply: &str,
        #[case] expected: Option<(&str, &str)>,
    ) {
        let entry = parse_summary_reply(reply);

        let parts = entry.as_ref().map(|entry| (&entry.summary[..], &entry.topics[..]));
        assert_eq!(parts, expected);
    }

    #[rstest]
    #[case::bold("**Summary:** Tea.\n\n**Topics:** tea, cake", Some(("Tea.", "tea, cake")))]
    #[case::headings("### SUMMARY:\nTea.\n### TOPICS:\n- tea", Some(("Tea.", "tea")))]
    #[case::many_topics("SUMMARY: Tea.\nTOPICS: a, b, A, c，d、e, f.", Some(("Tea.", "a, b, c, d, e")))]
    #[case::label_in_a_sentence("The summary: Tea.\nTopics: tea", None)]
    #[case::no_topics("Summary: Tea.", None)]
    #[case::no_word_among_the_topics("SUMMARY: Tea.\nTOPICS: , .", None)]
    fn tolerant_parser_accepts_other_label_forms(
        #[case] reply: &str,
        #[case] expected: Option<(&str, &str)>,
    ) {
        let entry = read_entry(reply);

        let parts = entry.as_ref().map(|entry| (&entry.summary[..], &entry.topics[..]));
        assert_eq!(parts, expected);
    }

    #[rstest]
    #[case::summary_first("Sure.\nSUMMARY: The user\nlikes tea.\nTOPICS: tea\n", "The user\nlikes tea.\n")]
    #[case::topics_first("TOPICS: tea\nSUMMARY:\nThe SUM of it.", "The SUM of it.")]
    #[case::fenced("```\nSUMMARY: Tea.\n```\n", "Tea.\n")]
    #[case::no_labels("The user likes tea.", "")]
    fn summary_is_shown_while_it_is_streamed(
        #[case] reply: &str,
        #[case] expected: &str,
        #[values(1, 3, 1000)] piece: usize,
    ) {
        let mut filter = SummaryFilter::new();
        let chars: Vec<char> = reply.chars().collect();

        let shown: String =
            chars.chunks(piece).map(|piece| filter.push(&piece.iter().collect::<String>())).collect();

        assert_eq!(shown, expected);
    }
}
