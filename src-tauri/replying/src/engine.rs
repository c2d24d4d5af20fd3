//! The flow of one reply: entry, preparation, prompt, loop, memory.

mod beginnings; // what the next prompts begin with
mod choose_profile; // who answers
mod composing; // the prompt and the loop
mod concluding; // what is left to say, and all that the user gets
mod dialogue_answers; // what was said, and who answers
mod guarding; // what a model may not say
mod leading; // the tool that needs no choice
mod log_of_end; // how the reply ended, in the log
mod plain_answers; // what no model may answer
mod preparing; // what a model gets
mod recall; // what memory adds
mod routine_run; // commands that a phrase starts

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use languages::messages::in_each_language;
use llm::{Embedder, Message, ModelIdentity};
use memory::{Dialogue, Memory, Participant};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tools::ToolContext;
use vocabulary::{
    CALLER_PATIENCE, Caller, Clock, ConversationId, DeliveryTrace, Language, Origin, Private, Query, Replier,
    ReplyControls, ReplyEvent, ReplyId, ReplyStream, Trouble,
};

use self::composing::{parts, turns};
use self::guarding::guard;
use self::leading::led;
use self::log_of_end::LogOfEnd;
use self::recall::recall;
use crate::answer_text::streamed_reply::StreamedReply;
use crate::answering_model::{AnsweringModels, policy_now};
use crate::config::ReplyingConfig;
use crate::conversations::Conversations;
use crate::memory_use::evidence::may_answer;
use crate::memory_use::memory_retriever::MemoryRetriever;
use crate::model_policy::ModelPolicy;
use crate::plain_requests::follow_up::{answer_follow_up, going_on, repeated_call};
use crate::plain_requests::routine::started_routine;
use crate::plain_requests::rules::{ByRules, answer_by_rules, answer_choice, answer_waiting};
use crate::prepare::add;
use crate::query_context::{Entry, enter};
use crate::reply_context::{ReplyContext, request_of};
use crate::reply_loop::{Failure, LoopOutcome, ReplyLoop};
use crate::reply_output::{Extras, ReplyOutput};
use crate::reply_stream::stream_of_reply;
use crate::roles::{ModelTask, RoleModels, explain};
use crate::stopwatch::Stopwatch;
use crate::tool_calls::toolbox::Toolbox;
use crate::turn_loop::{FirstCall, TurnLoop};

/// Which apology of ours a text is: `malformed_apology` or `generic_apology`; `None` for any other text.
pub fn apology(text: &str) -> Option<&'static str> {
    match text {
        _ if in_each_language::REPLY_GARBLED.iter().any(|it| text.starts_with(it)) => {
            Some("malformed_apology")
        }
        _ if in_each_language::REPLY_NO_ANSWER.contains(&text) => Some("generic_apology"),
        _ if in_each_language::REPLY_OUT_OF_TURNS.contains(&text) => Some("generic_apology"),
        _ => None,
    }
}

/// The entry of the conversation cache that holds the profile.
const PROFILE: &str = "warm_profile_block";

/// The parts of a reply engine.
#[derive(Clone)]
pub struct ReplyParts {
    /// Which model does what.
    pub models: RoleModels,
    /// The words.
    pub dialogue: Dialogue,
    /// The memory, once it is open.
    pub memory: watch::Receiver<Option<Memory>>,
    /// With one, memory and tools are found by meaning as well as by words.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The tools.
    pub toolbox: Toolbox,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The settings, which it follows.
    pub config: watch::Receiver<ReplyingConfig>,
}

/// Answers queries with language models and tools. Clones share it.
#[derive(Clone)]
pub struct ReplyEngine {
    models: RoleModels,
    dialogue: Dialogue,
    retriever: MemoryRetriever,
    toolbox: Toolbox,
    clock: Arc<dyn Clock>,
    config: watch::Receiver<ReplyingConfig>,
    conversations: Conversations,
    /// The model that rejected tools. It is not offered any natively until another one answers.
    rejecting: watch::Sender<Option<ModelIdentity>>,
}

impl ReplyEngine {
    /// An engine with these parts.
    pub fn new(parts: ReplyParts) -> Self {
        let ReplyParts { models, dialogue, memory, embedder, toolbox, clock, config } = parts;
        let retriever = MemoryRetriever::new(memory, embedder);
        let conversations = Conversations::default();
        let rejecting = watch::Sender::new(None);
        Self { models, dialogue, retriever, toolbox, clock, config, conversations, rejecting }
    }

    /// Notes that another engine worded the reply that was said at this time: while it is in the dialogue, calls are judged
    /// as after any other text from outside.
    pub fn note_foreign_reply(&self, conversation: &ConversationId, at_micros: i64) {
        self.conversations.with(conversation, |state| state.foreign_at_micros = Some(at_micros));
    }

    /// The model that answers, now and later.
    pub fn answering_models(&self) -> AnsweringModels {
        AnsweringModels::new(self.models.clone(), self.config.clone(), self.rejecting.subscribe())
    }

    fn policy(&self, config: &ReplyingConfig) -> ModelPolicy {
        policy_now(&self.models, config, self.rejecting.borrow().as_ref())
    }

    /// Returns the profile of the user; empty if it is not known.
    async fn profile(&self, config: &ReplyingConfig, conversation: &ConversationId) -> String {
        self.known_profile(config, conversation).await.unwrap_or_default()
    }

    /// Returns the profile of the user, from the cache of the conversation if it is there. `None` if it may not or could not be
    /// read.
    async fn known_profile(&self, config: &ReplyingConfig, conversation: &ConversationId) -> Option<String> {
        if !config.recalls {
            return None;
        }
        if self.retriever.has_profile_changed() {
            self.conversations.drop_cached(PROFILE);
        }
        let cached = self.conversations.with(conversation, |state| state.cache.get(PROFILE).cloned());
        if let Some(profile) = cached.as_ref().and_then(|profile| profile.as_str()) {
            return Some(profile.to_owned());
        }
        let profile = self.retriever.profile(self.clock.now(), config.memory_timeout).await?;
        self.conversations.with(conversation, |state| state.cache.put(PROFILE, profile.as_str().into()));
        Some(profile)
    }

    async fn answer(self, query: Query, controls: ReplyControls, events: mpsc::Sender<ReplyEvent>) {
        let is_of_program = controls.caller.program.is_some();
        let log = LogOfEnd::default();
        let (context, mut output) = self.begin(query, controls, events);
        let finished = self.think_in_time(&context, &mut output).await;
        log.ended(finished.name(), &output.trace);
        output.stream.send(ReplyEvent::Traced(Box::new(output.trace.clone()))).await;
        let conclusion = self.conclude(&finished, &context, &mut output.stream).await;
        let conversation = &context.query.conversation;
        let written = output.stream.written().trim().to_owned();
        let said = redaction::scrub(&written);
        if finished.is_worded_by_us() {
            self.conversations.with(conversation, |state| state.note_worded(&said));
        }
        self.keep_calls(conversation, &mut output, &finished, conclusion.is_kept);
        if conclusion.is_kept {
            let at = self.clock.now().as_microsecond();
            self.dialogue.say_reply(&context.query, &said, output.trace, at);
        }
        if is_of_program {
            // Each of its requests has a conversation of its own, which would take the place of one of the user.
            self.conversations.forget(conversation);
        }
        for text in notes(&context, &output.extras) {
            output.stream.send(ReplyEvent::Note { text }).await;
        }
        let response = conclusion.response(&context, &finished, output.extras, written);
        output.stream.send(ReplyEvent::Done(response)).await;
    }

    /// Carries out a routine or answers the request, and notes in the trace how. Ends when the time for it is over.
    async fn think_in_time(&self, context: &ReplyContext, output: &mut ReplyOutput) -> LoopOutcome {
        let ReplyContext { entry, config, .. } = context;
        let routine =
            started_routine(&entry.redacted, &config.routines, context.language_data(), &config.name);
        let requests = routine.as_ref().map_or(1, |routine| routine.commands.len());
        let (began, limit) = (Instant::now(), config.timeout * u32::try_from(requests).unwrap_or(1));
        let thinking = async {
            match &routine {
                Some(routine) => self.run_routine(routine, context, output).await,
                None => self.think(context, output).await,
            }
        };
        let finished = match tokio::time::timeout(limit, thinking).await {
            Ok(finished) => finished,
            Err(_) => LoopOutcome::Failed(Failure::TooLong { limit }),
        };
        output.trace.model_calls = context.models.calls();
        output.trace.took = began.elapsed();
        output.trace.language.clone_from(&entry.language);
        finished
    }

    /// Reads the query, and adds it to the dialogue.
    fn begin(
        &self,
        query: Query,
        controls: ReplyControls,
        events: mpsc::Sender<ReplyEvent>,
    ) -> (ReplyContext, ReplyOutput) {
        let ReplyControls { stop, answers, caller } = controls;
        let mut config = for_caller(self.config.borrow().clone(), &caller);
        let is_at_satellite = query.origin == Origin::Satellite;
        // There is no screen to read the answer on.
        config.speaks |= is_at_satellite;
        let now = self.clock.now();
        self.recall_earlier(&query, &caller, now);
        let mut entry = enter(&query, &config, &self.dialogue, &self.conversations, now);
        entry.is_tainted |= caller.brings_foreign_text;
        let (conversation, origin) = (query.conversation.clone(), query.origin.clone());
        self.dialogue.say(&conversation, &origin, Participant::User, &entry.redacted, now.as_microsecond());
        let mut output = ReplyOutput::new(events, answers, stop.clone(), entry.language.clone());
        if caller.program.is_some() {
            output.user.remembers_nothing();
        }
        if is_at_satellite {
            output.user.cannot_click();
        }
        let tools = ToolContext {
            query: Private(entry.redacted.clone()),
            // A tool has to answer in some language.
            language: entry.language.clone().or_else(|| Language::new("en")),
            conversation,
            origin,
            now,
            zone: config.zone(),
            stop,
            inquiries: tools::Inquiries::default(),
        };
        let policy = self.policy(&config);
        let (models, toolbox) = (self.models.for_reply(), self.toolbox.for_caller(&caller));
        let instructions = caller.instructions.filter(|text| !text.trim().is_empty());
        let request = request_of(&entry.redacted, entry.language.as_ref(), &tools);
        let context =
            ReplyContext { query, config, policy, models, toolbox, instructions, entry, request, tools };
        (context, output)
    }

    /// Adds the dialogue that the caller keeps: to a temporary conversation, of which nothing is stored.
    fn recall_earlier(&self, query: &Query, caller: &Caller, now: Timestamp) {
        let count = i64::try_from(caller.earlier.len()).unwrap_or(i64::MAX);
        for (message, ago) in caller.earlier.iter().zip((1..=count).rev()) {
            let participant = if message.is_of_user { Participant::User } else { Participant::Assistant };
            let words = redaction::redact(&message.text, redaction::MAX_CHARS);
            let at = now.as_microsecond() - ago;
            self.dialogue.say(&query.conversation, &query.origin, participant, &words, at);
        }
    }

    async fn think(&self, context: &ReplyContext, output: &mut ReplyOutput) -> LoopOutcome {
        let choice = self.conversations.with(&context.query.conversation, |state| state.choice_call.take());
        // Before the rules: to them, "the five minute timer" is a new one.
        if let Some(choice) = &choice
            && answer_choice(choice, context, output).await == ByRules::Answered
        {
            return LoopOutcome::Worded;
        }
        match answer_by_rules(context, output).await {
            ByRules::Answered => LoopOutcome::Worded,
            ByRules::Silenced => LoopOutcome::Silenced,
            ByRules::HalfAnswered { rest } => {
                self.answer_by_model(&context.with_rest(rest), output, None).await
            }
            ByRules::Open => self.follow_up(context, output).await,
        }
    }

    /// Goes on with the calls of the last reply, if the request is so short that it means them; else asks the model.
    async fn follow_up(&self, context: &ReplyContext, output: &mut ReplyOutput) -> LoopOutcome {
        let conversation = &context.query.conversation;
        let (repeatable, waiting) = self
            .conversations
            .with(conversation, |state| (state.repeatable_calls.clone(), state.waiting_call.take()));
        if let Some(call) = repeated_call(&repeatable, context) {
            return self.answer_by_model(context, output, Some(call)).await;
        }
        if answer_follow_up(&context.entry.last_calls, context, output).await == ByRules::Answered {
            return LoopOutcome::Worded;
        }
        if let Some(waiting) = &waiting
            && answer_waiting(waiting, context, output).await == ByRules::Answered
        {
            return LoopOutcome::Worded;
        }
        let (text, language) = (&context.entry.redacted, context.tools.language.as_ref());
        let first = waiting.and_then(|call| {
            let arguments = call.filled(text, language, &[&context.config.name])?;
            let first = FirstCall { tool: call.tool, arguments, is_repeated: false };
            context.toolbox.is_known(&first.tool).then_some(first)
        });
        self.answer_by_model(context, output, first).await
    }

    /// Answers with a model. `first` is the call that the reply begins with.
    async fn answer_by_model(
        &self,
        context: &ReplyContext,
        output: &mut ReplyOutput,
        first: Option<FirstCall>,
    ) -> LoopOutcome {
        if first.is_none()
            && let Some(finished) = self.answer_plainly(context, output).await
        {
            output.trace.is_by_rules = true;
            return finished;
        }
        output.stream.guard_with(guard(context, &output.calls));
        let mut stage = Stopwatch::start("prepare");
        let (mut prepared, vector, profile) = self.prepare(context, first.as_ref()).await;
        output.trace.profile = profile.map(|profile| profile.value().to_owned());
        stage.next("recall", &mut output.trace.stages);
        let (known, memory) = tokio::join!(
            self.profile(&context.config, &context.query.conversation),
            recall(&self.retriever, context, &prepared, vector),
        );
        stage.next("loop", &mut output.trace.stages);
        let tools = self.offered(context, &prepared, profile);
        add(&mut prepared.of_other_profiles, self.of_other_profiles(context, profile));
        let is_unknown = memory.is_unknown && tools.is_empty() && !is_covered(&context.entry, &known);
        if is_unknown && context.policy.admits_unknown {
            return say_nothing_known(context, &mut output.stream).await;
        }
        output.trace.selection.clone_from(&prepared.source);
        output.trace.plan = prepared.plan.steps().iter().cloned().map(Private).collect();
        output.trace.memories = memory.entries;
        output.trace.tools.clone_from(&tools);
        let parts = parts(context, &prepared, &memory, known, profile, &tools);
        self.conversations.with(&context.query.conversation, |state| {
            state.origin = Some(context.query.origin.clone());
            state.language = context.entry.language.clone().or(state.language.take());
        });
        let (first, leading_tool) = led(context, first, prepared.leading_tool.take(), &tools);
        prepared.leading_tool = leading_tool;
        let shown = output.stream.shown().get(output.shown_before..).unwrap_or_default().trim().to_owned();
        let turns = turns(context, std::mem::take(&mut prepared.plan), tools, first, shown);
        let mut running = ReplyLoop { context, output, parts, turns, profile, prepared };
        let finished = running.run().await;
        let turns = running.turns;
        stage.end(&mut output.trace.stages);
        self.keep(context, &output.extras, &turns, &finished);
        finished
    }

    /// Keeps what the next replies of this conversation need.
    fn keep(&self, context: &ReplyContext, extras: &Extras, turns: &TurnLoop, finished: &LoopOutcome) {
        let conversation = &context.query.conversation;
        if let Some(chosen) = extras.switches_to {
            self.conversations.with(conversation, |state| {
                (state.profile, state.has_chosen_profile) = (Some(chosen), true);
            });
        }
        let (before, after) = (context.policy.tools.protocol, turns.policy().tools.protocol);
        if after != before {
            self.rejecting.send_replace(Some(self.models.of(ModelTask::Answer).identity()));
        }
        if !matches!(finished, LoopOutcome::Silenced) {
            self.keep_tool_results(conversation, turns.messages(), turns.is_tainted());
        }
    }

    /// Keeps the calls of a reply, for a request that goes on with them.
    fn keep_calls(
        &self,
        conversation: &ConversationId,
        output: &mut ReplyOutput,
        finished: &LoopOutcome,
        is_kept: bool,
    ) {
        let (waiting, choice) = (output.waiting_call.take(), output.choice_call.take());
        self.conversations
            .with(conversation, |state| (state.waiting_call, state.choice_call) = (waiting, choice));
        // "Thanks" leaves what was set before it as it was; after any other reply it is no longer meant.
        if output.is_dismissal || matches!(finished, LoopOutcome::Silenced) {
            return;
        }
        let calls = if is_kept { std::mem::take(&mut output.calls) } else { Vec::new() };
        let repeatable = std::mem::take(&mut output.repeatable_calls);
        self.conversations.with(conversation, |state| {
            state.last_calls = going_on(&state.last_calls, calls);
            state.repeatable_calls = repeatable;
        });
    }

    /// Keeps the tool messages of a reply for the next ones of its conversation. `is_tainted` means that text from outside
    /// has entered the reply.
    pub fn keep_tool_results(&self, conversation: &ConversationId, messages: &[Message], is_tainted: bool) {
        let window = self.config.borrow().dialogue_window;
        let recent = self.dialogue.recent(conversation, window, self.clock.now().as_microsecond());
        let tool_messages =
            messages.iter().filter(|message| crate::tool_calls::tool_talk::is_tool_message(message));
        let tool_messages: Vec<Message> = tool_messages.cloned().collect();
        self.conversations
            .with(conversation, |state| state.carry_over.record(tool_messages, &recent, is_tainted));
    }

    /// Returns the number of replies of a conversation that have kept their tool messages.
    pub fn kept_tool_results(&self, conversation: &ConversationId) -> usize {
        self.conversations.with(conversation, |state| state.carry_over.len())
    }
}

/// The settings of a reply to this caller.
fn for_caller(config: ReplyingConfig, caller: &Caller) -> ReplyingConfig {
    let zone = caller.zone.as_ref().and_then(|zone| zone.iana_name()).map(str::to_owned);
    ReplyingConfig {
        recalls: config.recalls && caller.may_use_memory,
        // Nothing of a conversation with a program is stored, so there is no evidence for a fact.
        learns: config.learns && caller.program.is_none(),
        time_zone: zone.or(config.time_zone),
        timeout: match caller.tools.list() {
            [] => config.timeout,
            _ => config.timeout.max(CALLER_PATIENCE),
        },
        ..config
    }
}

/// Notes about parts of the reply that were left out.
fn notes(context: &ReplyContext, extras: &Extras) -> Vec<String> {
    let count = |left_out: usize| i64::try_from(left_out).ok().filter(|count| *count > 0);
    let files =
        count(extras.attachments.left_out()).map(|count| context.sentences().reply_files_left_out(count));
    let orders = count(extras.orders_left_out).map(|count| context.sentences().reply_orders_left_out(count));
    files.into_iter().chain(orders).collect()
}

/// Returns `true` if the dialogue or the profile may hold what the user asks for.
fn is_covered(entry: &Entry, profile: &str) -> bool {
    let dialogue = entry.dialogue.iter().map(|message| message.content.as_str());
    dialogue.chain([profile]).any(|text| may_answer(&entry.redacted, text))
}

/// Says that nothing is known.
async fn say_nothing_known(context: &ReplyContext, reply: &mut StreamedReply) -> LoopOutcome {
    let sentences = context.sentences();
    reply.say(sentences.reply_nothing_known(), Some(sentences.language().clone())).await;
    LoopOutcome::Worded
}

impl Replier for ReplyEngine {
    fn reply(&self, query: Query, controls: ReplyControls) -> ReplyStream {
        stream_of_reply(|events| self.clone().answer(query, controls, events))
    }

    fn explain<'r>(
        &'r self,
        troubles: &'r [Trouble],
        language: Option<&'r Language>,
    ) -> BoxFuture<'r, Option<String>> {
        explain(&self.models, troubles, language).boxed()
    }

    fn note_delivery(&self, conversation: &ConversationId, reply: ReplyId, delivery: DeliveryTrace) {
        self.dialogue.note_delivery(conversation, reply, delivery);
    }
}
