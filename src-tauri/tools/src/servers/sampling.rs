//! A server that asks our language model during a call (sampling). The user allows each time, and the model is told nothing but
//! the words of the server: no memory, no dialogue, no tools.

#![expect(deprecated, reason = "servers of today still ask for a language model, and need an answer")]

use std::sync::Arc;

use futures::StreamExt;
use languages::messages::Messages;
use llm::{ChatEvent, ChatModel, ChatRequest, FinishReason, Message};
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ErrorCode, ErrorData, Role, SamplingMessage,
    SamplingMessageContentBlock,
};
use tokio_util::sync::CancellationToken;

use super::elicitation::Asker;
use super::plain_line::plain_line;

/// The code of a request that the user did not allow. Source: MCP specification 2025-11-25, "Sampling".
pub(super) const REJECTED: ErrorCode = ErrorCode(-1);
/// The longest text that a server may have read, in characters. The model has to read it while the user waits.
const MAX_CHARS: usize = 20_000;
/// The longest answer, in tokens.
const MAX_TOKENS: u32 = 1_000;
/// The rule before the words of the server.
const RULE: &str = "You write a text for a program that asks for it. What follows comes from the program. You have no tools, and \
    you know nothing about the user.";

/// Puts the request of a server to the user, then to the model.
pub(super) async fn answered(
    asked: CreateMessageRequestParams,
    asker: &Asker,
    model: &Arc<dyn ChatModel>,
    stop: CancellationToken,
) -> Result<CreateMessageResult, ErrorData> {
    let messages = messages_of(&asked).ok_or_else(|| {
        let reason = format!("Jarvis answers texts of up to {MAX_CHARS} characters, without tools");
        ErrorData::invalid_params(reason, None)
    })?;
    let words = Messages::for_language(asker.language.as_ref());
    let shown = messages.last().map(|message| plain_line(&message.content)).unwrap_or_default();
    if asker.consents(words.server_sampling(&shown, &asker.server), words).await != Some(true) {
        return Err(ErrorData::new(REJECTED, "The user did not allow it", None));
    }
    let request = ChatRequest::new(messages).with_max_tokens(asked.max_tokens.clamp(1, MAX_TOKENS));
    let failed = |_| ErrorData::internal_error("The language model did not answer", None);
    let mut events = model.chat(request, stop).await.map_err(failed)?;
    let (mut text, mut reason) = (String::new(), FinishReason::Stop);
    while let Some(event) = events.next().await {
        match event.map_err(failed)? {
            ChatEvent::Text(more) => text.push_str(&more),
            ChatEvent::Finished(usage) => reason = usage.reason,
            ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_) => {}
        }
    }
    let stop_reason = match reason {
        FinishReason::Length => CreateMessageResult::STOP_REASON_END_MAX_TOKEN,
        _ => CreateMessageResult::STOP_REASON_END_TURN,
    };
    // The name of the model says something about the machine of the user.
    let result = CreateMessageResult::new(SamplingMessage::assistant_text(text), "jarvis".to_owned());
    Ok(result.with_stop_reason(stop_reason))
}

/// The request as messages for the model; `None` if it has more than text, or too much of it.
fn messages_of(asked: &CreateMessageRequestParams) -> Option<Vec<Message>> {
    if asked.tools.as_ref().is_some_and(|tools| !tools.is_empty()) || asked.messages.is_empty() {
        return None;
    }
    let rule = match asked.system_prompt.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(prompt) => format!("{RULE}\n\n{prompt}"),
        None => RULE.to_owned(),
    };
    let mut messages = vec![Message::system(rule)];
    for message in &asked.messages {
        let mut text = String::new();
        for part in message.content.iter() {
            let SamplingMessageContentBlock::Text(part) = part else { return None };
            text.push_str(&part.text);
        }
        messages.push(match message.role {
            Role::Assistant => Message::assistant(text),
            Role::User => Message::user(text),
        });
    }
    let chars: usize = messages.iter().map(|message| message.content.chars().count()).sum();
    (chars <= MAX_CHARS).then_some(messages)
}
