//! Records of the memory as lines of text for a terminal. Pure.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::IsTerminal;

use assistant::{EvidenceView, ItemView, MessageView, Participant, RecordKind};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The number of lines of a text that are shown before it is cut.
const LINES: usize = 4;

/// Columns of the widest line: longer ones are hard to read.
const WIDEST: usize = 100;

/// Columns of indentation for what belongs to the line above.
pub(super) const INDENT: usize = 4;

/// The layout of records.
pub(super) struct Layout {
    pub zone: TimeZone,
    /// Columns of a line.
    pub width: usize,
    /// `true` if long texts are shown whole.
    pub is_whole: bool,
}

/// Columns of the terminal; without a terminal, those of a line that is easy to read.
pub(super) fn terminal_width() -> usize {
    let columns = std::io::stdout().is_terminal().then(crossterm::terminal::size).and_then(Result::ok);
    columns.map_or(WIDEST, |(columns, _)| usize::from(columns).clamp(40, WIDEST))
}

impl Layout {
    /// The same layout with long texts shown whole or cut.
    pub fn whole(&self, is_whole: bool) -> Self {
        Self { zone: self.zone.clone(), width: self.width, is_whole }
    }

    /// The local date and time: `2025-11-22 13:00`.
    pub fn date_time(&self, at_micros: i64) -> String {
        self.at(at_micros, "%Y-%m-%d %H:%M")
    }

    /// The local date: `2025-11-22`.
    pub fn day(&self, at_micros: i64) -> String {
        self.at(at_micros, "%Y-%m-%d")
    }

    fn at(&self, at_micros: i64, format: &str) -> String {
        let at = Timestamp::from_microsecond(at_micros).unwrap_or_default();
        at.to_zoned(self.zone.clone()).strftime(format).to_string()
    }

    /// A record: its id, time and context, and below them its text.
    pub fn item(&self, item: &ItemView) -> String {
        let context = match (item.id.kind, item.context.as_str()) {
            (RecordKind::Message, "user") => speaker(Participant::User).to_owned(),
            (RecordKind::Message, _) => speaker(Participant::Assistant).to_owned(),
            (_, context) => plain(context),
        };
        let head = match item.id.kind {
            // Its context begins with the day.
            RecordKind::Diary => format!("{:<12} {context}", item.id.to_string()),
            _ => format!("{:<12} {}  {context}", item.id.to_string(), self.date_time(item.at_micros)),
        };
        format!("{}\n{}", head.trim_end(), self.text(&item.text, INDENT))
    }

    /// A message: its id, time and speaker, and below them its text.
    pub fn message(&self, message: &MessageView) -> String {
        let who = speaker(message.speaker);
        let head = format!("{:<12} {}  {who}", message.id.to_string(), self.date_time(message.at_micros));
        format!("{head}\n{}", self.text(&message.text, INDENT))
    }

    /// The place where a fact comes from.
    pub fn evidence(&self, evidence: &EvidenceView) -> String {
        let day = evidence.day.map(|day| day.to_string()).filter(|_| evidence.observed_at == 0);
        let mut line = format!("- {}", day.unwrap_or_else(|| self.date_time(evidence.observed_at)));
        if let Some(who) = evidence.speaker {
            let _ = write!(line, ", {}", speaker(who));
        }
        if !evidence.channel.is_empty() {
            let _ = write!(line, ", {}", plain(&evidence.channel));
        }
        for source in [
            evidence.message.map(|row| format!("message-{row}")),
            evidence.entry.map(|row| format!("diary-{row}")),
        ] {
            line.extend(source.map(|source| format!(", {source}")));
        }
        if !evidence.quote.is_empty() {
            let _ = write!(line, ": “{}”", evidence.quote);
        }
        self.text(&line, INDENT)
    }

    /// A text in indented lines; a long text is cut, unless it is to be shown whole.
    pub fn text(&self, text: &str, indent: usize) -> String {
        let mut lines = wrapped(text, self.width.saturating_sub(indent).max(20));
        if !self.is_whole && lines.len() > LINES {
            lines.truncate(LINES);
            lines[LINES - 1].push_str(" …");
        }
        let blanks = " ".repeat(indent);
        lines.iter().fold(String::new(), |text, line| text + &blanks + line + "\n")
    }
}

/// The text without control characters: terminals, and programs that read our lines, would interpret them.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

pub(super) fn speaker(speaker: Participant) -> &'static str {
    match speaker {
        Participant::User => "you",
        Participant::Assistant => "Jarvis",
    }
}

/// A number with its noun: `1 fact`, `2 facts`.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The text in lines of at most `width` columns, broken between words if possible. East Asian characters take two columns.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let options = textwrap::Options::new(width)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    let paragraphs = text.lines().map(|paragraph| {
        let words = plain(paragraph);
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    paragraphs
        .filter(|paragraph| !paragraph.is_empty())
        .flat_map(|paragraph| {
            textwrap::wrap(&paragraph, &options).into_iter().map(Cow::into_owned).collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::between_words("one two three", &["one two", "three"])]
    #[case::a_long_word("abcdefghijkl", &["abcdefgh", "ijkl"])]
    #[case::no_blanks("我喜欢喝绿茶", &["我喜欢喝", "绿茶"])]
    #[case::paragraphs("a\n\nb", &["a", "b"])]
    #[case::control_characters("a\u{1b}[31mb", &["a [31mb"])]
    fn long_texts_are_wrapped_between_words(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(wrapped(text, 8), expected);
    }

    #[test]
    fn long_text_is_cut_unless_shown_whole() {
        let layout = Layout { zone: TimeZone::UTC, width: 24, is_whole: false };
        let text = "word ".repeat(40);

        assert_eq!(layout.text(&text, 4).lines().count(), LINES);
        assert!(layout.text(&text, 4).ends_with(" …\n"));
        assert_eq!(layout.whole(true).text(&text, 4).lines().count(), 10);
    }
}
