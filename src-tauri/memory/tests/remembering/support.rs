//! A memory in a temporary file.

use std::path::PathBuf;

use memory::{
    Appointment, AppointmentKind, AppointmentStatus, Evidence, Meal, Memory, MessageContent, NewFact,
    NewMessage, Participant, Repeats,
};
use tempfile::TempDir;
use vocabulary::ConversationId;

pub const MINUTE: i64 = 60_000_000;
pub const DAY: i64 = 24 * 60 * MINUTE;
/// 2025-11-22, noon UTC.
pub const NOW: i64 = 1_763_812_800_000_000;

pub struct Home {
    pub folder: TempDir,
    pub memory: Memory,
}

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let memory = open(&folder.path().join("jarvis.db"));
        Self { folder, memory }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("jarvis.db")
    }

    pub async fn say(&self, at: i64, user: &str) {
        self.memory.add_messages(vec![message("main", at, Participant::User, user)]).await.unwrap();
    }

    pub async fn answer(&self, at: i64, text: &str) {
        self.memory.add_messages(vec![message("main", at, Participant::Assistant, text)]).await.unwrap();
    }
}

pub fn open(path: &std::path::Path) -> Memory {
    Memory::open(path).unwrap().memory
}

pub fn message(conversation: &str, at: i64, speaker: Participant, text: &str) -> NewMessage {
    NewMessage {
        conversation: ConversationId(conversation.into()),
        channel: "typed".into(),
        content: MessageContent::new(speaker, text, at),
        is_in_diary: false,
    }
}

pub fn fact(text: &str) -> NewFact {
    let evidence = Evidence { quote: text.into(), observed_at: NOW, ..Evidence::default() };
    NewFact { text: text.into(), evidence }
}

/// Adds a text to every list.
pub async fn list(memory: &Memory, text: &str, at: i64) {
    let meal = Meal {
        eaten_at: at - DAY,
        entered_at: at,
        description: format!("soup at {text}"),
        ..Meal::default()
    };
    memory.log_meal(meal).await.unwrap();
    memory.appoint(appointment(&format!("go to {text}")), at).await.unwrap();
    memory.add_todo("errands", &format!("pack for {text}"), at).await.unwrap();
}

pub fn appointment(label: &str) -> Appointment {
    Appointment {
        id: 0,
        kind: AppointmentKind::Reminder,
        label: label.into(),
        due_at: NOW + 2 * DAY,
        first_at: None,
        repeats: Repeats::Once,
        zone: String::new(),
        status: AppointmentStatus::Waiting,
        paused_at: None,
        created_at: 0,
    }
}

/// All records without the change times of nodes, because undoing counts as a change.
pub async fn records_without_change_times(memory: &Memory) -> memory::Archive {
    let mut archive = memory.archive().await.unwrap();
    archive.nodes.iter_mut().for_each(|node| node.updated_at = 0);
    archive
}
