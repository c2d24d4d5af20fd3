//! The end of a reply: what is left to say, and all that the user gets.

use vocabulary::{Language, OutgoingResponse, ReplyEvent};

use super::ReplyEngine;
use crate::answer_text::streamed_reply::StreamedReply;
use crate::outgoing::{OutgoingInput, prepare_outgoing};
use crate::reply_context::ReplyContext;
use crate::reply_loop::LoopOutcome;
use crate::reply_output::Extras;

/// The end of a reply.
pub(super) struct Conclusion {
    /// The dialogue keeps the reply.
    pub is_kept: bool,
    /// The words for a failure of the model that had said nothing.
    pub error: Option<String>,
}

impl Conclusion {
    /// All that the user gets.
    pub fn response(
        self,
        context: &ReplyContext,
        finished: &LoopOutcome,
        extras: Extras,
        written: String,
    ) -> OutgoingResponse {
        let attachments = extras.attachments.into_kept();
        let is_dismissed = matches!(finished, LoopOutcome::Silenced);
        let prepared = prepare_outgoing(OutgoingInput {
            text: Some(written),
            error: self.error,
            voice_requested: extras.voice_requested,
            voice_text: extras.voice_text,
            is_asked_aloud: context.query.origin.is_spoken(),
            answers_aloud: context.config.speaks,
            is_handed_over: is_dismissed,
            existing: (!attachments.is_empty())
                .then(|| OutgoingResponse { attachments, ..OutgoingResponse::default() }),
        });
        OutgoingResponse { is_dismissed, skip_assistant_history: true, ..prepared.unwrap_or_default() }
    }
}

impl ReplyEngine {
    /// Says what is left to say.
    pub(super) async fn conclude(
        &self,
        finished: &LoopOutcome,
        context: &ReplyContext,
        reply: &mut StreamedReply,
    ) -> Conclusion {
        let sentences = context.sentences();
        let mut error = None;
        let is_kept = match finished {
            LoopOutcome::Said | LoopOutcome::Worded | LoopOutcome::Stopped => true,
            LoopOutcome::Silenced => {
                let conversation = &context.query.conversation;
                self.conversations.dismiss(conversation);
                self.dialogue.withdraw(conversation, context.entry.asked_at.as_microsecond());
                false
            }
            LoopOutcome::Malformed => {
                tracing::warn!("the model's answer was malformed");
                let apology = match context.policy.recommends_larger_model {
                    true => format!("{} {}", sentences.reply_garbled(), sentences.reply_larger_model()),
                    false => sentences.reply_garbled().to_owned(),
                };
                reply.say(&apology, Some(sentences.language().clone())).await;
                true
            }
            LoopOutcome::OutOfTurns => {
                tracing::warn!("the reply took too many turns");
                reply.say(sentences.reply_out_of_turns(), Some(sentences.language().clone())).await;
                true
            }
            LoopOutcome::Empty => {
                tracing::warn!("the model gave no answer");
                reply.say(sentences.reply_no_answer(), Some(sentences.language().clone())).await;
                true
            }
            LoopOutcome::Failed(failure) => {
                let trouble = failure.trouble();
                let was_silent = reply.shown().trim().is_empty();
                reply.send(ReplyEvent::Failed(trouble.clone())).await;
                if was_silent {
                    let text = format!("{} {}", trouble.message, trouble.remedy);
                    reply.say(&text, Language::new("en")).await;
                    error = Some(text);
                }
                true
            }
        };
        Conclusion { is_kept, error }
    }
}
