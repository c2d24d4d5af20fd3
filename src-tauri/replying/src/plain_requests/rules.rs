//! Answers plain requests by rules: recognised by grammar, done by tools, worded by the tools. No model is asked.

use std::time::Duration;

use llm::{ToolCall, ToolCallId};
use serde_json::{Map, Value};
use tools::{Taint, ToolContext};
use vocabulary::{Language, ReplyEvent, ToolCallTrace, ToolOutcome};

use crate::answer_text::sentences::sentences;
use crate::plain_requests::fast_path::{FastCall, recognise_in};
use crate::plain_requests::kept_calls::{KeptCall, RepeatableCall};
use crate::plain_requests::missing_argument::WaitingCall;
use crate::plain_requests::request_kind::without_name;
use crate::plain_requests::spelling::{letters, word_to_spell};
use crate::plain_requests::which_one::{ChoiceCall, WhichOneAnswer};
use crate::planning::compound::split_compound;
use crate::reply_context::ReplyContext;
use crate::reply_output::ReplyOutput;
use crate::stopwatch::Stopwatch;
use crate::tool_calls::tool_run_result::ToolRunResult;
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
    let by_rules = match read(context) {
        Some(read) if dismisses(&read.calls) => dismiss(context, output).await,
        Some(read) if read.calls.iter().all(|call| context.toolbox.is_ours(call.tool)) => {
            match read.language.filter(|_| context.config.language.is_none()) {
                Some(other) => answer_with(read.calls, read.rest, &context.in_language(other), output).await,
                None => answer_with(read.calls, read.rest, context, output).await,
            }
        }
        Some(_) => ByRules::Open,
        None => match spelt(context) {
            Some(spelt) => {
                output.stream.say(&spelt, Some(context.sentences().language().clone())).await;
                ByRules::Answered
            }
            None => ByRules::Open,
        },
    };
    stage.end(&mut output.trace.stages);
    output.trace.is_by_rules = matches!(by_rules, ByRules::Answered | ByRules::Silenced);
    by_rules
}

/// The letters of the word that the request asks for.
fn spelt(context: &ReplyContext) -> Option<String> {
    let data = context.language_data();
    let word = word_to_spell(without_name(&context.entry.redacted, &context.config.name), data)?;
    Some(context.sentences().reply_spelt(&letters(&word, data), &word))
}

/// A request as the rules read it.
struct Read {
    calls: Vec<FastCall>,
    /// The part that the calls leave open.
    rest: Option<String>,
    /// Its language, if it is another one than it was taken for.
    language: Option<Language>,
}

fn recognised(text: &str, context: &ReplyContext) -> Option<(Vec<FastCall>, Option<Language>)> {
    recognise_in(text, context.entry.language.as_ref(), &[&context.config.name])
}

fn dismisses(calls: &[FastCall]) -> bool {
    calls.iter().any(|call| call.tool == STOP)
}

fn read(context: &ReplyContext) -> Option<Read> {
    let text = &context.entry.redacted;
    let whole = recognised(text, context).or_else(|| recognised(&behind_dismissal(text, context)?, context));
    if let Some((calls, language)) = whole {
        return Some(Read { calls, rest: None, language });
    }
    let (first, second) = split_compound(text, context.entry.language.as_ref())?;
    // "Turn it down and never mind": nobody can tell what is meant.
    let known = |part: &str| recognised(part, context).filter(|(calls, _)| !dismisses(calls));
    let may_halve = context.policy.halves_requests;
    let is_request = |part: &str| may_halve && part.split_whitespace().count() >= FEWEST_WORDS;
    match (known(&first), known(&second)) {
        (Some((mut calls, language)), Some((more, _))) => {
            calls.extend(more);
            Some(Read { calls, rest: None, language })
        }
        (Some((calls, language)), None) if is_request(&second) => {
            Some(Read { calls, rest: Some(second), language })
        }
        (None, Some((calls, language))) if is_request(&first) => {
            Some(Read { calls, rest: Some(first), language })
        }
        _ => None,
    }
}

/// The words behind a first sentence that wants no answer: "Never mind. Put soap on my list."
fn behind_dismissal(text: &str, context: &ReplyContext) -> Option<String> {
    let sentences = sentences(text);
    let (first, rest) = sentences.split_first()?;
    let is_dismissal =
        !rest.is_empty() && recognised(first, context).is_some_and(|(calls, _)| dismisses(&calls));
    is_dismissal.then(|| rest.join(" "))
}

async fn dismiss(context: &ReplyContext, output: &mut ReplyOutput) -> ByRules {
    output.is_dismissal = true;
    let (tool, took) = (STOP.to_owned(), Duration::ZERO);
    output.trace.tool_calls.push(ToolCallTrace { tool, outcome: ToolOutcome::Succeeded, took });
    if context.query.origin.is_spoken() {
        return ByRules::Silenced;
    }
    // Who types "thanks" looks for an answer on the screen.
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
    let (open, complete): (Vec<FastCall>, Vec<FastCall>) =
        recognised.into_iter().partition(|call| call.missing.is_some());
    if open.len() > 1 {
        return ByRules::Open;
    }
    let complete = complete.into_iter().map(|call| (call.tool.to_owned(), call.arguments)).collect();
    let Some(mut answers) = answers_of(complete, context, output).await else { return ByRules::Open };
    if let Some(call) = open.into_iter().next() {
        let Some(waiting) = waiting_call(call, context) else { return ByRules::Open };
        answers.push(waiting.question(context.tools.language.as_ref()).0);
        output.waiting_call = Some(waiting);
    }
    output.stream.say(&answers.join(" "), context.tools.language.clone()).await;
    rest.map_or(ByRules::Answered, |rest| ByRules::HalfAnswered { rest })
}

/// Answers with the call that the last reply has asked about, if rules read its request and the text says what it lacked.
pub(crate) async fn answer_waiting(
    waiting: &WaitingCall,
    context: &ReplyContext,
    output: &mut ReplyOutput,
) -> ByRules {
    let (text, language) = (&context.entry.redacted, context.tools.language.as_ref());
    if waiting.agreed.is_some() && context.language_data().is_no(text) {
        return dismiss(context, output).await;
    }
    let Some(calls) = waiting.completed(text, language, &[&context.config.name]) else {
        return ByRules::Open;
    };
    answer_calls(calls, context, output).await
}

/// Answers with the call that fits several things, if the text names one of them.
pub(crate) async fn answer_choice(
    choice: &ChoiceCall,
    context: &ReplyContext,
    output: &mut ReplyOutput,
) -> ByRules {
    let (text, names) = (&context.entry.redacted, [&*context.config.name]);
    let language = context.tools.language.as_ref();
    match language.and_then(|language| choice.chosen(text, language, &names)) {
        Some(WhichOneAnswer::Calls(calls)) => answer_calls(calls, context, output).await,
        Some(WhichOneAnswer::NoSuchPlace) => ask_again(choice, context, output).await,
        None => ByRules::Open,
    }
}

/// Asks "which one?" once more in the same words.
async fn ask_again(choice: &ChoiceCall, context: &ReplyContext, output: &mut ReplyOutput) -> ByRules {
    let Some(question) = choice.question().filter(|_| context.config.uses_fast_path) else {
        return ByRules::Open;
    };
    output.trace.is_by_rules = true;
    output.stream.say(question, context.tools.language.clone()).await;
    output.choice_call = Some(choice.clone());
    ByRules::Answered
}

/// Answers with calls that an earlier question was about.
async fn answer_calls(
    calls: Vec<(String, Map<String, Value>)>,
    context: &ReplyContext,
    output: &mut ReplyOutput,
) -> ByRules {
    let are_ours = calls.iter().all(|(tool, _)| context.toolbox.is_ours(tool));
    if !context.config.uses_fast_path || !are_ours {
        return ByRules::Open;
    }
    let mut stage = Stopwatch::start("rules");
    let answers = answers_of(calls, context, output).await;
    stage.end(&mut output.trace.stages);
    let Some(answers) = answers else { return ByRules::Open };
    output.trace.is_by_rules = true;
    output.stream.say(&answers.join(" "), context.tools.language.clone()).await;
    ByRules::Answered
}

/// The answers of the calls in the words of the tools; `None` if no tool words one.
async fn answers_of(
    calls: Vec<(String, Map<String, Value>)>,
    context: &ReplyContext,
    output: &mut ReplyOutput,
) -> Option<Vec<String>> {
    if calls.is_empty() {
        return Some(Vec::new());
    }
    let calls = calls.into_iter().enumerate().map(|(at, (name, arguments))| ToolCall {
        id: ToolCallId(format!("rule-{at}")),
        name,
        arguments: Value::Object(arguments),
    });
    let calls: Vec<ToolCall> = calls.collect();
    let results = run_calls(&calls, &context.tools, context, output).await;
    let count = results.len();
    let mut answers: Vec<String> = results.into_iter().filter_map(|ran| ran.result.answer).collect();
    if answers.is_empty() {
        return None;
    }
    // A model would do again what is done.
    if answers.len() < count {
        answers.push(context.sentences().reply_rest_undone().to_owned());
    }
    Some(answers)
}

/// The call that waits for what the user did not say.
fn waiting_call(call: FastCall, context: &ReplyContext) -> Option<WaitingCall> {
    let FastCall { tool, arguments, missing } = call;
    let (missing, schema) = (missing?, context.toolbox.schema(tool)?);
    Some(WaitingCall {
        tool: tool.to_owned(),
        arguments,
        missing: missing.to_owned(),
        schema: schema["properties"][missing].clone(),
        request: Some(context.entry.redacted.clone()),
        agreed: None,
    })
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
        let changes = context.toolbox.changes_something(call);
        output.repeatable_calls.extend(RepeatableCall::new(&tool, ran, changes));
        output.trace.tool_calls.push(ToolCallTrace { tool, outcome, took });
        output.stream.send(ReplyEvent::ToolFinished { call: call.id.clone(), outcome }).await;
    }
    if let ([call], [ran]) = (calls, results.as_slice()) {
        output.choice_call = ChoiceCall::new(&call.name, ran);
    }
    results
}
