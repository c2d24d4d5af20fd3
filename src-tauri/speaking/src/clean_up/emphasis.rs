//! `**bold**`, `~~struck~~`, `*italic*`: the words without the marks.

/// Removes pairs of `mark` around words. Both stand on one line and touch what they mark.
pub(super) fn unmark(text: &str, mark: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find(mark) {
        let before = last_of(&rest[..found]).or_else(|| last_of(&plain));
        let after_mark = &rest[found + mark.len()..];
        match closing(before, after_mark, mark) {
            Some(end) => {
                plain.push_str(&rest[..found]);
                plain.push_str(&after_mark[..end]);
                rest = &after_mark[end + mark.len()..];
            }
            None => {
                plain.push_str(&rest[..found + mark.len()]);
                rest = after_mark;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// Where the pair of an opening mark closes, counted from behind the mark. `None` when it opens nothing.
fn closing(before: Option<char>, after: &str, mark: &str) -> Option<usize> {
    let first = after.chars().next()?;
    let is_underscore = mark.starts_with('_');
    let is_in_identifier = is_underscore && before.is_some_and(is_word);
    // 3*4*5 is a product.
    let is_product = before.is_some_and(|c| c.is_ascii_digit()) && first.is_ascii_digit();
    if first.is_whitespace() || is_in_identifier || is_product {
        return None;
    }
    let line_end = after.find('\n').unwrap_or(after.len());
    let line = &after[..line_end];
    line.match_indices(mark).map(|(at, _)| widest(line, at, mark)).find(|&at| {
        let marked = &line[..at];
        let follows = line[at + mark.len()..].chars().next();
        let touches = last_of(marked).is_some_and(|c| !c.is_whitespace());
        touches && !(is_underscore && follows.is_some_and(is_word))
    })
}

/// In a run of marks such as `***` the last ones close.
fn widest(line: &str, mut at: usize, mark: &str) -> usize {
    let step = mark.chars().next().map_or(1, char::len_utf8);
    while line[at + step..].starts_with(mark) {
        at += step;
    }
    at
}

fn last_of(text: &str) -> Option<char> {
    text.chars().next_back()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
