//! A model, an embedder and tools that take no time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, ChatStream, EmbedError, EmbedRole, Embedder,
    EmbedderId, FinishReason, LlmError, Message, ModelIdentity, ProviderKind, Usage, normalised,
};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tools::{Declaration, Effect, Tool, ToolContext, ToolResult, ToolSource};

/// Answers at once, and remembers when it was asked.
#[derive(Default)]
pub struct InstantModel {
    asked_at: Mutex<Option<Instant>>,
}

impl InstantModel {
    /// When it was last asked.
    pub fn asked_at(&self) -> Instant {
        self.asked_at.lock().unwrap()
    }
}

#[async_trait]
impl ChatModel for InstantModel {
    async fn chat(&self, _: ChatRequest, _: CancellationToken) -> Result<ChatStream, LlmError> {
        *self.asked_at.lock() = Some(Instant::now());
        let events = [
            Ok(ChatEvent::Text("Very well.".into())),
            Ok(ChatEvent::Finished(Usage::unknown(FinishReason::Stop))),
        ];
        Ok(futures::stream::iter(events).boxed())
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity::new(ProviderKind::Embedded, "instant-70b")
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        Ok(())
    }
}

/// Dimensions of the vectors, as of the built-in sentence model.
const DIMENSIONS: usize = 384;

/// Adds up a fixed vector for each word.
pub struct WordVectors;

#[async_trait]
impl Embedder for WordVectors {
    async fn embed(
        &self,
        texts: &[String],
        _: EmbedRole,
        _: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| normalised(vector(text))).collect()
    }

    fn id(&self) -> EmbedderId {
        EmbedderId("word-vectors".into())
    }

    fn dimensions(&self) -> Option<usize> {
        Some(DIMENSIONS)
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut sum = vec![0.01; DIMENSIONS];
    for word in text.to_lowercase().split(|char: char| !char.is_alphanumeric()) {
        let mut state = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        for number in &mut sum {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *number += (state >> 40) as f32 / (1 << 24) as f32 - 0.5;
        }
    }
    sum
}

/// A tool that is never called.
struct Idle(Declaration);

#[async_trait]
impl Tool for Idle {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, _: Map<String, Value>, _: &ToolContext) -> ToolResult {
        ToolResult::done("nothing")
    }
}

/// So many tools, about what [`super::fixture::words_of`] gives.
pub fn tools(count: usize) -> Vec<Arc<dyn Tool>> {
    (0..count).map(|number| Arc::new(Idle(declaration(number))) as Arc<dyn Tool>).collect()
}

fn declaration(number: usize) -> Declaration {
    let [one, other] = super::fixture::words_of(number);
    Declaration {
        name: format!("{one}_{other}_{number}"),
        description: format!("Looks up the {one} of a {other}."),
        parameters: json!({ "type": "object", "properties": { "name": { "type": "string" } } }),
        keywords: vec![one.to_owned()],
        examples: Vec::new(),
        effect: Effect::ReadOnly,
        timeout: Duration::from_secs(5),
        source: ToolSource::Server(format!("server{}", number % 20)),
    }
}
