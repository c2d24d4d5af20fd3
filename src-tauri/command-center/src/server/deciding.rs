//! The decisions of the engine within one request, until the node has to act or the answer is complete.

use std::collections::BTreeSet;

use languages::messages::Messages;
use serde_json::{Map, Value, json};

use super::body::REQUEST_VALIDATION;
use super::conversation::Conversation;
use super::engine::{Decision, EngineModel, EngineTurn, HistoryEntry, NodeEngine};
use super::settings::ServerSettings;
use crate::bodies::{
    CommandAnswer, CommandErrors, CommandFailure, RequestInformation, WireAttachment, WireCall, WireQuestion,
};
use crate::ids::{NodeConversationId, fresh_call_id};
use crate::model_call::{ModelCall, with_usual_date_keys};
use crate::utterance::says_not_for_me;

/// The limits of one request.
///
/// Source: the Command Center protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RequestLimits {
    /// Most decisions.
    decisions: usize,
    /// Most times that calls with wrong parameters go back to the engine.
    corrections: usize,
}

impl RequestLimits {
    /// The limits for a model.
    fn for_model(model: EngineModel) -> Self {
        Self {
            decisions: if model.calls_natively { 10 } else { 3 },
            corrections: if model.is_small { 1 } else { 2 },
        }
    }
}

/// Told to an engine that answers where one of the tools has to be called.
const CALL_A_TOOL: &str = "Do not answer this yourself: call the tool that is made for it.";

/// The answer to a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Complete {
        text: String,
        attachments: Vec<WireAttachment>,
    },
    NotForMe,
    Calls {
        message: Option<String>,
        calls: Vec<ModelCall>,
    },
    Ask(NodeQuestion),
    /// In words for the user.
    ModelFailed(String),
    /// In words for the user.
    TooManyDecisions(String),
}

/// A question to the user of the node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodeQuestion {
    id: String,
    question: String,
    parameter_name: String,
    options: Option<Vec<String>>,
}

/// Lets the engine decide. `is_first` is `true` for an utterance, on which a tool may have to be called.
pub(super) async fn decide(
    engine: &dyn NodeEngine,
    conversation: &mut Conversation,
    client: &str,
    is_first: bool,
) -> Answer {
    let must_call = conversation.tools.iter().any(|tool| tool.allows_direct_answer == Some(false));
    let (mut may_remind, limits) = (is_first && must_call, RequestLimits::for_model(engine.model()));
    let mut corrections = limits.corrections;
    for _ in 0..limits.decisions {
        let turn = EngineTurn {
            client,
            conversation: &conversation.id,
            timezone: conversation.timezone.as_deref(),
            tools: &conversation.tools,
            history: &conversation.history,
        };
        let decision = match engine.decide(turn).await {
            Ok(decision) => decision,
            Err(error) => {
                tracing::warn!(%error, "the engine could not answer a node");
                return Answer::ModelFailed(error.0);
            }
        };
        match decision {
            Decision::Text { text, .. } if says_not_for_me(&text) => return Answer::NotForMe,
            Decision::Text { text, .. } if may_remind => {
                may_remind = false;
                conversation.history.push(HistoryEntry::Assistant(text));
                conversation.history.push(HistoryEntry::Reminder(CALL_A_TOOL.to_owned()));
            }
            Decision::Text { text, attachments } => {
                conversation.history.push(HistoryEntry::Assistant(text.clone()));
                return Answer::Complete { text, attachments };
            }
            Decision::Ask { question, parameter_name, options } => {
                let question = NodeQuestion { id: fresh_call_id(), question, parameter_name, options };
                return ask(conversation, question);
            }
            Decision::Calls { message, calls } => {
                may_remind = false;
                if let Some(answer) = hand_on(message, calls, conversation, &mut corrections) {
                    return answer;
                }
            }
        }
    }
    Answer::TooManyDecisions(sentences(&conversation.history).node_too_many_steps().to_owned())
}

/// The answer that hands calls on to the node; `None` if they are refused, and the engine is told. `corrections` are those that
/// are left.
fn hand_on(
    message: Option<String>,
    calls: Vec<ModelCall>,
    conversation: &mut Conversation,
    corrections: &mut usize,
) -> Option<Answer> {
    let calls = for_node(calls, conversation);
    if let [only] = calls.as_slice()
        && let Some(question) = NodeQuestion::from_call(only)
    {
        return Some(ask(conversation, question));
    }
    let refusals = refusals(&calls, conversation, *corrections > 0);
    conversation.history.push(HistoryEntry::Calls(calls.clone()));
    if calls.is_empty() {
        let text = message.unwrap_or_default();
        return Some(Answer::Complete { text, attachments: Vec::new() });
    }
    if refusals.is_empty() {
        conversation.pending_calls = calls.iter().map(|call| call.id.clone()).collect();
        return Some(Answer::Calls { message, calls });
    }
    let is_correction = refusals.iter().any(|refusal| refusal.is_correction);
    *corrections = corrections.saturating_sub(usize::from(is_correction));
    put_back(&calls, &refusals, conversation);
    None
}

/// Our own sentences, in the language of the newest utterance.
fn sentences(history: &[HistoryEntry]) -> &'static Messages {
    let newest = history.iter().rev().find_map(|entry| match entry {
        HistoryEntry::User(words) => Some(words),
        _ => None,
    });
    let language = newest.and_then(|words| languages::detect(words)).map(|detection| detection.language);
    Messages::for_language(language.as_ref())
}

fn ask(conversation: &mut Conversation, question: NodeQuestion) -> Answer {
    conversation.history.push(HistoryEntry::Calls(vec![question.as_call()]));
    conversation.pending_question = Some(question.id.clone());
    Answer::Ask(question)
}

/// A call that does not go to the node.
struct Refusal {
    tool_call_id: String,
    error: String,
    is_correction: bool,
}

/// The calls that the node cannot run: of tools that it has not registered, a question beside other calls, and, as long as
/// they are corrected, values that do not fit.
fn refusals(calls: &[ModelCall], conversation: &Conversation, corrects: bool) -> Vec<Refusal> {
    let refusal = |call: &ModelCall| {
        let tool = conversation.tools.iter().find(|tool| tool.name == call.name);
        let problems =
            tool.filter(|_| corrects).map(|tool| tool.problems(&call.arguments)).unwrap_or_default();
        let error = match tool {
            None if call.name == REQUEST_VALIDATION => {
                "a question needs words, and is asked alone".to_owned()
            }
            None => format!("tool_not_found: there is no tool named {}", call.name),
            Some(_) if problems.is_empty() => return None,
            Some(_) => problems.join("; "),
        };
        Some(Refusal { tool_call_id: call.id.clone(), error, is_correction: tool.is_some() })
    };
    calls.iter().filter_map(refusal).collect()
}

/// Tells the engine which of its calls are refused; the others did not run.
fn put_back(calls: &[ModelCall], refusals: &[Refusal], conversation: &mut Conversation) {
    for call in calls {
        let refusal = refusals.iter().find(|refusal| refusal.tool_call_id == call.id);
        let error = refusal.map_or("not run, because of another call beside it", |refusal| &refusal.error);
        conversation.push_error(&call.id, error);
    }
}

/// The calls as a node gets them: each with an id that no other call of the conversation has, and with date keys in their
/// usual form.
fn for_node(calls: Vec<ModelCall>, conversation: &Conversation) -> Vec<ModelCall> {
    let earlier = conversation.history.iter().flat_map(|entry| match entry {
        HistoryEntry::Calls(calls) => calls.as_slice(),
        _ => &[],
    });
    let mut seen: BTreeSet<String> = earlier.map(|call| call.id.clone()).collect();
    let mut unique = |call: ModelCall| {
        let call = ModelCall { arguments: with_usual_date_keys(call.arguments), ..call };
        let is_free = !call.id.trim().is_empty() && seen.insert(call.id.clone());
        if is_free { call } else { ModelCall { id: fresh_call_id(), ..call } }
    };
    calls.into_iter().map(&mut unique).collect()
}

impl NodeQuestion {
    /// The question of a call of the pseudo-tool.
    fn from_call(call: &ModelCall) -> Option<Self> {
        let text = |name: &str| call.arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let option = |option: &Value| option.as_str().map_or_else(|| option.to_string(), str::to_owned);
        let options = call.arguments.get("options").and_then(Value::as_array);
        (call.name == REQUEST_VALIDATION).then_some(())?;
        Some(Self {
            id: call.id.clone(),
            question: text("question").filter(|question| !question.trim().is_empty())?,
            parameter_name: text("parameter_name").unwrap_or_default(),
            options: options.map(|options| options.iter().map(option).collect()),
        })
    }

    fn as_call(&self) -> ModelCall {
        let mut arguments = Map::new();
        arguments.insert("question".to_owned(), json!(self.question));
        arguments.insert("parameter_name".to_owned(), json!(self.parameter_name));
        if let Some(options) = &self.options {
            arguments.insert("options".to_owned(), json!(options));
        }
        ModelCall { id: self.id.clone(), name: REQUEST_VALIDATION.to_owned(), arguments }
    }
}

impl Answer {
    /// The body of the answer, with the utterance that it echoes.
    pub(super) fn body(
        &self,
        utterance: &str,
        conversation: &NodeConversationId,
        settings: &ServerSettings,
    ) -> CommandAnswer {
        let (mut calls, mut question, mut error) = (settings.sends_empty_lists.then(Vec::new), None, None);
        let mut files = Vec::new();
        let (stop_reason, message) = match self {
            Self::Complete { text, attachments } => {
                files.clone_from(attachments);
                ("complete", Some(text.clone()))
            }
            Self::NotForMe => ("not_for_me", Some(String::new())),
            Self::Calls { message, calls: asked_for } => {
                calls = Some(asked_for.iter().map(wire_call).collect());
                ("tool_calls", message.clone())
            }
            Self::Ask(asked) => {
                question = Some(WireQuestion {
                    question: asked.question.clone(),
                    parameter_name: asked.parameter_name.clone(),
                    options: asked.options.clone(),
                    tool_call_id: asked.id.clone(),
                });
                ("validation_required", None)
            }
            Self::ModelFailed(detail) => {
                error = Some(("llm_error", detail.as_str()));
                ("error", Some(detail.clone()))
            }
            Self::TooManyDecisions(words) => {
                error = Some(("max_iterations_exceeded", words.as_str()));
                ("complete", Some(words.clone()))
            }
        };
        CommandAnswer {
            commands: error.map(failure).into_iter().collect(),
            request_information: RequestInformation {
                voice_command: utterance.to_owned(),
                conversation_id: conversation.0.clone(),
            },
            stop_reason: stop_reason.to_owned(),
            assistant_message: message,
            tool_calls: calls,
            validation_request: question,
            attachments: files,
        }
    }
}

fn failure((kind, message): (&str, &str)) -> CommandFailure {
    let errors = CommandErrors { kind: kind.to_owned(), message: message.to_owned() };
    CommandFailure { success: false, command_name: None, parameters: None, errors }
}

fn wire_call(call: &ModelCall) -> WireCall {
    WireCall::new(&call.id, &call.name, Value::Object(call.arguments.clone()).to_string())
}
