//! The limits on the words of a model, by the request.

use languages::LiveTopic;
use serde_json::Value;
use settings::Profile;

use crate::answer_text::answer_guard::AnswerGuard;
use crate::memory_use::evidence::may_answer;
use crate::memory_use::personal_question::asks_for_what_was_told;
use crate::plain_requests::kept_calls::KeptCall;
use crate::plain_requests::request_kind::{RequestKind, asks_for_facts};
use crate::prompting::profiles::is_allowed;
use crate::reply_context::ReplyContext;

/// The guard of what the model answers, if it needs one. It may claim what the rules have `done` of the request.
pub(super) fn guard(context: &ReplyContext, done: &[KeptCall]) -> Option<AnswerGuard> {
    let mut guard = guard_of_request(context)?;
    for call in done {
        let arguments = Value::Object(call.arguments.clone());
        guard.note(context.toolbox.done_call(&call.tool, &arguments, None));
    }
    Some(guard)
}

fn guard_of_request(context: &ReplyContext) -> Option<AnswerGuard> {
    if !context.config.guards_answers {
        return None;
    }
    let mut languages = vec![context.language_data(), &languages::all()[0]];
    languages.dedup_by_key(|data| data.code);
    let question = &context.entry.redacted;
    let of_small_model =
        |languages| AnswerGuard::new(question, languages).with_dialogue(&context.entry.dialogue, question);
    match (&context.request, context.policy.guards_answers) {
        (RequestKind::Text, true) => Some(of_small_model(languages)),
        (_, true) => {
            let asks_for_facts = asks_for_facts(question, context.language_data());
            let guard = of_small_model(languages).with_topic(live_topic(context));
            Some(guard.judging_claims(true).asking_for_facts(asks_for_facts))
        }
        // A large model is asked for a claim here, and its words come one by one everywhere else.
        (RequestKind::Action(_), false) => Some(AnswerGuard::new("", languages).judging_claims(true)),
        (_, false) => None,
    }
}

/// The sources of the topic that the request is about, if the model needs one.
pub(super) fn sources(context: &ReplyContext) -> Vec<String> {
    let of_topic = |topic| context.toolbox.sources(topic, &context.entry.redacted, context.language_data());
    live_topic(context).map(of_topic).unwrap_or_default()
}

/// The tools of a profile that can do what the request asks for in the world.
pub(super) fn performers(context: &ReplyContext, profile: Option<Profile>) -> Vec<String> {
    match context.request {
        RequestKind::Action(action) => {
            let request = &context.entry.redacted;
            context.toolbox.performers(action, request, |tool| is_allowed(profile, tool))
        }
        _ => Vec::new(),
    }
}

/// `true` if the request is about a topic that no tool is a source of.
pub(super) fn has_no_source(topic: LiveTopic, context: &ReplyContext) -> bool {
    live_topic(context) == Some(topic) && sources(context).is_empty()
}

/// The topic that a model of this reply needs a source for.
fn live_topic(context: &ReplyContext) -> Option<LiveTopic> {
    match context.request {
        RequestKind::Live(topic) if context.policy.guards_answers && !is_told(topic, context) => Some(topic),
        _ => None,
    }
}

/// `true` if the user may have told what is asked for: the opening hours of a shop, the price of a sofa.
fn is_told(topic: LiveTopic, context: &ReplyContext) -> bool {
    let may_be_told = matches!(topic, LiveTopic::OpeningHours | LiveTopic::Prices | LiveTopic::Scores);
    let question = &context.entry.redacted;
    let of_user = context.entry.dialogue.iter().filter(|message| message.role == llm::Role::User);
    may_be_told
        && (asks_for_what_was_told(question)
            || of_user.map(|message| &message.content).any(|text| may_answer(question, text)))
}
