//! Answers without a conversation.

use assistant::ReplyRequest;
use axum::http::StatusCode;
use vocabulary::{OutgoingResponse, ReplyEvent};

use crate::caller::caller;
use crate::door::Door;
use crate::failure::Failure;
use crate::programs::Program;

/// The answer to a question of a program, without a conversation. What needs a permission is not done.
pub(crate) async fn answer(
    door: &Door,
    program: &Program,
    question: &str,
) -> Result<OutgoingResponse, Failure> {
    let conversation = door.assistant.conversation_with(&program.name);
    let request = ReplyRequest { caller: caller(program, None), ..ReplyRequest::new(question, conversation) };
    let opened = door.assistant.open_reply(request).await;
    let mut handle = opened.map_err(|refused| Failure::refused(&refused))?;
    handle.answers_nothing();
    let mut trouble = None;
    while let Some(event) = handle.next().await {
        match event {
            ReplyEvent::Failed(failure) => trouble = Some(failure),
            ReplyEvent::Done(response) => {
                return match trouble {
                    Some(trouble) => {
                        let message = format!("{} {}", trouble.message, trouble.remedy);
                        Err(Failure::new(StatusCode::BAD_GATEWAY, message))
                    }
                    None => Ok(response),
                };
            }
            _ => {}
        }
    }
    Err(Failure::new(StatusCode::BAD_GATEWAY, "The reply broke off. Ask again."))
}
