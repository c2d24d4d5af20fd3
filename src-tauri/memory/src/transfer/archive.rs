//! The archive: all records as files, for people to read and programs to import.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};

use crate::error::Refusal;
use crate::graph::facts::{Evidence, FactStatus};
use crate::records::appointments::Appointment;
use crate::records::meals::Meal;
use crate::records::messages::Participant;
use crate::records::todos::Todo;
use storage::private;

/// The present format of the complete file.
pub(crate) const FORMAT: &str = "jarvis-memory-2";

/// The format before: without links and pending states, and with nodes identified by their paths.
pub(crate) const OLDER_FORMAT: &str = "jarvis-memory-1";

/// Name of the complete file.
pub(crate) const COMPLETE: &str = "memory.json";

/// All records. Missing fields are empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Archive {
    /// `jarvis-memory-2` or `jarvis-memory-1`; the latter has no links and pending states.
    pub format: String,
    /// All messages, oldest first.
    pub messages: Vec<ArchivedMessage>,
    /// All diary entries, oldest first.
    pub diary: Vec<ArchivedEntry>,
    /// All nodes except the root, parents first.
    pub nodes: Vec<ArchivedNode>,
    /// All meals.
    pub meals: Vec<Meal>,
    /// All timers, alarms and reminders.
    pub appointments: Vec<Appointment>,
    /// All to-dos.
    pub todos: Vec<Todo>,
}

/// A message in the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedMessage {
    /// Its number in the archive, used by links.
    #[serde(default)]
    pub id: i64,
    /// The conversation it belongs to.
    pub conversation: String,
    /// When it was said: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// The one who said it.
    #[serde(rename = "speaker")]
    pub participant: Participant,
    /// voice, typed, loopback or import; empty is unknown.
    #[serde(default)]
    pub channel: String,
    /// The words.
    pub text: String,
    /// When it was added to the diary; `None` is pending.
    #[serde(default)]
    pub in_diary_at: Option<i64>,
    /// When it was searched for facts; `None` is pending.
    #[serde(default)]
    pub searched_at: Option<i64>,
}

/// A diary entry in the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedEntry {
    /// Its number in the archive, used by links.
    #[serde(default)]
    pub id: i64,
    /// The local date, `YYYY-MM-DD`.
    pub day: jiff::civil::Date,
    /// `conversation`, or the name of an import.
    pub source: String,
    /// Summary of the day.
    pub summary: String,
    /// Topics of a few words each.
    #[serde(default)]
    pub topics: Vec<String>,
    /// When it was last written: microseconds since 1970 UTC; 0 is unknown.
    #[serde(default)]
    pub written_at: i64,
    /// Numbers of the messages that it contains.
    #[serde(default)]
    pub sources: Vec<i64>,
}

/// A node with its facts in the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArchivedNode {
    /// Its number in the archive.
    pub id: i64,
    /// Number of the parent; `None` for branches.
    pub parent: Option<i64>,
    /// The names from its branch down to itself.
    pub path: Vec<String>,
    /// A description of the facts that belong in the node.
    pub description: String,
    /// The number of times that it was used.
    pub access_count: i64,
    /// When it was last used: microseconds since 1970 UTC.
    pub last_accessed: i64,
    /// When it was created: microseconds since 1970 UTC.
    pub created_at: i64,
    /// When it was last changed: microseconds since 1970 UTC.
    pub updated_at: i64,
    /// Its facts, the current ones first.
    pub facts: Vec<ArchivedFact>,
}

/// A fact in the archive. Its evidence refers to messages and diary entries by their numbers in the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedFact {
    /// Its number in the archive.
    #[serde(default)]
    pub id: i64,
    /// The fact in one sentence.
    pub text: String,
    /// Current, replaced or retracted.
    pub status: FactStatus,
    /// When it became true: microseconds since 1970 UTC.
    #[serde(default)]
    pub valid_from: i64,
    /// When it ceased to be true.
    #[serde(default)]
    pub valid_to: Option<i64>,
    /// Number of the fact that replaced it.
    #[serde(default)]
    pub replaced_by: Option<i64>,
    /// Its order within the node; 0 puts it last.
    #[serde(default)]
    pub position: i64,
    /// The evidence for it.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

impl Archive {
    /// The archive as files: the complete one, and pages for people with times in `zone`.
    pub fn files(&self, zone: &TimeZone) -> Vec<(String, Vec<u8>)> {
        let complete = serde_json::to_vec_pretty(self).expect("plain values are JSON");
        let mut files = vec![
            (COMPLETE.to_owned(), complete),
            ("README.md".to_owned(), README.as_bytes().to_vec()),
            ("diary.md".to_owned(), self.diary_page().into_bytes()),
            ("knowledge.md".to_owned(), self.knowledge_page(zone).into_bytes()),
            ("lists.md".to_owned(), self.lists_page(zone).into_bytes()),
        ];
        for (name, page) in self.conversation_pages(zone) {
            files.push((format!("conversations/{name}.md"), page.into_bytes()));
        }
        files
    }

    /// Writes the files into a new folder that only this user may read, if the system has file permissions.
    pub fn write_folder(&self, folder: &Path, zone: &TimeZone) -> std::io::Result<()> {
        private::make_folder(folder)?;
        private::restrict(folder);
        for (name, bytes) in self.files(zone) {
            let path = folder.join(name);
            if let Some(parent) = path.parent() {
                private::make_folder(parent)?;
            }
            private::create(&path)?.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Writes the files as one `.tar.gz` archive that only this user may read, if the system has file permissions. When it
    /// fails, there is no file.
    pub fn write_file(&self, path: &Path, zone: &TimeZone) -> std::io::Result<()> {
        let partial = path.with_extension("part");
        let written = self.pack(&partial, zone).and_then(|()| std::fs::rename(&partial, path));
        if written.is_err() {
            // The first error is reported.
            let _ = std::fs::remove_file(&partial);
        }
        written
    }

    fn pack(&self, path: &Path, zone: &TimeZone) -> std::io::Result<()> {
        let gzip = flate2::write::GzEncoder::new(private::create(path)?, flate2::Compression::default());
        let mut archive = tar::Builder::new(gzip);
        for (name, bytes) in self.files(zone) {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o600);
            archive.append_data(&mut header, format!("jarvis-memory/{name}"), bytes.as_slice())?;
        }
        archive.into_inner()?.finish()?.sync_all()
    }

    fn conversation_pages(&self, zone: &TimeZone) -> BTreeMap<String, String> {
        let mut pages: BTreeMap<String, String> = BTreeMap::new();
        let mut last_days: BTreeMap<String, String> = BTreeMap::new();
        for message in &self.messages {
            let at = local(message.at_micros, zone);
            let name = format!("{}-{}", safe_name(&message.conversation), at.strftime("%Y-%m"));
            let page = pages.entry(name.clone()).or_default();
            let day = at.strftime("%Y-%m-%d").to_string();
            if last_days.insert(name, day.clone()).as_ref() != Some(&day) {
                let _ = write!(page, "# {day}\n\n");
            }
            let who = if message.participant == Participant::User { "You" } else { "Jarvis" };
            let _ = write!(page, "**{who}** {}  \n{}\n\n", at.strftime("%H:%M"), message.text);
        }
        pages
    }

    fn diary_page(&self) -> String {
        let mut page = "# Diary\n".to_owned();
        for entry in &self.diary {
            let _ = write!(page, "\n## {}\n\n{}\n", entry.day, entry.summary);
            if !entry.topics.is_empty() {
                let _ = write!(page, "\nTopics: {}\n", entry.topics.join(", "));
            }
        }
        page
    }

    fn knowledge_page(&self, zone: &TimeZone) -> String {
        let mut page = "# What is known\n".to_owned();
        for node in &self.nodes {
            let _ = write!(page, "\n## {}\n", node.path.join(" › "));
            if !node.description.is_empty() {
                let _ = write!(page, "\n{}\n", node.description);
            }
            page.push('\n');
            for fact in &node.facts {
                let past = match fact.status {
                    FactStatus::Current => String::new(),
                    FactStatus::Superseded => format!(" (until {})", day(fact.valid_to, zone)),
                    FactStatus::Retracted => format!(" (taken back {})", day(fact.valid_to, zone)),
                };
                let _ = writeln!(page, "- {}{past}", fact.text);
                for evidence in fact.evidence.iter().filter(|evidence| !evidence.quote.is_empty()) {
                    let _ =
                        writeln!(page, "  - {}: “{}”", day(Some(evidence.observed_at), zone), evidence.quote);
                }
            }
        }
        page
    }

    fn lists_page(&self, zone: &TimeZone) -> String {
        let mut page = "# Lists\n\n".to_owned();
        for todo in &self.todos {
            let mark = if todo.done_at.is_some() { 'x' } else { ' ' };
            let _ = writeln!(page, "- [{mark}] {}: {}", todo.list, todo.text);
        }
        page.push_str("\n# Timers, alarms, reminders\n\n");
        for appointment in &self.appointments {
            // What is paused is due at no time that is known.
            let at = match appointment.paused_at {
                Some(_) => "paused".to_owned(),
                None => local(appointment.due_at, zone).strftime("%Y-%m-%d %H:%M").to_string(),
            };
            let _ = writeln!(page, "- {at} {:?}: {}", appointment.kind, appointment.label);
        }
        page.push_str("\n# Meals\n\n");
        for meal in &self.meals {
            let at = local(meal.eaten_at, zone).strftime("%Y-%m-%d %H:%M").to_string();
            let energy =
                meal.calories_kcal.map(|kcal| format!(" (about {kcal:.0} kcal)")).unwrap_or_default();
            let _ = writeln!(page, "- {at} {}{energy}", meal.description);
        }
        page
    }
}

const README: &str = "# What Jarvis remembers

`memory.json` is complete: `jarvis memory import` takes it in again. The other files say the same for reading.

- `conversations/`: everything said, a file a month
- `diary.md`: what each day was about
- `knowledge.md`: what is known, and the words it was learned from
- `lists.md`: to-dos, timers, alarms, reminders, meals
";

pub(crate) fn unreadable(path: &Path, error: &dyn std::error::Error) -> Refusal {
    Refusal::Unreadable(format!("{} could not be read: {error}", path.display()))
}

fn local(at_micros: i64, zone: &TimeZone) -> Zoned {
    Timestamp::from_microsecond(at_micros).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(zone.clone())
}

fn day(at_micros: Option<i64>, zone: &TimeZone) -> String {
    at_micros.map(|at| local(at, zone).strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

/// A conversation name as a file name that is valid on every system.
fn safe_name(name: &str) -> String {
    let safe: String =
        name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).take(60).collect();
    if safe.is_empty() { "conversation".to_owned() } else { safe }
}
