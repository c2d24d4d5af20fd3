//! Answers plain requests by rules: recognised by grammar, done by tools, worded by the tools. No model is asked.

use std::time::Duration;

use languages::messages::Messages;
use llm::{ToolCall, ToolCallId};
use serde_json::Value;
use tools::{Taint, ToolContext};
use vocabulary::{Language, Origin, ReplyEvent, ToolCallTrace, ToolOutcome};

use crate::approval::QuestionToUser;
use crate::compound::split_compound;
use crate::fast_path::{FastCall, recognise};
use crate::streamed_reply::StreamedReply;
use crate::toolbox::{Ran, Toolbox};
use crate::turn_loop::STOP;

/// How the rules dealt with a request.
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

/// A request that rules may answer.
pub(crate) struct PlainRequest<'a> {
    pub toolbox: &'a Toolbox,
    pub context: &'a ToolContext,
    pub language: Option<&'a Language>,
    /// What the assistant is called.
    pub name: &'a str,
    /// Whether one of two parts may be answered alone. Large models do better with the whole.
    pub may_halve: bool,
}

impl PlainRequest<'_> {
    fn recognise(&self, text: &str) -> Option<Vec<FastCall>> {
        recognise(text, self.language, &[self.name])
    }

    /// The calls of the request, and what of it they leave open.
    fn calls(&self) -> Option<(Vec<FastCall>, Option<String>)> {
        let text = &self.context.query.0;
        if let Some(calls) = self.recognise(text) {
            return Some((calls, None));
        }
        let (first, second) = split_compound(text, self.language)?;
        // "Turn it down and never mind": nobody can tell what is meant.
        let known =
            |part: &str| self.recognise(part).filter(|calls| calls.iter().all(|call| call.tool != STOP));
        let is_request = |part: &str| self.may_halve && part.split_whitespace().count() >= FEWEST_WORDS;
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

    /// Answers the request, if the rules know it and every tool that it takes is there.
    pub async fn answer(
        &self,
        reply: &mut StreamedReply,
        user: &mut QuestionToUser,
        trace: &mut Vec<ToolCallTrace>,
    ) -> ByRules {
        let Self { toolbox, context, .. } = self;
        let Some((recognised, rest)) = self.calls() else {
            return ByRules::Open;
        };
        if recognised.iter().any(|call| call.tool == STOP) {
            if context.origin == Origin::Voice {
                return ByRules::Silenced;
            }
            // Who types "thanks" looks for an answer on the screen.
            let (tool, took) = (STOP.to_owned(), Duration::ZERO);
            trace.push(ToolCallTrace { tool, outcome: ToolOutcome::Succeeded, took });
            let sentences = Messages::of(context.language.as_ref());
            reply.say(sentences.reply_dismissed(), Some(sentences.language().clone())).await;
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
            answers.push(Messages::of(context.language.as_ref()).reply_rest_undone());
        }
        reply.say(&answers.join(" "), context.language.clone()).await;
        rest.map_or(ByRules::Answered, |rest| ByRules::HalfAnswered { rest })
    }
}
