//! The outcome of one reply.

use futures::channel::mpsc::Receiver;
use settings::Profile;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tools::attachments::RunAttachments;
use vocabulary::{Answer, Language, ReplyEvent, ReplyTrace};

use crate::answer_text::streamed_reply::StreamedReply;
use crate::plain_requests::kept_calls::{KeptCall, RepeatableCall};
use crate::plain_requests::missing_argument::WaitingCall;
use crate::plain_requests::which_one::ChoiceCall;
use crate::tool_calls::approval::QuestionToUser;

/// The outcome of one reply, while it is made.
pub(crate) struct ReplyOutput {
    /// The text that the user sees and hears.
    pub stream: StreamedReply,
    /// The length of the text that earlier commands of a routine have shown, in bytes.
    pub shown_before: usize,
    /// Questions to the user; they go out in the same stream.
    pub user: QuestionToUser,
    /// The record of how the reply is made.
    pub trace: ReplyTrace,
    pub extras: Extras,
    /// The calls that did what was asked.
    pub calls: Vec<KeptCall>,
    /// The calls that the user can ask for again.
    pub repeatable_calls: Vec<RepeatableCall>,
    /// The call that lacks an argument.
    pub waiting_call: Option<WaitingCall>,
    /// The call that fits several things.
    pub choice_call: Option<ChoiceCall>,
    /// The user wanted no answer: "thanks". The next request may still go on with the calls before.
    pub is_dismissal: bool,
}

/// Things that tools gave the user besides text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Extras {
    pub attachments: RunAttachments,
    pub voice_requested: bool,
    /// Words of tools to speak besides, or in place of, the text.
    pub voice_text: Option<String>,
    /// The number of sentences that were left out of results because they give orders to an assistant.
    pub orders_left_out: usize,
    /// The profile that answers from now on.
    pub switches_to: Option<Profile>,
}

impl ReplyOutput {
    /// A reply in this language that has said nothing. Its events go out as `events`, answers come as `answers`.
    pub fn new(
        events: mpsc::Sender<ReplyEvent>,
        answers: Receiver<Answer>,
        stop: CancellationToken,
        language: Option<Language>,
    ) -> Self {
        Self {
            stream: StreamedReply::new(events.clone(), language),
            shown_before: 0,
            user: QuestionToUser::new(events, answers, stop),
            trace: ReplyTrace::default(),
            extras: Extras::default(),
            calls: Vec::new(),
            repeatable_calls: Vec::new(),
            waiting_call: None,
            choice_call: None,
            is_dismissal: false,
        }
    }
}
