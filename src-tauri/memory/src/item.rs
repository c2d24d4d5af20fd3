//! Ids of everything that can be found and forgotten, whatever its kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use vocabulary::Private;

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A message of a conversation.
    Message,
    /// A diary entry.
    Diary,
    /// A fact of the knowledge graph.
    Fact,
    /// A node of the knowledge graph.
    Node,
    /// A meal that was logged.
    Meal,
    /// A timer, an alarm or a reminder.
    Appointment,
    /// A to-do or something to buy.
    Todo,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Message, Self::Diary, Self::Fact, Self::Node, Self::Meal, Self::Appointment, Self::Todo];

    /// The kinds that recall finds; the others are on lists.
    pub const SEARCHABLE: [Self; 4] = [Self::Message, Self::Diary, Self::Fact, Self::Node];

    /// The name in commands and files.
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

/// The id of an item, such as `message-12`, `diary-3`, `fact-7`, `node-2`, `meal-4`, `appointment-1`, `todo-9`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId {
    /// Decides the table.
    pub kind: RecordKind,
    /// Row in the table of its kind.
    pub row: i64,
}

impl ItemId {
    /// The id of a row in the table of a kind.
    pub fn new(kind: RecordKind, row: i64) -> Self {
        Self { kind, row }
    }

    /// The number of the item in the search tables. Items on lists are not in there: their numbers are negative.
    pub(crate) fn number(self) -> i64 {
        match self.kind.number() {
            found @ 0..4 => self.row * 4 + found,
            on_a_list => !(self.row * 4 + on_a_list - 4),
        }
    }

    pub(crate) fn from_number(number: i64) -> Self {
        let (first, number) = if number < 0 { (4, !number) } else { (0, number) };
        let kind = RecordKind::ALL[first + number.rem_euclid(4) as usize];
        Self { kind, row: number.div_euclid(4) }
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind.name(), self.row)
    }
}

/// An item as it is shown, whatever its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryItem {
    /// The row in the table of its kind.
    pub id: ItemId,
    /// The words of the item.
    pub text: Private<String>,
    /// When it was said, learned or written, a meal was eaten, or an appointment is due: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// The participant of a message, day and topics of a diary entry, path of a fact, list of a to-do, kind of an appointment.
    pub context: Private<String>,
}

/// A text that is no item id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names nothing: write an id as it is shown, such as message-12, diary-3, fact-7 or node-5")]
pub struct InvalidItemId(String);

impl FromStr for ItemId {
    type Err = InvalidItemId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || InvalidItemId(text.to_owned());
        let (kind, row) = text.trim().rsplit_once('-').ok_or_else(wrong)?;
        let kind = RecordKind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(wrong)?;
        let row: i64 = row.parse().map_err(|_| wrong())?;
        // Four kinds share the numbers.
        (0..=i64::MAX / 4 - 1).contains(&row).then_some(Self { kind, row }).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_every_kind_round_trip_as_numbers_and_text() {
        for kind in RecordKind::ALL {
            for row in [0, 1, 77, 1_000_000] {
                let id = ItemId::new(kind, row);

                assert_eq!(ItemId::from_number(id.number()), id);
                assert_eq!(id.to_string().parse(), Ok(id));
            }
        }
    }

    #[test]
    fn invalid_id_explains_how_ids_look() {
        let error = "fact".parse::<ItemId>().unwrap_err();

        assert!(error.to_string().contains("fact-7"));
        assert!("fact-9223372036854775807".parse::<ItemId>().is_err());
    }
}
