//! The conversations of voice nodes as replies of the assistant.
//!
//! A reply that needs the node is pending between two requests: its handle waits here for the result of a call, or for the
//! answer to a question.

use std::sync::Arc;

use assistant::{AnsweringModel, Assistant, ReplyHandle, ReplyRequest, ReplyStep};
use async_trait::async_trait;
use command_center::{
    Decision, EngineError, EngineModel, EngineTurn, HistoryEntry, ModelCall, NodeConversationId, NodeEngine,
};
use futures::channel::oneshot;
use parking_lot::RwLock;
use serde_json::Value;
use settings::Scope;
use tokio::time::Instant;
use vocabulary::{CallerResult, CallerTool, EarlierMessage, Private, Question, ReplyEvent, Trouble};

use crate::caller::caller;
use crate::files::Files;
use crate::pending_items::PendingItems;
use crate::programs::Programs;

/// Most messages of a conversation that a reply is told.
const MAX_EARLIER: usize = 40;

/// The parameter that the answer to a question of ours is for.
const ANSWER: &str = "answer";

/// The members of a result that hold a whole answer for the user. Source: the Command Center protocol.
const ANSWERS: [&str; 2] = ["message", "response"];

/// Answers nodes with replies of the assistant.
pub(crate) struct NodeReplies {
    assistant: Assistant,
    programs: Arc<RwLock<Programs>>,
    files: Arc<Files>,
    /// By the conversation.
    pending: PendingItems<NodeConversationId, PendingReply>,
}

/// A reply that waits for its node.
struct PendingReply {
    handle: ReplyHandle,
    waits_for: WaitsFor,
}

enum WaitsFor {
    Result(oneshot::Sender<CallerResult>),
    Answer(Question),
}

impl NodeReplies {
    /// Replies of this assistant to these programs, with files that they fetch.
    pub fn new(assistant: Assistant, programs: Arc<RwLock<Programs>>, files: Arc<Files>) -> Self {
        Self { assistant, programs, files, pending: PendingItems::default() }
    }

    /// Gives up replies whose node does not come back.
    pub fn forget_old(&self, now: Instant) {
        self.pending.forget_old(now);
    }

    /// Opens the reply to the newest utterance. A note of the Command Center protocol is told to the model with it.
    async fn open(&self, turn: EngineTurn<'_>, note: Option<&str>) -> Result<ReplyHandle, EngineError> {
        let program = self.programs.read().named(turn.client);
        let program = program.ok_or_else(|| {
            EngineError("Jarvis does not know this program any more. Its key was removed.".to_owned())
        })?;
        let is_utterance = |entry: &HistoryEntry| matches!(entry, HistoryEntry::User(_));
        let at = turn.history.iter().rposition(is_utterance);
        let (Some(at), Some(HistoryEntry::User(text))) = (at, at.and_then(|at| turn.history.get(at))) else {
            return Err(EngineError("I heard nothing. Say it again.".to_owned()));
        };
        let tools = turn.tools.iter().map(|tool| CallerTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
        });
        let mut caller = caller(&program, turn.timezone);
        caller.earlier = earlier(&turn.history[..at]);
        caller.brings_foreign_text =
            turn.history.iter().any(|entry| matches!(entry, HistoryEntry::Result { .. }));
        caller.instructions = note.map(|note| Private(note.to_owned()));
        let conversation = self.assistant.conversation_with(&program.name);
        let request =
            ReplyRequest { caller, tools: tools.collect(), ..ReplyRequest::new(text.clone(), conversation) };
        self.assistant.open_reply(request).await.map_err(|refused| failed(&refused.trouble()))
    }

    /// Gives the pending reply the result or the answer that it waits for.
    fn resume(&self, turn: EngineTurn<'_>, output: &Value) -> Result<ReplyHandle, EngineError> {
        let lost = || EngineError("That took too long, so I gave it up. Say it again.".to_owned());
        let waiting = self.pending.take(turn.client, turn.conversation);
        let PendingReply { mut handle, waits_for } = waiting.ok_or_else(lost)?;
        match waits_for {
            WaitsFor::Result(result) => result.send(result_of(output)).map_err(|_| lost())?,
            WaitsFor::Answer(question) => {
                let words = output.get(ANSWER).and_then(Value::as_str).unwrap_or_default();
                // A question whose time is over was answered with no: the reply says so.
                let _ = handle.answer_with(&question, words);
            }
        }
        Ok(handle)
    }

    /// Follows a reply until the node has to act, or it is complete.
    async fn follow(&self, turn: EngineTurn<'_>, mut handle: ReplyHandle) -> Result<Decision, EngineError> {
        let (mut said, mut trouble) = (String::new(), None);
        while let Some(step) = handle.step().await {
            match step {
                ReplyStep::Call(call) => {
                    let message = Some(said.trim().to_owned()).filter(|said| !said.is_empty());
                    let asked_for =
                        ModelCall { id: String::new(), name: call.name, arguments: call.arguments.0 };
                    self.keep(turn, handle, WaitsFor::Result(call.result));
                    return Ok(Decision::Calls { message, calls: vec![asked_for] });
                }
                // Nodes hear people: their answer is no key and no click.
                ReplyStep::Event(ReplyEvent::Question(question)) if question.by_hand => {
                    if handle.decline(&question).is_err() {
                        tracing::debug!("the reply had settled its question");
                    }
                }
                ReplyStep::Event(ReplyEvent::Question(question)) => {
                    let decision = Decision::Ask {
                        question: question.text.clone(),
                        parameter_name: ANSWER.to_owned(),
                        options: Some(question.options.clone()).filter(|options| !options.is_empty()),
                    };
                    self.keep(turn, handle, WaitsFor::Answer(question));
                    return Ok(decision);
                }
                ReplyStep::Event(ReplyEvent::Delta { text }) => said.push_str(&text),
                ReplyStep::Event(ReplyEvent::Failed(failure)) => trouble = Some(failure),
                ReplyStep::Event(ReplyEvent::Done(response)) => {
                    return match trouble {
                        Some(trouble) => Err(failed(&trouble)),
                        None => Ok(Decision::Text {
                            text: response.text.map(|text| text.0).unwrap_or_default(),
                            attachments: self.files.keep(turn.client, response.attachments),
                        }),
                    };
                }
                ReplyStep::Event(_) => {}
            }
        }
        Err(EngineError("The answer broke off. Say it again.".to_owned()))
    }

    fn keep(&self, turn: EngineTurn<'_>, handle: ReplyHandle, waits_for: WaitsFor) {
        self.pending.put(turn.client, turn.conversation, PendingReply { handle, waits_for });
    }
}

#[async_trait]
impl NodeEngine for NodeReplies {
    fn own_tools(&self, client: &str) -> Vec<String> {
        match self.programs.read().named(client) {
            Some(program) if program.may(Scope::Tools) => {
                self.assistant.tool_names(program.may(Scope::Memory))
            }
            _ => Vec::new(),
        }
    }

    async fn decide(&self, turn: EngineTurn<'_>) -> Result<Decision, EngineError> {
        let handle = match turn.history.last() {
            Some(HistoryEntry::Result { output, .. }) => self.resume(turn, output)?,
            Some(HistoryEntry::Reminder(note)) => self.open(turn, Some(note)).await?,
            _ => {
                // The former reply of this conversation is no longer waited for.
                drop(self.pending.take(turn.client, turn.conversation));
                self.open(turn, None).await?
            }
        };
        self.follow(turn, handle).await
    }

    fn model(&self) -> EngineModel {
        let AnsweringModel { is_small, calls_natively } = self.assistant.answering_model();
        EngineModel { calls_natively, is_small }
    }

    fn words_when_woken(&self) -> String {
        self.assistant.words_when_woken().to_owned()
    }

    fn give_up(&self, client: &str, conversation: &NodeConversationId) {
        drop(self.pending.take(client, conversation));
    }
}

/// The newest messages of the history.
fn earlier(history: &[HistoryEntry]) -> Vec<EarlierMessage> {
    let messages = history.iter().rev().filter_map(|entry| match entry {
        HistoryEntry::User(text) => Some((true, text)),
        HistoryEntry::Assistant(text) => Some((false, text)),
        HistoryEntry::Calls(_) | HistoryEntry::Result { .. } | HistoryEntry::Reminder(_) => None,
    });
    let newest = messages.take(MAX_EARLIER);
    let mut messages: Vec<EarlierMessage> =
        newest.map(|(is_of_user, text)| EarlierMessage { is_of_user, text: Private(text.clone()) }).collect();
    messages.reverse();
    messages
}

/// The result of a call, as the node sent it.
fn result_of(output: &Value) -> CallerResult {
    let success = output.get("success").and_then(Value::as_bool).unwrap_or(true);
    let text = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
    let worded = ANSWERS.iter().filter_map(|key| output.get(key)?.as_str());
    let answer = worded.map(str::trim).find(|answer| !answer.is_empty());
    CallerResult { success, text: Private(text), answer: answer.map(|answer| Private(answer.to_owned())) }
}

fn failed(trouble: &Trouble) -> EngineError {
    EngineError(format!("{} {}", trouble.message, trouble.remedy))
}
