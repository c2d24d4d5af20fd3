//! An engine with a memory of a given size.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use llm::{CancellationToken, EmbedRole, Embedder};
use memory::{Dialogue, EmbeddedPassage, Memory, MemoryService, MessageContent, NewMessage, Participant};
use replying::{ReplyEngine, ReplyParts, ReplyingConfig, RoleModels};
use settings::Settings;
use testkit::{FixedClock, toolbox};
use tokio::sync::watch;
use vocabulary::{ConversationId, Origin, Query, Replier, ReplyControls, ReplyId};

use crate::parts::{InstantModel, WordVectors, tools};

/// 2023-11-14, in microseconds.
const START: i64 = 1_700_000_000_000_000;

/// Between two messages, in microseconds.
const STEP: i64 = 20_000_000;

/// Messages in a batch.
const BATCH: usize = 2_000;

const WORDS: [&str; 40] = [
    "garden", "ticket", "kettle", "violin", "bridge", "harbour", "lantern", "market", "orchard", "pencil",
    "quarry", "ribbon", "saddle", "tunnel", "umbrella", "village", "window", "almanac", "basket", "candle",
    "dentist", "engine", "fountain", "gallery", "hammock", "island", "jacket", "kitchen", "ladder", "meadow",
    "needle", "oven", "pillow", "quilt", "river", "school", "teapot", "uncle", "valley", "wagon",
];

/// Two words; numbers that are near have others.
pub fn words_of(number: usize) -> [&'static str; 2] {
    [WORDS[number % WORDS.len()], WORDS[(number * 13 + number / WORDS.len()) % WORDS.len()]]
}

pub struct Fixture {
    engine: ReplyEngine,
    model: Arc<InstantModel>,
    _folder: tempfile::TempDir,
}

impl Fixture {
    pub async fn with(rows: usize, number_of_tools: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (service, opening) = MemoryService::start(&folder.path().join("jarvis.db"), |_| {});
        tokio::spawn(opening);
        let (dialogue, writing) = Dialogue::start(&service);
        tokio::spawn(writing);
        assert!(dialogue.opened(Duration::from_secs(30)).await);
        fill(&service.memory().unwrap(), rows).await;
        let model = Arc::new(InstantModel::default());
        let mut settings = Settings::default();
        settings.location.time_zone = "UTC".into();
        let (_, config) = watch::channel(ReplyingConfig::try_from(&settings).unwrap());
        let engine = ReplyEngine::new(ReplyParts {
            models: RoleModels::new(|_| model.clone()),
            dialogue,
            memory: service.watch(),
            embedder: Some(Arc::new(WordVectors)),
            toolbox: toolbox(tools(number_of_tools), &settings),
            clock: Arc::new(FixedClock::at("2027-09-15T17:53:00Z")),
            config,
        });
        Self { engine, model, _folder: folder }
    }

    /// Answers in a conversation of its own. When the model was asked.
    pub async fn reply(&self, text: &str) -> Instant {
        let query = Query {
            reply: ReplyId(1),
            text: text.into(),
            language: None,
            origin: Origin::Voice,
            conversation: ConversationId(text.to_owned()),
            replaces_previous: false,
        };
        let (controls, _answers) = ReplyControls::new(CancellationToken::new());
        self.engine.reply(query, controls).collect::<Vec<_>>().await;
        self.model.asked_at()
    }
}

/// Gives the memory so many messages, and each its vector.
async fn fill(memory: &Memory, rows: usize) {
    for first in (0..rows).step_by(BATCH) {
        let messages = (first..rows.min(first + BATCH)).map(message);
        memory.add_messages(messages.collect()).await.unwrap();
    }
    memory.use_embeddings_of(&WordVectors.id().0).await.unwrap();
    loop {
        let passages = memory.passages(BATCH).await.unwrap();
        if passages.is_empty() {
            return;
        }
        let mut embedded = Vec::new();
        for passage in passages {
            let texts: Vec<String> = passage.texts.iter().map(|text| text.0.clone()).collect();
            let vectors =
                WordVectors.embed(&texts, EmbedRole::Passage, CancellationToken::new()).await.unwrap();
            embedded.push(EmbeddedPassage { passage, vectors });
        }
        memory.keep_embeddings(&WordVectors.id().0, embedded).await.unwrap();
    }
}

fn message(number: usize) -> NewMessage {
    let [one, other] = words_of(number);
    let text = format!("note {number}: the {one} stands behind the {other}, remember that for next year");
    NewMessage {
        conversation: ConversationId(format!("conversation {}", number / 20)),
        channel: "voice".into(),
        content: MessageContent::new(Participant::User, text, START + number as i64 * STEP),
        is_in_diary: true,
    }
}
