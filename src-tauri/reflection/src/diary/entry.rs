//! An entry of the diary.

use vocabulary::Private;

/// An entry of the diary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiaryEntry {
    /// What happened, one or more lines.
    pub summary: Private<String>,
    /// What it was about: three to five topics, separated by commas.
    pub topics: Private<String>,
}
