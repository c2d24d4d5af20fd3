//! The fourth stage: carries out what the loop of the reply decides.

mod asking; // the model
mod calling; // tools

use std::time::Duration;

use languages::messages::Messages;
use llm::LlmError;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tools::ToolContext;
use vocabulary::{Attachment, Language, Stage, ToolCallTrace, ToolOutcome, Trouble};

use crate::approval::QuestionToUser;
use crate::compose::Parts;
use crate::config::ReplyingConfig;
use crate::plan::{DeclaredTools, concrete_call};
use crate::profiles::Profile;
use crate::roles::{PriorResult, RoleModels, digest_activity, resolve_step};
use crate::streamed_reply::StreamedReply;
use crate::toolbox::{Ran, Toolbox};
use crate::turn_loop::{LoopEffect, LoopEnd, LoopEvent, ModelAnswer, TurnLoop};

/// What the loop of a reply works with.
pub(crate) struct ReplyLoop<'a> {
    pub config: &'a ReplyingConfig,
    pub models: &'a RoleModels,
    pub toolbox: &'a Toolbox,
    pub parts: Parts,
    pub context: ToolContext,
    pub turns: TurnLoop,
    pub reply: &'a mut StreamedReply,
    pub user: &'a mut QuestionToUser,
    pub stop: &'a CancellationToken,
    /// What tools gave the user besides text.
    pub extras: &'a mut Extras,
    /// Answers of tools that no model has worded yet.
    pub tool_answers: Vec<String>,
    /// Who answers, where there are profiles.
    pub profile: Option<Profile>,
    /// What tools returned that no model has worded, none of it from outside: the last resort where a small model fails.
    pub tool_texts: Vec<String>,
    /// Text from outside has entered the reply.
    pub is_tainted: bool,
    /// A call of this turn lacks what the user did not say.
    pub is_incomplete: bool,
    /// The model is not sure of the call that it chose, or nobody knows how sure it is.
    pub is_unsure: bool,
    /// The tools that ran.
    pub tool_calls: &'a mut Vec<ToolCallTrace>,
}

/// What tools gave the user besides text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Extras {
    pub attachments: Vec<Attachment>,
    pub voice_requested: bool,
    /// The profile that answers from now on.
    pub switches_to: Option<Profile>,
}

/// How the loop of a reply ended.
#[derive(Debug)]
pub(crate) enum Finished {
    /// All of it was said.
    Said,
    /// The same, in words of rules or tools.
    Worded,
    /// The user wants no answer.
    Silenced,
    /// The reply was stopped; what was said stays.
    Stopped,
    /// The model's answer was malformed, and nothing else can be said.
    Malformed,
    /// Nothing can be said.
    Empty,
    /// The model failed.
    Failed(Failure),
}

/// Why the model did not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    Model(LlmError),
    TooLong { limit: Duration },
}

impl Failure {
    /// The failure as the user reads it.
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Model(error) => error.trouble(),
            Self::TooLong { limit } => Trouble::new(
                Stage::LanguageModel,
                format!("The answer was not complete after {} s.", limit.as_secs()),
                "Ask again, or choose a smaller model in the settings.",
            ),
        }
    }
}

/// What became of a question to the model.
enum Asked {
    Answered(ModelAnswer),
    ToolsRejected,
    Failed(LlmError),
    Stopped,
}

impl ReplyLoop<'_> {
    /// Runs the loop until it ends.
    pub async fn run(&mut self) -> Finished {
        let mut event = LoopEvent::Begun;
        let mut failure = None;
        loop {
            if self.stop.is_cancelled() {
                return Finished::Stopped;
            }
            let effect = self.turns.next(event);
            event = match effect {
                LoopEffect::Resolve(step) => LoopEvent::StepResolved(self.resolve(&step).await),
                LoopEffect::Run(calls) => {
                    let results = self.call(&calls).await;
                    if self.is_answered_by_tools(&results) {
                        return self.say_tool_answers().await;
                    }
                    if let Some(sentence) = self.sentence_about_undone(&results) {
                        return self.say_fixed(sentence).await;
                    }
                    LoopEvent::Ran(results.into_iter().map(|ran| ran.result).collect())
                }
                LoopEffect::Ask { protocol } => match self.ask(protocol).await {
                    Asked::Answered(answer) => LoopEvent::Answered(answer),
                    Asked::ToolsRejected => LoopEvent::ToolsRejected,
                    Asked::Stopped => return Finished::Stopped,
                    Asked::Failed(error) => {
                        tracing::warn!(%error, "the model gave no answer");
                        failure = Some(error);
                        LoopEvent::NoAnswer
                    }
                },
                LoopEffect::End(end) => return self.end(end, failure).await,
            };
        }
    }

    /// Whether the tools have said all there is to say: a small model would only repeat it, and perhaps wrongly.
    fn is_answered_by_tools(&self, results: &[Ran]) -> bool {
        self.turns.policy().tools_may_answer
            && !self.turns.has_open_work(results.len())
            && results.iter().all(|ran| ran.answer.is_some() && ran.result.success)
    }

    /// What is said of calls that all did not run. A small model would claim that they did.
    fn sentence_about_undone(&self, results: &[Ran]) -> Option<&'static str> {
        if !self.turns.policy().tells_undone || !results.iter().all(|ran| !ran.result.success) {
            return None;
        }
        let sentences = Messages::of(self.context.language.as_ref());
        let is_denied = !results.is_empty() && results.iter().all(|ran| ran.outcome == ToolOutcome::Denied);
        match self.is_incomplete {
            true => Some(sentences.reply_missing()),
            false => is_denied.then_some(sentences.reply_not_done()),
        }
    }

    async fn say_fixed(&mut self, sentence: &str) -> Finished {
        let language = Some(Messages::of(self.context.language.as_ref()).language().clone());
        self.reply.say(sentence, language).await;
        Finished::Worded
    }

    /// Says what the tools returned as it is, in English: plain, but true.
    async fn say_tool_texts(&mut self) -> Finished {
        let text = std::mem::take(&mut self.tool_texts).join(" ");
        self.reply.say(&text, Language::new("en")).await;
        Finished::Worded
    }

    async fn say_tool_answers(&mut self) -> Finished {
        let text = std::mem::take(&mut self.tool_answers).join(" ");
        let language = self.context.language.clone();
        self.reply.say(&text, language).await;
        Finished::Worded
    }

    async fn end(&mut self, end: LoopEnd, failure: Option<LlmError>) -> Finished {
        match end {
            LoopEnd::Said(_) => Finished::Said,
            LoopEnd::Stopped => Finished::Silenced,
            LoopEnd::Malformed if !self.tool_answers.is_empty() => self.say_tool_answers().await,
            LoopEnd::Malformed if self.turns.policy().quotes_results && !self.tool_texts.is_empty() => {
                self.say_tool_texts().await
            }
            LoopEnd::Malformed => Finished::Malformed,
            LoopEnd::Silent | LoopEnd::OutOfTurns if !self.tool_answers.is_empty() => {
                self.say_tool_answers().await
            }
            LoopEnd::Silent | LoopEnd::OutOfTurns
                if !self.turns.policy().tools.digests_activity && !self.tool_texts.is_empty() =>
            {
                self.say_tool_texts().await
            }
            LoopEnd::Silent | LoopEnd::OutOfTurns => match (self.digest_activity().await, failure) {
                (Some(text), _) => {
                    self.reply.say(&text, self.context.language.clone()).await;
                    Finished::Said
                }
                (None, Some(error)) => Finished::Failed(Failure::Model(error)),
                // What was said beside a call is the last candidate.
                (None, None) if !self.reply.shown().trim().is_empty() => Finished::Said,
                (None, None) => Finished::Empty,
            },
        }
    }

    async fn digest_activity(&self) -> Option<String> {
        if self.turns.messages().is_empty() || !self.turns.policy().tools.digests_activity {
            return None;
        }
        let timeout = self.config.digest_timeout;
        digest_activity(self.models, &self.parts.query, self.turns.messages(), timeout, self.stop).await
    }

    /// Reads a step of the plan as a call: by rules where it says everything itself, else by a model.
    async fn resolve(&self, step: &str) -> Option<(String, Map<String, Value>)> {
        let declared: DeclaredTools = self.toolbox.declared(self.turns.tools());
        if let Some(call) = concrete_call(step, &declared) {
            return Some(call);
        }
        let (results, timeout) = (self.prior_results(), self.config.planner_timeout);
        let catalogue = self.toolbox.lines_with_arguments(self.turns.tools());
        resolve_step(self.models, step, &catalogue, &declared, &results, timeout, self.stop).await
    }

    fn prior_results(&self) -> Vec<PriorResult> {
        let messages = self.turns.messages();
        let calls = messages.iter().flat_map(|message| &message.tool_calls);
        let results = messages.iter().filter(|message| message.tool_name.is_some());
        calls
            .zip(results)
            .map(|(call, result)| PriorResult {
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                text: result.content.clone(),
            })
            .collect()
    }
}
