//! The loop of a reply as a state machine: what happened goes in, what to do next comes out. It holds no model, no tool
//! and no clock.
//!
//! One pass is a turn: the model answers, or tools run. The reply ends when the model has said something that can be
//! told, when the user wants no answer, or when the turns are used up.
//!
//! Source: behaviour reference, section 2.12.

mod guards; // which calls run
mod wording; // what the model is told between turns

use llm::{Message, ToolCall, ToolCallId};
use serde_json::{Map, Value};

use crate::model_policy::ModelPolicy;
use crate::plan::{Plan, Progress};
use crate::tool_protocol::ToolProtocol;

use self::guards::{CallGuards, Refused};

pub use self::guards::{SEARCH, STOP};

/// The limits of one reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopLimits {
    /// The most turns.
    pub turns: usize,
    /// The most searches for more tools.
    pub searches: usize,
    /// Whether an empty answer is asked for once more without tools. The later of both reply-flow documents has no such
    /// retry.
    pub retries_plainly: bool,
}

/// What the loop begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopStart {
    /// The limits of this reply.
    pub limits: LoopLimits,
    /// What differs for the model.
    pub policy: ModelPolicy,
    /// The plan; empty where there is none.
    pub plan: Plan,
    /// The tools that may be called, without the two that are always offered.
    pub tools: Vec<String>,
    /// The two parts of a request of two parts.
    pub parts: Option<(String, String)>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopEvent {
    /// The reply begins.
    Begun,
    /// The next step of the plan was read. `None`: it could not be read.
    StepResolved(Option<(String, Map<String, Value>)>),
    /// The model answered.
    Answered(ModelAnswer),
    /// The model rejected the request because of the tools in it.
    ToolsRejected,
    /// The model gave no answer.
    NoAnswer,
    /// The calls ran: their results, in the same order.
    Ran(Vec<CallResult>),
}

/// An answer of the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelAnswer {
    /// Its text as it came.
    pub content: String,
    /// Its thinking.
    pub thinking: Option<String>,
    /// Its calls, in order.
    pub calls: Vec<ToolCall>,
    /// What of the text can be told to the user.
    pub said: Said,
}

/// What of an answer can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Said {
    /// The answer has no text.
    #[default]
    Nothing,
    /// This.
    Text(String),
    /// Nothing: the text is malformed.
    Malformed,
}

/// The result of a call, as the model reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallResult {
    /// The text; `None` where the call has none.
    pub text: Option<String>,
    /// What went wrong, where there is no text.
    pub error: Option<String>,
    /// Whether it did what was asked.
    pub success: bool,
    /// The user wants no answer.
    pub stops: bool,
    /// More tools that may be called from now on.
    pub offered: Vec<String>,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopEffect {
    /// Read this step of the plan as a call.
    Resolve(String),
    /// Ask the model, with the tools offered or without.
    Ask {
        /// How tools are offered; `None`: not at all.
        protocol: Option<ToolProtocol>,
    },
    /// Run these calls.
    Run(Vec<ToolCall>),
    /// The loop has ended.
    End(LoopEnd),
}

/// How the loop ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopEnd {
    /// The model said this.
    Said(String),
    /// The model's answer is malformed.
    Malformed,
    /// The user wants no answer.
    Stopped,
    /// The model said nothing.
    Silent,
    /// The turns are used up.
    OutOfTurns,
}

/// The loop of one reply.
#[derive(Debug)]
pub struct TurnLoop {
    limits: LoopLimits,
    policy: ModelPolicy,
    plan: Plan,
    parts: Option<(String, String)>,
    guards: CallGuards,
    /// What was said between model and tools since the question.
    messages: Vec<Message>,
    turn: usize,
    results: usize,
    /// The calls that are running or refused, in the model's order.
    calls: Vec<(ToolCall, Option<Refused>)>,
    retry: Retry,
    synthetic_calls: usize,
}

/// Whether an empty answer may be asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retry {
    Unused,
    Used,
}

impl TurnLoop {
    /// A loop that has not begun.
    pub fn new(start: LoopStart) -> Self {
        let LoopStart { limits, policy, plan, tools, parts } = start;
        Self {
            limits,
            policy,
            plan,
            parts,
            guards: CallGuards::new(tools, limits.searches),
            messages: Vec::new(),
            turn: 0,
            results: 0,
            calls: Vec::new(),
            retry: if limits.retries_plainly { Retry::Unused } else { Retry::Used },
            synthetic_calls: 0,
        }
    }

    /// What to do after `event`.
    pub fn next(&mut self, event: LoopEvent) -> LoopEffect {
        match event {
            LoopEvent::Begun => self.next_turn(),
            LoopEvent::StepResolved(call) => self.run_step(call),
            LoopEvent::Answered(answer) => self.read(answer),
            LoopEvent::ToolsRejected => {
                self.policy = self.policy.after_rejection();
                self.ask()
            }
            LoopEvent::NoAnswer => LoopEffect::End(LoopEnd::Silent),
            LoopEvent::Ran(results) => self.take(results),
        }
    }

    /// What differs for the model now: it may have rejected tools.
    pub fn policy(&self) -> ModelPolicy {
        self.policy
    }

    /// The tools that may be called, without the two that are always offered. It only grows.
    pub fn tools(&self) -> &[String] {
        self.guards.tools()
    }

    /// The number of the turn, from 1.
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// What was said between model and tools since the question, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Whether any tool has run.
    pub fn has_results(&self) -> bool {
        self.results > 0
    }

    /// Whether the plan or the request has more to do once `pending` more calls have results.
    pub fn has_open_work(&self, pending: usize) -> bool {
        let results = self.results + pending;
        self.plan.tool_steps().len() > results || (self.parts.is_some() && results < 2)
    }

    fn next_turn(&mut self) -> LoopEffect {
        if self.turn == self.limits.turns {
            return LoopEffect::End(LoopEnd::OutOfTurns);
        }
        self.turn += 1;
        match self.step_to_run() {
            Some(step) => LoopEffect::Resolve(step),
            None => self.ask(),
        }
    }

    fn ask(&self) -> LoopEffect {
        LoopEffect::Ask { protocol: Some(self.policy.tools.protocol) }
    }

    /// The next step of the plan, where plans are carried out without asking the model.
    fn step_to_run(&self) -> Option<String> {
        let is_direct = self.policy.tools.follows_steps
            && self.plan.is_shown()
            && !self.plan.is_under_specified(|name| self.guards.is_allowed(name));
        let steps = self.plan.tool_steps();
        steps.get(self.results).filter(|_| is_direct).map(|step| (*step).to_owned())
    }

    fn run_step(&mut self, call: Option<(String, Map<String, Value>)>) -> LoopEffect {
        let call = call.map(|(name, arguments)| {
            self.synthetic_calls += 1;
            let id = ToolCallId(format!("step-{}", self.synthetic_calls));
            ToolCall { id, name, arguments: Value::Object(arguments) }
        });
        let can_run = |call: &ToolCall| {
            self.guards.is_allowed(&call.name) && call.name != SEARCH && !self.guards.has_succeeded(call)
        };
        match call.filter(can_run) {
            Some(call) => {
                self.messages.push(Message::assistant_calls("", vec![call.clone()]));
                self.calls = vec![(call.clone(), None)];
                LoopEffect::Run(vec![call])
            }
            None => self.ask(),
        }
    }

    fn read(&mut self, answer: ModelAnswer) -> LoopEffect {
        let ModelAnswer { content, thinking, calls, said } = answer;
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
            Said::Text(text) => LoopEffect::End(LoopEnd::Said(text)),
            Said::Malformed => LoopEffect::End(LoopEnd::Malformed),
            Said::Nothing if thinking.is_some() => self.next_turn(),
            Said::Nothing => self.ask_plainly(),
        }
    }

    /// Asks once more without tools; with results at hand the model is told to answer with them.
    fn ask_plainly(&mut self) -> LoopEffect {
        if self.retry == Retry::Used {
            return LoopEffect::End(LoopEnd::Silent);
        }
        self.retry = Retry::Used;
        if self.has_results() {
            self.messages.push(Message::user(wording::ANSWER_NOW));
        }
        LoopEffect::Ask { protocol: None }
    }

    fn call(&mut self, calls: Vec<ToolCall>) -> LoopEffect {
        self.calls = self.guards.judge(calls, &self.messages);
        let running: Vec<ToolCall> = self
            .calls
            .iter()
            .filter(|(_, refused)| refused.is_none())
            .map(|(call, _)| call.clone())
            .collect();
        if running.is_empty() { self.take(Vec::new()) } else { LoopEffect::Run(running) }
    }

    /// Tells the model the results, and why the other calls did not run.
    fn take(&mut self, results: Vec<CallResult>) -> LoopEffect {
        let mut results = results.into_iter();
        for (call, refused) in std::mem::take(&mut self.calls) {
            let result = match refused {
                Some(refused) => {
                    CallResult { error: Some(wording::refusal(&refused)), ..CallResult::default() }
                }
                None => results.next().unwrap_or_default(),
            };
            if result.stops {
                return LoopEffect::End(LoopEnd::Stopped);
            }
            self.tell(&call, result);
        }
        self.next_turn()
    }

    fn tell(&mut self, call: &ToolCall, result: CallResult) {
        let CallResult { text, error, success, offered, .. } = result;
        self.guards.offer(offered);
        let has_text = text.as_ref().is_some_and(|text| !text.trim().is_empty());
        if has_text {
            self.results += 1;
            self.guards.remember(call);
        }
        let content = match (text.filter(|_| has_text), self.policy.tools.protocol) {
            (Some(text), ToolProtocol::Native) => text,
            (Some(text), _) => wording::result(&call.name, &text, &self.hint()),
            (None, ToolProtocol::Native) => wording::native_error(error.as_deref()),
            (None, _) => wording::text_error(&call.name, error.as_deref()),
        };
        let message = match self.policy.tools.protocol {
            ToolProtocol::Native => Message::tool_result(call, content),
            _ => Message { tool_name: Some(call.name.clone()), ..Message::user(content) },
        };
        self.messages.push(Message { tool_failed: !success, ..message });
    }

    /// What a model without native tools is told after a result.
    fn hint(&self) -> String {
        match (self.plan.progress(self.results), &self.parts) {
            (Progress::Next { executed, total, step }, _) => wording::next_step(executed, total, &step),
            (Progress::Synthesise, _) => wording::SYNTHESISE.to_owned(),
            (Progress::None, Some((first, second))) if self.results == 1 => {
                wording::other_part(first, second)
            }
            (Progress::None, _) => wording::CALL_OR_ANSWER.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
