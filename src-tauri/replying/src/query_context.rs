//! The first stage: what was asked, and what was said before it.
//!
//! Source: docs/behaviour/replying.md.

use jiff::Timestamp;
use llm::Message;
use memory::{Dialogue, MessageContent, Participant};
use vocabulary::{Language, Query};

use crate::config::ReplyingConfig;
use crate::conversations::Conversations;
use crate::language::language_of_reply;
use crate::plain_requests::kept_calls::KeptCall;

/// A query with all that follows from it without a model.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The words of the user without secrets.
    pub redacted: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// The language to answer in.
    pub language: Option<Language>,
    /// When the oldest message of the dialogue was said; now, if there is none.
    pub since: Timestamp,
    /// The dialogue, oldest first, with the tool results of earlier replies in between.
    pub dialogue: Vec<Message>,
    /// The same without the exchanges that no model worded.
    pub worded_by_models: Vec<Message>,
    /// The calls of the last reply that did what was asked.
    pub last_calls: Vec<KeptCall>,
    /// Text from outside, which a tool of an earlier reply or another engine gave, is in the dialogue.
    pub is_tainted: bool,
}

/// Reads a query. A first half that the user went on with is withdrawn; what a past conversation kept is dropped.
pub(crate) fn enter(
    query: &Query,
    config: &ReplyingConfig,
    dialogue: &Dialogue,
    conversations: &Conversations,
    now: Timestamp,
) -> Entry {
    let redacted = redaction::redact(&query.text, redaction::MAX_CHARS);
    let recent = || dialogue.recent(&query.conversation, config.dialogue_window, now.as_microsecond());
    if query.replaces_previous {
        withdraw_previous(dialogue, query, &recent());
    }
    let recent = recent();
    if recent.is_empty() {
        conversations.forget(&query.conversation);
    }
    let worded_by_models = conversations.with(&query.conversation, |state| state.worded_by_models(&recent));
    let messages = |said: &[MessageContent]| with_tool_results(said, config, query, conversations);
    Entry {
        asked_at: now,
        language: language_of_reply(config, query, &redacted, &recent),
        since: recent.first().map_or(now, |said| Timestamp::from_microsecond(said.at_micros).unwrap_or(now)),
        dialogue: messages(&recent),
        worded_by_models: messages(&worded_by_models),
        last_calls: conversations.with(&query.conversation, |state| state.last_calls.clone()),
        is_tainted: conversations.with(&query.conversation, |state| {
            let first = recent.first().map(|said| said.at_micros);
            let has_foreign_words = first.is_some_and(|first| Some(first) <= state.foreign_at_micros);
            has_foreign_words || state.carry_over.is_tainted(config.carry_over_replies)
        }),
        redacted,
    }
}

fn with_tool_results(
    recent: &[MessageContent],
    config: &ReplyingConfig,
    query: &Query,
    conversations: &Conversations,
) -> Vec<Message> {
    conversations.with(&query.conversation, |state| {
        state.carry_over.among(recent, config.carry_over_replies, config.carry_over_chars)
    })
}

/// Takes back the first half of a query that the user went on with, and what was answered to it: this query holds all of
/// its words.
pub fn withdraw_previous(dialogue: &Dialogue, query: &Query, recent: &[MessageContent]) {
    let asked = recent.iter().rev().find(|said| said.participant == Participant::User);
    if let Some(asked) = asked {
        dialogue.withdraw(&query.conversation, asked.at_micros);
    }
}
