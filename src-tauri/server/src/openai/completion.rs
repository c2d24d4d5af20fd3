//! The answer to a request for a chat completion: whole, or as it is made.

use std::collections::VecDeque;
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
use vocabulary::{Attachment, CallerCall, ReplyEvent, ReplyTrace, ToolCallId, Trouble};

use super::bodies::{
    AnswerMessage, CallDelta, ChatChunk, ChatCompletion, Choice, ChunkChoice, Delta, MODEL, OwnTool,
    OwnToolState, UsageBody,
};
use super::limits::Limits;
use crate::door::Door;
use crate::failure::{ErrorForm, Failure};
use crate::ids::fresh_id;

/// A completion under way.
pub(super) struct Completion {
    pub door: Arc<Door>,
    pub program: String,
    pub handle: ReplyHandle,
    pub head: Head,
    pub limits: Limits,
    /// The tools of Jarvis whose calls are told.
    pub own_tools: Vec<String>,
}

/// The part of a completion that is the same in all its chunks.
#[derive(Debug, Clone)]
pub(super) struct Head {
    id: String,
    created: i64,
    /// The client wants to be told the tokens.
    tells_usage: bool,
}

impl Head {
    /// A fresh id.
    pub fn new(now: Timestamp, tells_usage: bool) -> Self {
        Self { id: format!("chatcmpl-{}", fresh_id()), created: now.as_second(), tells_usage }
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
            usage: self.tells_usage.then_some(usage),
        }
    }
}

/// A step of a completion, with calls as `C`.
enum Step<C> {
    Text(String),
    Usage(Usage),
    OwnTool(OwnTool),
    Call(C),
    End { files: Vec<Attachment>, reason: &'static str },
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

/// A reply that is followed.
struct FollowedReply {
    handle: ReplyHandle,
    limits: Limits,
    trouble: Option<Trouble>,
    has_usage: bool,
    own_tools: Vec<String>,
    /// Calls of them, as they began.
    running: Vec<OwnTool>,
    /// Steps that were read already.
    ready: VecDeque<Step<CallerCall>>,
}

impl FollowedReply {
    /// The next step; the last one is a call, an end or a failure.
    async fn next(&mut self) -> Step<CallerCall> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                return next;
            }
            match self.handle.step().await {
                // A reply that was cut is about to stop.
                Some(ReplyStep::Call(call)) if self.limits.is_over() => drop(call),
                Some(ReplyStep::Call(call)) => self.close_with(Step::Call(call)),
                Some(ReplyStep::Event(event)) => self.take(event),
                None => self.end(Vec::new()),
            }
        }
    }

    fn take(&mut self, event: ReplyEvent) {
        match event {
            ReplyEvent::Delta { text } => {
                let text = self.limits.pass(&text);
                self.ready.extend((!text.is_empty()).then_some(Step::Text(text)));
                if self.limits.is_over() {
                    self.handle.stop();
                }
            }
            ReplyEvent::Traced(trace) => {
                self.has_usage = true;
                self.ready.push_back(Step::Usage(Usage::from_trace(&trace)));
            }
            ReplyEvent::ToolStarted { call, tool } if self.own_tools.contains(&tool) => {
                let began = OwnTool { id: call.0, name: tool, state: OwnToolState::Started };
                self.running.push(began.clone());
                self.tell(began);
            }
            ReplyEvent::ToolFinished { call, outcome } => {
                let at = self.running.iter().position(|running| running.id == call.0);
                let ended = at.map(|at| self.running.swap_remove(at));
                if let Some(ended) = ended {
                    self.tell(OwnTool { state: outcome.into(), ..ended });
                }
            }
            ReplyEvent::Failed(failure) => self.trouble = Some(failure),
            ReplyEvent::Done(response) => self.end(response.attachments),
            _ => {}
        }
    }

    /// Tells of a tool, unless the answer was cut.
    fn tell(&mut self, tool: OwnTool) {
        if !self.limits.is_over() {
            self.ready.push_back(Step::OwnTool(tool));
        }
    }

    fn end(&mut self, files: Vec<Attachment>) {
        let end = match (self.trouble.take(), self.limits.cut()) {
            (_, Some((reason, tokens))) => {
                // A reply that is stopped has no trace.
                let counted = Usage { prompt: 0, completion: tokens };
                self.ready.extend((!self.has_usage).then_some(Step::Usage(counted)));
                Step::End { files, reason: reason.as_str() }
            }
            (Some(trouble), None) => Step::Failed(trouble),
            (None, None) => Step::End { files, reason: "stop" },
        };
        self.close_with(end);
    }

    /// Nothing follows this step. The text that was held back goes before it.
    fn close_with(&mut self, last: Step<CallerCall>) {
        let held = self.limits.finish();
        self.ready.extend((!held.is_empty()).then_some(Step::Text(held)));
        self.ready.push_back(last);
    }
}

impl Completion {
    /// The steps until the client has to act, or the answer is complete.
    fn steps(self) -> impl Stream<Item = (Head, Step<WireCall>)> + Send {
        let Self { door, program, handle, head, limits, own_tools } = self;
        let following = FollowedReply {
            handle,
            limits,
            trouble: None,
            has_usage: false,
            own_tools,
            running: Vec::new(),
            ready: VecDeque::new(),
        };
        stream::unfold(Some(following), move |following| {
            let (door, program, head) = (Arc::clone(&door), program.clone(), head.clone());
            async move {
                let mut following = following?;
                let (shown, following) = match following.next().await {
                    Step::Text(text) => (Step::Text(text), Some(following)),
                    Step::Usage(usage) => (Step::Usage(usage), Some(following)),
                    Step::OwnTool(tool) => (Step::OwnTool(tool), Some(following)),
                    Step::End { files, reason } => (Step::End { files, reason }, None),
                    Step::Failed(trouble) => (Step::Failed(trouble), None),
                    Step::Call(CallerCall { name, arguments, result }) => {
                        let id = ToolCallId(format!("call_{}", fresh_id()));
                        let arguments = Value::Object(arguments.0).to_string();
                        door.open_calls.keep(&program, &id, following.handle, result);
                        (Step::Call(WireCall::new(id.0, name, arguments)), None)
                    }
                };
                Some(((head, shown), following))
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
        let (mut attachments, mut finish_reason) = (None, "tool_calls");
        while let Some((_, step)) = steps.next().await {
            match step {
                Step::Text(more) => text.push_str(&more),
                Step::Usage(used) => usage = used,
                // It is over when the answer is read.
                Step::OwnTool(_) => {}
                Step::Call(asked_for) => call = Some(asked_for),
                Step::End { files, reason } => (attachments, finish_reason) = (keep(files), reason),
                Step::Failed(trouble) => return failed(&trouble).into_response(ErrorForm::OpenAi),
            }
        }
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
    pub fn stream(self) -> Response {
        let (head, keep) = (self.head.clone(), self.keeper());
        let begin = Delta { role: Some("assistant"), content: Some(String::new()), ..Delta::default() };
        let first = json!(head.chunk(begin, None));
        let mut usage = Usage::default();
        let steps = self.steps().flat_map(move |(head, step)| {
            let is_over = matches!(step, Step::Call(_) | Step::End { .. });
            let mut chunks = match step {
                Step::Text(text) => {
                    vec![json!(head.chunk(Delta { content: Some(text), ..Delta::default() }, None))]
                }
                Step::Usage(used) => {
                    usage = used;
                    Vec::new()
                }
                Step::OwnTool(tool) => {
                    let delta = Delta { jarvis_tools: Some(vec![tool]), ..Delta::default() };
                    vec![json!(head.chunk(delta, None))]
                }
                Step::Call(call) => {
                    let call = CallDelta { index: 0, call };
                    let delta = Delta { tool_calls: Some(vec![call]), ..Delta::default() };
                    let end = head.chunk(Delta::default(), Some("tool_calls"));
                    vec![json!(head.chunk(delta, None)), json!(end)]
                }
                Step::End { files, reason } => {
                    let delta = Delta { attachments: keep(files), ..Delta::default() };
                    vec![json!(head.chunk(delta, Some(reason)))]
                }
                Step::Failed(trouble) => vec![failed(&trouble).body(ErrorForm::OpenAi)],
            };
            if head.tells_usage && is_over {
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
