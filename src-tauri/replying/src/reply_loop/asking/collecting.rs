//! Reading a response that is not shown while it comes.

use futures::StreamExt;
use llm::{ChatEvent, ChatStream, LlmError, Usage};

use crate::prompting::text_cut::{bytes_of, push_within};

/// All text of a response, up to the length that this many tokens have.
pub(super) async fn collect(
    mut stream: ChatStream,
    max_tokens: u32,
    usage: &mut Option<Usage>,
) -> Result<String, LlmError> {
    let mut text = String::new();
    while let Some(event) = stream.next().await {
        match event? {
            ChatEvent::Text(piece) => {
                push_within(&mut text, &piece, bytes_of(max_tokens));
            }
            ChatEvent::Finished(counted) => *usage = Some(counted),
            ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_) => {}
        }
    }
    Ok(text)
}
