//! One short call of a model.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use llm::{ChatEvent, ChatModel, ChatRequest, LlmError, Message, ProviderKind, Usage};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vocabulary::{ModelCall, ModelCallOutcome};

use crate::prompting::text_cut::{bytes_of, cut, push_within};

/// The task of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelTask {
    /// The answer to the user.
    Answer,
    /// Which tools fit.
    Router,
    /// Which profile answers.
    Profile,
    /// Which steps to take.
    Planner,
    /// Tools, steps and memory in one call.
    Combined,
    /// The search of the memory.
    Extractor,
    /// The place that a request is about.
    Place,
    /// A step of the plan as a call.
    Resolver,
    /// A digest of memory.
    MemoryDigest,
    /// A digest of a tool result.
    ResultDigest,
    /// An answer from what a reply has found.
    ActivityDigest,
    /// The reason why there is no answer.
    Explanation,
}

impl ModelTask {
    /// All roles.
    pub const ALL: [Self; 12] = [
        Self::Answer,
        Self::Router,
        Self::Profile,
        Self::Planner,
        Self::Combined,
        Self::Extractor,
        Self::Place,
        Self::Resolver,
        Self::MemoryDigest,
        Self::ResultDigest,
        Self::ActivityDigest,
        Self::Explanation,
    ];

    /// Returns `true` if the faster model does it. Plans are as good as their model, so the chat model makes them.
    pub fn is_short(self) -> bool {
        !matches!(self, Self::Answer | Self::Planner | Self::Combined | Self::Resolver)
    }

    /// Its name in logs and traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Router => "router",
            Self::Profile => "profile",
            Self::Planner => "planner",
            Self::Combined => "combined",
            Self::Extractor => "extractor",
            Self::Place => "place",
            Self::Resolver => "resolver",
            Self::MemoryDigest => "memory_digest",
            Self::ResultDigest => "tool_digest",
            Self::ActivityDigest => "max_turn_digest",
            Self::Explanation => "explanation",
        }
    }
}

/// Which model does what. Clones share the models and the record of what they were asked.
#[derive(Clone)]
pub struct RoleModels {
    models: Arc<HashMap<ModelTask, Arc<dyn ChatModel>>>,
    calls: Arc<Mutex<Vec<ModelCall>>>,
}

impl RoleModels {
    /// The model that `choose` names for each role.
    pub fn new(choose: impl Fn(ModelTask) -> Arc<dyn ChatModel>) -> Self {
        let models = ModelTask::ALL.into_iter().map(|role| (role, choose(role))).collect();
        Self { models: Arc::new(models), calls: Arc::default() }
    }

    /// The same models with a record of their own, for one reply.
    pub(crate) fn for_reply(&self) -> Self {
        Self { models: Arc::clone(&self.models), calls: Arc::default() }
    }

    /// Returns the questions to models since the reply began.
    pub(crate) fn calls(&self) -> Vec<ModelCall> {
        self.calls.lock().clone()
    }

    /// Begins to record a question to a model.
    pub(crate) fn begin(&self, role: ModelTask) -> OpenCall<'_> {
        let outcome = ModelCallOutcome::CutOff;
        OpenCall { models: self, role, began: Instant::now(), outcome, usage: None }
    }

    /// The model of a role.
    pub fn of(&self, role: ModelTask) -> &Arc<dyn ChatModel> {
        &self.models[&role]
    }
}

/// A question to a model that is under way. It is recorded when it ends or is dropped: a reply whose time is over drops it.
pub(crate) struct OpenCall<'a> {
    models: &'a RoleModels,
    role: ModelTask,
    began: Instant,
    outcome: ModelCallOutcome,
    /// The tokens, if the provider tells.
    pub usage: Option<Usage>,
}

impl OpenCall<'_> {
    /// Records the end of a question whose answer was read so; `None` if it was not read to its end. `stop` stops the reply.
    pub fn end<T>(mut self, read: Option<&Result<T, LlmError>>, stop: &CancellationToken) {
        self.outcome = match read {
            None => ModelCallOutcome::CutOff,
            // A cancelled model ends like one that has finished, or fails.
            Some(_) if stop.is_cancelled() => ModelCallOutcome::CutOff,
            Some(Ok(_)) => ModelCallOutcome::Answered,
            Some(Err(_)) => ModelCallOutcome::Failed,
        };
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        let identity = self.models.of(self.role).identity();
        let call = ModelCall {
            role: self.role.name().to_owned(),
            is_embedded: identity.provider == ProviderKind::Embedded,
            model: identity.model,
            outcome: self.outcome,
            took: self.began.elapsed(),
            prompt_tokens: self.usage.map_or(0, |usage| usage.prompt_tokens),
            completion_tokens: self.usage.map_or(0, |usage| usage.completion_tokens),
        };
        self.models.calls.lock().push(call);
    }
}

/// A short question to a model.
pub(super) struct RoleCall<'a> {
    pub role: ModelTask,
    /// The instruction.
    pub system: String,
    /// The input.
    pub user: String,
    /// A JSON schema of the answer, for providers that can enforce one.
    pub format: Option<Value>,
    pub max_tokens: u32,
    pub timeout: Duration,
    pub stop: &'a CancellationToken,
}

impl RoleCall<'_> {
    /// The model's answer. `None` when there is none in time, or the model failed.
    pub async fn ask(self, models: &RoleModels) -> Option<String> {
        let (role, timeout, stop_of_reply) = (self.role, self.timeout, self.stop);
        let stop = stop_of_reply.child_token();
        // Ends the generation however this call ends.
        let _stopped = stop.clone().drop_guard();
        let span = tracing::info_span!("model call", role = role.name());
        let mut call = models.begin(role);
        let answering = self.answer(models, stop).instrument(span);
        let answered = tokio::time::timeout(timeout, answering).await;
        call.usage =
            answered.as_ref().ok().and_then(|answer| answer.as_ref().ok()).and_then(|(_, usage)| *usage);
        call.end(answered.as_ref().ok(), stop_of_reply);
        match answered {
            Ok(Ok((answer, _))) => Some(answer),
            Ok(Err(error)) => {
                tracing::warn!(role = role.name(), %error, "a short question was not answered");
                None
            }
            Err(_) => {
                tracing::warn!(role = role.name(), "a short question was not answered in time");
                None
            }
        }
    }

    async fn answer(
        self,
        models: &RoleModels,
        stop: CancellationToken,
    ) -> Result<(String, Option<Usage>), LlmError> {
        let messages = vec![Message::system(self.system), Message::user(self.user)];
        let mut request = ChatRequest::new(messages).with_max_tokens(self.max_tokens).with_temperature(0.0);
        request.format = self.format;
        let mut stream = models.of(self.role).chat(request, stop).await?;
        let (mut answer, mut usage) = (String::new(), None);
        while let Some(event) = stream.next().await {
            match event? {
                ChatEvent::Text(text) => {
                    if push_within(&mut answer, &text, bytes_of(self.max_tokens)).len() < text.len() {
                        break;
                    }
                }
                ChatEvent::Finished(counted) => usage = Some(counted),
                ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_) => {}
            }
        }
        Ok((answer, usage))
    }
}

/// The JSON object in an answer: from its first brace to its last.
pub(super) fn object_in(answer: &str) -> Option<serde_json::Map<String, Value>> {
    let (first, last) = (answer.find('{')?, answer.rfind('}')?);
    serde_json::from_str(answer.get(first..=last)?).ok()
}

/// The latest messages of a dialogue as lines, each cut.
pub(super) fn dialogue_lines(recent: &[Message]) -> String {
    /// The number of messages that a short question shows. Source: docs/behaviour/replying.md#plan.
    const MESSAGES: usize = 6;
    /// The longest text of each, in characters. Source: the same.
    const CHARS: usize = 200;
    let said: Vec<&Message> = recent
        .iter()
        .filter(|message| {
            !crate::tool_calls::tool_talk::is_tool_message(message) && !message.content.trim().is_empty()
        })
        .collect();
    let lines = said.iter().skip(said.len().saturating_sub(MESSAGES)).map(|message| {
        let text: Vec<&str> = message.content.split_whitespace().collect();
        format!("{}: {}", message.role.as_str(), cut(&text.join(" "), CHARS))
    });
    lines.collect::<Vec<_>>().join("\n")
}
