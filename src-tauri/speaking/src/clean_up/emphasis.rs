//! Removes the marks of emphasis: `**bold**`, `~~struck~~`, `*italic*`.

/// Removes pairs of `mark` around words. Both marks must be in one line and directly next to the words.
pub(super) fn remove_marks(text: &str, mark: &str) -> String {
    let mut without_marks = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(mark) {
        let before = last_char(&rest[..start]).or_else(|| last_char(&without_marks));
        let after_mark = &rest[start + mark.len()..];
        match find_closing_mark(before, after_mark, mark) {
            Some(end) => {
                without_marks.push_str(&rest[..start]);
                without_marks.push_str(&after_mark[..end]);
                rest = &after_mark[end + mark.len()..];
            }
            None => {
                without_marks.push_str(&rest[..start + mark.len()]);
                rest = after_mark;
            }
        }
    }
    without_marks.push_str(rest);
    without_marks
}

/// The position of the closing mark in the text `after` the opening one. `None` when the mark is not emphasis.
fn find_closing_mark(before: Option<char>, after: &str, mark: &str) -> Option<usize> {
    let first = after.chars().next()?;
    let is_underscore = mark.starts_with('_');
    let is_in_identifier = is_underscore && before.is_some_and(is_word_char);
    // 3*4*5 is a product.
    let is_product = before.is_some_and(|c| c.is_ascii_digit()) && first.is_ascii_digit();
    if first.is_whitespace() || is_in_identifier || is_product {
        return None;
    }
    let line_end = after.find('\n').unwrap_or(after.len());
    let line = &after[..line_end];
    line.match_indices(mark).map(|(at, _)| last_mark_of_run(line, at, mark)).find(|&at| {
        let marked = &line[..at];
        let follows = line[at + mark.len()..].chars().next();
        let touches = last_char(marked).is_some_and(|c| !c.is_whitespace());
        touches && !(is_underscore && follows.is_some_and(is_word_char))
    })
}

/// In a run of marks such as `***`, the last mark closes.
fn last_mark_of_run(line: &str, mut at: usize, mark: &str) -> usize {
    let step = mark.chars().next().map_or(1, char::len_utf8);
    while line[at + step..].starts_with(mark) {
        at += step;
    }
    at
}

fn last_char(text: &str) -> Option<char> {
    text.chars().next_back()
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
