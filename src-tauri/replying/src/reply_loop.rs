//! The fourth stage: carries out what the loop of the reply decides.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::StreamExt;
use llm::{
    ChatEvent, ChatRequest, LlmError, Message, ModelSize, Role as Author, ToolCall, ToolCallId, Usage,
};
use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tools::{Taint, ToolContext};
use tracing::Instrument;
use vocabulary::{Attachment, Language, Origin, ReplyEvent, Stage, ToolCallTrace, ToolOutcome, Trouble};

use crate::approval::QuestionToUser;
use crate::bare_name::{BareName, OnlyName};
use crate::choice::{choice_schema, chosen_call};
use crate::compose::Parts;
use crate::config::ReplyingConfig;
use crate::fixed_sentences::FixedSentences;
use crate::grounding::Sources;
use crate::plan::{DeclaredTools, concrete_call};
use crate::profiles::{Profile, is_allowed};
use crate::prompt::{OfferedTool, constrained_question};
use crate::roles::{Digest, PriorResult, Role, RoleModels, digest_activity, digest_result, resolve_step};
use crate::streamed_reply::{Growth, StreamedReply};
use crate::text_call::text_calls;
use crate::text_call_filter::TextCallFilter;
use crate::toolbox::{Ran, Toolbox};
use crate::turn_loop::{
    CallResult, LoopEffect, LoopEnd, LoopEvent, ModelAnswer, SEARCH, STOP, Said, ToolProtocol, TurnLoop,
};

/// How long tools run before the voice says that they take a moment: longer silence sounds like a fault.
const SILENCE: Duration = Duration::from_secs(2);

/// A call needs fewer tokens.
const MAX_CALL_TOKENS: u32 = 256;

/// A choice that is less likely is not carried out without a question, where it changes anything. Source: `cargo xtask eval
/// replies`, tuning half.
const SURE_CHOICE: f32 = 0.6;

/// The longest result of a tool, in bytes, that is said as it is where a small model could not word it.
const MAX_PLAIN_RESULT: usize = 300;

/// No language needs more bytes for a token. An answer that is longer than its tokens allow comes from a provider that
/// ignores the limit; it is cut.
const MAX_BYTES_PER_TOKEN: usize = 16;

/// The tool whose results are never shortened: they are tables of numbers. Source: behaviour reference, section 2.10.
const NEVER_DIGESTED: &str = "getWeather";

/// What the loop of a reply works with.
pub(crate) struct ReplyLoop<'a> {
    pub config: &'a ReplyingConfig,
    pub models: &'a RoleModels,
    pub toolbox: &'a Toolbox,
    pub size: ModelSize,
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

/// The required arguments that the user did not say.
struct Missing(String);

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
        self.size == ModelSize::Small
            && !self.turns.has_open_work(results.len())
            && results.iter().all(|ran| ran.answer.is_some() && ran.result.success)
    }

    /// What is said of calls that all did not run. A small model would claim that they did.
    fn sentence_about_undone(&self, results: &[Ran]) -> Option<&'static str> {
        if self.size == ModelSize::Large || !results.iter().all(|ran| !ran.result.success) {
            return None;
        }
        let sentences = FixedSentences::of(self.context.language.as_ref());
        let is_denied = !results.is_empty() && results.iter().all(|ran| ran.outcome == ToolOutcome::Denied);
        match self.is_incomplete {
            true => Some(sentences.missing),
            false => is_denied.then_some(sentences.not_done),
        }
    }

    async fn say_fixed(&mut self, sentence: &str) -> Finished {
        let language = FixedSentences::of(self.context.language.as_ref()).language();
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
            LoopEnd::Malformed if self.size == ModelSize::Small && !self.tool_texts.is_empty() => {
                self.say_tool_texts().await
            }
            LoopEnd::Malformed => Finished::Malformed,
            LoopEnd::Silent | LoopEnd::OutOfTurns if !self.tool_answers.is_empty() => {
                self.say_tool_answers().await
            }
            LoopEnd::Silent | LoopEnd::OutOfTurns
                if self.turns.protocol() == ToolProtocol::Constrained && !self.tool_texts.is_empty() =>
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
        // A tiny model recites what it is asked to shorten.
        let is_tiny = self.turns.protocol() == ToolProtocol::Constrained;
        if self.turns.messages().is_empty() || is_tiny {
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

    async fn call(&mut self, calls: &[ToolCall]) -> Vec<Ran> {
        for call in calls.iter().filter(|call| call.name != STOP) {
            let (call, tool) = (call.id.clone(), call.name.clone());
            self.reply.send(ReplyEvent::ToolStarted { call, tool }).await;
        }
        let grounded: Vec<Result<ToolCall, Missing>> = calls.iter().map(|call| self.grounded(call)).collect();
        self.is_incomplete = grounded.iter().any(Result::is_err);
        let running: Vec<ToolCall> = grounded.iter().filter_map(|call| call.as_ref().ok().cloned()).collect();
        let mut ran = self.run_aloud(&running).await.into_iter();
        let results = grounded.into_iter().map(|call| match call {
            Ok(_) => ran.next(),
            Err(Missing(what)) => {
                let why = format!("the user did not say the {what}. Ask for it in one short question.");
                Some(Ran::refused(why))
            }
        });
        let mut results: Vec<Ran> = results.map(Option::unwrap_or_default).collect();
        for (call, ran) in calls.iter().zip(&mut results) {
            let (tool, took) = (call.name.clone(), ran.took);
            self.tool_calls.push(ToolCallTrace { tool, outcome: ran.outcome, took });
            if call.name != STOP {
                let finished = ReplyEvent::ToolFinished { call: call.id.clone(), outcome: ran.outcome };
                self.reply.send(finished).await;
            }
            self.extras.attachments.append(&mut ran.attachments);
            self.extras.voice_requested |= ran.voice_requested;
            self.extras.switches_to =
                ran.switches_to.as_deref().and_then(Profile::of).or(self.extras.switches_to);
            ran.result.offered.retain(|tool| is_allowed(self.profile, tool));
            self.is_tainted |= ran.is_untrusted;
            self.tool_answers.extend(ran.answer.clone());
            if ran.result.success && !ran.is_untrusted && call.name != SEARCH {
                self.tool_texts.extend(ran.result.text.clone().filter(|text| text.len() <= MAX_PLAIN_RESULT));
            }
            self.shorten(call, &mut ran.result).await;
        }
        results
    }

    /// Runs the calls. Where they take long, the voice says so, unless the user is asked something meanwhile.
    async fn run_aloud(&mut self, calls: &[ToolCall]) -> Vec<Ran> {
        let is_spoken = self.context.origin == Origin::Voice && self.config.speaks;
        let asked = self.user.count();
        let asked_before = asked.load(Ordering::Relaxed);
        let taint = match (self.is_tainted, self.is_unsure) {
            (true, _) => Taint::AfterUntrusted,
            (false, true) => Taint::Unsure,
            (false, false) => Taint::Clean,
        };
        let mut running = Box::pin(self.toolbox.run(calls, &self.context, self.user, taint));
        if let Ok(ran) = tokio::time::timeout(SILENCE, &mut running).await {
            return ran;
        }
        if is_spoken && asked.load(Ordering::Relaxed) == asked_before {
            let sentences = FixedSentences::of(self.context.language.as_ref());
            self.reply.speak_first(sentences.one_moment, sentences.language()).await;
        }
        running.await
    }

    /// The call without optional arguments that the model invented, where a form that is enforced made it fill them in. With a
    /// required one it does not run: the user has to be asked.
    fn grounded(&self, call: &ToolCall) -> Result<ToolCall, Missing> {
        let is_enforced = self.turns.protocol() == ToolProtocol::Constrained;
        let Some(schema) = self.toolbox.schema(&call.name).filter(|_| is_enforced) else {
            return Ok(call.clone());
        };
        let Value::Object(mut arguments) = call.arguments.clone() else { return Ok(call.clone()) };
        let has_arguments = !arguments.is_empty();
        let parts = &self.parts;
        let said = parts.dialogue.iter().chain(self.turns.messages());
        let said = said.filter(|message| message.role != Author::Assistant);
        // The first line is the time: its numbers are in every prompt.
        let context = parts.context.split_once('\n').map_or("", |(_, rest)| rest);
        let texts = [parts.query.as_str(), context, parts.profile.as_str()];
        let sources = Sources::of(texts.into_iter().chain(said.map(|message| message.content.as_str())));
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let required: Vec<&str> = required.collect();
        let mut missing = Vec::new();
        for name in sources.invented(&arguments, &schema) {
            match required.contains(&name.as_str()) {
                true => missing.push(name),
                false => {
                    arguments.remove(&name);
                }
            }
        }
        // What does something has to be told what: all that the model gave it is invented.
        if has_arguments && arguments.is_empty() && self.toolbox.changes_something(&call.name) {
            return Err(Missing("details".to_owned()));
        }
        match missing.is_empty() {
            true => Ok(ToolCall { arguments: Value::Object(arguments), ..call.clone() }),
            false => Err(Missing(missing.join(" and "))),
        }
    }

    /// Shortens a long result to what matters, where the settings say so.
    async fn shorten(&self, call: &ToolCall, result: &mut CallResult) {
        let is_digested = self.config.tool_digest.applies(self.size) && call.name != NEVER_DIGESTED;
        let Some(text) = result.text.as_ref().filter(|_| is_digested && call.name != SEARCH) else { return };
        let timeout = self.config.digest_timeout;
        let digest =
            digest_result(self.models, &self.parts.query, &call.name, text, timeout, self.stop).await;
        if let Digest::Shortened(digest) = digest {
            result.text = Some(digest);
        }
    }

    async fn ask(&mut self, protocol: Option<ToolProtocol>) -> Asked {
        self.is_unsure = false;
        let span = tracing::info_span!("turn", turn = self.turns.turn());
        let tools =
            protocol.map(|protocol| self.toolbox.offered(self.turns.tools(), protocol)).unwrap_or_default();
        let asking = async {
            match protocol {
                Some(ToolProtocol::Constrained) => self.choose_or_answer(&tools).await,
                protocol => self.answer(protocol, &tools).await,
            }
        };
        asking.instrument(span).await
    }

    /// Has the model choose a tool or none in a form that the provider enforces, and lets it answer freely without one.
    async fn choose_or_answer(&mut self, tools: &[OfferedTool]) -> Asked {
        let is_due = !self.turns.has_results() || self.turns.has_open_work(0);
        if is_due && !self.turns.tools().is_empty() {
            let mut messages = self.messages(Some(ToolProtocol::Constrained), tools);
            messages.push(Message::user(constrained_question()));
            let request = ChatRequest::new(messages)
                .with_format(choice_schema(tools))
                .with_max_tokens(MAX_CALL_TOKENS)
                .with_temperature(0.0);
            match self.collect(request).await {
                Ok(Some((choice, log_probability))) => {
                    let call = chosen_call(&choice, self.turns.messages().len());
                    self.is_unsure = log_probability.is_none_or(|it| it < SURE_CHOICE.ln());
                    tracing::debug!(
                        tool = call.as_ref().map(|call| &*call.name),
                        log_probability,
                        "a choice was made"
                    );
                    if let Some(call) = call {
                        let content = choice;
                        return Asked::Answered(ModelAnswer {
                            content,
                            calls: vec![call],
                            ..Default::default()
                        });
                    }
                }
                Ok(None) => return Asked::Stopped,
                // The provider cannot enforce the form.
                Err(LlmError::Unsupported { .. } | LlmError::ToolsRefused { .. }) => {
                    return Asked::ToolsRejected;
                }
                Err(error) => tracing::warn!(%error, "no tool was chosen; the model answers without"),
            }
        }
        self.answer(None, &[]).await
    }

    /// All text of a choice, and how likely it was; `None` when the reply was stopped.
    async fn collect(&self, request: ChatRequest) -> Result<Option<(String, Option<f32>)>, LlmError> {
        let model = self.models.of(Role::Answer);
        let (began, mut usage) = (Instant::now(), None);
        let reading = async {
            let mut stream = model.chat(request, self.stop.child_token()).await?;
            let mut text = String::new();
            while let Some(event) = stream.next().await {
                match event? {
                    ChatEvent::Text(piece) => {
                        text.push_str(cut(&piece, bytes_of(MAX_CALL_TOKENS).saturating_sub(text.len())));
                    }
                    ChatEvent::Finished(counted) => usage = Some(counted),
                    ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_) => {}
                }
            }
            Ok(text)
        };
        let read = self.stop.run_until_cancelled(reading).await;
        self.models.record(Role::Answer, began.elapsed(), usage);
        match read {
            None => Ok(None),
            Some(Ok(_)) if self.stop.is_cancelled() => Ok(None),
            Some(text) => {
                let log_probability = usage.and_then(|usage| usage.choice_log_probability);
                text.map(|text| Some((text, log_probability)))
            }
        }
    }

    fn messages(&self, protocol: Option<ToolProtocol>, tools: &[OfferedTool]) -> Vec<Message> {
        let mut messages = self.parts.messages(protocol, tools);
        messages.extend(self.turns.messages().iter().cloned().map(|message| match self.turns.protocol() {
            ToolProtocol::Native => message,
            // A call that the rules made has no place in a dialogue without native calls.
            _ => Message { tool_calls: Vec::new(), ..message },
        }));
        messages.retain(|message| message.role != Author::Assistant || !is_blank(message));
        messages
    }

    /// Streams an answer. A first attempt that failed before anything was released is repeated once.
    async fn answer(&mut self, protocol: Option<ToolProtocol>, tools: &[OfferedTool]) -> Asked {
        let mut request = ChatRequest::new(self.messages(protocol, tools))
            .with_max_tokens(self.config.max_tokens)
            .with_temperature(self.config.temperature);
        if protocol == Some(ToolProtocol::Native) {
            request = request.with_tools(tools.iter().map(|tool| tool.spec.clone()).collect());
        }
        match self.attempt(protocol, request.clone()).await {
            Asked::Failed(error) if error.is_transient() && self.reply.is_turn_silent() => {
                tracing::warn!(%error, "the model broke off; asking once more");
                self.reply.restart_turn();
                self.attempt(protocol, request).await
            }
            asked => asked,
        }
    }

    async fn attempt(&mut self, protocol: Option<ToolProtocol>, request: ChatRequest) -> Asked {
        let (began, mut usage) = (Instant::now(), None);
        let asked = self.read_answer(protocol, request, &mut usage).await;
        self.models.record(Role::Answer, began.elapsed(), usage);
        asked
    }

    async fn read_answer(
        &mut self,
        protocol: Option<ToolProtocol>,
        request: ChatRequest,
        usage: &mut Option<Usage>,
    ) -> Asked {
        let is_text = protocol == Some(ToolProtocol::Text);
        let mut names: Vec<&str> = vec![STOP, SEARCH];
        names.extend(self.turns.tools().iter().map(String::as_str));
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let mut filter = TextCallFilter::new(names.iter().map(String::as_str).filter(|_| is_text));
        let mut bare_name = BareName::new(names.iter().map(String::as_str));
        let limit = bytes_of(self.config.max_tokens);
        let mut answer = ModelAnswer::default();
        let connecting = self.models.of(Role::Answer).chat(request, self.stop.child_token());
        let mut stream = match self.stop.run_until_cancelled(connecting).await {
            None => return Asked::Stopped,
            Some(Err(LlmError::ToolsRefused { .. })) => return Asked::ToolsRejected,
            Some(Err(error)) => return Asked::Failed(error),
            Some(Ok(stream)) => stream,
        };
        loop {
            let Some(next) = self.stop.run_until_cancelled(stream.next()).await else {
                return Asked::Stopped;
            };
            match next {
                Some(Ok(ChatEvent::Text(text))) => {
                    let room = limit.saturating_sub(answer.content.len());
                    let (is_cut, text) = (text.len() > room, cut(&text, room));
                    answer.content.push_str(text);
                    let passed = bare_name.push(text);
                    let passed = if is_text { filter.push(&passed) } else { passed };
                    let growth = self.reply.grow(&passed).await;
                    if growth == Growth::Over || is_cut {
                        break;
                    }
                }
                Some(Ok(ChatEvent::Thinking(text))) => {
                    answer.thinking.get_or_insert_default().push_str(&text);
                }
                Some(Ok(ChatEvent::ToolCalls(calls))) => answer.calls = calls,
                Some(Ok(ChatEvent::Finished(counted))) => {
                    *usage = Some(counted);
                    break;
                }
                None => break,
                Some(Err(LlmError::ToolsRefused { .. })) => return Asked::ToolsRejected,
                Some(Err(error)) => return Asked::Failed(error),
            }
        }
        // A cancelled model ends like one that has finished.
        if self.stop.is_cancelled() {
            return Asked::Stopped;
        }
        if answer.calls.is_empty() && protocol.is_some() {
            answer.calls = self.calls_in(&answer.content, &names);
        }
        answer.said = match (answer.calls.is_empty(), bare_name.finish()) {
            // Leaked calls must not be shown; prose before a call was shown while it came.
            (false, _) => self.reply.end_interim().await,
            (true, Err(OnlyName)) => Said::Malformed,
            (true, Ok(held)) => {
                let held = if is_text { filter.push(&held) + &filter.held() } else { held };
                self.reply.grow(&held).await;
                self.reply.end_turn().await
            }
        };
        Asked::Answered(answer)
    }

    /// The calls that stand in the text of an answer.
    fn calls_in(&self, content: &str, names: &[String]) -> Vec<ToolCall> {
        let turn = self.turns.turn();
        let calls = text_calls(content, |name| names.iter().any(|known| known == name));
        let calls = calls.into_iter().enumerate().map(|(at, call)| ToolCall {
            id: ToolCallId(call.id.unwrap_or_else(|| format!("text-{turn}-{at}"))),
            name: call.name,
            arguments: Value::Object(call.arguments),
        });
        calls.collect()
    }
}

fn bytes_of(tokens: u32) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(MAX_BYTES_PER_TOKEN)
}

/// The beginning of a text, at most this many bytes long.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

fn is_blank(message: &Message) -> bool {
    message.content.trim().is_empty() && message.tool_calls.is_empty()
}
