//! Answers in JSON: a call of a tool or the text of an answer, for models without native tools.
//!
//! Source: docs/behaviour/bridge.md#words-that-hint-a-tool, docs/behaviour/bridge.md#example-arguments and docs/behaviour/bridge.md#replies.

use bridge::{KeywordMode, Reply, ReplyContent};
use llm::{ChatRequest, LlmError, Message, Role, ToolCall, ToolCallId, ToolSpec};
use serde_json::{Value, json};

use super::collecting::collect;
use crate::prompting::prompt::OfferedTool;
use crate::reply_loop::ReplyLoop;
use crate::roles::ModelTask;
use crate::tool_calls::tool_protocol::ToolProtocol;
use crate::turn_loop::{Certainty, LoopEvent, ModelAnswer, SEARCH, STOP, VisibleText};

impl ReplyLoop<'_> {
    /// Has the model answer in JSON, and shows the answer when it is complete. How sure the model is of a call nobody knows.
    pub(super) async fn answer_in_json(&mut self, tools: &[OfferedTool]) -> Result<LoopEvent, LlmError> {
        let specs: Vec<ToolSpec> = tools.iter().map(|tool| tool.spec.clone()).collect();
        let names: Vec<String> = specs.iter().map(|tool| tool.name.clone()).collect();
        let config = &self.context.config;
        let request = ChatRequest::new(self.hinted_messages(tools, &specs, &names))
            .with_format(bridge::reply_schema(&specs))
            .with_max_tokens(config.max_tokens)
            .with_temperature(config.temperature);
        let limit = config.max_tokens;
        let (stop, models) = (self.context.stop().clone(), &self.context.models);
        let mut call = models.begin(ModelTask::Answer);
        let reading = async {
            let stream = models.of(ModelTask::Answer).chat(request, stop.child_token()).await?;
            collect(stream, limit, &mut call.usage).await
        };
        let read = stop.run_until_cancelled(reading).await;
        call.end(read.as_ref(), &stop);
        let content = match read {
            None => return Ok(LoopEvent::Stopped),
            Some(_) if stop.is_cancelled() => return Ok(LoopEvent::Stopped),
            // The provider cannot enforce the form.
            Some(Err(LlmError::Unsupported { .. } | LlmError::ToolsRefused { .. })) => {
                return Ok(LoopEvent::ToolsRejected);
            }
            Some(content) => content?,
        };
        Ok(LoopEvent::Answered(self.answer_of_json(content, &names).await))
    }

    /// The messages with the hint of the tool that the request seems to mean. It stands before the request for this one alone.
    fn hinted_messages(&self, tools: &[OfferedTool], specs: &[ToolSpec], names: &[String]) -> Vec<Message> {
        let mut messages = self.messages(Some(ToolProtocol::JsonHints), tools);
        // These two are no subject of a request.
        let subjects: Vec<String> =
            names.iter().filter(|name| !matches!(name.as_str(), STOP | SEARCH)).cloned().collect();
        let meant = bridge::detect(KeywordMode::Strict, &self.context.entry.redacted, &subjects);
        let meant = meant.filter(|_| !self.turns.has_results());
        tracing::debug!(tool = meant, "looked for a tool in the request");
        let hinted = meant.and_then(|name| specs.iter().find(|tool| tool.name == name));
        let at = messages.iter().rposition(|message| message.role == Role::User);
        if let (Some(tool), Some(at)) = (hinted, at) {
            messages.insert(at, Message::system(bridge::hint(tool)));
        }
        messages
    }

    async fn answer_of_json(&mut self, content: String, names: &[String]) -> ModelAnswer {
        let Reply { content: read, .. } = bridge::read_reply(&json!({ "content": content }), names);
        let turn = self.turns.turn();
        let call = |at: usize, name: String, arguments: Value| ToolCall {
            id: ToolCallId(format!("json-{turn}-{at}")),
            name,
            arguments,
        };
        let calls: Vec<ToolCall> = match &read {
            ReplyContent::ToolCalls(calls) => {
                let calls = calls.iter().enumerate();
                calls.map(|(at, it)| call(at, it.name.clone(), Value::Object(it.arguments.clone()))).collect()
            }
            // The choke point tells the model what is wrong.
            ReplyContent::UnknownTool { name } | ReplyContent::BadArguments { name } => {
                vec![call(0, name.clone(), json!({}))]
            }
            ReplyContent::Text(_) | ReplyContent::Empty | ReplyContent::Truncated => Vec::new(),
        };
        let stream = &mut self.output.stream;
        let said = match read {
            ReplyContent::Text(text) => {
                stream.grow(&text).await;
                stream.end_turn().await
            }
            ReplyContent::Truncated => VisibleText::Malformed,
            ReplyContent::Empty => stream.end_turn().await,
            _ => stream.end_interim().await,
        };
        ModelAnswer { content, calls, said, certainty: Certainty::Unsure, ..ModelAnswer::default() }
    }
}
