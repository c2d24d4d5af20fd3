//! The client: one utterance in, one reply out, with up to ten rounds of tools and questions between.

mod config;
mod registration; // the tools of a conversation
mod reply; // what the user gets
mod round; // one round of tool calls

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use crate::bodies::{AcknowledgeRequest, CommandRequest, ContinueRequest, EndRequest};
use crate::command::Command;
use crate::ids::NodeConversationId;
use crate::response::{
    Action, FailureReason, ToolCall, ValidationRequest, is_lost_conversation, parse_response,
};
use crate::tool_result::{ToolResult, ToolRun};
use crate::wire::{CommandCenterHttp, Endpoint, WireResponse};

pub use config::{AnswerShape, ClientConfig};
pub use registration::prepare;
pub use reply::{ClientReply, Ending, ReplyText, StockPhrase};
use round::ToolRound;

/// Most answers of the server to one utterance that ask for tools or for an answer. Source: the Command Center protocol.
const MAX_ROUNDS: usize = 10;

/// An answer that takes longer is announced by a few words. Source: the Command Center protocol.
const ACKNOWLEDGE_AFTER: Duration = Duration::from_secs(3);

/// Longest announcement that is said, in characters; a longer one is none.
const MAX_ACKNOWLEDGEMENT_CHARS: usize = 200;

/// The id of an answer to a question that belongs to no call. Source: the Command Center protocol.
pub(crate) const VALIDATION_RESPONSE: &str = "validation-response";

/// The tools of this machine that the server may call.
#[async_trait]
pub trait ToolRunner: Send + Sync {
    /// The commands that the user allows to remote callers.
    fn commands(&self) -> Vec<Command>;

    /// Checks permission and arguments and runs a command. Never panics: what goes wrong is a [`ToolRun`] too.
    async fn run(&self, name: &str, arguments: &Map<String, Value>) -> ToolRun;
}

/// The user, as far as the client asks.
#[async_trait]
pub trait NodeUser: Send + Sync {
    /// Asks a question of the server, whose words come from outside. Returns the words of the user; `None` if there is nobody to ask.
    async fn ask(&self, question: &ValidationRequest) -> Option<String>;

    /// Says a few words while the reply is still being made. They come from outside.
    fn acknowledge(&self, words: &str);
}

/// The client of one Command Center.
pub struct CommandCenterClient<'p> {
    http: &'p dyn CommandCenterHttp,
    tools: &'p dyn ToolRunner,
    user: &'p dyn NodeUser,
    config: ClientConfig,
}

impl<'p> CommandCenterClient<'p> {
    /// Sends nothing yet.
    pub fn new(
        http: &'p dyn CommandCenterHttp,
        tools: &'p dyn ToolRunner,
        user: &'p dyn NodeUser,
        config: ClientConfig,
    ) -> Self {
        Self { http, tools, user, config }
    }

    /// Answers an utterance. A follow-up goes on in the conversation with this id, anything else begins one.
    ///
    /// Dropping the future abandons the reply; a tool that runs is dropped with it.
    pub async fn answer(&self, utterance: &str, follow_up: Option<&NodeConversationId>) -> ClientReply {
        let has_asked = AtomicBool::new(false);
        tokio::select! {
            biased;
            reply = self.converse(utterance, follow_up, &has_asked) => reply,
            never = self.acknowledge_late(utterance, &has_asked) => match never {},
        }
    }

    /// Tells the server that a conversation is over. Falls open: the server forgets it anyway.
    pub async fn end(http: &dyn CommandCenterHttp, conversation: &NodeConversationId) {
        let body = json!(EndRequest { conversation_id: conversation.0.clone() });
        let answer = http.post(Endpoint::End, &body).await;
        if answer.is_none() {
            tracing::debug!("the Command Center did not take the end of a conversation");
        }
    }

    /// Announces a reply that takes long, unless a question to the user has begun.
    async fn acknowledge_late(&self, utterance: &str, has_asked: &AtomicBool) -> std::convert::Infallible {
        tokio::time::sleep(ACKNOWLEDGE_AFTER).await;
        if !has_asked.load(Ordering::Relaxed) {
            let body = json!(AcknowledgeRequest { voice_command: utterance.to_owned() });
            let answer = self.http.post(Endpoint::Acknowledge, &body).await;
            let body = answer.filter(|answer| answer.status == 200).map(|answer| answer.body);
            let body: Option<Value> = body.and_then(|body| serde_json::from_slice(&body).ok());
            let words =
                body.as_ref().and_then(|body| body["text"].as_str()).map(str::trim).unwrap_or_default();
            let is_short = !words.is_empty() && words.chars().count() <= MAX_ACKNOWLEDGEMENT_CHARS;
            if is_short && !has_asked.load(Ordering::Relaxed) {
                self.user.acknowledge(words);
            }
        }
        std::future::pending().await
    }

    async fn converse(
        &self,
        utterance: &str,
        follow_up: Option<&NodeConversationId>,
        has_asked: &AtomicBool,
    ) -> ClientReply {
        let mut id = follow_up.map_or_else(NodeConversationId::fresh, NodeConversationId::clone);
        if follow_up.is_none() {
            self.register(&id).await;
        }
        let mut answer = self.command(utterance, &id).await;
        if answer.as_ref().is_some_and(|answer| is_lost_conversation(answer.status, &answer.body)) {
            // The server has forgotten the conversation, or never knew it: once more under a new id.
            id = NodeConversationId::fresh();
            self.register(&id).await;
            answer = self.command(utterance, &id).await;
        }
        let Some(answer) = answer else { return ClientReply::unreachable(&id) };
        let mut reply = self.rounds(&id, parsed(&answer), has_asked).await;
        reply.is_spoken |= has_asked.load(Ordering::Relaxed);
        reply
    }

    /// Runs tools and asks the user until the server has finished.
    async fn rounds(&self, id: &NodeConversationId, first: Action, has_asked: &AtomicBool) -> ClientReply {
        let mut action = first;
        let mut last: Option<ToolRound> = None;
        let mut signature = None;
        for _ in 0..MAX_ROUNDS {
            let (results, lost) = match &action {
                Action::RunTools { calls, .. } => {
                    let asked_for = Some(ToolRound::signature(calls));
                    if signature == asked_for {
                        return ClientReply::repeated(id, last.as_ref());
                    }
                    signature = asked_for;
                    let round = self.run(calls).await;
                    let results = round.results();
                    last = Some(round);
                    (ContinueRequest::with_results(id, results), StockPhrase::ResultsNotSent)
                }
                Action::Ask(request) => {
                    signature = None;
                    (self.ask(id, request, has_asked).await, StockPhrase::AnswerNotSent)
                }
                Action::Finish { .. } | Action::Silent | Action::Fail(_) => break,
            };
            let is_tool_round = matches!(action, Action::RunTools { .. });
            let Some(answer) = self.http.post(Endpoint::Continue, &json!(results)).await else {
                return ClientReply::failed(id, lost);
            };
            action = parsed(&answer);
            if is_tool_round && last.as_ref().is_some_and(ToolRound::waits_for_input) {
                return ClientReply::from_action(id, &action, last.as_ref());
            }
        }
        match action {
            Action::RunTools { .. } | Action::Ask(_) => ClientReply::failed(id, StockPhrase::TooManyRounds),
            finished => ClientReply::from_action(id, &finished, last.as_ref()),
        }
    }

    /// Runs the calls in order, one after the other.
    async fn run(&self, calls: &[ToolCall]) -> ToolRound {
        let mut round = ToolRound::default();
        for call in calls {
            let run = self.tools.run(&call.name, &call.arguments).await;
            round.push(call, run);
        }
        round
    }

    /// The answer of the user, as it is sent.
    async fn ask(
        &self,
        id: &NodeConversationId,
        request: &ValidationRequest,
        has_asked: &AtomicBool,
    ) -> ContinueRequest {
        // Before the question is said, so that no announcement talks over it.
        let had_asked = has_asked.swap(true, Ordering::Relaxed);
        let answer = match self.user.ask(request).await {
            Some(words) => words,
            None => {
                has_asked.store(had_asked, Ordering::Relaxed);
                self.config.nobody_to_ask.clone()
            }
        };
        match self.config.answer_shape {
            AnswerShape::Text => ContinueRequest {
                conversation_id: id.0.clone(),
                tool_results: None,
                validation_response: Some(answer),
            },
            AnswerShape::ToolResult => {
                ContinueRequest::with_results(id, vec![validation_answer(request, &answer)])
            }
        }
    }

    /// Registers the tools of a conversation. Falls open: the command is sent anyway, and the server says what it thinks.
    async fn register(&self, id: &NodeConversationId) {
        registration::register(self.http, id, self.tools.commands(), &self.config).await;
    }

    async fn command(&self, utterance: &str, id: &NodeConversationId) -> Option<WireResponse> {
        let (voice_command, conversation_id) = (utterance.to_owned(), id.0.clone());
        let body = json!(CommandRequest { voice_command, conversation_id });
        self.http.post(Endpoint::Command, &body).await
    }
}

fn parsed(answer: &WireResponse) -> Action {
    let action = parse_response(answer.status, &answer.body);
    if let Action::Fail(failure) = &action
        && failure.reason == FailureReason::Unauthorised
    {
        tracing::warn!("the Command Center rejected the credentials of this node");
    }
    action
}

/// The result that carries the user's answer to a question.
pub fn validation_answer(request: &ValidationRequest, answer: &str) -> ToolResult {
    ToolResult {
        tool_call_id: request.tool_call_id.clone().unwrap_or_else(|| VALIDATION_RESPONSE.to_owned()),
        output: json!({
            "answer": answer,
            "parameter_name": request.parameter_name,
            "question": request.question,
            "options": request.options,
        }),
    }
}

#[cfg(test)]
mod tests;
