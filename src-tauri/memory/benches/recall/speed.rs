//! Speed: writes, opens and searches a memory with a given number of messages.

use std::sync::Arc;
use std::time::{Duration, Instant};

use memory::{
    DatabaseLocation, EmbeddedPassage, Fingerprint, ItemId, Key, KeyProblem, KeyStore, Memory,
    MessageContent, NewMessage, Participant, Passage, Recall, encrypt,
};
use parking_lot::Mutex;
use vocabulary::ConversationId;

use crate::figures::{Figures, at_share};
use crate::meaning::{Meanings, product};
use crate::random::Random;
use crate::talk::Talk;

/// Number of measured questions.
const QUESTIONS: usize = 300;

/// Number of questions before the measurement, so that the caches are filled.
const WARM_UP: usize = 100;

/// Number of questions that are also answered by an exact search.
const EXACT_QUESTIONS: usize = 100;

/// Number of results of one recall.
const LIMIT: usize = 10;

/// Number of messages or vectors in a batch.
const BATCH: usize = 2_000;

/// Number of messages that are written one by one.
const SINGLES: usize = 200;

/// 2023-11-14.
const START: i64 = 1_700_000_000_000_000;

/// Time between two messages, in microseconds.
const STEP: i64 = 20_000_000;

const DAY: i64 = 24 * 3600 * 1_000_000;

const MODEL: &str = "mixed";

/// The form of the memory on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDisk {
    Plain,
    Encrypted,
}

/// Measures memories of these sizes.
pub async fn measure(rows: &[usize], on_disk: OnDisk, figures: &mut Figures) {
    let world = World { talk: Talk::new(), meanings: Meanings::new().await };
    for rows in rows {
        println!("\n{rows} messages");
        let folder = tempfile::tempdir().unwrap();
        let place =
            DatabaseLocation { path: folder.path().join("jarvis.db"), keys: Arc::new(KeyAtHand::default()) };
        if on_disk == OnDisk::Encrypted {
            encrypt(&place).unwrap();
        }
        world.measure(*rows, &place, figures).await;
    }
}

/// Creates the question about a row.
type Asking = fn(&World, u64) -> Recall;

struct World {
    talk: Talk,
    meanings: Meanings,
}

impl World {
    async fn measure(&self, rows: usize, place: &DatabaseLocation, figures: &mut Figures) {
        let mut random = Random::new(7, rows as u64);
        let asked: Vec<u64> = (0..WARM_UP + QUESTIONS).map(|_| random.below(rows) as u64).collect();
        let exact_for = &asked[WARM_UP..WARM_UP + EXACT_QUESTIONS];
        let mut note = |name: &str, value: f64| figures.note(&format!("{rows}: {name}"), value);

        let memory = open(place);
        let writing = Instant::now();
        self.write(&memory, rows).await;
        note("messages written in batches a second", a_second(rows, writing));
        let mut exact = Exact::new(exact_for.iter().map(|row| self.meanings.of_question(*row)));
        let embedding = Instant::now();
        let looking = self.embed(&memory, &mut exact).await;
        note("vectors kept in batches a second", a_second(rows, embedding + looking));
        note("similarity of the 10th nearest, median", exact.median_of_tenth());
        memory.store().close();
        drop(memory);
        note("file MB", std::fs::metadata(&place.path).unwrap().len() as f64 / 1e6);

        let opening = Instant::now();
        let memory = open(place);
        note("opening ms", ms(opening));
        let first = Instant::now();
        memory.recall(self.by_both(asked[0])).await.unwrap();
        note("first recall after opening ms", ms(first));
        let recalls: [(&str, Asking); 4] = [
            ("words and meaning", Self::by_both),
            ("both, days preferred", Self::by_days),
            ("words alone", Self::by_words),
            ("meaning alone", Self::by_meaning),
        ];
        for (name, recall) in recalls {
            let mut times = Vec::new();
            for row in &asked {
                let recall = recall(self, *row);
                let asking = Instant::now();
                memory.recall(recall).await.unwrap();
                times.push(asking.elapsed());
            }
            figures.note_spread(&format!("{rows}: recall, {name},"), &times[WARM_UP..]);
        }
        let mut both = 0;
        for (row, best) in exact_for.iter().zip(&exact.best) {
            // By similarity alone, as the exact search: the rank also depends on the length.
            let many = Recall { limit: 10 * LIMIT, ..self.by_meaning(*row) };
            let mut found = memory.recall(many).await.unwrap();
            found.sort_by(|a, b| b.similarity.unwrap_or(0.0).total_cmp(&a.similarity.unwrap_or(0.0)));
            found.truncate(LIMIT);
            both += best
                .iter()
                .filter(|(_, row)| found.iter().any(|found| row_of(&found.item.id) == *row))
                .count();
        }
        let mut note = |name: &str, value: f64| figures.note(&format!("{rows}: {name}"), value);
        note("recall@10 of meaning against exact search", both as f64 / (LIMIT * EXACT_QUESTIONS) as f64);

        let writing = Instant::now();
        for row in rows..rows + SINGLES {
            memory.add_messages(vec![self.message(row as u64)]).await.unwrap();
        }
        note("messages written one by one a second", a_second(SINGLES, writing));
        let embedding = Instant::now();
        for _ in 0..SINGLES {
            let passages = memory.passages(1).await.unwrap();
            let embedded = passages.into_iter().map(|passage| self.embedded(passage)).collect();
            memory.keep_embeddings(MODEL, embedded).await.unwrap();
        }
        note("vectors kept one by one a second", a_second(SINGLES, embedding));
        memory.store().close();
    }

    async fn write(&self, memory: &Memory, rows: usize) {
        let rows: Vec<u64> = (0..rows as u64).collect();
        for batch in rows.chunks(BATCH) {
            let messages = batch.iter().map(|row| self.message(*row)).collect();
            memory.add_messages(messages).await.unwrap();
        }
    }

    /// Stores all vectors. Returns the part of the time that the exact search took.
    async fn embed(&self, memory: &Memory, exact: &mut Exact) -> Duration {
        let mut looking = Duration::ZERO;
        memory.use_embeddings_of(MODEL).await.unwrap();
        loop {
            let passages = memory.passages(BATCH).await.unwrap();
            if passages.is_empty() {
                return looking;
            }
            let embedded: Vec<EmbeddedPassage> =
                passages.into_iter().map(|passage| self.embedded(passage)).collect();
            let since = Instant::now();
            for EmbeddedPassage { passage, vectors } in &embedded {
                exact.look_at(row_of(&passage.item), &vectors[0]);
            }
            looking += since.elapsed();
            memory.keep_embeddings(MODEL, embedded).await.unwrap();
        }
    }

    fn message(&self, row: u64) -> NewMessage {
        let speaker = if row.is_multiple_of(2) { Participant::User } else { Participant::Assistant };
        NewMessage {
            conversation: ConversationId("main".into()),
            channel: "voice".into(),
            content: MessageContent::new(speaker, self.talk.sentence(row), START + row as i64 * STEP),
            is_in_diary: true,
        }
    }

    fn embedded(&self, passage: Passage) -> EmbeddedPassage {
        let vectors = vec![self.meanings.of_row(row_of(&passage.item))];
        EmbeddedPassage { passage, vectors }
    }

    fn by_both(&self, row: u64) -> Recall {
        Recall { words: self.by_words(row).words, ..self.by_meaning(row) }
    }

    fn by_days(&self, row: u64) -> Recall {
        let at = START + row as i64 * STEP;
        Recall { preferred: Some(at - 7 * DAY..at + 7 * DAY), ..self.by_both(row) }
    }

    fn by_words(&self, row: u64) -> Recall {
        Recall { words: self.talk.question(row), limit: LIMIT, ..Recall::default() }
    }

    fn by_meaning(&self, row: u64) -> Recall {
        Recall { vector: Some(self.meanings.of_question(row)), limit: LIMIT, ..Recall::default() }
    }
}

/// The rows nearest to some questions, found by an exact search.
struct Exact {
    questions: Vec<Vec<f32>>,
    /// For each question the best rows, best first, with their similarity.
    best: Vec<Vec<(f32, u64)>>,
}

impl Exact {
    fn new(questions: impl Iterator<Item = Vec<f32>>) -> Self {
        let questions: Vec<Vec<f32>> = questions.collect();
        Self { best: vec![Vec::new(); questions.len()], questions }
    }

    fn look_at(&mut self, row: u64, vector: &[f32]) {
        for (question, best) in self.questions.iter().zip(&mut self.best) {
            let similarity = product(question, vector);
            if best.len() < LIMIT || similarity > best[LIMIT - 1].0 {
                let place = best.partition_point(|(known, _)| *known >= similarity);
                best.insert(place, (similarity, row));
                best.truncate(LIMIT);
            }
        }
    }

    fn median_of_tenth(&self) -> f64 {
        let mut tenth: Vec<f64> = self
            .best
            .iter()
            .filter_map(|best| best.last())
            .map(|(similarity, _)| f64::from(*similarity))
            .collect();
        tenth.sort_by(f64::total_cmp);
        at_share(&tenth, 0.5)
    }
}

fn open(place: &DatabaseLocation) -> Memory {
    Memory::open(place.clone()).unwrap().memory
}

/// A keychain that answers at once.
#[derive(Default)]
struct KeyAtHand(Mutex<Option<Key>>);

impl KeyStore for KeyAtHand {
    fn get(&self, _: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        Ok(self.0.lock().clone())
    }

    fn set(&self, key: &Key) -> Result<(), KeyProblem> {
        *self.0.lock() = Some(key.clone());
        Ok(())
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        *self.0.lock() = None;
        Ok(())
    }
}

/// Messages are numbered from 1, in the order they are written.
fn row_of(item: &ItemId) -> u64 {
    item.row as u64 - 1
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn a_second(count: usize, since: Instant) -> f64 {
    count as f64 / since.elapsed().as_secs_f64()
}
