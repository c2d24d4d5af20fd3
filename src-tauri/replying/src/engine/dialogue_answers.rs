//! Answers to questions about what was said in this conversation, and about the assistant.

use std::time::Duration;

use languages::{DialogueQuestion, folded_words};
use llm::Role;
use memory::{MessageContent, Participant};

use super::ReplyEngine;
use super::plain_answers::in_a_row;
use crate::plain_requests::dialogue_questions::asks_about_dialogue;
use crate::plain_requests::fast_path::recognise;
use crate::plain_requests::request_kind::{RequestKind, is_polite_request, is_question, without_name};
use crate::plain_requests::spelling::word_to_spell;
use crate::reply_context::{ReplyContext, request_of};
use crate::told_facts::introductions::{ToldInProfile, told_in_profile};
use crate::told_facts::own_facts::told;
use crate::told_facts::to_remember::asks_to_remember;
use crate::told_facts::told_appointments::told_appointment;
use crate::tool_calls::tool_talk::is_tool_message;

impl ReplyEngine {
    /// The answer to such a question; `None` for any other request.
    pub(super) async fn answer_about_dialogue(&self, context: &ReplyContext) -> Option<String> {
        let text = without_name(&context.entry.redacted, &context.config.name);
        let question = asks_about_dialogue(text, context.language_data())?;
        let messages = context.sentences();
        // Instructions of a caller say there who answers.
        let is_us = context.instructions.is_none();
        let said = || self.said_before(context);
        let asked = || said().into_iter().filter(|text| is_asked(text, context)).collect::<Vec<_>>();
        let nothing = |list: &'static str| move || list.to_owned();
        let nothing_said = nothing(messages.reply_nothing_said());
        let nothing_asked = nothing(messages.reply_nothing_asked());
        let of_first = |words: String| messages.reply_you_said_first(&words);
        let of_last = |words: String| messages.reply_you_said(&words);
        match question {
            DialogueQuestion::FirstSaid => Some(first(said()).map_or_else(nothing_said, of_first)),
            DialogueQuestion::FirstAsked => Some(first(asked()).map_or_else(nothing_asked, of_first)),
            DialogueQuestion::LastSaid => Some(last(said()).map_or_else(nothing_said, of_last)),
            DialogueQuestion::LastAsked => Some(last(asked()).map_or_else(nothing_asked, of_last)),
            DialogueQuestion::LastAnswer => last_answer(context),
            DialogueQuestion::WhoAreYou => is_us.then(|| messages.reply_who_i_am(&context.config.name)),
            DialogueQuestion::WhatCanYouDo => is_us.then(|| messages.reply_what_i_can().to_owned()),
            DialogueQuestion::HowAreYou => is_us.then(|| messages.reply_i_am_well().to_owned()),
            DialogueQuestion::WhatIsKnown => self.all_that_is_known(context).await,
            DialogueQuestion::WhereAmI => Some(match &context.config.place {
                Some(place) => messages.reply_you_are_here(place),
                None => messages.reply_no_place().to_owned(),
            }),
        }
    }

    /// All that the user told of themselves. `None` if a model has to word it.
    async fn all_that_is_known(&self, context: &ReplyContext) -> Option<String> {
        let messages = context.sentences();
        let profile = self.known_profile(&context.config, &context.query.conversation).await?;
        let ToldInProfile { name, place, sentences } = told_in_profile(&profile, messages)?;
        let own = (!sentences.is_empty())
            .then(|| messages.reply_told(&in_a_row(sentences, context.language_data().code)));
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

/// `true` if the user asks or orders something that rules can tell from what they only say.
fn is_asked(text: &str, context: &ReplyContext) -> bool {
    let (data, language) = (context.language_data(), context.entry.language.as_ref());
    let text = without_name(text, &context.config.name);
    let words = folded_words(text);
    match request_of(text, language, &context.tools) {
        RequestKind::Introduces(..) => return false,
        RequestKind::Open => {}
        _ => return true,
    }
    if told(text, data).is_some() || told_appointment(text, data).is_some() || asks_to_remember(text, data) {
        return false;
    }
    is_question(text, &words, data)
        || is_polite_request(&words, data)
        || recognise(text, language, &[&context.config.name]).is_some()
        || word_to_spell(text, data).is_some()
        || asks_about_dialogue(text, data).is_some()
}
