//! The values that go into the loop and come out of it.

use llm::ToolCall;
use serde_json::{Map, Value};
use tools::Taint;
use vocabulary::Language;

use crate::answer_text::answer_guard::Untrue;
use crate::model_policy::ModelPolicy;
use crate::planning::plan::Plan;
use crate::tool_calls::tool_protocol::ToolProtocol;

/// The limits of one reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopLimits {
    /// The most turns.
    pub turns: usize,
    /// The most searches for more tools.
    pub searches: usize,
    /// `true` if an empty answer is asked for once more without tools. The behaviour that others have has no such
    /// retry.
    pub retries_plainly: bool,
}

impl LoopLimits {
    /// The most profiles that answer one after the other in one reply. Source: docs/behaviour/routing.md#transitions.
    pub const PROFILES: usize = 20;

    /// Returns `true` if no other profile may go on after so many.
    pub fn are_profiles_used_up(profiles: usize) -> bool {
        profiles >= Self::PROFILES
    }

    /// Returns `true` if no turn is left after so many.
    pub fn are_used_up(&self, turns: usize) -> bool {
        turns >= self.turns
    }
}

/// The inputs of the loop.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopStart {
    /// The limits of this reply.
    pub limits: LoopLimits,
    /// The differences for the model.
    pub policy: ModelPolicy,
    /// The plan; empty if there is none.
    pub plan: Plan,
    /// The tools that may be called, without the two that are always offered.
    pub tools: Vec<String>,
    /// The two parts of a request of two parts.
    pub parts: Option<(String, String)>,
    /// The text that the reply has shown before; empty if it has shown nothing.
    pub said: String,
    /// The call that the reply begins with.
    pub first: Option<FirstCall>,
    /// The language of the answer, if it is known.
    pub language: Option<Language>,
    /// The prompt has text from outside, of a tool of an earlier reply.
    pub is_tainted: bool,
}

/// A call that a reply begins with, before the model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstCall {
    /// The name of the tool.
    pub tool: String,
    /// The arguments that it is made with.
    pub arguments: Map<String, Value>,
    /// The user asks for a call of the last reply again. It was made before text from outside entered that reply, so that none
    /// of its arguments comes from there. Else the call waited for what the user has said now.
    pub is_repeated: bool,
}

/// An event of the reply.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopEvent {
    /// The reply begins.
    Begun,
    /// The next steps of the plan that run at once, as calls. Empty: the next one could not be read.
    StepsResolved(Vec<(String, Map<String, Value>)>),
    /// The model answered.
    Answered(ModelAnswer),
    /// The model rejected the request because of the tools in it.
    ToolsRejected,
    /// The model failed.
    Failed,
    /// The calls ran: their results, in the same order.
    Ran(Vec<CallResult>),
    /// Another profile was to go on, and none may any more.
    ProfilesUsedUp,
    /// A model worded what was done; `None` if it did not.
    Digested(Option<String>),
    /// The reply was stopped.
    Stopped,
}

/// An answer of the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelAnswer {
    /// Its text as it came.
    pub content: String,
    /// The reasoning that the model wrote before its answer.
    pub thinking: Option<String>,
    /// Its calls, in order.
    pub calls: Vec<ToolCall>,
    /// The user-visible part of the text.
    pub said: VisibleText,
    /// The model's certainty of its calls.
    pub certainty: Certainty,
}

/// The model's certainty of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Certainty {
    /// The model is sure, or it was not forced to choose.
    #[default]
    Sure,
    /// The model is not sure, or its certainty is unknown.
    Unsure,
}

/// The user-visible part of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum VisibleText {
    /// The answer has no text.
    #[default]
    Nothing,
    /// This.
    Text(String),
    /// Nothing: the text is malformed.
    Malformed,
    /// The rest of the text is not true.
    Withheld(Untrue),
}

/// The result of a call, as the model reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallResult {
    /// The text; `None` if the call has none.
    pub text: Option<String>,
    /// The error, if there is no text.
    pub error: Option<String>,
    /// `true` if it did what was asked.
    pub success: bool,
    /// The user wants no answer.
    pub stops: bool,
    /// More tools that may be called from now on.
    pub offered: Vec<String>,
    /// The whole answer to the user, if the tool worded it.
    pub answer: Option<String>,
    /// Text that can be said to the user as it is: short, and behind the name of the tool if it comes from outside.
    pub quote: Option<String>,
    /// The text comes from outside.
    pub is_untrusted: bool,
    /// The reason why the call did not run, if it lies with the user.
    pub undone: Option<UserRefusal>,
}

impl CallResult {
    /// Returns `true` if it has a text that says something.
    pub fn has_text(&self) -> bool {
        self.text.as_ref().is_some_and(|text| !text.trim().is_empty())
    }
}

/// A reason why a call did not run that lies with the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserRefusal {
    /// The user did not allow it.
    Denied,
    /// The user did not say all that it takes.
    Incomplete,
}

/// The next thing to do.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopEffect {
    /// Read the first of these steps of the plan as a call, and those behind it that need not wait for it.
    Resolve(Vec<String>),
    /// Ask the model, with the tools offered or without.
    Ask {
        /// The way in which tools are offered; `None`: not at all.
        protocol: Option<ToolProtocol>,
    },
    /// Run these calls.
    Run {
        /// The tool calls, in the order of the model.
        calls: Vec<ToolCall>,
        /// The reason for doubt about them.
        taint: Taint,
    },
    /// Have a model word what was done.
    Digest,
    /// The loop has ended.
    End(LoopEnd),
}

/// The end of the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopEnd {
    /// This was said.
    Said(String),
    /// This digest of what was done has to be said.
    Digested(String),
    /// No model words the answer.
    Worded(Words),
    /// The model's answer is malformed, and nothing else can be said.
    Malformed,
    /// The model's answer is not true, and the truth has to be said.
    Withheld(Untrue),
    /// The user wants no answer.
    Silenced,
    /// The reply was stopped.
    Stopped,
    /// The model failed.
    Failed,
    /// The turns are used up, and nothing can be said.
    OutOfTurns,
    /// Nothing can be said.
    Empty,
}

/// An answer that no model words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    /// Those of the tools, in the language of the reply.
    Answers(String),
    /// The results of the tools as they are, in English: plain, but true.
    Results(String),
    /// A question for what the user did not say and a call lacks, behind the answers of the tools that ran.
    Incomplete(Vec<String>),
    /// A fixed sentence: the user allowed no call.
    Undone,
}
