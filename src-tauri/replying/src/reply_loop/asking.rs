//! Asking the model: for a choice of a tool, and for an answer that streams.

use futures::StreamExt;
use llm::{ChatEvent, ChatRequest, LlmError, Message, Role as Author, ToolCall, ToolCallId, Usage};
use serde_json::Value;
use tokio::time::Instant;
use tracing::Instrument;

use super::{Asked, ReplyLoop};
use crate::bare_name::{BareName, OnlyName};
use crate::choice::{choice_schema, chosen_call};
use crate::prompt::{OfferedTool, constrained_question};
use crate::roles::Role;
use crate::streamed_reply::Growth;
use crate::text_call::text_calls;
use crate::text_call_filter::TextCallFilter;
use crate::tool_protocol::ToolProtocol;
use crate::turn_loop::{ModelAnswer, SEARCH, STOP, Said};

/// A call needs fewer tokens.
const MAX_CALL_TOKENS: u32 = 256;

/// A choice that is less likely is not carried out without a question, where it changes anything. Source: `cargo xtask eval
/// replies`, tuning half.
const SURE_CHOICE: f32 = 0.6;

/// No language needs more bytes for a token. An answer that is longer than its tokens allow comes from a provider that
/// ignores the limit; it is cut.
const MAX_BYTES_PER_TOKEN: usize = 16;

impl ReplyLoop<'_> {
    pub(super) async fn ask(&mut self, protocol: Option<ToolProtocol>) -> Asked {
        self.is_unsure = false;
        let span = tracing::info_span!("turn", turn = self.turns.turn());
        let policy = self.turns.policy().tools;
        let tools = protocol.map(|_| self.toolbox.offered(self.turns.tools(), policy)).unwrap_or_default();
        let asking = async {
            match protocol {
                Some(ToolProtocol::Constrained) => self.choose_or_answer(&tools).await,
                protocol => self.answer(protocol, &tools).await,
            }
        };
        asking.instrument(span).await
    }

    /// Has the model choose a tool or none in a form that the provider enforces, and lets it answer freely without one.
    async fn choose_or_answer(&mut self, tools: &[OfferedTool]) -> Asked {
        let is_due = !self.turns.has_results() || self.turns.has_open_work(0);
        if is_due && !self.turns.tools().is_empty() {
            let mut messages = self.messages(Some(ToolProtocol::Constrained), tools);
            messages.push(Message::user(constrained_question()));
            let request = ChatRequest::new(messages)
                .with_format(choice_schema(tools))
                .with_max_tokens(MAX_CALL_TOKENS)
                .with_temperature(0.0);
            match self.collect(request).await {
                Ok(Some((choice, log_probability))) => {
                    let call = chosen_call(&choice, self.turns.messages().len());
                    self.is_unsure = log_probability.is_none_or(|it| it < SURE_CHOICE.ln());
                    tracing::debug!(
                        tool = call.as_ref().map(|call| &*call.name),
                        log_probability,
                        "a choice was made"
                    );
                    if let Some(call) = call {
                        let content = choice;
                        return Asked::Answered(ModelAnswer {
                            content,
                            calls: vec![call],
                            ..Default::default()
                        });
                    }
                }
                Ok(None) => return Asked::Stopped,
                // The provider cannot enforce the form.
                Err(LlmError::Unsupported { .. } | LlmError::ToolsRefused { .. }) => {
                    return Asked::ToolsRejected;
                }
                Err(error) => tracing::warn!(%error, "no tool was chosen; the model answers without"),
            }
        }
        self.answer(None, &[]).await
    }

    /// All text of a choice, and how likely it was; `None` when the reply was stopped.
    async fn collect(&self, request: ChatRequest) -> Result<Option<(String, Option<f32>)>, LlmError> {
        let model = self.models.of(Role::Answer);
        let (began, mut usage) = (Instant::now(), None);
        let reading = async {
            let mut stream = model.chat(request, self.stop.child_token()).await?;
            let mut text = String::new();
            while let Some(event) = stream.next().await {
                match event? {
                    ChatEvent::Text(piece) => {
                        text.push_str(cut(&piece, bytes_of(MAX_CALL_TOKENS).saturating_sub(text.len())));
                    }
                    ChatEvent::Finished(counted) => usage = Some(counted),
                    ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_) => {}
                }
            }
            Ok(text)
        };
        let read = self.stop.run_until_cancelled(reading).await;
        self.models.record(Role::Answer, began.elapsed(), usage);
        match read {
            None => Ok(None),
            Some(Ok(_)) if self.stop.is_cancelled() => Ok(None),
            Some(text) => {
                let log_probability = usage.and_then(|usage| usage.choice_log_probability);
                text.map(|text| Some((text, log_probability)))
            }
        }
    }

    fn messages(&self, protocol: Option<ToolProtocol>, tools: &[OfferedTool]) -> Vec<Message> {
        let mut messages = self.parts.messages(protocol, tools);
        messages.extend(self.turns.messages().iter().cloned().map(|message| {
            match self.turns.policy().tools.protocol {
                ToolProtocol::Native => message,
                // A call that the rules made has no place in a dialogue without native calls.
                _ => Message { tool_calls: Vec::new(), ..message },
            }
        }));
        messages.retain(|message| message.role != Author::Assistant || !is_blank(message));
        messages
    }

    /// Streams an answer. A first attempt that failed before anything was released is repeated once.
    async fn answer(&mut self, protocol: Option<ToolProtocol>, tools: &[OfferedTool]) -> Asked {
        let mut request = ChatRequest::new(self.messages(protocol, tools))
            .with_max_tokens(self.config.max_tokens)
            .with_temperature(self.config.temperature);
        if protocol == Some(ToolProtocol::Native) {
            request = request.with_tools(tools.iter().map(|tool| tool.spec.clone()).collect());
        }
        match self.attempt(protocol, request.clone()).await {
            Asked::Failed(error) if error.is_transient() && self.reply.is_turn_silent() => {
                tracing::warn!(%error, "the model broke off; asking once more");
                self.reply.restart_turn();
                self.attempt(protocol, request).await
            }
            asked => asked,
        }
    }

    async fn attempt(&mut self, protocol: Option<ToolProtocol>, request: ChatRequest) -> Asked {
        let (began, mut usage) = (Instant::now(), None);
        let asked = self.read_answer(protocol, request, &mut usage).await;
        self.models.record(Role::Answer, began.elapsed(), usage);
        asked
    }

    async fn read_answer(
        &mut self,
        protocol: Option<ToolProtocol>,
        request: ChatRequest,
        usage: &mut Option<Usage>,
    ) -> Asked {
        let is_text = protocol == Some(ToolProtocol::Text);
        let mut names: Vec<&str> = vec![STOP, SEARCH];
        names.extend(self.turns.tools().iter().map(String::as_str));
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let mut filter = TextCallFilter::new(names.iter().map(String::as_str).filter(|_| is_text));
        let mut bare_name = BareName::new(names.iter().map(String::as_str));
        let limit = bytes_of(self.config.max_tokens);
        let mut answer = ModelAnswer::default();
        let connecting = self.models.of(Role::Answer).chat(request, self.stop.child_token());
        let mut stream = match self.stop.run_until_cancelled(connecting).await {
            None => return Asked::Stopped,
            Some(Err(LlmError::ToolsRefused { .. })) => return Asked::ToolsRejected,
            Some(Err(error)) => return Asked::Failed(error),
            Some(Ok(stream)) => stream,
        };
        loop {
            let Some(next) = self.stop.run_until_cancelled(stream.next()).await else {
                return Asked::Stopped;
            };
            match next {
                Some(Ok(ChatEvent::Text(text))) => {
                    let room = limit.saturating_sub(answer.content.len());
                    let (is_cut, text) = (text.len() > room, cut(&text, room));
                    answer.content.push_str(text);
                    let passed = bare_name.push(text);
                    let passed = if is_text { filter.push(&passed) } else { passed };
                    let growth = self.reply.grow(&passed).await;
                    if growth == Growth::Over || is_cut {
                        break;
                    }
                }
                Some(Ok(ChatEvent::Thinking(text))) => {
                    answer.thinking.get_or_insert_default().push_str(&text);
                }
                Some(Ok(ChatEvent::ToolCalls(calls))) => answer.calls = calls,
                Some(Ok(ChatEvent::Finished(counted))) => {
                    *usage = Some(counted);
                    break;
                }
                None => break,
                Some(Err(LlmError::ToolsRefused { .. })) => return Asked::ToolsRejected,
                Some(Err(error)) => return Asked::Failed(error),
            }
        }
        // A cancelled model ends like one that has finished.
        if self.stop.is_cancelled() {
            return Asked::Stopped;
        }
        if answer.calls.is_empty() && protocol.is_some() {
            answer.calls = self.calls_in(&answer.content, &names);
        }
        answer.said = match (answer.calls.is_empty(), bare_name.finish()) {
            // Leaked calls must not be shown; prose before a call was shown while it came.
            (false, _) => self.reply.end_interim().await,
            (true, Err(OnlyName)) => Said::Malformed,
            (true, Ok(held)) => {
                let held = if is_text { filter.push(&held) + &filter.held() } else { held };
                self.reply.grow(&held).await;
                self.reply.end_turn().await
            }
        };
        Asked::Answered(answer)
    }

    /// The calls that stand in the text of an answer.
    fn calls_in(&self, content: &str, names: &[String]) -> Vec<ToolCall> {
        let turn = self.turns.turn();
        let calls = text_calls(content, |name| names.iter().any(|known| known == name));
        let calls = calls.into_iter().enumerate().map(|(at, call)| ToolCall {
            id: ToolCallId(call.id.unwrap_or_else(|| format!("text-{turn}-{at}"))),
            name: call.name,
            arguments: Value::Object(call.arguments),
        });
        calls.collect()
    }
}

fn bytes_of(tokens: u32) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(MAX_BYTES_PER_TOKEN)
}

/// The beginning of a text, at most this many bytes long.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

fn is_blank(message: &Message) -> bool {
    message.content.trim().is_empty() && message.tool_calls.is_empty()
}
