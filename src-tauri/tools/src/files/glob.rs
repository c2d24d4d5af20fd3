//! Patterns of file names: `*`, `?`, `[abc]`, and `**` for any folders. Case does not count.

use std::path::Path;

use regex::{Regex, RegexBuilder};

/// A pattern of file names.
pub(super) struct Glob {
    pattern: Regex,
    /// It names folders, so it is compared with whole paths.
    has_folders: bool,
}

impl Glob {
    /// Reads a pattern; `None` if it is too long to be one.
    pub fn new(pattern: &str) -> Option<Self> {
        let pattern = pattern.trim().replace('\\', "/");
        let pattern = if pattern.is_empty() { "*" } else { pattern.trim_start_matches("./") };
        let mut expression = RegexBuilder::new(&translated(pattern));
        let pattern_read = expression.case_insensitive(true).size_limit(1 << 20).build().ok()?;
        Some(Self { pattern: pattern_read, has_folders: pattern.contains('/') })
    }

    /// Returns `true` if the pattern names folders, so that folders below have to be looked at.
    pub fn has_folders(&self) -> bool {
        self.has_folders
    }

    /// Returns `true` if a path fits; it starts at the folder that is listed.
    pub fn fits(&self, path: &Path) -> bool {
        let compared = if self.has_folders { Some(path.as_os_str()) } else { path.file_name() };
        compared.is_some_and(|text| self.pattern.is_match(&text.to_string_lossy().replace('\\', "/")))
    }
}

/// The pattern as a regular expression.
fn translated(pattern: &str) -> String {
    let mut expression = String::from(r"\A(?s:");
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '*' if rest.starts_with("*/") => {
                rest = &rest[2..];
                expression.push_str("(?:.*/)?");
            }
            '*' if rest.starts_with('*') => {
                rest = &rest[1..];
                expression.push_str(".*");
            }
            '*' => expression.push_str("[^/]*"),
            '?' => expression.push_str("[^/]"),
            '[' => match rest.find(']').filter(|end| *end > 0) {
                Some(end) => {
                    expression.push_str(&class(&rest[..end]));
                    rest = &rest[end + 1..];
                }
                None => expression.push_str(r"\["),
            },
            other => expression.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    expression.push_str(r")\z");
    expression
}

/// A class of characters. Ranges stay, everything else stands for itself.
fn class(signs: &str) -> String {
    let (mark, signs) = match signs.strip_prefix(['!', '^']) {
        Some(rest) if !rest.is_empty() => ("^", rest),
        _ => ("", signs),
    };
    let mut class = format!("[{mark}");
    for sign in signs.chars() {
        match sign {
            '-' => class.push('-'),
            sign => class.push_str(&regex::escape(sign.encode_utf8(&mut [0; 4]))),
        }
    }
    class.push(']');
    class
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::everything("*", ".hidden", true)]
    #[case::ending("*.txt", "a.txt", true)]
    #[case::other_case("*.pdf", "Scan.PDF", true)]
    #[case::name_below("*.txt", "folder/a.txt", true)]
    #[case::other_ending("*.txt", "a.txt.gz", false)]
    #[case::one_sign("a?.md", "ä.md", false)]
    #[case::one_unicode_sign("?.md", "ä.md", true)]
    #[case::class("[a-c]*", "banana", true)]
    #[case::not_in_class("[!a-c]*", "banana", false)]
    #[case::open_class("[a", "[a", true)]
    #[case::folder("docs/*.md", "docs/a.md", true)]
    #[case::not_below("docs/*.md", "docs/x/a.md", false)]
    #[case::any_folder("**/*.md", "docs/x/a.md", true)]
    #[case::no_folder("**/*.md", "a.md", true)]
    #[case::signs_of_expressions("a+(b).txt", "a+(b).txt", true)]
    fn names_fit_a_pattern(#[case] pattern: &str, #[case] path: &str, #[case] expected: bool) {
        assert_eq!(Glob::new(pattern).unwrap().fits(Path::new(path)), expected);
    }
}
