//! The flow of one reply.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use jiff::Timestamp;
use llm::{ChatEvent, ChatModel, ChatRequest, Embedder, LlmError, Message};
use memory::{Dialogue, Memory, MessageContent, Participant};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vocabulary::{
    Clock, ConversationId, Language, Origin, OutgoingResponse, Private, Query, Replier, ReplyControls,
    ReplyEvent, ReplyStream, Stage, Trouble,
};

use crate::config::{ContextPosition, ReplyingConfig};
use crate::language::{language_of_reply, language_of_sentence};
use crate::memory_retriever::MemoryRetriever;
use crate::prompt::{answer_form, memory_block, system_message};
use crate::sentence_gate::{Ending, GateEvent, Malformed, SentenceGate};

/// Events of a reply that wait to be read. When it is full the model waits, so nothing is lost.
const EVENTS: usize = 64;

/// The reply to a malformed answer of the model.
const MALFORMED_APOLOGY: &str =
    "I'm afraid that came out garbled. Could you ask me again, perhaps in other words?";

/// The reply to an empty answer of the model.
const EMPTY_APOLOGY: &str = "I'm afraid I have no answer to that. Could you put it another way?";

/// Answers queries with a language model. Clones share it.
#[derive(Clone)]
pub struct ReplyEngine {
    model: Arc<dyn ChatModel>,
    dialogue: Dialogue,
    retriever: MemoryRetriever,
    clock: Arc<dyn Clock>,
    config: watch::Receiver<ReplyingConfig>,
}

impl ReplyEngine {
    /// An engine that asks `model`, reads and writes `dialogue`, searches `memory` once that is open, and follows
    /// `config`. With an embedder it searches by meaning as well as by words.
    pub fn new(
        model: Arc<dyn ChatModel>,
        dialogue: Dialogue,
        memory: watch::Receiver<Option<Memory>>,
        embedder: Option<Arc<dyn Embedder>>,
        clock: Arc<dyn Clock>,
        config: watch::Receiver<ReplyingConfig>,
    ) -> Self {
        let retriever = MemoryRetriever::new(memory, embedder);
        Self { model, dialogue, retriever, clock, config }
    }

    /// The messages that every next reply begins with, to fill a model's prefix cache with.
    pub async fn prefix(&self) -> Vec<Message> {
        let config = self.config.borrow().clone();
        self.beginning(&config).await
    }

    /// The messages that the next reply in this conversation begins with. What a reply added to its own newest message is
    /// not stored, so the model must read the last exchange again.
    pub async fn prefix_with_dialogue(&self, conversation: &ConversationId) -> Vec<Message> {
        let config = self.config.borrow().clone();
        let mut messages = self.beginning(&config).await;
        // The other position changes the first message of every reply, so no prefix can be kept.
        if config.context_position == ContextPosition::NewestMessage {
            messages.extend(self.recent(&config, conversation).into_iter().map(as_message));
        }
        messages
    }

    fn recent(&self, config: &ReplyingConfig, conversation: &ConversationId) -> Vec<MessageContent> {
        self.dialogue.recent(conversation, config.dialogue_window, self.clock.now().as_microsecond())
    }

    /// The messages that stay the same from reply to reply, until the profile changes.
    async fn beginning(&self, config: &ReplyingConfig) -> Vec<Message> {
        let mut system = system_message(&config.name);
        if config.recalls {
            let profile = self.retriever.profile(self.clock.now(), config.memory_timeout).await;
            if !profile.is_empty() {
                system = format!("{system}\n\n{profile}");
            }
        }
        vec![Message::system(system)]
    }

    async fn messages(
        &self,
        config: &ReplyingConfig,
        query: &Query,
        redacted: &str,
        language: Option<&Language>,
    ) -> Vec<Message> {
        let now = self.clock.now();
        let recent = self.recent(config, &query.conversation);
        let before =
            recent.first().map_or(now, |said| Timestamp::from_microsecond(said.at_micros).unwrap_or(now));
        let recalling = async {
            if !config.recalls {
                return String::new();
            }
            let (zone, limit) = (config.zone(), config.memory_timeout);
            memory_block(&self.retriever.recall(redacted, before, &zone, limit).await)
        };
        let (mut messages, recalled) = tokio::join!(self.beginning(config), recalling);
        let line = format!("{}{recalled}", config.context_line(now));
        let form = answer_form(&query.origin, config.speaks, language);
        if config.context_position == ContextPosition::SystemTop {
            messages[0].content = format!("{line}\n\n{}", messages[0].content);
        }
        messages.extend(recent.into_iter().map(as_message));
        messages.push(match config.context_position {
            ContextPosition::NewestMessage => Message::user(format!("{line}\n{form}\n{redacted}")),
            ContextPosition::SystemTop => Message::user(format!("{form}\n{redacted}")),
        });
        messages
    }

    async fn answer(self, query: Query, stop: CancellationToken, events: mpsc::Sender<ReplyEvent>) {
        let config = self.config.borrow().clone();
        let redacted = redaction::redact(&query.text, redaction::MAX_CHARS);
        if query.continues_previous {
            self.withdraw_previous(&config, &query);
        }
        let recent = self.recent(&config, &query.conversation);
        let language = language_of_reply(&config, &query, &redacted, &recent);
        let messages = self.messages(&config, &query, &redacted, language.as_ref()).await;
        let asked_at = self.clock.now().as_microsecond();
        self.dialogue.say(&query.conversation, &query.origin, Participant::User, &redacted, asked_at);

        let mut reply = StreamedReply { gate: SentenceGate::new(), events, sentences: 0, language };
        let deadline = Instant::now() + config.timeout;
        let asking = self.ask(&config, messages, &mut reply, &stop);
        let outcome = tokio::select! {
            outcome = asking => outcome,
            () = tokio::time::sleep_until(deadline) => Err(Failure::TooLong { limit: config.timeout }),
        };
        let (text, is_worth_remembering) = match outcome {
            Ok(Ended::Complete) => reply.end().await,
            // What was released is part of the dialogue.
            Ok(Ended::Stopped) => (reply.gate.shown().trim().to_owned(), true),
            Err(failure) => {
                let trouble = failure.trouble();
                reply.send(ReplyEvent::Failed(trouble.clone())).await;
                let shown = reply.gate.shown().trim().to_owned();
                match shown.is_empty() {
                    true => (reply.say(&format!("{} {}", trouble.message, trouble.remedy)).await, false),
                    false => (shown, true),
                }
            }
        };
        if is_worth_remembering {
            let said = redaction::scrub(&text);
            self.dialogue.say(
                &query.conversation,
                &query.origin,
                Participant::Assistant,
                &said,
                self.clock.now().as_microsecond(),
            );
        }
        let response = OutgoingResponse {
            text: (!text.is_empty()).then_some(Private(text)),
            voice_requested: query.origin == Origin::Voice && config.speaks,
            skip_assistant_history: true,
            ..OutgoingResponse::default()
        };
        reply.send(ReplyEvent::Done(response)).await;
    }

    /// Takes back the first half of a query that the user went on with, and what was answered to it: this query holds
    /// all of its words.
    fn withdraw_previous(&self, config: &ReplyingConfig, query: &Query) {
        let recent = self.recent(config, &query.conversation);
        let asked = recent.iter().rev().find(|said| said.participant == Participant::User);
        if let Some(asked) = asked {
            self.dialogue.withdraw(&query.conversation, asked.at_micros);
        }
    }

    /// Asks the model, and once more if the first attempt failed before anything was released.
    async fn ask(
        &self,
        config: &ReplyingConfig,
        messages: Vec<Message>,
        reply: &mut StreamedReply,
        stop: &CancellationToken,
    ) -> Result<Ended, Failure> {
        let request = ChatRequest::new(messages)
            .with_max_tokens(config.max_tokens)
            .with_temperature(config.temperature);
        let turn = tracing::info_span!("turn", attempt = 1);
        match self.attempt(request.clone(), reply, stop).instrument(turn).await {
            Err(Failure::Model(error)) if error.is_transient() && reply.gate.shown().is_empty() => {
                tracing::warn!(%error, "the model broke off; asking once more");
                reply.gate = SentenceGate::new();
                let turn = tracing::info_span!("turn", attempt = 2);
                self.attempt(request, reply, stop).instrument(turn).await
            }
            outcome => outcome,
        }
    }

    async fn attempt(
        &self,
        request: ChatRequest,
        reply: &mut StreamedReply,
        stop: &CancellationToken,
    ) -> Result<Ended, Failure> {
        let connecting = self.model.chat(request, stop.clone());
        let mut answer = tokio::select! {
            biased; // A stopped reply asks no model.
            () = stop.cancelled() => return Ok(Ended::Stopped),
            answer = connecting => answer?,
        };
        loop {
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(Ended::Stopped),
                next = answer.next() => next,
            };
            match next {
                Some(Ok(ChatEvent::Text(text))) => {
                    if reply.grow(&text).await == Growth::Over {
                        return Ok(Ended::Complete);
                    }
                }
                Some(Ok(ChatEvent::Finished(_))) | None => return Ok(Ended::Complete),
                // No tools are offered yet, and thinking is not shown.
                Some(Ok(ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_))) => {}
                Some(Err(error)) => return Err(error.into()),
            }
        }
    }
}

fn as_message(said: MessageContent) -> Message {
    match said.participant {
        Participant::User => Message::user(said.text.0),
        Participant::Assistant => Message::assistant(said.text.0),
    }
}

impl Replier for ReplyEngine {
    fn reply(&self, query: Query, controls: ReplyControls) -> ReplyStream {
        let (events, stream) = mpsc::channel(EVENTS);
        let answering = self.clone().answer(query, controls.stop, events);
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

/// A reply under way: its text so far, and where its events go.
struct StreamedReply {
    gate: SentenceGate,
    events: mpsc::Sender<ReplyEvent>,
    sentences: usize,
    /// The language that the model was told to answer in.
    language: Option<Language>,
}

/// How the model's answer ended.
enum Ended {
    Complete,
    /// The reply was stopped.
    Stopped,
}

#[derive(PartialEq)]
enum Growth {
    Goes,
    /// The answer is malformed: read no further.
    Over,
}

impl StreamedReply {
    async fn grow(&mut self, text: &str) -> Growth {
        match self.gate.push(text) {
            Ok(events) => {
                self.send_all(events).await;
                Growth::Goes
            }
            Err(Malformed { events }) => {
                self.send_all(events).await;
                Growth::Over
            }
        }
    }

    /// The model has finished: releases the rest. Returns the whole text, and whether the dialogue keeps it.
    async fn end(&mut self) -> (String, bool) {
        let shown_before = self.gate.shown().to_owned();
        let Ending { events, was_malformed } = std::mem::take(&mut self.gate).finish();
        let rest: String = events
            .iter()
            .filter_map(|event| match event {
                GateEvent::Delta(text) => Some(text.as_str()),
                GateEvent::Sentence(_) => None,
            })
            .collect();
        self.send_all(events).await;
        let whole = format!("{shown_before}{rest}").trim().to_owned();
        match (whole.is_empty(), was_malformed) {
            (false, _) => (whole, true),
            (true, true) => (self.say(MALFORMED_APOLOGY).await, false),
            (true, false) => (self.say(EMPTY_APOLOGY).await, false),
        }
    }

    /// Releases an English sentence of our own.
    async fn say(&mut self, text: &str) -> String {
        self.language = Language::new("en");
        let mut gate = SentenceGate::new();
        let mut events = gate.push(text).unwrap_or_default();
        events.extend(gate.finish().events);
        self.send_all(events).await;
        text.to_owned()
    }

    async fn send_all(&mut self, events: Vec<GateEvent>) {
        for event in events {
            let event = match event {
                GateEvent::Delta(text) => ReplyEvent::Delta { text },
                GateEvent::Sentence(text) => {
                    self.sentences += 1;
                    let language = language_of_sentence(&text, self.language.as_ref());
                    ReplyEvent::Sentence { index: self.sentences - 1, text, language }
                }
            };
            self.send(event).await;
        }
    }

    async fn send(&self, event: ReplyEvent) {
        // The reader may be gone; the dialogue stores the reply anyway.
        let _ = self.events.send(event).await;
    }
}

/// Why the model did not finish.
enum Failure {
    Model(LlmError),
    TooLong { limit: Duration },
}

impl From<LlmError> for Failure {
    fn from(error: LlmError) -> Self {
        Self::Model(error)
    }
}

impl Failure {
    fn trouble(&self) -> Trouble {
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
