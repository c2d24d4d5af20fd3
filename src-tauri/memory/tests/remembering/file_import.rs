//! Imports arbitrary bytes as a file: the import is refused with a reason, or it succeeds, and no existing record is lost.
//! Shared by the fuzz targets and the test that replays their findings.

use std::io::Write as _;
use std::path::Path;

use memory::{Archive, Memory, MemoryError, MessageContent, NewMessage, Participant};
use rusqlite::types::Value;
use vocabulary::ConversationId;

/// The kind of an imported file.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code, reason = "each fuzz target imports one kind")]
pub enum ImportFile {
    /// `memory.json`.
    Complete,
    /// An archive, or the bytes within one.
    Packed,
    /// The database of an earlier assistant, or cells for its tables.
    Reference,
}

/// A message that exists before the import.
const BEFORE: &str = "this was here before";

/// 2025-11-22.
const NOW: i64 = 1_763_812_800_000_000;

/// Imports the bytes into a memory with one message.
pub fn import_bytes(food: ImportFile, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let archive = match food {
        ImportFile::Complete => Archive::from_json(bytes),
        ImportFile::Packed => read(&folder.path().join("import.tar.gz"), |path| write_packed(path, bytes)),
        ImportFile::Reference => read(&folder.path().join("import.db"), |path| write_database(path, bytes)),
    };
    match archive {
        Ok(archive) => {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(check_import(&folder.path().join("jarvis.db"), archive));
        }
        Err(why) => assert!(why.len() > 10, "{why:?} is no reason"),
    }
}

fn read(path: &Path, write: impl FnOnce(&Path)) -> Result<Archive, String> {
    write(path);
    Archive::read(path).map_err(|refusal| refusal.to_string())
}

async fn check_import(path: &Path, archive: Archive) {
    let memory = Memory::open(path).unwrap().memory;
    let said = NewMessage {
        conversation: ConversationId("before".into()),
        channel: "typed".into(),
        content: MessageContent::new(Participant::User, BEFORE, NOW),
        is_in_diary: false,
    };
    memory.add_messages(vec![said]).await.unwrap();
    let before = memory.archive().await.unwrap();

    match memory.import(archive, NOW).await {
        Ok(_) => {}
        Err(MemoryError::Refused(refusal)) => {
            assert!(refusal.to_string().len() > 10, "{refusal:?} is no reason");
            assert_eq!(memory.archive().await.unwrap(), before, "a refused import changes nothing");
        }
        Err(error) => panic!("{error:?}"),
    }

    let after = memory.archive().await.unwrap();
    assert!(after.messages.iter().any(|message| message.text == BEFORE));
    let json = serde_json::to_vec(&after).unwrap();
    assert_eq!(Archive::from_json(&json).unwrap(), after);
    assert!(!after.files(&jiff::tz::TimeZone::UTC).is_empty());
    let again = memory.import(after, NOW).await.unwrap();
    assert_eq!(again, memory::ImportCounts::default(), "its own export adds nothing");
    memory.store().close();
}

/// Writes the bytes, compressed or as they are.
fn write_packed(path: &Path, bytes: &[u8]) {
    let mut file = std::fs::File::create(path).unwrap();
    match bytes.split_first() {
        Some((b'p', tar)) => {
            let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
            gzip.write_all(tar).unwrap();
            gzip.finish().unwrap();
        }
        _ => file.write_all(bytes).unwrap(),
    }
}

/// Writes the bytes as a database file, or as the cells of a database.
fn write_database(path: &Path, bytes: &[u8]) {
    match bytes.split_first() {
        Some((b'c', cells)) => write_cells(path, cells),
        _ => std::fs::write(path, bytes).unwrap(),
    }
}

/// Each line is the letter of a table and its cells, separated by tabs. A cell is a number, `0x` with text as a blob, `-` for
/// NULL, or text.
fn write_cells(path: &Path, cells: &[u8]) {
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
             CREATE TABLE conversation_summaries (date_utc, ts_utc, summary, topics, source_app);
             CREATE TABLE meals (ts_utc, source_app, description, calories_kcal, micros_json, confidence);
             CREATE TABLE memory_nodes (id, name, description, data, parent_id);",
        )
        .unwrap();
    for line in cells.split(|byte| *byte == b'\n').take(60) {
        let mut cells = line.split(|byte| *byte == b'\t');
        let (table, columns) = match cells.next().and_then(<[u8]>::first) {
            Some(b'd') => ("conversation_summaries", 5),
            Some(b'm') => ("meals", 6),
            Some(b'n') => ("memory_nodes", 5),
            _ => continue,
        };
        let mut values: Vec<Value> = cells.take(columns).map(value).collect();
        values.resize(columns, Value::Null);
        let placeholders = vec!["?"; columns].join(", ");
        let sql = format!("INSERT INTO {table} VALUES ({placeholders})");
        database.execute(&sql, rusqlite::params_from_iter(values)).unwrap();
    }
}

fn value(cell: &[u8]) -> Value {
    let text = String::from_utf8_lossy(cell).into_owned();
    match (text.as_str(), text.parse::<i64>(), text.parse::<f64>()) {
        ("-", ..) => Value::Null,
        (_, Ok(number), _) => Value::Integer(number),
        (_, _, Ok(number)) => Value::Real(number),
        (text, ..) => match text.strip_prefix("0x") {
            Some(blob) => Value::Blob(blob.as_bytes().to_vec()),
            None => Value::Text(text.to_owned()),
        },
    }
}
