//! Reading exported files and the database of an earlier assistant. A file is read completely, or not at all.
//!
//! Source: docs/behaviour/memory.md#import.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::error::Refusal;
use crate::transfer::archive::{Archive, COMPLETE, FORMAT, OLDER_FORMAT, unreadable};
use crate::transfer::reference;

/// Largest unpacked file that is read: 4 GB.
const MAX_BYTES: u64 = 4 << 30;

impl Archive {
    /// Reads an exported folder, archive or `memory.json`, or the database of an earlier assistant. Secrets are redacted.
    ///
    /// # Errors
    ///
    /// [`Refusal::Unreadable`] says what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let mut archive = Self::read_as_it_is(path)?;
        archive.texts(|text| *text = redaction::scrub(text));
        Ok(archive)
    }

    /// Changes every text that a person or model wrote.
    fn texts(&mut self, mut change: impl FnMut(&mut String)) {
        let messages = self.messages.iter_mut().map(|message| &mut message.text);
        let written =
            self.diary.iter_mut().flat_map(|entry| entry.topics.iter_mut().chain([&mut entry.summary]));
        messages.chain(written).for_each(&mut change);
        for node in &mut self.nodes {
            node.path.iter_mut().chain([&mut node.description]).for_each(&mut change);
            for fact in &mut node.facts {
                change(&mut fact.text);
                let quoted = fact.evidence.iter_mut();
                quoted.flat_map(|seen| [&mut seen.quote, &mut seen.wording]).for_each(&mut change);
            }
        }
        let eaten = self.meals.iter_mut().map(|meal| &mut meal.description);
        let due = self.appointments.iter_mut().map(|appointment| &mut appointment.label);
        let to_do = self.todos.iter_mut().flat_map(|todo| [&mut todo.list, &mut todo.text]);
        eaten.chain(due).chain(to_do).for_each(&mut change);
    }

    fn read_as_it_is(path: &Path) -> Result<Self, Refusal> {
        if path.is_dir() {
            return Self::read_as_it_is(&path.join(COMPLETE));
        }
        let mut file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
        let mut first = [0u8; 16];
        let length = read_up_to(&mut file, &mut first).map_err(|error| unreadable(path, &error))?;
        drop(file);
        match &first[..length] {
            [0x1f, 0x8b, ..] => Self::read_packed(path),
            b"SQLite format 3\0" => reference::read(path),
            _ => {
                let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
                Self::parse(file, path)
            }
        }
    }

    fn read_packed(path: &Path) -> Result<Self, Refusal> {
        let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file).take(MAX_BYTES));
        for entry in archive.entries().map_err(|error| unreadable(path, &error))? {
            let entry = entry.map_err(|error| unreadable(path, &error))?;
            let is_complete =
                entry.path().is_ok_and(|name| name.file_name().is_some_and(|name| name == COMPLETE));
            if is_complete {
                return Self::parse(entry, path);
            }
        }
        Err(Refusal::Unreadable(format!(
            "{} contains no {COMPLETE}: it was not exported by Jarvis",
            path.display()
        )))
    }

    fn parse(reader: impl Read, path: &Path) -> Result<Self, Refusal> {
        let mut bytes = Vec::new();
        reader.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
        Self::from_json(&bytes).map_err(|why| Refusal::Unreadable(format!("{}: {why}", path.display())))
    }

    /// Parses the complete file.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the file.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let value: Value =
            serde_json::from_slice(json).map_err(|error| format!("this is no JSON: {error}"))?;
        match value.get("format").and_then(Value::as_str) {
            Some(FORMAT | OLDER_FORMAT) => {
                serde_json::from_value(value).map_err(|error| format!("this is damaged: {error}"))
            }
            Some(other) => Err(format!("this is of the format {other:?}; I read {FORMAT:?}: update Jarvis")),
            None => Err("this was not exported by Jarvis".to_owned()),
        }
    }
}

fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..])? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}
