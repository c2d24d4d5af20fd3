//! The loop of a reply as a state machine: what happened goes in, what to do next comes out. It holds no model, no tool
//! and no clock.
//!
//! One pass is a turn: the model answers, or tools run. What ends the reply is decided here alone: an answer that can be
//! told, answers of tools, a user who wants no answer, or turns that are used up.
//!
//! Source: docs/behaviour/replying.md#turns.

mod values; // what goes in and comes out: start here
mod guards; // which calls run
mod wording; // what the model is told between turns

use llm::{Message, ToolCall, ToolCallId};
use serde_json::{Map, Value};
use tools::Taint;
use vocabulary::Language;

use crate::model_policy::ModelPolicy;
use crate::planning::plan::{Plan, Progress, leading_identifier};
use crate::tool_calls::tool_protocol::ToolProtocol;

use self::guards::{CallGuards, CallRefusal, is_same};

pub use self::guards::{SEARCH, STOP};
pub use self::values::{
    CallResult, Certainty, FirstCall, LoopEffect, LoopEnd, LoopEvent, LoopLimits, LoopStart, ModelAnswer,
    UserRefusal, VisibleText, Words,
};

/// The loop of one reply.
#[derive(Debug)]
pub struct TurnLoop {
    limits: LoopLimits,
    policy: ModelPolicy,
    plan: Plan,
    parts: Option<(String, String)>,
    guards: CallGuards,
    /// The messages between model and tools since the question.
    messages: Vec<Message>,
    turn: usize,
    /// The profiles that have answered so far.
    profiles: usize,
    results: usize,
    /// Steps of the plan whose call did not run. They are not tried again.
    failed_steps: usize,
    /// The running calls are steps of the plan.
    is_step: bool,
    /// The calls that are running or refused, in the model's order.
    calls: Vec<(ToolCall, Option<CallRefusal>)>,
    retry: Retry,
    synthetic_calls: usize,
    /// Text from outside has entered the reply.
    is_tainted: bool,
    /// Answers of tools that no model has worded.
    answers: Vec<String>,
    /// Results of tools that can be said as they are.
    quotes: Vec<String>,
    /// The text that was said last.
    said: String,
    /// The call that the reply begins with.
    first: Option<FirstCall>,
    /// The running call is one of the last reply, which the user asked for again.
    is_repeating: bool,
    /// The language of the answer, if it is known.
    language: Option<Language>,
    /// The certainty of the model's last answer: it holds for the planned steps after it, too.
    certainty: Certainty,
    has_failed: bool,
    /// It ended because its turns were used up.
    is_out_of_turns: bool,
    /// The last call found tools that were not offered before.
    has_found_tools: bool,
}

/// The retry of an empty answer, used or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retry {
    Unused,
    Used,
}

impl TurnLoop {
    /// A loop that has not begun.
    pub fn new(start: LoopStart) -> Self {
        let LoopStart { limits, policy, plan, tools, parts, said, first, language, is_tainted } = start;
        Self {
            limits,
            policy,
            plan,
            parts,
            guards: CallGuards::new(tools, limits.searches),
            messages: Vec::new(),
            turn: 0,
            profiles: 1,
            results: 0,
            failed_steps: 0,
            is_step: false,
            calls: Vec::new(),
            retry: if limits.retries_plainly { Retry::Unused } else { Retry::Used },
            synthetic_calls: 0,
            is_tainted,
            answers: Vec::new(),
            quotes: Vec::new(),
            said,
            first,
            is_repeating: false,
            language,
            certainty: Certainty::Sure,
            has_failed: false,
            is_out_of_turns: false,
            has_found_tools: false,
        }
    }

    /// Returns what to do after `event`.
    pub fn next(&mut self, event: LoopEvent) -> LoopEffect {
        match event {
            LoopEvent::Begun => self.next_turn(),
            LoopEvent::StepsResolved(calls) => self.run_steps(calls),
            LoopEvent::Answered(answer) => self.read(answer),
            LoopEvent::ToolsRejected => {
                self.policy = self.policy.after_rejection();
                self.ask()
            }
            LoopEvent::Failed => {
                self.has_failed = true;
                self.end_without_answer()
            }
            LoopEvent::ProfilesUsedUp => {
                self.is_out_of_turns = true;
                self.end_without_answer()
            }
            LoopEvent::Ran(results) => self.read_results(results),
            LoopEvent::Digested(digest) => LoopEffect::End(self.last_resort(digest)),
            LoopEvent::Stopped => LoopEffect::End(LoopEnd::Stopped),
        }
    }

    /// The differences for the model now: it may have rejected tools.
    pub fn policy(&self) -> ModelPolicy {
        self.policy
    }

    /// The tools that may be called, without the two that are always offered. As long as one profile answers, it only grows.
    pub fn tools(&self) -> &[String] {
        self.guards.tools()
    }

    /// Returns `true` if another profile may go on with the reply.
    pub fn may_change_profile(&self) -> bool {
        !LoopLimits::are_profiles_used_up(self.profiles)
    }

    /// Another profile answers from now on: of the tools so far and of `more`, those that it has may be called. Returns the
    /// others.
    pub fn change_profile(&mut self, more: Vec<String>, is_allowed: impl Fn(&str) -> bool) -> Vec<String> {
        self.profiles += 1;
        let known = self.guards.tools().to_vec();
        self.guards.offer(more);
        let others = self.guards.withdraw(is_allowed);
        self.has_found_tools |= self.guards.tools().iter().any(|tool| !known.contains(tool));
        others
    }

    /// The number of the turn, from 1.
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// The messages between model and tools since the question, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns `true` if text from outside has entered the reply.
    pub fn is_tainted(&self) -> bool {
        self.is_tainted
    }

    /// Returns `true` while a call of the last reply runs again.
    pub fn is_repeating(&self) -> bool {
        self.is_repeating
    }

    /// Returns `true` if any tool has run.
    pub fn has_results(&self) -> bool {
        self.results > 0
    }

    /// Returns `true` if the last call found tools that were not offered before.
    pub fn has_found_tools(&self) -> bool {
        self.has_found_tools
    }

    /// Returns `true` if the plan or the request has more to do once `pending` more calls have results.
    pub fn has_open_work(&self, pending: usize) -> bool {
        let is_planned = self.plan.tool_steps().len() > self.steps_done() + pending;
        is_planned || (self.parts.is_some() && self.results + pending < 2)
    }

    /// The steps of the plan that need no call any more.
    fn steps_done(&self) -> usize {
        self.results + self.failed_steps
    }

    fn next_turn(&mut self) -> LoopEffect {
        if self.limits.are_used_up(self.turn) {
            self.is_out_of_turns = true;
            return self.end_without_answer();
        }
        self.turn += 1;
        if let Some(FirstCall { tool, arguments, is_repeated }) = self.first.take() {
            self.is_repeating = is_repeated;
            return self.run_steps(vec![(tool, arguments)]);
        }
        let steps = self.steps_to_run();
        if steps.is_empty() { self.ask() } else { LoopEffect::Resolve(steps) }
    }

    fn ask(&self) -> LoopEffect {
        LoopEffect::Ask { protocol: Some(self.policy.tools.protocol) }
    }

    /// The steps of the plan that are left, if plans are carried out without asking the model.
    fn steps_to_run(&self) -> Vec<String> {
        let is_direct = self.policy.tools.follows_steps
            && self.plan.is_shown()
            && !self.plan.is_under_specified(|name| self.guards.is_allowed(name));
        let left = self.plan.tool_steps().into_iter().skip(self.steps_done());
        // Which tools a search offers has to be read by the model.
        let runs = |step: &&str| is_direct && leading_identifier(step) != SEARCH;
        left.take_while(runs).map(str::to_owned).collect()
    }

    /// Runs the calls up to the first one that cannot run.
    fn run_steps(&mut self, calls: Vec<(String, Map<String, Value>)>) -> LoopEffect {
        let mut running: Vec<ToolCall> = Vec::new();
        for (name, arguments) in calls {
            let id = ToolCallId(format!("step-{}", self.synthetic_calls + 1));
            let call = ToolCall { id, name, arguments: Value::Object(arguments) };
            let is_done = self.guards.has_succeeded(&call) || running.iter().any(|it| is_same(it, &call));
            if !self.guards.is_allowed(&call.name) || call.name == SEARCH || is_done {
                break;
            }
            self.synthetic_calls += 1;
            running.push(call);
        }
        if running.is_empty() {
            // A call that the model makes in their place is no repetition.
            self.is_repeating = false;
            return self.ask();
        }
        self.messages.push(Message::assistant_calls("", running.clone()));
        self.calls = running.iter().map(|call| (call.clone(), None)).collect();
        self.is_step = true;
        self.run(running)
    }

    fn read(&mut self, answer: ModelAnswer) -> LoopEffect {
        let ModelAnswer { content, thinking, calls, said, certainty } = answer;
        self.certainty = certainty;
        if let VisibleText::Text(text) = &said {
            self.said.clone_from(text);
        }
        let is_empty = content.trim().is_empty() && calls.is_empty();
        if !is_empty || thinking.is_some() {
            let is_native = self.policy.tools.protocol == ToolProtocol::Native;
            let in_message = if is_native { calls.clone() } else { Vec::new() };
            let message = Message::assistant_calls(content, in_message);
            self.messages.push(Message { thinking: thinking.clone(), ..message });
        }
        if !calls.is_empty() {
            return self.call(calls);
        }
        match said {
            VisibleText::Text(text) => LoopEffect::End(LoopEnd::Said(text)),
            VisibleText::Malformed => match self.words_of_tools(self.policy.quotes_results) {
                Some(words) => LoopEffect::End(LoopEnd::Worded(words)),
                None if self.has_results() && self.retry == Retry::Unused => self.ask_plainly(),
                None => LoopEffect::End(LoopEnd::Malformed),
            },
            VisibleText::Withheld(reason) => {
                let words = self.words_of_tools(self.policy.quotes_results);
                LoopEffect::End(words.map_or(LoopEnd::Withheld(reason), LoopEnd::Worded))
            }
            VisibleText::Nothing if thinking.is_some() => self.next_turn(),
            VisibleText::Nothing if !is_empty && self.policy.quotes_results => {
                match self.words_of_tools(true) {
                    Some(words) => LoopEffect::End(LoopEnd::Worded(words)),
                    None => self.ask_plainly(),
                }
            }
            VisibleText::Nothing => self.ask_plainly(),
        }
    }

    /// Asks once more without tools; with results at hand the model is told to answer with them.
    fn ask_plainly(&mut self) -> LoopEffect {
        if self.retry == Retry::Used {
            return self.end_without_answer();
        }
        self.retry = Retry::Used;
        if self.has_results() {
            self.messages.push(Message::user(wording::ANSWER_NOW));
        }
        LoopEffect::Ask { protocol: None }
    }

    /// The end of a reply in which the model says nothing: in the words of the tools, else of a model that is told what was
    /// done.
    fn end_without_answer(&mut self) -> LoopEffect {
        let is_digested = self.policy.tools.digests_activity;
        match self.words_of_tools(!is_digested) {
            Some(words) => LoopEffect::End(LoopEnd::Worded(words)),
            None if is_digested && !self.messages.is_empty() => LoopEffect::Digest,
            None => LoopEffect::End(self.last_resort(None)),
        }
    }

    fn last_resort(&mut self, digest: Option<String>) -> LoopEnd {
        match digest {
            Some(digest) => LoopEnd::Digested(digest),
            None if let Some(words) = self.words_of_tools(self.policy.quotes_results) => {
                LoopEnd::Worded(words)
            }
            None if self.has_failed => LoopEnd::Failed,
            // What was said beside a call is the last candidate.
            None if !self.said.trim().is_empty() => LoopEnd::Said(std::mem::take(&mut self.said)),
            None if self.is_out_of_turns => LoopEnd::OutOfTurns,
            None => LoopEnd::Empty,
        }
    }

    fn words_of_tools(&self, may_quote: bool) -> Option<Words> {
        match (self.answers.is_empty(), self.quotes.is_empty()) {
            (false, _) => Some(Words::Answers(self.answers.join(" "))),
            (true, false) if may_quote => Some(Words::Results(self.quotes.join(" "))),
            (true, _) => None,
        }
    }

    fn run(&self, calls: Vec<ToolCall>) -> LoopEffect {
        let taint = match (self.is_tainted, self.certainty) {
            _ if self.is_repeating => Taint::Clean,
            (true, _) => Taint::AfterUntrusted,
            (false, Certainty::Unsure) => Taint::Unsure,
            (false, Certainty::Sure) => Taint::Clean,
        };
        LoopEffect::Run { calls, taint }
    }

    fn call(&mut self, calls: Vec<ToolCall>) -> LoopEffect {
        self.calls = self.guards.judge(calls, &self.messages);
        let running: Vec<ToolCall> = self
            .calls
            .iter()
            .filter(|(_, refused)| refused.is_none())
            .map(|(call, _)| call.clone())
            .collect();
        if !running.is_empty() {
            return self.run(running);
        }
        // A small model that repeats its call would repeat it until its turns are used up.
        let is_repeated = self.calls.iter().all(|(_, refused)| *refused == Some(CallRefusal::Repeated));
        match self.words_of_tools(true).filter(|_| is_repeated && self.policy.quotes_results) {
            Some(words) => LoopEffect::End(LoopEnd::Worded(words)),
            None => self.take(Vec::new()),
        }
    }

    fn read_results(&mut self, results: Vec<CallResult>) -> LoopEffect {
        let running = self.calls.iter().filter(|(_, refused)| refused.is_none());
        for ((call, _), result) in running.zip(&results) {
            self.is_tainted |= result.is_untrusted;
            self.answers.extend(result.answer.clone());
            self.quotes.extend(result.quote.clone().filter(|_| call.name != SEARCH));
        }
        match self.words_after(&results) {
            Some(words @ (Words::Incomplete(_) | Words::Undone)) => {
                // The next reply has to see what was left undone.
                self.take(results);
                LoopEffect::End(LoopEnd::Worded(words))
            }
            Some(words) => LoopEffect::End(LoopEnd::Worded(words)),
            None => self.take(results),
        }
    }

    /// The words that are said if the calls of this turn end the reply.
    fn words_after(&self, results: &[CallResult]) -> Option<Words> {
        let are_answers = results.iter().all(|result| result.success && result.answer.is_some());
        if self.policy.tools_may_answer && are_answers && !self.has_open_work(results.len()) {
            return Some(Words::Answers(self.answers.join(" ")));
        }
        if !self.policy.tells_undone {
            return None;
        }
        let is = |undone| move |result: &CallResult| result.undone == Some(undone);
        let has_succeeded = results.iter().any(|result| result.success);
        // A step of the plan that lacks something is asked about, whatever ran beside it.
        if results.iter().any(is(UserRefusal::Incomplete)) && (self.is_step || !has_succeeded) {
            return Some(Words::Incomplete(self.answers.clone()));
        }
        (!has_succeeded && results.iter().all(is(UserRefusal::Denied))).then_some(Words::Undone)
    }

    /// Tells the model the results, and why the other calls did not run.
    fn take(&mut self, results: Vec<CallResult>) -> LoopEffect {
        let mut results = results.into_iter();
        let mut calls = std::mem::take(&mut self.calls).into_iter();
        let mut has_result = false;
        while let Some((call, refused)) = calls.next() {
            let result = match refused {
                Some(refused) => {
                    CallResult { error: Some(wording::refusal(&refused)), ..CallResult::default() }
                }
                None => results.next().unwrap_or_default(),
            };
            if result.stops {
                return LoopEffect::End(LoopEnd::Silenced);
            }
            has_result |= result.has_text();
            // The hint is given once, behind the last of the steps that ran at once, even if that one failed.
            let tells_next = match self.is_step {
                true => has_result && calls.as_slice().is_empty(),
                false => result.has_text(),
            };
            self.tell(&call, result, tells_next);
        }
        (self.is_step, self.is_repeating) = (false, false);
        self.next_turn()
    }

    fn tell(&mut self, call: &ToolCall, result: CallResult, tells_next: bool) {
        let has_text = result.has_text();
        let CallResult { text, error, success, offered, .. } = result;
        let known = self.guards.tools().len();
        self.guards.offer(offered);
        self.has_found_tools = self.guards.tools().len() > known;
        if has_text {
            self.results += 1;
            self.guards.remember(call);
        } else if self.is_step {
            self.failed_steps += 1;
        }
        let hint = if tells_next { self.hint() } else { String::new() };
        let content = match (text.filter(|_| has_text), self.policy.tools.protocol) {
            (Some(text), ToolProtocol::Native) => text,
            (Some(text), _) => wording::result(&call.name, &text, &hint),
            (None, ToolProtocol::Native) => wording::native_error(error.as_deref()),
            (None, _) => wording::text_error(&call.name, error.as_deref(), &hint),
        };
        let message = match self.policy.tools.protocol {
            ToolProtocol::Native => Message::tool_result(call, content),
            _ => Message { tool_name: Some(call.name.clone()), ..Message::user(content) },
        };
        self.messages.push(Message { tool_failed: !success, ..message });
    }

    /// The hint that a model without native tools is given after a result.
    fn hint(&self) -> String {
        match (self.plan.progress(self.steps_done()), &self.parts) {
            (Progress::Next { executed, total, step }, _) => wording::next_step(executed, total, &step),
            (Progress::Synthesise, _) => wording::SYNTHESISE.to_owned(),
            (Progress::None, Some((first, second))) if self.results == 1 => {
                wording::other_part(first, second)
            }
            // The next choice is due only if the call has found tools; else the model is asked for an answer in plain words.
            (Progress::None, _)
                if self.policy.tools.protocol == ToolProtocol::Constrained && !self.has_found_tools =>
            {
                wording::answer(self.language.as_ref())
            }
            (Progress::None, _) => wording::CALL_OR_ANSWER.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
