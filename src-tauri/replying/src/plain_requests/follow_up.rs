//! Answers a short request that goes on with the last one, without a model: "and in Oslo?", "make it twelve", "cancel that".
//!
//! The call of the last reply is filled or changed, and runs again. Nothing is guessed: if a value fits no argument of that
//! call, or two readings ask for different calls, a model decides.

mod continuation; // the calls that a follow-up asks for
mod filling; // values into arguments

use llm::{ToolCall, ToolCallId};
use serde_json::{Value, json};
use tools::{TAKE_BACK, ToolContext};
use vocabulary::Language;

pub(crate) use self::continuation::going_on;
use self::continuation::{Continuation, NextCall, continuation};
use crate::plain_requests::fast_path::{FollowUpMeaning, follow_up_languages, follow_ups};
use crate::plain_requests::kept_calls::{KeptCall, RepeatableCall};
use crate::plain_requests::rules::{ByRules, run_calls};
use crate::reply_context::ReplyContext;
use crate::reply_output::ReplyOutput;
use crate::stopwatch::Stopwatch;
use crate::turn_loop::FirstCall;

/// Answers the request, if it goes on with the calls of the last reply.
pub(crate) async fn answer_follow_up(
    kept: &[KeptCall],
    context: &ReplyContext,
    output: &mut ReplyOutput,
) -> ByRules {
    if !context.config.uses_fast_path || kept.is_empty() {
        return ByRules::Open;
    }
    let mut stage = Stopwatch::start("follow-up");
    let by_rules = match continued(kept, context) {
        Some(continuation) => answer_with(continuation, context, output).await,
        None => ByRules::Open,
    };
    stage.end(&mut output.trace.stages);
    output.trace.is_by_rules = by_rules == ByRules::Answered;
    by_rules
}

/// The call of the last reply that the request asks for again: "try again". `None` if it asks for something else, or the tool
/// is gone.
pub(crate) fn repeated_call(repeatable: &[RepeatableCall], context: &ReplyContext) -> Option<FirstCall> {
    let ReplyContext { config, toolbox, entry, .. } = context;
    let call = RepeatableCall::repeated(repeatable).filter(|_| config.uses_fast_path)?;
    let asks_again = |language: &Language| {
        let readings = follow_ups(&entry.redacted, language, &[&config.name]);
        !readings.is_empty() && readings.iter().all(|it| it.meaning == FollowUpMeaning::Again)
    };
    let is_asked = match &entry.language {
        Some(language) if languages::of(language).is_some_and(|data| data.requests.is_some()) => {
            asks_again(language)
        }
        _ => follow_up_languages().any(|language| asks_again(&language)),
    };
    (is_asked && toolbox.is_known(&call.tool)).then_some(call)
}

fn continued(kept: &[KeptCall], context: &ReplyContext) -> Option<Continuation> {
    let ReplyContext { config, toolbox, entry, .. } = context;
    let in_language = |language: &Language| {
        let readings = follow_ups(&entry.redacted, language, &[&config.name]);
        continuation(kept, &readings, |tool| toolbox.facts(tool))
    };
    let continuation = match &entry.language {
        Some(language) => in_language(language),
        // So few words may belong to any.
        None => follow_up_languages().find_map(|language| in_language(&language)),
    }?;
    let takes_back = |call: &NextCall| call.tool == TAKE_BACK && toolbox.has(TAKE_BACK);
    let has_tools = continuation.call.iter().all(|call| toolbox.is_known(&call.tool) || takes_back(call))
        && (continuation.takes_back.is_empty() || toolbox.has(TAKE_BACK));
    has_tools.then_some(continuation)
}

async fn answer_with(
    continuation: Continuation,
    context: &ReplyContext,
    output: &mut ReplyOutput,
) -> ByRules {
    let Continuation { call, kept_as, takes_back, language } = continuation;
    let language = language.or_else(|| context.tools.language.clone());
    let tools = ToolContext { language: language.clone(), ..context.tools.clone() };
    let mut answers: Vec<String> = Vec::new();
    if let Some(call) = call {
        let call = tool_call("follow-up", &call.tool, Value::Object(call.arguments));
        let ran = run_calls(&[call], &tools, context, output).await;
        let Some(answer) =
            ran.into_iter().find_map(|ran| ran.result.answer.map(|it| (it, ran.result.success)))
        else {
            return ByRules::Open;
        };
        answers.push(answer.0);
        if !answer.1 {
            // What was set before stays.
            output.stream.say(&answers.join(" "), language).await;
            return ByRules::Answered;
        }
        if let (Some(arguments), Some(kept)) = (kept_as, output.calls.last_mut()) {
            kept.arguments = arguments;
        }
    }
    if !takes_back.is_empty() {
        let kept = std::mem::take(&mut output.calls);
        let ids: Vec<String> = takes_back.iter().map(ToString::to_string).collect();
        let call = tool_call("take-back", TAKE_BACK, json!({ "items": ids }));
        let ran = run_calls(&[call], &tools, context, output).await;
        let is_gone = ran.iter().all(|ran| ran.result.success);
        let said = ran.into_iter().find_map(|ran| ran.result.answer);
        output.calls = kept;
        match (answers.is_empty(), said) {
            (true, Some(said)) => answers.push(said),
            (true, None) => return ByRules::Open,
            // The new one is told; that the old one is gone needs no words.
            (false, _) if is_gone => {}
            (false, _) => answers.push(context.sentences().reply_rest_undone().to_owned()),
        }
    }
    output.stream.say(&answers.join(" "), language).await;
    ByRules::Answered
}

fn tool_call(id: &str, tool: &str, arguments: Value) -> ToolCall {
    ToolCall { id: ToolCallId(id.to_owned()), name: tool.to_owned(), arguments }
}
