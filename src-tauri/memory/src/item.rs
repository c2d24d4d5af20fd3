//! What can be found and forgotten: one number for each thing that is remembered, whatever its kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use vocabulary::Private;

/// What kind of thing is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something that was said.
    Message,
    /// A day of the diary.
    Diary,
    /// A fact of the knowledge graph.
    Fact,
    /// A node of the knowledge graph.
    Node,
    /// Something eaten.
    Meal,
    /// A timer, an alarm or a reminder.
    Appointment,
    /// Something to do or to buy.
    Todo,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Message, Self::Diary, Self::Fact, Self::Node, Self::Meal, Self::Appointment, Self::Todo];

    /// Those that recall finds; the others stand on lists.
    pub const FOUND: [Self; 4] = [Self::Message, Self::Diary, Self::Fact, Self::Node];

    /// Its name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Diary => "diary",
            Self::Fact => "fact",
            Self::Node => "node",
            Self::Meal => "meal",
            Self::Appointment => "appointment",
            Self::Todo => "todo",
        }
    }

    fn number(self) -> i64 {
        match self {
            Self::Message => 0,
            Self::Diary => 1,
            Self::Fact => 2,
            Self::Node => 3,
            Self::Meal => 4,
            Self::Appointment => 5,
            Self::Todo => 6,
        }
    }
}

/// Names one remembered thing: `message-12`, `diary-3`, `fact-7`, `node-2`, `meal-4`, `appointment-1`, `todo-9`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId {
    /// Its kind.
    pub kind: Kind,
    /// Its row in the table of its kind.
    pub row: i64,
}

impl ItemId {
    /// The thing of that kind and row.
    pub fn new(kind: Kind, row: i64) -> Self {
        Self { kind, row }
    }

    /// The one number that the search tables know it by. What stands on lists is not in there: its numbers are negative.
    pub(crate) fn number(self) -> i64 {
        match self.kind.number() {
            found @ 0..4 => self.row * 4 + found,
            on_a_list => !(self.row * 4 + on_a_list - 4),
        }
    }

    pub(crate) fn of_number(number: i64) -> Self {
        let (first, number) = if number < 0 { (4, !number) } else { (0, number) };
        let kind = Kind::ALL[first + number.rem_euclid(4) as usize];
        Self { kind, row: number.div_euclid(4) }
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind.name(), self.row)
    }
}

/// One remembered thing.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryItem {
    /// Its name.
    pub id: ItemId,
    /// What is remembered.
    pub text: Private<String>,
    /// When it was said, learned or written; when a meal was eaten, when an appointment is due: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// Who said it, the diary's day and topics, the path of a fact, the list of a to-do, or what an appointment is.
    pub context: Private<String>,
}

/// A text that names nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names nothing: write an id as it is shown, such as message-12, diary-3, fact-7 or node-5")]
pub struct NoItemId(String);

impl FromStr for ItemId {
    type Err = NoItemId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NoItemId(text.to_owned());
        let (kind, row) = text.trim().rsplit_once('-').ok_or_else(wrong)?;
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(wrong)?;
        let row: i64 = row.parse().map_err(|_| wrong())?;
        // A quarter of the numbers are left for each kind.
        (0..=i64::MAX / 4 - 1).contains(&row).then_some(Self { kind, row }).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_numbers() {
        for kind in Kind::ALL {
            for row in [0, 1, 77, 1_000_000] {
                let id = ItemId::new(kind, row);

                assert_eq!(ItemId::of_number(id.number()), id);
                assert_eq!(id.to_string().parse(), Ok(id));
            }
        }
    }

    #[test]
    fn a_text_that_names_nothing_says_how_ids_look() {
        let error = "fact".parse::<ItemId>().unwrap_err();

        assert!(error.to_string().contains("fact-7"));
        assert!("fact-9223372036854775807".parse::<ItemId>().is_err());
    }
}
