//! The fourth stage: carries out what the loop of the reply decides.

mod asking; // the model
mod calling; // tools
mod truth; // what is said in place of an answer that is not true

use std::time::Duration;

use llm::{LlmError, ToolCall};
use serde_json::{Map, Value};
use settings::Profile;
use vocabulary::{Language, Stage, Trouble};

use crate::answer_text::answer_guard::Untrue;
use crate::planning::plan::{DeclaredTools, concrete_call};
use crate::prepare::PrepareOutput;
use crate::prompting::compose::Parts;
use crate::prompting::profiles::{is_allowed, manner};
use crate::reply_context::ReplyContext;
use crate::reply_output::ReplyOutput;
use crate::roles::{PriorResult, digest_activity, resolve_step};
use crate::turn_loop::{LoopEffect, LoopEnd, LoopEvent, TurnLoop, Words};

/// The loop of a reply, with all that it takes to carry it out.
pub(crate) struct ReplyLoop<'a> {
    pub context: &'a ReplyContext,
    pub output: &'a mut ReplyOutput,
    pub parts: Parts,
    pub turns: TurnLoop,
    /// The profile that answers, if there are profiles.
    pub profile: Option<Profile>,
    /// The preparation, without its plan. The arguments of its leading tool are filled in before anything else is chosen or said.
    pub prepared: PrepareOutput,
}

/// The end of the loop of a reply.
#[derive(Debug)]
pub(crate) enum LoopOutcome {
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
    /// The turns were used up before anything could be said.
    OutOfTurns,
    /// Nothing can be said.
    Empty,
    /// The model failed.
    Failed(Failure),
}

impl LoopOutcome {
    /// Its name in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Said => "said",
            Self::Worded => "worded without a model",
            Self::Silenced => "dismissed",
            Self::Stopped => "stopped",
            Self::Malformed => "malformed",
            Self::OutOfTurns => "out of turns",
            Self::Empty => "empty",
            Self::Failed(Failure::Model(_)) => "failed",
            Self::Failed(Failure::TooLong { .. }) => "too long",
        }
    }

    /// `true` if no model worded what was said last.
    pub fn is_worded_by_us(&self) -> bool {
        matches!(self, Self::Worded | Self::Malformed | Self::OutOfTurns | Self::Empty | Self::Failed(_))
    }
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

/// The tool and the arguments of a step.
type PlannedCall = (String, Map<String, Value>);

impl ReplyLoop<'_> {
    /// Runs the loop until it ends.
    pub async fn run(&mut self) -> LoopOutcome {
        let (mut event, mut failure) = (LoopEvent::Begun, None);
        loop {
            if self.context.stop().is_cancelled() {
                event = LoopEvent::Stopped;
            }
            let effect = self.turns.next(event);
            let next_profile = self.next_profile().filter(|_| !matches!(effect, LoopEffect::End(_)));
            match next_profile {
                Some(next) if self.turns.may_change_profile() => self.hand_over(next),
                Some(_) if effect != LoopEffect::Digest => {
                    event = LoopEvent::ProfilesUsedUp;
                    continue;
                }
                _ => {}
            }
            event = match effect {
                LoopEffect::Resolve(steps) => LoopEvent::StepsResolved(self.resolve(&steps).await),
                LoopEffect::Run { calls, taint } => LoopEvent::Ran(self.call(&calls, taint).await),
                LoopEffect::Ask { protocol } => self.ask(protocol).await.unwrap_or_else(|error| {
                    tracing::warn!(%error, "the model gave no answer");
                    failure = Some(error);
                    LoopEvent::Failed
                }),
                LoopEffect::Digest => LoopEvent::Digested(self.digest_activity().await),
                LoopEffect::End(end) => return self.end(end, failure).await,
            };
        }
    }

    /// The profile that a tool has asked for, if another one answers now.
    fn next_profile(&self) -> Option<Profile> {
        let active = &self.context.config.profiles;
        let next = self.output.extras.switches_to.filter(|next| active.contains(next))?;
        self.profile.filter(|profile| *profile != next).map(|_| next)
    }

    /// Goes on as another profile: the next words are its words. What tools gave so far stays.
    fn hand_over(&mut self, next: Profile) {
        let ReplyContext { instructions, .. } = self.context;
        tracing::info!(profile = next.value(), "another profile goes on with the reply");
        self.profile = Some(next);
        self.output.trace.profile = Some(next.value().to_owned());
        self.parts.style = manner(Some(next), instructions.as_ref().map(|text| text.0.as_str()));
        let others = &mut self.prepared.of_other_profiles;
        *others = self.turns.change_profile(std::mem::take(others), |tool| is_allowed(Some(next), tool));
    }

    /// `true` for the tool that leads the others, before anything was called.
    fn is_leading(&self, tool: &str) -> bool {
        let is_at_begin = self.turns.turn() == 1 && !self.turns.has_results();
        is_at_begin && self.prepared.leading_tool.as_deref() == Some(tool)
    }

    /// Says what is left to say.
    async fn end(&mut self, end: LoopEnd, failure: Option<LlmError>) -> LoopOutcome {
        match end {
            LoopEnd::Said(_) => LoopOutcome::Said,
            LoopEnd::Digested(text) => match self.true_part(&text) {
                Err(reason) => self.say_truth(reason).await,
                Ok(text) if text.is_empty() => LoopOutcome::Malformed,
                Ok(text) => {
                    self.output.stream.say(&text, self.context.tools.language.clone()).await;
                    LoopOutcome::Said
                }
            },
            LoopEnd::Withheld(reason) => self.say_truth(reason).await,
            LoopEnd::Worded(words) => {
                self.say(words).await;
                LoopOutcome::Worded
            }
            LoopEnd::Malformed => LoopOutcome::Malformed,
            LoopEnd::Silenced => LoopOutcome::Silenced,
            LoopEnd::Stopped => LoopOutcome::Stopped,
            LoopEnd::Failed => {
                failure.map_or(LoopOutcome::Empty, |error| LoopOutcome::Failed(Failure::Model(error)))
            }
            LoopEnd::OutOfTurns => LoopOutcome::OutOfTurns,
            LoopEnd::Empty => LoopOutcome::Empty,
        }
    }

    async fn say(&mut self, words: Words) {
        let sentences = self.context.sentences();
        let (text, language) = match words {
            Words::Answers(text) => (text, self.context.tools.language.clone()),
            Words::Results(text) => (text, Language::new("en")),
            Words::Incomplete(mut said) => {
                let (question, language) = match &self.output.waiting_call {
                    Some(call) => call.question(self.context.entry.language.as_ref()),
                    None => (sentences.reply_missing().to_owned(), sentences.language().clone()),
                };
                said.push(question);
                (said.join(" "), Some(language))
            }
            Words::Undone => {
                let text = match self.open_topic() {
                    Some(topic) => self.truth(Untrue::NotLookedUp(topic)),
                    None => sentences.reply_not_done().to_owned(),
                };
                (text, Some(sentences.language().clone()))
            }
        };
        self.output.stream.say(&text, language).await;
    }

    async fn digest_activity(&self) -> Option<String> {
        let ReplyContext { models, config, .. } = self.context;
        let (query, messages) = (&self.parts.query, self.turns.messages());
        digest_activity(models, query, messages, config.digest_timeout, self.context.stop()).await
    }

    /// Reads the first of the steps as a call. It is followed by those behind it that need not wait for its result: they say
    /// everything themselves, and all of them only read.
    async fn resolve(&self, steps: &[String]) -> Vec<PlannedCall> {
        let ReplyContext { toolbox, .. } = self.context;
        let declared: DeclaredTools = toolbox.declared(self.turns.tools());
        let only_reads = |call: &PlannedCall| !toolbox.changes(&call.0, &Value::Object(call.1.clone()));
        let Some((first, rest)) = steps.split_first() else { return Vec::new() };
        let Some(first) = self.resolve_first(first, &declared).await else { return Vec::new() };
        if !only_reads(&first) {
            return vec![first];
        }
        let rest = rest.iter().map_while(|step| concrete_call(step, &declared)).take_while(only_reads);
        [first].into_iter().chain(rest).collect()
    }

    /// Reads a step as a call: by rules if it says everything itself, else by a model.
    async fn resolve_first(&self, step: &str, declared: &DeclaredTools) -> Option<PlannedCall> {
        let ReplyContext { models, config, toolbox, .. } = self.context;
        if let Some(call) = concrete_call(step, declared) {
            return Some(call);
        }
        let (results, timeout) = (self.prior_results(), config.planner_timeout);
        let catalogue = toolbox.lines_with_arguments(self.turns.tools());
        resolve_step(models, step, &catalogue, declared, &results, timeout, self.context.stop()).await
    }

    fn prior_results(&self) -> Vec<PriorResult> {
        let mut calls: Vec<&ToolCall> = Vec::new();
        let mut results = Vec::new();
        for message in self.turns.messages() {
            calls.extend(&message.tool_calls);
            let Some(name) = &message.tool_name else { continue };
            // A model without native calls wrote its own ones as text, so they are in no message.
            let call = calls.iter().position(|call| call.name == *name).map(|at| calls.remove(at));
            let arguments = call.map_or_else(|| Value::Object(Map::new()), |call| call.arguments.clone());
            results.push(PriorResult { name: name.clone(), arguments, text: message.content.clone() });
        }
        results
    }
}
