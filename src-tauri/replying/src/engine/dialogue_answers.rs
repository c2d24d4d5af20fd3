//! Answers to questions about what was said in this conversation, and about the assistant.

use std::time::Duration;

use languages::DialogueQuestion;
use llm::Role;
use memory::{MessageContent, Participant};

use super::ReplyEngine;
use super::plain_answers::in_a_row;
use crate::dialogue_questions::asks_about_dialogue;
use crate::introductions::{ToldInProfile, told_in_profile};
use crate::own_facts::told;
use crate::reply_context::{ReplyContext, request_of};
use crate::request_kind::{RequestKind, without_name};
use crate::to_remember::asks_to_remember;
use crate::tool_talk::is_tool_message;

impl ReplyEngine {
    /// The answer to such a question; `None` for any other request.
    pub(super) async fn answer_about_dialogue(&self, context: &ReplyContext) -> Option<String> {
        let text = without_name(&context.entry.redacted, &context.config.name);
        let question = asks_about_dialogue(text, context.language_data())?;
        let messages = context.sentences();
        // Instructions of a caller say there who answers.
        let is_us = context.instructions.is_none();
        let said = |find: fn(Vec<String>) -> Option<String>, is_asked: bool| {
            let earlier = self.said_before(context);
            let asked = || earlier.iter().filter(|text| !is_statement(text, context)).cloned().collect();
            let fitting: Vec<String> = if is_asked { asked() } else { Vec::new() };
            find(if fitting.is_empty() { earlier } else { fitting })
        };
        let nothing = || messages.reply_nothing_said().to_owned();
        let of_first =
            |words: Option<String>| words.map_or_else(nothing, |it| messages.reply_you_said_first(&it));
        let of_last = |words: Option<String>| words.map_or_else(nothing, |it| messages.reply_you_said(&it));
        match question {
            DialogueQuestion::FirstSaid => Some(of_first(said(first, false))),
            DialogueQuestion::FirstAsked => Some(of_first(said(first, true))),
            DialogueQuestion::LastSaid => Some(of_last(said(last, false))),
            DialogueQuestion::LastAsked => Some(of_last(said(last, true))),
            DialogueQuestion::LastAnswer => last_answer(context),
            DialogueQuestion::WhoAreYou => is_us.then(|| messages.reply_who_i_am(&context.config.name)),
            DialogueQuestion::WhatCanYouDo => is_us.then(|| messages.reply_what_i_can().to_owned()),
            DialogueQuestion::HowAreYou => is_us.then(|| messages.reply_i_am_well().to_owned()),
            DialogueQuestion::WhatIsKnown => self.all_that_is_known(context).await,
        }
    }

    /// All that the user told of themselves. `None` if a model has to word it.
    async fn all_that_is_known(&self, context: &ReplyContext) -> Option<String> {
        let messages = context.sentences();
        let profile = self.known_profile(&context.config, &context.query.conversation).await?;
        let ToldInProfile { name, place, sentences } = told_in_profile(&profile)?;
        let own = (!sentences.is_empty()).then(|| messages.reply_told(&in_a_row(sentences)));
        let name = name.map(|name| messages.reply_your_name(&name));
        let place = place.map(|place| messages.reply_your_place(&place));
        let known: Vec<String> = [name, place, own].into_iter().flatten().collect();
        Some(if known.is_empty() { messages.reply_nothing_known().to_owned() } else { known.join(" ") })
    }

    /// The messages of the user before this one, oldest first, as far back as the talk had no longer pause than the dialogue
    /// window.
    fn said_before(&self, context: &ReplyContext) -> Vec<String> {
        let now = self.clock.now().as_microsecond();
        let longest = i64::try_from(context.config.dialogue_window.as_micros()).unwrap_or(i64::MAX);
        let all = self.dialogue.recent(&context.query.conversation, Duration::MAX, now);
        let mut next_at = now;
        let since = |message: &MessageContent| {
            let pause = next_at.saturating_sub(message.at_micros);
            next_at = message.at_micros;
            pause < longest
        };
        let talk = all.into_iter().rev().take_while(since);
        let by_user = talk.filter(|message| message.participant == Participant::User);
        let mut said: Vec<String> = by_user.skip(1).map(|message| message.text.0).collect();
        said.reverse();
        said
    }
}

fn first(all: Vec<String>) -> Option<String> {
    all.into_iter().next()
}

fn last(mut all: Vec<String>) -> Option<String> {
    all.pop()
}

/// The last answer, as it was said.
fn last_answer(context: &ReplyContext) -> Option<String> {
    let answers = |message: &&llm::Message| message.role == Role::Assistant && !is_tool_message(message);
    let last = context.entry.dialogue.iter().rev().find(answers)?;
    Some(last.content.trim().to_owned()).filter(|text| !text.is_empty())
}

/// `true` if the user tells something, and neither asks nor orders.
fn is_statement(text: &str, context: &ReplyContext) -> bool {
    let data = context.language_data();
    let request = request_of(text, context.entry.language.as_ref(), &context.tools);
    matches!(request, RequestKind::Introduces(..))
        || told(text, data).is_some()
        || asks_to_remember(text, data)
}
