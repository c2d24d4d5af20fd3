//! Which items still have to be embedded, and what became of them. The vectors come from outside: no model in here.

use rusqlite::Connection;
use storage::notes::{note, set_note};
use vocabulary::Private;

use crate::MemoryError;
use crate::error::Refusal;
use crate::item::{ItemId, Kind};
use crate::memory::Memory;
use crate::records::messages::neighbours;
use crate::search::indexed_text::indexed;
use crate::search::vectors;

/// The note that names the model of all vectors.
const MODEL: &str = "embedding_model";

/// Longest text that is given to a model, in characters: small models read no more than some hundred words.
const MAX_CHARS: usize = 2_000;

/// An item to be embedded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Which.
    pub item: ItemId,
    /// Its texts. A message comes alone and once more with what was said before and after it: short answers mean little
    /// by themselves. The vectors of all are averaged.
    pub texts: Vec<Private<String>>,
    at: i64,
    is_final: bool,
}

/// A passage and the vectors of its texts, in their order, each of length 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// The passage.
    pub passage: Passage,
    /// A vector for each text.
    pub vectors: Vec<Vec<f32>>,
}

impl Memory {
    /// Says which model the vectors of this memory come from. Those of another are dropped: they cannot be compared.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database fails.
    pub async fn use_embeddings_of(&self, model: &str) -> Result<(), MemoryError> {
        let model = model.to_owned();
        self.change(move |changing| {
            if note(changing, MODEL)?.as_deref() != Some(&model) {
                changing.drop_all_vectors()?;
                set_note(changing, MODEL, &model)?;
            }
            Ok(())
        })
        .await
    }

    /// The model that the vectors come from.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn embedding_model(&self) -> Result<Option<String>, MemoryError> {
        self.read(|connection| note(connection, MODEL)).await
    }

    /// Items that have no vector yet, newest messages first, at most so many.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn passages(&self, limit: usize) -> Result<Vec<Passage>, MemoryError> {
        self.read(move |connection| waiting(connection, limit)).await
    }

    /// Keeps what a model made of passages. Those that changed or were forgotten meanwhile are passed over.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when the memory is embedded with another model.
    pub async fn keep_embeddings(&self, model: &str, embedded: Vec<Embedded>) -> Result<(), MemoryError> {
        let model = model.to_owned();
        self.change(move |changing| {
            if note(changing, MODEL)?.as_deref() != Some(&model) {
                return Err(Refusal::OtherModel.into());
            }
            for Embedded { passage, vectors } in embedded {
                let Some(vector) = vectors::mean(&vectors) else { continue };
                if passage_of(changing, passage.item)?.as_ref() == Some(&passage) {
                    changing.put_vector(passage.item, passage.at, &vector, passage.is_final)?;
                }
            }
            Ok(())
        })
        .await
    }
}

fn waiting(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<Passage>> {
    let mut items = Vec::new();
    for (kind, sql) in [
        (
            Kind::Fact,
            "SELECT id FROM facts WHERE status = 'current' AND id * 4 + 2 NOT IN (SELECT item FROM vectors) LIMIT ?1",
        ),
        (Kind::Node, "SELECT id FROM nodes WHERE id > 4 AND id * 4 + 3 NOT IN (SELECT item FROM vectors) LIMIT ?1"),
        (Kind::Diary, "SELECT id FROM diary WHERE id * 4 + 1 NOT IN (SELECT item FROM vectors) LIMIT ?1"),
        // The last message of a conversation is embedded as it is, and once more when another came after it.
        (
            Kind::Message,
            "SELECT id FROM messages m WHERE is_embedded = 0 AND
             (NOT EXISTS (SELECT 1 FROM vectors v WHERE v.item = m.id * 4) OR
              EXISTS (SELECT 1 FROM messages n WHERE n.conversation = m.conversation AND n.said_at > m.said_at))
             ORDER BY id DESC LIMIT ?1",
        ),
    ] {
        let mut select = connection.prepare_cached(sql)?;
        let room = limit.saturating_sub(items.len()) as i64;
        let rows = select.query_map([room], |row| Ok(ItemId::new(kind, row.get(0)?)))?;
        items.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    items.into_iter().filter_map(|item| passage_of(connection, item).transpose()).collect()
}

fn passage_of(connection: &Connection, item: ItemId) -> rusqlite::Result<Option<Passage>> {
    let Some(own) = indexed(connection, item)? else { return Ok(None) };
    let text = |text: &str| Private(text.chars().take(MAX_CHARS).collect::<String>());
    let mut texts = vec![text(&own.text)];
    let mut is_final = true;
    if item.kind == Kind::Message {
        let mut around = vec![(own.at, own.text)];
        for neighbour in neighbours(connection, item.row)? {
            if let Some(neighbour) = indexed(connection, ItemId::new(Kind::Message, neighbour))? {
                around.push((neighbour.at, neighbour.text));
            }
        }
        around.sort();
        is_final = around.last().is_some_and(|(at, _)| *at > own.at);
        if around.len() > 1 {
            let around: Vec<String> = around.into_iter().map(|(_, text)| text).collect();
            texts.push(text(&around.join("\n")));
        }
    }
    Ok(Some(Passage { item, texts, at: own.at, is_final }))
}
