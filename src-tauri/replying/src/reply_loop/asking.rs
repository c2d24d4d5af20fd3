//! Asking the model: for a choice of a tool, and for an answer that streams.

mod answer_filter; // what of an answer is shown
mod collecting; // all of a response
mod json_answer; // a call or a text, in JSON

use futures::StreamExt;
use llm::{ChatEvent, ChatModel, ChatRequest, LlmError, Message, Role, ToolCall, ToolCallId, Usage};
use serde_json::Value;
use settings::ContextPosition;
use tracing::Instrument;

use self::answer_filter::AnswerFilter;
use self::collecting::collect;
use super::ReplyLoop;
use crate::answer_text::streamed_reply::Growth;
use crate::prompting::prompt::{OfferedTool, constrained_question, named_choice_question};
use crate::prompting::text_cut::{bytes_of, push_within};
use crate::roles::ModelTask;
use crate::tool_calls::choice::{ArgumentForm, Choices, choice_schema, chosen_call, is_choice, is_no_choice};
use crate::tool_calls::nested_call::nested_call;
use crate::tool_calls::text_call::text_calls;
use crate::tool_calls::tool_protocol::ToolProtocol;
use crate::tool_calls::written_reply::calls_in_object;
use crate::turn_loop::{Certainty, LoopEvent, ModelAnswer, SEARCH, STOP, VisibleText};

/// A call needs fewer tokens.
const MAX_CALL_TOKENS: u32 = 256;

/// A choice that is less likely is not carried out without a question, if it changes anything. Source: `cargo xtask eval
/// replies`, tuning half.
const SURE_CHOICE: f32 = 0.6;

/// High enough that a guess comes out differently the second time.
const SECOND_SAMPLE_TEMPERATURE: f32 = 0.8;

/// Thinking is for the next turn of the same reply alone, and a model that thinks for longer hardly comes to an end.
const MAX_THINKING_TOKENS: u32 = 4_096;

/// The text of a choice, and how likely it was, as a logarithm.
type Choice = (String, Option<f32>);

impl ReplyLoop<'_> {
    /// Asks the model, with the tools offered as `protocol` does it or without.
    pub(super) async fn ask(&mut self, protocol: Option<ToolProtocol>) -> Result<LoopEvent, LlmError> {
        let span = tracing::info_span!("turn", turn = self.turns.turn());
        let policy = self.turns.policy().tools;
        let offered = |_| self.context.toolbox.offered(self.turns.tools(), policy, self.prepared.is_unsure);
        let tools = protocol.map(offered).unwrap_or_default();
        let asking = async {
            match protocol {
                Some(ToolProtocol::Constrained) => self.choose_or_answer(&tools).await,
                Some(ToolProtocol::JsonHints) => self.answer_in_json(&tools).await,
                protocol => self.answer(protocol, &tools).await,
            }
        };
        asking.instrument(span).await
    }

    /// Has the model choose a tool or none in a form that the provider enforces, and lets it answer freely without one.
    async fn choose_or_answer(&mut self, tools: &[OfferedTool]) -> Result<LoopEvent, LlmError> {
        let turns = &self.turns;
        let is_due = !turns.has_results() || turns.has_open_work(0) || turns.has_found_tools();
        let mut certainty = Certainty::Sure;
        let choices = self.choices(tools);
        if is_due && !self.turns.tools().is_empty() {
            match self.choose(choices, 0.0).await {
                Ok(Some((content, _))) if is_no_choice(&content) => {
                    tracing::warn!(
                        "the provider does not enforce the form of a choice; tools are called in text"
                    );
                    return Ok(LoopEvent::ToolsRejected);
                }
                Ok(Some((content, log_probability))) => {
                    let chosen = chosen_call(&content, self.turns.messages().len());
                    let tool = chosen.as_ref().map(|call| &*call.name);
                    tracing::debug!(tool, log_probability, "a choice was made");
                    let call = chosen.filter(|call| !self.is_made_up(call));
                    certainty = match &call {
                        Some(call) => self.certainty(call, log_probability, choices).await,
                        None => certainty_of(log_probability),
                    };
                    if let Some(call) = call {
                        let answer =
                            ModelAnswer { content, calls: vec![call], certainty, ..ModelAnswer::default() };
                        return Ok(LoopEvent::Answered(answer));
                    }
                }
                Ok(None) => return Ok(LoopEvent::Stopped),
                // The provider cannot enforce the form.
                Err(LlmError::Unsupported { .. } | LlmError::ToolsRefused { .. }) => {
                    return Ok(LoopEvent::ToolsRejected);
                }
                Err(error) => tracing::warn!(%error, "no tool was chosen; the model answers without"),
            }
        }
        Ok(match self.answer(None, &[]).await? {
            LoopEvent::Answered(answer) => LoopEvent::Answered(ModelAnswer { certainty, ..answer }),
            event => event,
        })
    }

    /// The tools to choose among: at first only the one that leads, if one does.
    fn choices<'t>(&self, tools: &'t [OfferedTool]) -> Choices<'t> {
        let is_leading = |tool: &OfferedTool| self.is_leading(&tool.spec.name);
        match tools.iter().position(is_leading) {
            Some(at) => Choices { tools: &tools[at..=at], allow_none: false },
            None => Choices { tools, allow_none: true },
        }
    }

    /// The certainty of a choice. If the provider does not tell, a call that changes something is sure if selection was sure
    /// of the same tool, or if the model makes the same call once more.
    async fn certainty(
        &self,
        call: &ToolCall,
        log_probability: Option<f32>,
        choices: Choices<'_>,
    ) -> Certainty {
        let is_told = log_probability.is_some() || !self.context.toolbox.changes_something(call);
        if is_told {
            return certainty_of(log_probability);
        }
        if self.prepared.sure_tool.as_ref() == Some(&call.name) {
            return Certainty::Sure;
        }
        let again = self.choose(choices, SECOND_SAMPLE_TEMPERATURE).await.ok().flatten();
        let again = again.and_then(|(content, _)| chosen_call(&content, self.turns.messages().len()));
        let is_same = again.is_some_and(|it| it.name == call.name && it.arguments == call.arguments);
        tracing::debug!(is_same, "a choice of unknown certainty was sampled again");
        if is_same { Certainty::Sure } else { Certainty::Unsure }
    }

    /// The model's choice; `None` when the reply was stopped.
    async fn choose(&self, choices: Choices<'_>, temperature: f32) -> Result<Option<Choice>, LlmError> {
        let tools = choices.tools;
        let model = self.context.models.of(ModelTask::Answer);
        let messages = match self.known_tools(&**model, tools) {
            Some(known) => {
                let choice = Some(ToolProtocol::Constrained);
                let mut messages = self.with_turns(choice, self.parts.choice_messages(&known));
                messages.push(Message::user(named_choice_question(tools)));
                messages
            }
            None => {
                let mut messages = self.messages(Some(ToolProtocol::Constrained), tools);
                messages.push(Message::user(constrained_question()));
                messages
            }
        };
        let request =
            ChatRequest::new(messages).with_max_tokens(MAX_CALL_TOKENS).with_temperature(temperature);
        let form = |arguments| choice_schema(choices, arguments);
        match self.choose_in_form(request.clone().with_format(form(ArgumentForm::OfTheTool))).await {
            Err(error @ (LlmError::Unsupported { .. } | LlmError::ToolsRefused { .. })) => {
                tracing::warn!(%error, "the arguments of a tool cannot be enforced");
                self.choose_in_form(request.with_format(form(ArgumentForm::AnyObject))).await
            }
            chosen => chosen,
        }
    }

    async fn choose_in_form(&self, request: ChatRequest) -> Result<Option<Choice>, LlmError> {
        let (stop, models) = (self.context.stop(), &self.context.models);
        let mut call = models.begin(ModelTask::Answer);
        let reading = async {
            let stream = models.of(ModelTask::Answer).chat(request, stop.child_token()).await?;
            collect(stream, MAX_CALL_TOKENS, &mut call.usage).await
        };
        let read = stop.run_until_cancelled(reading).await;
        let log_probability = call.usage.and_then(|usage| usage.choice_log_probability);
        call.end(read.as_ref(), stop);
        match read {
            None => Ok(None),
            Some(Ok(_)) if stop.is_cancelled() => Ok(None),
            Some(text) => text.map(|text| Some((text, log_probability))),
        }
    }

    /// The tools that the model knows before it is asked, if these are among them: it has read them, and needs no time for
    /// them.
    fn known_tools(&self, model: &dyn ChatModel, tools: &[OfferedTool]) -> Option<Vec<OfferedTool>> {
        let known = self.context.toolbox.built_in();
        let is_possible = self.parts.position == ContextPosition::NewestMessage
            && tools.iter().all(|tool| known.contains(tool))
            && model.has_kept(&self.parts.beginning_of_choices(&known));
        is_possible.then_some(known)
    }

    fn messages(&self, protocol: Option<ToolProtocol>, tools: &[OfferedTool]) -> Vec<Message> {
        self.with_turns(protocol, self.parts.messages(protocol, tools))
    }

    /// The messages, and those of the turns of this reply.
    fn with_turns(&self, protocol: Option<ToolProtocol>, mut messages: Vec<Message>) -> Vec<Message> {
        let is_native = self.turns.policy().tools.protocol == ToolProtocol::Native;
        messages.extend(self.turns.messages().iter().cloned().map(|message| match is_native {
            true => message,
            // A call that the rules made has no place in a dialogue without native calls.
            false => Message { tool_calls: Vec::new(), ..message },
        }));
        // Behind a choice in JSON a small model goes on in JSON.
        let hides_choices =
            protocol.is_none() && self.turns.policy().tools.protocol == ToolProtocol::Constrained;
        let is_hidden =
            |message: &Message| is_blank(message) || (hides_choices && is_choice(&message.content));
        messages.retain(|message| message.role != Role::Assistant || !is_hidden(message));
        messages
    }

    /// Streams an answer. A first attempt that failed before anything was released is repeated once.
    async fn answer(
        &mut self,
        protocol: Option<ToolProtocol>,
        tools: &[OfferedTool],
    ) -> Result<LoopEvent, LlmError> {
        let config = &self.context.config;
        let mut request = ChatRequest::new(self.messages(protocol, tools))
            .with_max_tokens(config.max_tokens)
            .with_temperature(config.temperature);
        if config.thinks {
            request = request.with_thinking();
        }
        if protocol == Some(ToolProtocol::Native) {
            request = request.with_tools(tools.iter().map(|tool| tool.spec.clone()).collect());
        }
        match self.attempt(protocol, request.clone()).await {
            Err(error) if error.is_transient() && self.output.stream.is_turn_silent() => {
                tracing::warn!(%error, "the model broke off; asking once more");
                self.output.stream.restart_turn();
                self.attempt(protocol, request).await
            }
            attempted => attempted,
        }
    }

    async fn attempt(
        &mut self,
        protocol: Option<ToolProtocol>,
        request: ChatRequest,
    ) -> Result<LoopEvent, LlmError> {
        let mut call = self.context.models.begin(ModelTask::Answer);
        let answered = self.read_answer(protocol, request, &mut call.usage).await;
        call.end(Some(&answered), self.context.stop());
        match answered {
            // A cancelled model ends like one that has finished, or fails.
            _ if self.context.stop().is_cancelled() => Ok(LoopEvent::Stopped),
            Ok(answer) => Ok(LoopEvent::Answered(answer)),
            Err(LlmError::ToolsRefused { .. }) => Ok(LoopEvent::ToolsRejected),
            Err(error) => Err(error),
        }
    }

    /// Reads an answer, and shows it while it comes. What it returns counts only if the reply was not stopped.
    async fn read_answer(
        &mut self,
        protocol: Option<ToolProtocol>,
        request: ChatRequest,
        usage: &mut Option<Usage>,
    ) -> Result<ModelAnswer, LlmError> {
        let names = [STOP, SEARCH].map(str::to_owned).into_iter().chain(self.turns.tools().iter().cloned());
        let names: Vec<String> = names.collect();
        let mut filter = AnswerFilter::new(protocol, &names);
        let mut answer = ModelAnswer::default();
        let (stop, model) = (self.context.stop(), self.context.models.of(ModelTask::Answer));
        let Some(stream) = stop.run_until_cancelled(model.chat(request, stop.child_token())).await else {
            return Ok(answer);
        };
        let mut stream = stream?;
        while let Some(Some(event)) = stop.run_until_cancelled(stream.next()).await {
            match event? {
                ChatEvent::Text(text) => {
                    let growth = self.grow(&mut answer, &mut filter, &text).await;
                    // Behind a text that is withheld a call may follow.
                    let is_useless = protocol.is_none() && self.output.stream.withheld().is_some();
                    if growth == Growth::Over || is_useless {
                        break;
                    }
                }
                ChatEvent::Thinking(text) => {
                    let thinking = answer.thinking.get_or_insert_default();
                    if push_within(thinking, &text, bytes_of(MAX_THINKING_TOKENS)).len() < text.len() {
                        tracing::warn!("the model thought for too long");
                        break;
                    }
                }
                ChatEvent::ToolCalls(calls) => answer.calls = calls,
                ChatEvent::Finished(counted) => {
                    *usage = Some(counted);
                    break;
                }
            }
        }
        if stop.is_cancelled() {
            return Ok(answer);
        }
        if answer.calls.is_empty() && protocol.is_some() {
            answer.calls = self.calls_in(&answer.content, &names);
        }
        answer.calls = answer.calls.into_iter().map(|call| unwrapped(call, &names)).collect();
        answer.said = self.end_answer(&answer.calls, filter).await;
        if answer.said == VisibleText::Nothing && self.output.stream.leaves_dialogue(&answer.content) {
            tracing::debug!("the answer to another question was repeated; asking without the dialogue");
            self.parts.worded_by_models.clear();
            answer.content.clear();
        }
        Ok(answer)
    }

    /// Takes more text of an answer.
    async fn grow(&mut self, answer: &mut ModelAnswer, filter: &mut AnswerFilter<'_>, text: &str) -> Growth {
        let taken = push_within(&mut answer.content, text, bytes_of(self.context.config.max_tokens));
        let growth = self.output.stream.grow(&filter.push(taken)).await;
        if taken.len() < text.len() { Growth::Over } else { growth }
    }

    /// Completes what is shown of an answer.
    async fn end_answer(&mut self, calls: &[ToolCall], filter: AnswerFilter<'_>) -> VisibleText {
        let stream = &mut self.output.stream;
        match (calls.is_empty(), filter.finish()) {
            // Leaked calls must not be shown; prose before a call was shown while it came.
            (false, _) => stream.end_interim().await,
            (true, None) => VisibleText::Malformed,
            (true, Some(held)) => {
                stream.grow(&held).await;
                stream.end_turn().await
            }
        }
    }

    /// The calls that stand in the text of an answer.
    fn calls_in(&self, content: &str, names: &[String]) -> Vec<ToolCall> {
        let turn = self.turns.turn();
        let is_known = |name: &str| names.iter().any(|known| known == name);
        let mut calls = text_calls(content, is_known);
        if calls.is_empty() {
            calls = calls_in_object(content, is_known);
        }
        let calls = calls.into_iter().enumerate().map(|(at, call)| ToolCall {
            id: ToolCallId(call.id.unwrap_or_else(|| format!("text-{turn}-{at}"))),
            name: call.name,
            arguments: Value::Object(call.arguments),
        });
        calls.collect()
    }
}

/// The call, or the one that its arguments hold.
fn unwrapped(call: ToolCall, names: &[String]) -> ToolCall {
    let nested = call
        .arguments
        .as_object()
        .and_then(|arguments| nested_call(arguments, |name| names.iter().any(|known| known == name)));
    match nested {
        Some((name, arguments)) => ToolCall { name, arguments: Value::Object(arguments), ..call },
        None => call,
    }
}

fn certainty_of(log_probability: Option<f32>) -> Certainty {
    match log_probability.is_some_and(|it| it >= SURE_CHOICE.ln()) {
        true => Certainty::Sure,
        false => Certainty::Unsure,
    }
}

fn is_blank(message: &Message) -> bool {
    message.content.trim().is_empty() && message.tool_calls.is_empty()
}
