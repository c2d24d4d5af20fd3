//! The voices that people enrolled. Backups and exports leave them out: a voice belongs to the body of a person.

use rusqlite::params;
use vocabulary::{EnrolledVoice, SpeakerEmbedding};

use crate::MemoryError;
use crate::memory::Memory;

impl Memory {
    /// The enrolled voices, by name.
    pub async fn voices(&self) -> Result<Vec<EnrolledVoice>, MemoryError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT name, embedding FROM voices ORDER BY name")?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?)))?;
            let rows: Vec<(String, Vec<u8>)> = rows.collect::<Result<_, _>>()?;
            Ok(rows
                .into_iter()
                .filter_map(|(name, bytes)| Some(EnrolledVoice { name, embedding: read(&bytes)? }))
                .collect())
        })
        .await
    }

    /// Enrols a voice. It takes the place of one with the same name.
    pub async fn enrol_voice(&self, voice: EnrolledVoice) -> Result<(), MemoryError> {
        self.change(move |changing| {
            let bytes: Vec<u8> =
                voice.embedding.numbers().iter().flat_map(|number| number.to_le_bytes()).collect();
            let insert = "INSERT INTO voices (name, embedding) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET embedding = excluded.embedding";
            changing.prepare_cached(insert)?.execute(params![voice.name, bytes])?;
            Ok(())
        })
        .await
    }

    /// Removes the voice of this name from the file and its log. Returns `false` when there is none.
    pub async fn remove_voice(&self, name: String) -> Result<bool, MemoryError> {
        let removed = self
            .change(move |changing| {
                Ok(changing.prepare_cached("DELETE FROM voices WHERE name = ?1")?.execute([name])?)
            })
            .await?;
        self.scrub_log().await?;
        Ok(removed > 0)
    }
}

/// The embedding of these bytes; `None` when they are none.
fn read(bytes: &[u8]) -> Option<SpeakerEmbedding> {
    let numbers = bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    SpeakerEmbedding::new(numbers.collect())
}
