//! The flow of one reply: entry, preparation, prompt, loop, memory.

mod choosing_profile; // who answers
mod recalling; // what memory adds

use std::sync::Arc;

use futures::StreamExt;
use languages::messages::{Messages, in_each_language};
use llm::{Embedder, Message, ModelIdentity};
use memory::{Dialogue, Memory, Participant};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tools::ToolContext;
use vocabulary::{
    Clock, ConversationId, Language, Origin, OutgoingResponse, Private, Query, Replier, ReplyControls,
    ReplyEvent, ReplyStream, ReplyTrace,
};

use self::recalling::{Recalling, recall};
use crate::approval::QuestionToUser;
use crate::compose::Parts;
use crate::compound::split_compound;
use crate::config::{ContextPosition, ReplyingConfig};
use crate::conversations::Conversations;
use crate::entry::{Entry, enter};
use crate::evidence::may_answer;
use crate::memory_retriever::MemoryRetriever;
use crate::model_policy::{ModelPolicy, ToolOffer};
use crate::prepare::{Prepared, Preparing};
use crate::profiles::Profile;
use crate::prompt::{answer_form, plan_block, system_message};
use crate::reply_loop::{Extras, Failure, Finished, ReplyLoop};
use crate::roles::{Role, RoleModels};
use crate::rules::{ByRules, PlainRequest};
use crate::stopwatch::Stopwatch;
use crate::streamed_reply::StreamedReply;
use crate::tool_protocol::ToolProtocol;
use crate::toolbox::{SEARCH_MEMORY, Toolbox};
use crate::turn_loop::{LoopLimits, LoopStart, TurnLoop};

/// Events of a reply that wait to be read. When it is full the model waits, so nothing is lost.
const EVENTS: usize = 64;

/// Which apology of ours a text is: `malformed_apology` or `generic_apology`; `None` for any other text.
pub fn apology(text: &str) -> Option<&'static str> {
    match text {
        _ if in_each_language::REPLY_GARBLED.iter().any(|it| text.starts_with(it)) => {
            Some("malformed_apology")
        }
        _ if in_each_language::REPLY_NO_ANSWER.contains(&text) => Some("generic_apology"),
        _ => None,
    }
}

/// How well a tool must fit the words of a query before a small model is asked to choose.
const MIN_FIT: f32 = 0.35;

/// The entry of the scratch cache that holds the profile.
const PROFILE: &str = "warm_profile_block";

/// What a reply engine works with.
#[derive(Clone)]
pub struct ReplyParts {
    /// Which model does what.
    pub models: RoleModels,
    /// What was said.
    pub dialogue: Dialogue,
    /// What is remembered, once it is open.
    pub memory: watch::Receiver<Option<Memory>>,
    /// With one, memory and tools are found by meaning as well as by words.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// What can be done besides talking.
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

    /// The messages that every next reply begins with, to fill a model's prefix cache with.
    pub async fn prefix(&self) -> Vec<Message> {
        let config = self.config.borrow().clone();
        let main = ConversationId::main();
        let known = self.profile(&config, &main).await;
        let profile = self.conversations.with(&main, |state| state.profile);
        vec![self.parts(&config, known, profile.filter(|it| config.profiles.contains(it))).beginning()]
    }

    /// The messages that the next reply in this conversation begins with. What a reply added to its own newest message is
    /// not stored, so the model must read the last exchange again.
    pub async fn prefix_with_dialogue(&self, conversation: &ConversationId) -> Vec<Message> {
        let config = self.config.borrow().clone();
        let mut messages = self.prefix().await;
        // The other positions change the beginning of every reply, so no prefix can be kept.
        if config.context_position == ContextPosition::NewestMessage {
            let now = self.clock.now().as_microsecond();
            let recent = self.dialogue.recent(conversation, config.dialogue_window, now);
            messages.extend(self.conversations.with(conversation, |state| {
                let said = match self.policy(&config).hides_exchanges_of_rules {
                    true => state.worded_by_models(&recent),
                    false => recent.clone(),
                };
                state.carry_over.among(&said, config.carry_over_replies, config.carry_over_chars)
            }));
        }
        messages
    }

    /// A prompt with nothing but what stays the same.
    fn parts(&self, config: &ReplyingConfig, known: String, profile: Option<Profile>) -> Parts {
        let policy = self.policy(config);
        let place = config.place.as_deref().filter(|_| policy.tells_place_first);
        let rules = system_message(&config.name, policy.templates, place);
        Parts {
            system: match profile {
                Some(profile) => format!("{rules}\n\n{}", profile.style()),
                None => rules,
            },
            profile: known,
            dialogue: Vec::new(),
            worded_by_models: Vec::new(),
            context: String::new(),
            form: String::new(),
            query: String::new(),
            position: config.context_position,
            policy,
        }
    }

    fn policy(&self, config: &ReplyingConfig) -> ModelPolicy {
        let model = self.models.of(Role::Answer).identity();
        let policy = ModelPolicy::new(config, config.model_size.unwrap_or_else(|| model.size()));
        let has_rejected = self.rejecting.borrow().as_ref() == Some(&model);
        if has_rejected { policy.after_rejection() } else { policy }
    }

    /// What is always told about the user, from the cache of the conversation where it is there.
    async fn profile(&self, config: &ReplyingConfig, conversation: &ConversationId) -> String {
        if !config.recalls {
            return String::new();
        }
        if self.retriever.has_profile_changed() {
            self.conversations.drop_cached(PROFILE);
        }
        let cached = self.conversations.with(conversation, |state| state.scratch.get(PROFILE).cloned());
        if let Some(profile) = cached.as_ref().and_then(|profile| profile.as_str()) {
            return profile.to_owned();
        }
        let profile = self.retriever.profile(self.clock.now(), config.memory_timeout).await;
        if let Some(profile) = &profile {
            self.conversations
                .with(conversation, |state| state.scratch.put(PROFILE, profile.as_str().into()));
        }
        profile.unwrap_or_default()
    }

    async fn answer(self, query: Query, controls: ReplyControls, events: mpsc::Sender<ReplyEvent>) {
        let ReplyControls { stop, answers } = controls;
        let config = self.config.borrow().clone();
        let now = self.clock.now();
        let entry = enter(&query, &config, &self.dialogue, &self.conversations, now);
        let mut reply = StreamedReply::new(events.clone(), entry.language.clone());
        let mut user = QuestionToUser::new(events, answers, stop.clone());
        let asked_at = entry.asked_at.as_microsecond();
        self.dialogue.say(&query.conversation, &query.origin, Participant::User, &entry.redacted, asked_at);

        let began = Instant::now();
        let models = self.models.for_reply();
        let (mut extras, mut trace) = (Extras::default(), ReplyTrace::default());
        let answering = self.think_and_answer(Thinking {
            config: &config,
            query: &query,
            entry: &entry,
            models: &models,
            reply: &mut reply,
            user: &mut user,
            extras: &mut extras,
            trace: &mut trace,
            stop: &stop,
        });
        let finished = match tokio::time::timeout(config.timeout, answering).await {
            Ok(finished) => finished,
            Err(_) => Finished::Failed(Failure::TooLong { limit: config.timeout }),
        };
        trace.model_calls = models.calls();
        trace.took = began.elapsed();
        trace.language.clone_from(&entry.language);
        reply.send(ReplyEvent::Traced(Box::new(trace.clone()))).await;
        let is_worth_remembering = self.conclude(&finished, &config, &query, &entry, &mut reply).await;
        let text = reply.shown().trim().to_owned();
        let said = redaction::scrub(&text);
        if matches!(finished, Finished::Worded) {
            self.conversations.with(&query.conversation, |state| state.note_worded(&said));
        }
        if is_worth_remembering {
            let at = self.clock.now().as_microsecond();
            self.dialogue.say_reply(&query.conversation, &query.origin, &said, trace, at);
        }
        let response = OutgoingResponse {
            text: (!text.is_empty()).then_some(Private(text)),
            voice_requested: config.speaks && (query.origin == Origin::Voice || extras.voice_requested),
            attachments: extras.attachments,
            skip_assistant_history: true,
            ..OutgoingResponse::default()
        };
        reply.send(ReplyEvent::Done(response)).await;
    }

    /// Says what is left to say. Whether the dialogue keeps the reply.
    async fn conclude(
        &self,
        finished: &Finished,
        config: &ReplyingConfig,
        query: &Query,
        entry: &Entry,
        reply: &mut StreamedReply,
    ) -> bool {
        let sentences = Messages::of(entry.language.as_ref());
        match finished {
            Finished::Said | Finished::Worded | Finished::Stopped => true,
            Finished::Silenced => {
                self.conversations.forget(&query.conversation);
                self.dialogue.withdraw(&query.conversation, entry.asked_at.as_microsecond());
                false
            }
            Finished::Malformed => {
                let apology = match self.policy(config).recommends_larger_model {
                    true => format!("{} {}", sentences.reply_garbled(), sentences.reply_larger_model()),
                    false => sentences.reply_garbled().to_owned(),
                };
                reply.say(&apology, Some(sentences.language().clone())).await;
                false
            }
            Finished::Empty => {
                reply.say(sentences.reply_no_answer(), Some(sentences.language().clone())).await;
                false
            }
            Finished::Failed(failure) => {
                let trouble = failure.trouble();
                let was_silent = reply.shown().trim().is_empty();
                reply.send(ReplyEvent::Failed(trouble.clone())).await;
                if was_silent {
                    let text = format!("{} {}", trouble.message, trouble.remedy);
                    reply.say(&text, Language::new("en")).await;
                }
                !was_silent
            }
        }
    }

    async fn think_and_answer(&self, thinking: Thinking<'_>) -> Finished {
        let Thinking { config, query, entry, models, reply, user, extras, trace, stop } = thinking;
        let context = ToolContext {
            query: Private(entry.redacted.clone()),
            // A tool has to answer in some language.
            language: entry.language.clone().or_else(|| Language::new("en")),
            conversation: query.conversation.clone(),
            origin: query.origin.clone(),
            now: self.clock.now(),
            zone: config.zone(),
            stop: stop.clone(),
        };
        let policy = self.policy(config);
        let mut open_part = None;
        if config.uses_fast_path {
            let mut stage = Stopwatch::start("rules");
            let request = PlainRequest {
                toolbox: &self.toolbox,
                context: &context,
                language: entry.language.as_ref(),
                name: &config.name,
                may_halve: policy.halves_requests,
            };
            let by_rules = request.answer(reply, user, &mut trace.tool_calls).await;
            stage.end(&mut trace.stages);
            trace.is_by_rules = matches!(by_rules, ByRules::Answered | ByRules::Silenced);
            match by_rules {
                ByRules::Answered => return Finished::Worded,
                ByRules::Silenced => return Finished::Silenced,
                ByRules::HalfAnswered { rest } => open_part = Some(Entry { redacted: rest, ..entry.clone() }),
                ByRules::Open => {}
            }
        }
        let entry = open_part.as_ref().unwrap_or(entry);
        let mut stage = Stopwatch::start("prepare");
        let now = self.clock.now();
        let facts = config.context_line(now);
        let (vector, profile) = tokio::join!(
            self.retriever.vector(&entry.redacted),
            self.choose_profile(config, query, entry, models, stop),
        );
        trace.profile = profile.map(|profile| profile.name().to_owned());
        let preparing = Preparing {
            config,
            models,
            toolbox: &self.toolbox,
            conversations: &self.conversations,
            conversation: &query.conversation,
            policy,
            facts: &facts,
            vector: vector.as_deref(),
            profile,
            stop,
        };
        let prepared = preparing.prepare(entry).await;
        stage.next("recall", &mut trace.stages);
        let (known, memory) = tokio::join!(
            self.profile(config, &query.conversation),
            recall(
                &self.retriever,
                Recalling {
                    config,
                    entry,
                    models,
                    prepared: &prepared,
                    vector,
                    digest: policy.memory_digest,
                    stop
                }
            ),
        );
        stage.next("loop", &mut trace.stages);
        let tools = self.offered(query, &prepared, policy.tools.offer);
        if policy.admits_unknown && tools.is_empty() && memory.is_unknown && !is_covered(entry, &known) {
            return say_nothing_known(entry, reply).await;
        }
        trace.selection.clone_from(&prepared.source);
        trace.plan = prepared.plan.steps().iter().cloned().map(Private).collect();
        trace.memories = memory.entries;
        let line = match policy.tells_place_first {
            true => config.time_line(now),
            false => facts,
        };
        let parts = Parts {
            dialogue: entry.dialogue.clone(),
            worded_by_models: entry.worded_by_models.clone(),
            context: format!("{line}{}{}", memory.block, plan_block(&prepared.plan)),
            form: answer_form(&query.origin, config.speaks, entry.language.as_ref()),
            query: entry.redacted.clone(),
            ..self.parts(config, known, profile)
        };
        let turns = TurnLoop::new(LoopStart {
            limits: LoopLimits {
                turns: config.max_turns,
                searches: self.toolbox.searches(),
                retries_plainly: config.retries_plainly,
            },
            policy,
            parts: split_compound(&entry.redacted, entry.language.as_ref())
                .filter(|_| prepared.plan.is_empty() && policy.tools.follows_steps),
            tools,
            plan: prepared.plan,
        });
        trace.tools = turns.tools().to_vec();
        let mut running = ReplyLoop {
            config,
            models,
            toolbox: &self.toolbox,
            parts,
            context,
            turns,
            reply,
            user,
            stop,
            extras,
            tool_answers: Vec::new(),
            tool_texts: Vec::new(),
            profile,
            is_tainted: false,
            is_incomplete: false,
            is_unsure: false,
            tool_calls: &mut trace.tool_calls,
        };
        let finished = running.run().await;
        let turns = running.turns;
        stage.end(&mut trace.stages);
        if let Some(chosen) = running.extras.switches_to {
            self.conversations.with(&query.conversation, |state| {
                (state.profile, state.has_chosen_profile) = (Some(chosen), true);
            });
        }
        let has_rejected = turns.policy().tools.protocol != policy.tools.protocol;
        if has_rejected && policy.tools.protocol == ToolProtocol::Native {
            self.rejecting.send_replace(Some(self.models.of(Role::Answer).identity()));
        }
        if !matches!(finished, Finished::Silenced) {
            self.keep_tool_results(&query.conversation, turns.messages());
        }
        finished
    }

    /// The prepared tools that this reply offers.
    fn offered(&self, query: &Query, prepared: &Prepared, offer: ToolOffer) -> Vec<String> {
        match offer {
            ToolOffer::Prepared => prepared.tools.clone(),
            ToolOffer::Fitting if prepared.best < MIN_FIT && prepared.plan.is_empty() => Vec::new(),
            ToolOffer::Fitting => {
                // A small model would search what was searched already.
                let is_due = |name: &&String| *name != SEARCH_MEMORY || prepared.search.is_none();
                prepared.tools.iter().filter(is_due).cloned().collect()
            }
            ToolOffer::Growing => self.conversations.with(&query.conversation, |state| {
                state.offer(&prepared.tools);
                state.offered.iter().filter(|name| self.toolbox.is_known(name)).cloned().collect()
            }),
        }
    }

    /// Keeps the tool messages of a reply for the next ones of its conversation.
    pub fn keep_tool_results(&self, conversation: &ConversationId, messages: &[Message]) {
        let window = self.config.borrow().dialogue_window;
        let recent = self.dialogue.recent(conversation, window, self.clock.now().as_microsecond());
        let tool_messages = messages.iter().filter(|message| crate::tool_talk::is_tool_message(message));
        let tool_messages: Vec<Message> = tool_messages.cloned().collect();
        self.conversations.with(conversation, |state| state.carry_over.record(tool_messages, &recent));
    }

    /// How many replies of a conversation have kept their tool messages.
    pub fn kept_tool_results(&self, conversation: &ConversationId) -> usize {
        self.conversations.with(conversation, |state| state.carry_over.len())
    }
}

/// Whether the dialogue or the profile may hold what the user asks for.
fn is_covered(entry: &Entry, profile: &str) -> bool {
    let dialogue = entry.dialogue.iter().map(|message| message.content.as_str());
    dialogue.chain([profile]).any(|text| may_answer(&entry.redacted, text))
}

/// Says that nothing is known. A small model would make an answer up, whatever it is told.
async fn say_nothing_known(entry: &Entry, reply: &mut StreamedReply) -> Finished {
    let sentences = Messages::of(entry.language.as_ref());
    reply.say(sentences.reply_nothing_known(), Some(sentences.language().clone())).await;
    Finished::Worded
}

/// What thinking about one reply works with.
struct Thinking<'a> {
    config: &'a ReplyingConfig,
    query: &'a Query,
    entry: &'a Entry,
    models: &'a RoleModels,
    reply: &'a mut StreamedReply,
    user: &'a mut QuestionToUser,
    extras: &'a mut Extras,
    trace: &'a mut ReplyTrace,
    stop: &'a CancellationToken,
}

impl Replier for ReplyEngine {
    fn reply(&self, query: Query, controls: ReplyControls) -> ReplyStream {
        let (events, stream) = mpsc::channel(EVENTS);
        let answering = self.clone().answer(query, controls, events);
        // The reply lives in its stream: dropping one ends the other.
        let mut answering = Box::pin(answering);
        let mut stream = ReceiverStream::new(stream);
        let mut is_answered = false;
        Box::pin(futures::stream::poll_fn(move |context| {
            if !is_answered {
                is_answered = answering.as_mut().poll(context).is_ready();
            }
            stream.poll_next_unpin(context)
        }))
    }
}
