//! The warm profile: what is always told to the model, without asking any.
//!
//! Source: behaviour reference, section 3.6.

use std::collections::VecDeque;
use std::sync::PoisonError;

use rusqlite::Connection;

use crate::MemoryError;
use crate::facts::data_of;
use crate::graph::children;
use crate::memory::Memory;
use crate::node::{Branch, NodeId};

/// Longest text about the user, in characters.
const USER_CHARS: usize = 1200;
/// Longest text of standing instructions, in characters.
const DIRECTIVES_CHARS: usize = 600;

/// What is always told to the model; either part may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WarmProfile {
    /// What the user has told of themselves, a fact a line.
    pub user: String,
    /// How they want to be served, a wish a line.
    pub directives: String,
}

impl WarmProfile {
    /// Is there nothing to tell?
    pub fn is_empty(&self) -> bool {
        self.user.is_empty() && self.directives.is_empty()
    }

    /// Both parts under their headings; empty when there is nothing to tell.
    pub fn render(&self) -> String {
        let sections = self.sections().into_iter().map(|(_, section)| section);
        sections.collect::<Vec<_>>().join("\n\n")
    }

    /// Each part that is not empty under its heading, the user first.
    ///
    /// The headings name what a small model would claim not to have: that keeps it from denying it.
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

impl Memory {
    /// The warm profile. Read once, then kept until one of its branches changes.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn warm_profile(&self, now_micros: i64) -> Result<WarmProfile, MemoryError> {
        if let Some(profile) = &*self.shared.profile.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(profile.clone());
        }
        let shared = std::sync::Arc::clone(&self.shared);
        self.store
            .read(move |connection| {
                // Locked while it is read: a change meanwhile waits, and drops it again.
                let mut kept = shared.profile.lock().unwrap_or_else(PoisonError::into_inner);
                let profile = WarmProfile {
                    user: branch_text(connection, Branch::User, USER_CHARS, now_micros)?,
                    directives: branch_text(connection, Branch::Directives, DIRECTIVES_CHARS, now_micros)?,
                };
                *kept = Some(profile.clone());
                Ok(profile)
            })
            .await
    }
}

fn branch_text(
    connection: &Connection,
    branch: Branch,
    max_chars: usize,
    now_micros: i64,
) -> rusqlite::Result<String> {
    let mut pieces = Vec::new();
    let mut waiting: VecDeque<NodeId> = VecDeque::from([branch.node()]);
    let mut chars = 0;
    while let Some(node) = waiting.pop_front() {
        let data = data_of(connection, node)?;
        chars += data.chars().count();
        pieces.push(data);
        if chars > max_chars {
            break;
        }
        waiting.extend(children(connection, node, now_micros)?.into_iter().map(|child| child.id));
    }
    Ok(joined(pieces.iter().map(String::as_str), max_chars))
}

/// The pieces one under the other, at most so many characters; what does not fit is cut with an ellipsis.
pub fn joined<'a>(pieces: impl IntoIterator<Item = &'a str>, max_chars: usize) -> String {
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
    fn what_does_not_fit_is_cut_with_an_ellipsis() {
        assert_eq!(joined(["abc", "", "def"], 7), "abc\ndef");
        assert_eq!(joined(["abc", "def"], 6), "abc\nd…");
        assert_eq!(joined(["abc"], 0), "");
    }

    #[test]
    fn the_profile_reads_so() {
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
