//! The answer to a request for a chat completion: whole, or as it is made.

use std::convert::Infallible;
use std::sync::Arc;

use assistant::{ReplyHandle, ReplyStep};
use axum::Json;
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use command_center::{WireAttachment, WireCall};
use futures::stream::{self, Stream, StreamExt};
use jiff::Timestamp;
use serde_json::{Value, json};
use vocabulary::{Attachment, CallerCall, ReplyEvent, ReplyTrace, Trouble};

use super::bodies::{
    AnswerMessage, CallDelta, ChatChunk, ChatCompletion, Choice, ChunkChoice, Delta, MODEL, UsageBody,
};
use crate::door::Door;
use crate::failure::{ErrorForm, Failure};
use crate::ids::fresh_id;

/// A completion under way.
pub(super) struct Completion {
    pub door: Arc<Door>,
    pub program: String,
    pub handle: ReplyHandle,
    pub head: Head,
}

/// The id and the time of a completion.
#[derive(Debug, Clone)]
pub(super) struct Head {
    id: String,
    created: i64,
}

impl Head {
    /// A fresh id.
    pub fn new(now: Timestamp) -> Self {
        Self { id: format!("chatcmpl-{}", fresh_id()), created: now.as_second() }
    }

    fn chunk(&self, delta: Delta, finish_reason: Option<&'static str>) -> ChatChunk {
        self.chunk_with(vec![ChunkChoice { index: 0, delta, finish_reason }], None)
    }

    fn chunk_with(&self, choices: Vec<ChunkChoice>, usage: Option<UsageBody>) -> ChatChunk {
        ChatChunk {
            id: self.id.clone(),
            object: "chat.completion.chunk",
            created: self.created,
            model: MODEL,
            choices,
            usage,
        }
    }
}

/// The next step of a completion.
enum Next {
    Text(String),
    Usage(Usage),
    Call { id: String, name: String, arguments: String },
    End(Vec<Attachment>),
    Failed(Trouble),
}

/// The tokens of all requests that a reply made.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    prompt: u64,
    completion: u64,
}

impl Usage {
    fn from_trace(trace: &ReplyTrace) -> Self {
        let sum = |count: fn(&vocabulary::ModelCall) -> u32| {
            trace.model_calls.iter().map(count).map(u64::from).sum()
        };
        Self { prompt: sum(|call| call.prompt_tokens), completion: sum(|call| call.completion_tokens) }
    }

    fn body(self) -> UsageBody {
        UsageBody {
            prompt_tokens: self.prompt,
            completion_tokens: self.completion,
            total_tokens: self.prompt + self.completion,
        }
    }
}

/// A step of a reply, as far as a client sees it.
async fn next(handle: &mut ReplyHandle, trouble: &mut Option<Trouble>) -> Result<Next, CallerCall> {
    let mut files = Vec::new();
    while let Some(step) = handle.step().await {
        match step {
            ReplyStep::Call(call) => return Err(call),
            ReplyStep::Event(ReplyEvent::Delta { text }) => return Ok(Next::Text(text)),
            ReplyStep::Event(ReplyEvent::Traced(trace)) => return Ok(Next::Usage(Usage::from_trace(&trace))),
            ReplyStep::Event(ReplyEvent::Failed(failure)) => *trouble = Some(failure),
            ReplyStep::Event(ReplyEvent::Done(response)) => {
                files = response.attachments;
                break;
            }
            ReplyStep::Event(_) => {}
        }
    }
    Ok(trouble.take().map_or(Next::End(files), Next::Failed))
}

impl Completion {
    /// The steps until the client has to act, or the answer is complete.
    fn steps(self) -> impl Stream<Item = (Head, Next)> + Send {
        let Self { door, program, handle, head } = self;
        stream::unfold(Some((handle, None)), move |state| {
            let (door, program, head) = (Arc::clone(&door), program.clone(), head.clone());
            async move {
                let (mut handle, mut trouble) = state?;
                match next(&mut handle, &mut trouble).await {
                    Ok(end @ (Next::End(_) | Next::Failed(_))) => Some(((head, end), None)),
                    Ok(step) => Some(((head, step), Some((handle, trouble)))),
                    Err(CallerCall { name, arguments, result }) => {
                        let id = format!("call_{}", fresh_id());
                        let arguments = Value::Object(arguments.0).to_string();
                        door.open_calls.rest(&program, &id, handle, result);
                        Some(((head, Next::Call { id, name, arguments }), None))
                    }
                }
            }
        })
    }

    /// Keeps the files of the answer for the program, and says where they are.
    fn keeper(&self) -> impl Fn(Vec<Attachment>) -> Option<Vec<WireAttachment>> + Send + use<> {
        let (door, program) = (Arc::clone(&self.door), self.program.clone());
        move |files| (!files.is_empty()).then(|| door.files.keep(&program, files))
    }

    /// The answer when it is complete.
    pub async fn whole(self) -> Response {
        let (head, keep) = (self.head.clone(), self.keeper());
        let mut steps = std::pin::pin!(self.steps());
        let (mut text, mut usage, mut call) = (String::new(), Usage::default(), None);
        let mut attachments = None;
        while let Some((_, step)) = steps.next().await {
            match step {
                Next::Text(more) => text.push_str(&more),
                Next::Usage(used) => usage = used,
                Next::Call { id, name, arguments } => call = Some(WireCall::new(id, name, arguments)),
                Next::End(files) => attachments = keep(files),
                Next::Failed(trouble) => return failed(&trouble).into_response(ErrorForm::OpenAi),
            }
        }
        let finish_reason = if call.is_some() { "tool_calls" } else { "stop" };
        let has_words = call.is_none() || !text.trim().is_empty();
        let message = AnswerMessage {
            role: "assistant",
            content: has_words.then_some(text),
            tool_calls: call.map(|call| vec![call]),
            attachments,
        };
        Json(ChatCompletion {
            id: head.id,
            object: "chat.completion",
            created: head.created,
            model: MODEL,
            choices: vec![Choice { index: 0, message, finish_reason }],
            usage: usage.body(),
        })
        .into_response()
    }

    /// The answer as it is made, as server-sent events.
    pub fn stream(self, with_usage: bool) -> Response {
        let (head, keep) = (self.head.clone(), self.keeper());
        let begin = Delta { role: Some("assistant"), content: Some(String::new()), ..Delta::default() };
        let first = json!(head.chunk(begin, None));
        let mut usage = Usage::default();
        let steps = self.steps().flat_map(move |(head, step)| {
            let is_over = matches!(step, Next::Call { .. } | Next::End(_));
            let mut chunks = match step {
                Next::Text(text) => {
                    vec![json!(head.chunk(Delta { content: Some(text), ..Delta::default() }, None))]
                }
                Next::Usage(used) => {
                    usage = used;
                    Vec::new()
                }
                Next::Call { id, name, arguments } => {
                    let call = CallDelta { index: 0, call: WireCall::new(id, name, arguments) };
                    let delta = Delta { tool_calls: Some(vec![call]), ..Delta::default() };
                    let end = head.chunk(Delta::default(), Some("tool_calls"));
                    vec![json!(head.chunk(delta, None)), json!(end)]
                }
                Next::End(files) => {
                    let delta = Delta { attachments: keep(files), ..Delta::default() };
                    vec![json!(head.chunk(delta, Some("stop")))]
                }
                Next::Failed(trouble) => vec![failed(&trouble).body(ErrorForm::OpenAi)],
            };
            if with_usage && is_over {
                chunks.push(json!(head.chunk_with(Vec::new(), Some(usage.body()))));
            }
            stream::iter(chunks)
        });
        let chunks = stream::iter([first]).chain(steps).map(|chunk| Event::default().data(chunk.to_string()));
        let events = chunks.chain(stream::iter([Event::default().data("[DONE]")]));
        Sse::new(events.map(Ok::<_, Infallible>)).into_response()
    }
}

fn failed(trouble: &Trouble) -> Failure {
    Failure::new(StatusCode::BAD_GATEWAY, format!("{} {}", trouble.message, trouble.remedy))
}
