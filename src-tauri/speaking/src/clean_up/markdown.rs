//! Removes the marks of Markdown.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::emphasis::remove_marks;

/// The highest number of a list item. Higher numbers stay: `1984. The book`.
const MAX_LIST_NUMBER: u32 = 99;

/// Removes the marks of Markdown and keeps the marked text.
///
/// Code keeps its content. A line of `===` or `---` under a title is removed. List numbers are removed only when two
/// consecutive lines or more are numbered, because a single number may be the end of a sentence.
pub fn strip_markdown_for_speech(text: &str) -> String {
    let text = FENCED_CODE.replace_all(text, "$code");
    let text = OPEN_FENCE.replace_all(&text, "");
    let text = INLINE_CODE.replace_all(&text, "$code");
    let text =
        ["**", "__", "~~", "*", "_"].iter().fold(text.into_owned(), |text, mark| remove_marks(&text, mark));
    let text = remove_tags(&text);
    let text = LINE_MARK.replace_all(&text, "");
    remove_list_numbers(&remove_underlines(&text))
}

static FENCED_CODE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)```[^\n`]*\n(?P<code>.*?)```"));
/// A code fence whose other end is in another sentence.
static OPEN_FENCE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^[ \t]*```[\w+-]*[ \t]*(?:\n|$)"));
static INLINE_CODE: LazyLock<Regex> = LazyLock::new(|| regex(r"`+(?P<code>[^`\n]+)`+"));
/// Headings, quotes and bullets, at the start of a line and in any nesting.
static LINE_MARK: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?m)^[ \t]*(?:(?:>[ \t]?)+[ \t]*(?:#{1,6}[ \t]+|[-*+•][ \t]+)?|#{1,6}[ \t]+|[-*+•][ \t]+)")
});
static UNDERLINE: LazyLock<Regex> = LazyLock::new(|| regex(r"^[ \t]*(?:={3,}|-{3,})[ \t]*$"));
static LIST_NUMBER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^[ \t]*(?P<number>\d{1,9})[.)][ \t]+(?P<item>.*)$"));
/// An HTML tag, with valid attributes if it has any. `a <b and c> d` is a comparison.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?s)<!--.*?-->|<!doctype[^<>]*>|</?(?P<name>[A-Za-z][A-Za-z0-9-]*)(?:\s+[A-Za-z_:@][\w:.-]*\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=]+)|\s+(?:async|autoplay|checked|controls|defer|disabled|hidden|loop|multiple|muted|open|readonly|required|selected))*\s*/?>"#,
    )
});
/// An e-mail address in angle brackets.
static BRACKETED_ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"<(?P<address>(?:mailto:)?[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+)>"));

fn remove_tags(text: &str) -> String {
    let text = BRACKETED_ADDRESS.replace_all(text, "$address");
    let without_tags = TAG.replace_all(&text, |found: &Captures<'_>| {
        let start = found.get(0).map_or(0, |tag| tag.start());
        let follows_a_word =
            text[..start].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == ':');
        // `Vec<String>` is a type: the names of HTML tags are nearly always in lower case.
        let is_type = follows_a_word
            && found
                .name("name")
                .is_some_and(|name| name.as_str().starts_with(|c: char| c.is_ascii_uppercase()));
        if is_type { found[0].to_owned() } else { String::new() }
    });
    without_tags.into_owned()
}

/// Removes lines of `===` and `---` under a line that is not blank.
fn remove_underlines(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let is_underline = |n: usize| n > 0 && UNDERLINE.is_match(lines[n]) && !lines[n - 1].trim().is_empty();
    let remaining: Vec<&str> = (0..lines.len()).filter(|&n| !is_underline(n)).map(|n| lines[n]).collect();
    remaining.join("\n")
}

fn remove_list_numbers(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let items: Vec<Option<&str>> = lines.iter().map(|line| list_item(line)).collect();
    let is_numbered = |n: usize| items.get(n).is_some_and(Option::is_some);
    let mut remaining = Vec::with_capacity(lines.len());
    for (n, line) in lines.iter().enumerate() {
        let has_neighbour = (n > 0 && is_numbered(n - 1)) || is_numbered(n + 1);
        remaining.push(match items[n] {
            Some(item) if has_neighbour => item,
            _ => line,
        });
    }
    remaining.join("\n")
}

/// The text of a numbered line after its number.
fn list_item(line: &str) -> Option<&str> {
    let found = LIST_NUMBER.captures(line)?;
    let number: u32 = found["number"].parse().ok()?;
    (number <= MAX_LIST_NUMBER).then(|| found.name("item").map_or("", |item| item.as_str()))
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the regex is a constant")
}
