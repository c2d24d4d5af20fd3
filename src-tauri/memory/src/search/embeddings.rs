//! Which items still need a vector, and storing the vectors. The model is elsewhere.

use rusqlite::Connection;
use storage::notes::{note, set_note};
use vocabulary::Private;

use crate::MemoryError;
use crate::error::Refusal;
use crate::item::{ItemId, RecordKind};
use crate::memory::Memory;
use crate::records::messages::neighbours;
use crate::search::indexed_text::indexed;
use crate::search::vectors;

/// Name of the note with the model of all vectors.
const MODEL: &str = "embedding_model";

/// Longest text for the model, in characters: small models read only some hundred words.
const MAX_CHARS: usize = 2_000;

/// An item to be embedded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The item that the vector stands for.
    pub item: ItemId,
    /// The texts to embed; their vectors are averaged. A message comes alone and together with its neighbours, because short
    /// answers mean little by themselves.
    pub texts: Vec<Private<String>>,
    at: i64,
    is_final: bool,
}

/// A passage with the unit vectors of its texts, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedPassage {
    /// The text that is embedded.
    pub passage: Passage,
    /// One vector per text.
    pub vectors: Vec<Vec<f32>>,
}

impl Memory {
    /// Sets the model of the vectors. Vectors of another model are dropped: they cannot be compared.
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

    /// The model of the vectors.
    pub async fn embedding_model(&self) -> Result<Option<String>, MemoryError> {
        self.read(|connection| note(connection, MODEL)).await
    }

    /// Items without a vector, newest messages first.
    pub async fn passages(&self, limit: usize) -> Result<Vec<Passage>, MemoryError> {
        self.read(move |connection| waiting(connection, limit)).await
    }

    /// Stores vectors. Passages that changed or were forgotten meanwhile are skipped.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when the memory is embedded with another model.
    pub async fn keep_embeddings(
        &self,
        model: &str,
        embedded: Vec<EmbeddedPassage>,
    ) -> Result<(), MemoryError> {
        let model = model.to_owned();
        self.change(move |changing| {
            if note(changing, MODEL)?.as_deref() != Some(&model) {
                return Err(Refusal::OtherModel.into());
            }
            for EmbeddedPassage { passage, vectors } in embedded {
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
            RecordKind::Fact,
            "SELECT id FROM facts WHERE status = 'current' AND id * 4 + 2 NOT IN (SELECT item FROM vectors) LIMIT ?1",
        ),
        (RecordKind::Node, "SELECT id FROM nodes WHERE id > 4 AND id * 4 + 3 NOT IN (SELECT item FROM vectors) LIMIT ?1"),
        (RecordKind::Diary, "SELECT id FROM diary WHERE id * 4 + 1 NOT IN (SELECT item FROM vectors) LIMIT ?1"),
        // The last message of a conversation is embedded at once, and again when another follows it.
        (
            RecordKind::Message,
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
    if item.kind == RecordKind::Message {
        let mut around = vec![(own.at, own.text)];
        for neighbour in neighbours(connection, item.row)? {
            if let Some(neighbour) = indexed(connection, ItemId::new(RecordKind::Message, neighbour))? {
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
