//! An entry of the diary.

use vocabulary::Private;

/// An entry of the diary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiaryEntry {
    /// The summary, one or more lines.
    pub summary: Private<String>,
    /// The topics: three to five topics, separated by commas.
    pub topics: Private<String>,
}
