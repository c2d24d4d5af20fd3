//! Answers plain requests by rules: recognised by grammar, done by tools, worded by the tools. No model is asked.

use std::time::Duration;

use llm::{ToolCall, ToolCallId};
use serde_json::Value;
use tools::{Taint, ToolContext};
use vocabulary::{Language, Origin, ReplyEvent, ToolCallTrace, ToolOutcome};

use crate::approval::QuestionToUser;
use crate::compound::split_compound;
use crate::fast_path::{FastCall, recognise};
use crate::fixed_sentences::FixedSentences;
use crate::streamed_reply::StreamedReply;
use crate::toolbox::{Ran, Toolbox};
use crate::turn_loop::STOP;

/// How the rules dealt with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByRules {
    /// It was answered.
    Answered,
    /// The user wants no answer.
    Silenced,
    /// The rules do not know it, or could do nothing of it: a model decides.
    Open,
}

/// The calls of a request with two parts, where rules know both.
fn recognise_parts(text: &str, language: Option<&Language>, name: &str) -> Option<Vec<FastCall>> {
    let (first, second) = split_compound(text, language)?;
    let mut calls = recognise(&first, language, &[name])?;
    calls.extend(recognise(&second, language, &[name])?);
    // "Turn it down and never mind": nobody can tell what is meant.
    calls.iter().all(|call| call.tool != STOP).then_some(calls)
}

/// Answers `context.query` by rules, if they know it and every tool that it takes is there.
pub(crate) async fn answer_by_rules(
    toolbox: &Toolbox,
    context: &ToolContext,
    language: Option<&Language>,
    name: &str,
    reply: &mut StreamedReply,
    user: &mut QuestionToUser,
    trace: &mut Vec<ToolCallTrace>,
) -> ByRules {
    let whole = recognise(&context.query.0, language, &[name]);
    let Some(recognised) = whole.or_else(|| recognise_parts(&context.query.0, language, name)) else {
        return ByRules::Open;
    };
    if recognised.iter().any(|call| call.tool == STOP) {
        if context.origin == Origin::Voice {
            return ByRules::Silenced;
        }
        // Who types "thanks" looks for an answer on the screen.
        let (tool, took) = (STOP.to_owned(), Duration::ZERO);
        trace.push(ToolCallTrace { tool, outcome: ToolOutcome::Succeeded, took });
        let sentences = FixedSentences::of(context.language.as_ref());
        reply.say(sentences.dismissed, sentences.language()).await;
        return ByRules::Answered;
    }
    if !recognised.iter().all(|call| toolbox.is_known(call.tool)) {
        return ByRules::Open;
    }
    let calls: Vec<ToolCall> = recognised
        .into_iter()
        .enumerate()
        .map(|(at, call)| ToolCall {
            id: ToolCallId(format!("rule-{at}")),
            name: call.tool.to_owned(),
            arguments: Value::Object(call.arguments),
        })
        .collect();
    for call in &calls {
        reply.send(ReplyEvent::ToolStarted { call: call.id.clone(), tool: call.name.clone() }).await;
    }
    let results: Vec<Ran> = toolbox.run(&calls, context, user, Taint::Clean).await;
    for (call, ran) in calls.iter().zip(&results) {
        trace.push(ToolCallTrace { tool: call.name.clone(), outcome: ran.outcome, took: ran.took });
        reply.send(ReplyEvent::ToolFinished { call: call.id.clone(), outcome: ran.outcome }).await;
    }
    let mut answers: Vec<&str> = results.iter().filter_map(|ran| ran.answer.as_deref()).collect();
    if answers.is_empty() {
        return ByRules::Open;
    }
    // A model would do again what is done.
    if answers.len() < results.len() {
        answers.push(FixedSentences::of(context.language.as_ref()).rest_undone);
    }
    reply.say(&answers.join(" "), context.language.clone()).await;
    ByRules::Answered
}
