//! Answers plain requests by rules: recognised by grammar, done by tools, worded by the tools. No model is asked.

use std::time::Duration;

use llm::{ToolCall, ToolCallId};
use serde_json::Value;
use tools::{Taint, ToolContext};
use vocabulary::{Origin, ReplyEvent, ToolCallTrace, ToolOutcome};

use crate::compound::split_compound;
use crate::fast_path::{FastCall, recognise};
use crate::kept_calls::KeptCall;
use crate::reply_context::ReplyContext;
use crate::reply_output::ReplyOutput;
use crate::stopwatch::Stopwatch;
use crate::toolbox::ToolRunResult;
use crate::turn_loop::STOP;

/// The way the rules dealt with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ByRules {
    /// It was answered.
    Answered,
    /// One of its two parts was answered; a model has to answer the other one.
    HalfAnswered {
        /// The part that is left.
        rest: String,
    },
    /// The user wants no answer.
    Silenced,
    /// The rules do not know it, or could do nothing of it: a model decides.
    Open,
}

/// The fewest words of a part that is a request of its own: "and call it tea" goes on with the part before.
const FEWEST_WORDS: usize = 4;

/// Answers the request, if the rules know it and every tool that it takes is there.
pub(crate) async fn answer_by_rules(context: &ReplyContext, output: &mut ReplyOutput) -> ByRules {
    if !context.config.uses_fast_path {
        return ByRules::Open;
    }
    let mut stage = Stopwatch::start("rules");
    let by_rules = match calls(context) {
        Some((calls, _)) if calls.iter().any(|call| call.tool == STOP) => dismiss(context, output).await,
        Some((calls, rest)) if calls.iter().all(|call| context.toolbox.is_ours(call.tool)) => {
            answer_with(calls, rest, context, output).await
        }
        Some(_) | None => ByRules::Open,
    };
    stage.end(&mut output.trace.stages);
    output.trace.is_by_rules = matches!(by_rules, ByRules::Answered | ByRules::Silenced);
    by_rules
}

fn recognised(text: &str, context: &ReplyContext) -> Option<Vec<FastCall>> {
    recognise(text, context.entry.language.as_ref(), &[&context.config.name])
}

/// The calls of the request, and what of it they leave open.
fn calls(context: &ReplyContext) -> Option<(Vec<FastCall>, Option<String>)> {
    let text = &context.entry.redacted;
    if let Some(calls) = recognised(text, context) {
        return Some((calls, None));
    }
    let (first, second) = split_compound(text, context.entry.language.as_ref())?;
    // "Turn it down and never mind": nobody can tell what is meant.
    let known =
        |part: &str| recognised(part, context).filter(|calls| calls.iter().all(|call| call.tool != STOP));
    let may_halve = context.policy.halves_requests;
    let is_request = |part: &str| may_halve && part.split_whitespace().count() >= FEWEST_WORDS;
    match (known(&first), known(&second)) {
        (Some(mut calls), Some(more)) => {
            calls.extend(more);
            Some((calls, None))
        }
        (Some(calls), None) if is_request(&second) => Some((calls, Some(second))),
        (None, Some(calls)) if is_request(&first) => Some((calls, Some(first))),
        _ => None,
    }
}

async fn dismiss(context: &ReplyContext, output: &mut ReplyOutput) -> ByRules {
    if context.query.origin == Origin::Voice {
        return ByRules::Silenced;
    }
    // Who types "thanks" looks for an answer on the screen.
    let (tool, took) = (STOP.to_owned(), Duration::ZERO);
    output.trace.tool_calls.push(ToolCallTrace { tool, outcome: ToolOutcome::Succeeded, took });
    let sentences = context.sentences();
    output.stream.say(sentences.reply_dismissed(), Some(sentences.language().clone())).await;
    ByRules::Answered
}

async fn answer_with(
    recognised: Vec<FastCall>,
    rest: Option<String>,
    context: &ReplyContext,
    output: &mut ReplyOutput,
) -> ByRules {
    let calls = recognised.into_iter().enumerate().map(|(at, call)| ToolCall {
        id: ToolCallId(format!("rule-{at}")),
        name: call.tool.to_owned(),
        arguments: Value::Object(call.arguments),
    });
    let calls: Vec<ToolCall> = calls.collect();
    let results = run_calls(&calls, &context.tools, context, output).await;
    let mut answers: Vec<&str> = results.iter().filter_map(|ran| ran.result.answer.as_deref()).collect();
    if answers.is_empty() {
        return ByRules::Open;
    }
    // A model would do again what is done.
    if answers.len() < results.len() {
        answers.push(context.sentences().reply_rest_undone());
    }
    output.stream.say(&answers.join(" "), context.tools.language.clone()).await;
    rest.map_or(ByRules::Answered, |rest| ByRules::HalfAnswered { rest })
}

/// Runs calls that rules made, and keeps those that did what was asked for the next request.
pub(crate) async fn run_calls(
    calls: &[ToolCall],
    tools: &ToolContext,
    context: &ReplyContext,
    output: &mut ReplyOutput,
) -> Vec<ToolRunResult> {
    for call in calls {
        let started = ReplyEvent::ToolStarted { call: call.id.clone(), tool: call.name.clone() };
        output.stream.send(started).await;
    }
    let results = context.toolbox.run(calls, tools, &mut output.user, Taint::Clean).await;
    for (call, ran) in calls.iter().zip(&results) {
        let (tool, outcome, took) = (call.name.clone(), ran.outcome, ran.took);
        output.calls.extend(KeptCall::new(&tool, ran));
        output.trace.tool_calls.push(ToolCallTrace { tool, outcome, took });
        output.stream.send(ReplyEvent::ToolFinished { call: call.id.clone(), outcome }).await;
    }
    results
}
