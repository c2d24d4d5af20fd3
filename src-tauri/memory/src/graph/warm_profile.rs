//! The warm profile: what every prompt contains about the user.
//!
//! Source: docs/behaviour/memory.md#profile.

use crate::graph::structure::Branch;

/// The text about the user in every prompt; either part may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WarmProfile {
    /// Facts about the user, one per line.
    pub user: String,
    /// Standing instructions of the user, one per line.
    pub directives: String,
}

impl WarmProfile {
    /// Returns `true` if both parts are empty.
    pub fn is_empty(&self) -> bool {
        self.user.is_empty() && self.directives.is_empty()
    }

    /// Both parts under their headings; empty when both are empty.
    pub fn render(&self) -> String {
        let sections = self.sections().into_iter().map(|(_, section)| section);
        sections.collect::<Vec<_>>().join("\n\n")
    }

    /// Each non-empty part under its heading, the user first.
    ///
    /// Small models tend to claim that they know nothing about the user; the headings contradict that.
    pub fn sections(&self) -> Vec<(Branch, String)> {
        let mut sections = Vec::new();
        if !self.user.is_empty() {
            let section = format!(
                "What the user told you about themselves in earlier conversations (who they are, their tastes and \
                 habits). You know this; use it where it helps:\n{}",
                self.user
            );
            sections.push((Branch::User, section));
        }
        if !self.directives.is_empty() {
            let section = format!(
                "Standing instructions the user gave you. Follow them in every reply:\n{}",
                self.directives
            );
            sections.push((Branch::Directives, section));
        }
        sections
    }
}

/// Joins pieces with line breaks, cut to `max_chars` characters with an ellipsis.
pub fn join_truncated<'a>(pieces: impl IntoIterator<Item = &'a str>, max_chars: usize) -> String {
    let whole = pieces.into_iter().filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join("\n");
    if whole.chars().count() <= max_chars {
        return whole;
    }
    let Some(room) = max_chars.checked_sub(1) else { return String::new() };
    let mut text: String = whole.chars().take(room).collect();
    text.push('…');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_text_is_truncated_with_an_ellipsis() {
        assert_eq!(join_truncated(["abc", "", "def"], 7), "abc\ndef");
        assert_eq!(join_truncated(["abc", "def"], 6), "abc\nd…");
        assert_eq!(join_truncated(["abc"], 0), "");
    }

    #[test]
    fn profile_is_rendered_under_headings() {
        let profile = WarmProfile { user: "Has a dog.".into(), directives: "Be brief.".into() };

        insta::assert_snapshot!(profile.render(), @r"
        What the user told you about themselves in earlier conversations (who they are, their tastes and habits). You know this; use it where it helps:
        Has a dog.

        Standing instructions the user gave you. Follow them in every reply:
        Be brief.
        ");
        assert_eq!(WarmProfile::default().render(), "");
    }
}
