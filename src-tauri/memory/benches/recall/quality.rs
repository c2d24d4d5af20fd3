//! Quality: the share of the evidence for written questions among the first results of recall. No language model.

use std::collections::BTreeMap;
use std::ops::Range;

use dates::Calendar;
use embedding::InstalledEmbedder;
use llm::{EmbedRole, Embedder};
use memory::{EmbeddedPassage, Memory, MessageContent, NewMessage, Participant, Recall};
use vocabulary::ConversationId;

use crate::figures::{Figures, at_share};
use crate::meaning;
use crate::plain::Plain;
use crate::questions::{Conversation, Half, Question, Questions, Turn, micros};

/// Numbers of first results that are evaluated.
const DEPTHS: [usize; 4] = [1, 5, 10, 20];

/// The compared kinds of search.
const WAYS: [&str; 5] = ["plain BM25", "words alone", "meaning alone", "both", "both, days preferred"];

/// Candidate thresholds: below such a value, nothing would count as known.
const THRESHOLDS: [f64; 9] = [0.20, 0.25, 0.30, 0.35, 0.40, 0.45, 0.50, 0.55, 0.60];

/// Runs every kind of search for all questions, of each half by itself. With `only`, for that half alone.
pub async fn measure(questions: &Questions, only: Option<Half>, figures: &mut Figures) {
    let embedder = meaning::installed();
    match &embedder {
        Some(embedder) => println!("Embedded by {}.", embedder.id()),
        None => println!("The sentence model is not installed (`cargo xtask models`): words decide alone."),
    }
    for half in [Half::Tuning, Half::HeldOut] {
        let mut conversations = questions.conversations.iter().filter(|it| it.half == half).peekable();
        if only.is_none_or(|only| only == half) && conversations.peek().is_some() {
            println!("\nHalf: {half:?}");
            measure_half(questions, half, embedder.as_ref(), figures).await;
        }
    }
}

async fn measure_half(
    questions: &Questions,
    half: Half,
    embedder: Option<&InstalledEmbedder>,
    figures: &mut Figures,
) {
    let mut tables = Tables::default();
    let (mut similarities, mut scores) = (Best::from_measure("similarity"), Best::from_measure("score"));
    for conversation in questions.conversations.iter().filter(|conversation| conversation.half == half) {
        let asked = questions.questions.iter().filter(|question| question.conversation == conversation.id);
        let asked: Vec<&Question> = asked.collect();
        let recorded = DialogueMessage::new(conversation, embedder).await;
        for question in asked {
            let vector = match embedder {
                Some(embedder) => {
                    let texts = std::slice::from_ref(&question.text);
                    meaning::embed(embedder, texts, EmbedRole::Query).await.pop()
                }
                None => None,
            };
            let (similarity, score) = recorded.best(question, vector.clone()).await;
            similarities.note(question, similarity);
            scores.note(question, score);
            if question.evidence.is_empty() {
                continue;
            }
            let evidence: Vec<i64> =
                question.evidence.iter().map(|turn| recorded.at[turn.as_str()]).collect();
            for way in WAYS {
                tables.note(
                    way,
                    &question.kind,
                    &evidence,
                    &recorded.found(way, question, vector.clone()).await,
                );
            }
        }
    }
    tables.print(half, figures);
    similarities.print(half, figures);
    scores.print(half, figures);
}

/// A conversation in a memory of its own.
struct DialogueMessage {
    memory: Memory,
    plain: Plain,
    /// The time of each turn.
    at: BTreeMap<String, i64>,
    _folder: tempfile::TempDir,
}

impl DialogueMessage {
    async fn new(conversation: &Conversation, embedder: Option<&InstalledEmbedder>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(&folder.path().join("jarvis.db")).unwrap().memory;
        let (mut at, mut last, mut messages) = (BTreeMap::new(), 0, Vec::new());
        let first_speaker = conversation.turns.first().map_or("", |turn| turn.speaker.as_str());
        for turn in &conversation.turns {
            // The memory identifies messages by their time.
            last = micros(turn.at).max(last + 1);
            at.insert(turn.id.clone(), last);
            messages.push(message(&conversation.id, turn, first_speaker, last));
        }
        let texts = messages
            .iter()
            .map(|message| (message.content.at_micros, message.content.text.as_str().to_owned()));
        let plain = Plain::new(texts);
        memory.add_messages(messages).await.unwrap();
        if let Some(embedder) = embedder {
            embed(&memory, embedder).await;
        }
        Self { memory, plain, at, _folder: folder }
    }

    /// The times of the results, best first.
    async fn found(&self, way: &str, question: &Question, vector: Option<Vec<f32>>) -> Vec<i64> {
        let limit = DEPTHS[DEPTHS.len() - 1];
        let words = question.text.clone();
        let recall = match way {
            "plain BM25" => return self.plain.best(&question.text, limit),
            "words alone" => Recall { words, limit, ..Recall::default() },
            "meaning alone" if vector.is_none() => return Vec::new(),
            "meaning alone" => Recall { vector, limit, ..Recall::default() },
            "both" => Recall { words, vector, limit, ..Recall::default() },
            _ => Recall { words, vector, preferred: days_of(question), limit, ..Recall::default() },
        };
        let found = self.memory.recall(recall).await.unwrap();
        found.into_iter().map(|found| found.item.at_micros).collect()
    }

    /// The greatest similarity and the greatest score among the first results of the combined search.
    async fn best(&self, question: &Question, vector: Option<Vec<f32>>) -> (Option<f64>, Option<f64>) {
        let recall = Recall { words: question.text.clone(), vector, limit: 10, ..Recall::default() };
        let found = self.memory.recall(recall).await.unwrap();
        let similarities = found.iter().filter_map(|found| found.similarity).map(f64::from);
        (similarities.max_by(f64::total_cmp), found.first().map(|found| found.score))
    }
}

/// Maps the speakers to two participants: the first speaker, unless it is the assistant, and the other one. A name stays in
/// front of the text.
fn message(conversation: &str, turn: &Turn, first_speaker: &str, at: i64) -> NewMessage {
    let (speaker, text) = match turn.speaker.as_str() {
        "user" => (Participant::User, turn.text.clone()),
        "assistant" => (Participant::Assistant, turn.text.clone()),
        name => {
            let speaker = if name == first_speaker { Participant::User } else { Participant::Assistant };
            (speaker, format!("{name}: {}", turn.text))
        }
    };
    NewMessage {
        conversation: ConversationId(conversation.to_owned()),
        channel: "typed".into(),
        content: MessageContent::new(speaker, text, at),
        is_in_diary: true,
    }
}

async fn embed(memory: &Memory, embedder: &InstalledEmbedder) {
    let model = embedder.id().to_string();
    memory.use_embeddings_of(&model).await.unwrap();
    loop {
        let passages = memory.passages(100).await.unwrap();
        if passages.is_empty() {
            return;
        }
        let mut embedded = Vec::with_capacity(passages.len());
        for passage in passages {
            let texts: Vec<String> = passage.texts.iter().map(|text| text.as_str().to_owned()).collect();
            embedded.push(EmbeddedPassage {
                vectors: meaning::embed(embedder, &texts, EmbedRole::Passage).await,
                passage,
            });
        }
        memory.keep_embeddings(&model, embedded).await.unwrap();
    }
}

/// The days that a question names.
fn days_of(question: &Question) -> Option<Range<i64>> {
    let days = dates::span_of(&question.text, &Calendar::looking_back(question.asked_at.date()))?;
    let after = days.last.tomorrow().unwrap();
    Some(micros(days.first.at(0, 0, 0, 0))..micros(after.at(0, 0, 0, 0)))
}

/// For each kind of search and question: the shares of the evidence found at each depth, one entry per question.
#[derive(Default)]
struct Tables(BTreeMap<String, BTreeMap<String, Vec<[f64; DEPTHS.len()]>>>);

impl Tables {
    fn note(&mut self, way: &str, kind: &str, evidence: &[i64], found: &[i64]) {
        let share = |depth| {
            let first = &found[..found.len().min(depth)];
            evidence.iter().filter(|at| first.contains(at)).count() as f64 / evidence.len() as f64
        };
        let shares = DEPTHS.map(share);
        let kinds = self.0.entry(way.to_owned()).or_default();
        for kind in ["all", kind] {
            kinds.entry(kind.to_owned()).or_default().push(shares);
        }
    }

    fn print(&self, half: Half, figures: &mut Figures) {
        for way in WAYS {
            println!("\n{:<44} {}", way, DEPTHS.map(|depth| format!("{:>7}", format!("@{depth}"))).join(" "));
            for (kind, shares) in self.0.get(way).into_iter().flatten() {
                let mean = |place: usize| {
                    shares.iter().map(|shares| shares[place]).sum::<f64>() / shares.len() as f64
                };
                let columns = DEPTHS.iter().enumerate();
                let columns: Vec<_> =
                    columns.map(|(place, depth)| (format!("evidence@{depth}"), mean(place))).collect();
                figures.note_row(&format!("{half:?}: {way}, {kind} ({})", shares.len()), &columns);
            }
        }
    }
}

/// The greatest value of a measure for answerable and unanswerable questions: shows whether it distinguishes them.
struct Best {
    measure: &'static str,
    answerable: Vec<f64>,
    unanswerable: Vec<f64>,
}

impl Best {
    fn from_measure(measure: &'static str) -> Self {
        Self { measure, answerable: Vec::new(), unanswerable: Vec::new() }
    }

    fn note(&mut self, question: &Question, greatest: Option<f64>) {
        let values = if question.evidence.is_empty() { &mut self.unanswerable } else { &mut self.answerable };
        values.extend(greatest);
    }

    fn print(&self, half: Half, figures: &mut Figures) {
        const SHARES: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];
        if self.answerable.is_empty() || self.unanswerable.is_empty() {
            return;
        }
        let measure = self.measure;
        let heads = SHARES.map(|share| format!("{:>7}", format!("p{:.0}", share * 100.0)));
        println!("\n{:<44} {}", format!("greatest {measure} among the ten first"), heads.join(" "));
        let rows = [("answerable", &self.answerable), ("unanswerable", &self.unanswerable)];
        for (name, values) in rows {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let columns = SHARES.map(|share| (format!("p{:.0}", share * 100.0), at_share(&sorted, share)));
            figures.note_row(&format!("{half:?}: {measure}, {name} ({})", sorted.len()), &columns);
        }
        println!(
            "\n{:<44} {}",
            format!("{measure} at least"),
            THRESHOLDS.map(|least| format!("{least:>7.2}")).join(" ")
        );
        for (name, values) in rows {
            let share =
                |least| values.iter().filter(|value| **value >= least).count() as f64 / values.len() as f64;
            let columns = THRESHOLDS.map(|least| (format!("at least {least:.2}"), share(least)));
            figures.note_row(&format!("{half:?}: {measure}, share of {name}"), &columns);
        }
    }
}
