//! One reply through a Command Center: from the query to its `Done`.

use std::time::{Duration, Instant};

use command_center::{ClientReply, CommandCenterClient, Ending, NodeConversationId, ReplyText, StockPhrase};
use futures::StreamExt;
use jiff::Timestamp;
use languages::messages::Messages;
use memory::Participant;
use replying::{
    QuestionToUser, ReplyingConfig, StreamedReply, is_own_request, language_of_reply, withdraw_previous,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tools::{Inquiries, ToolContext};
use vocabulary::{
    Language, ModelCall, ModelCallOutcome, Origin, OutgoingResponse, Private, Query, Replier, ReplyControls,
    ReplyEvent, ReplyTrace, StageTrace,
};

use super::asked_user::AskedUser;
use super::conversations::ConversationMatch;
use super::exposed_tools::{CollectedResults, ExposedTools};
use super::own_answers::{asks_for_nothing, data_of, start_timer};
use super::troubles::{too_slow, trouble_of};
use super::{NodeConfig, NodeRole};

/// The inputs of one reply.
struct Context {
    query: Query,
    /// The words of the user without secrets.
    redacted: String,
    config: NodeConfig,
    replying: ReplyingConfig,
    /// The language to answer in.
    language: Option<Language>,
    asked_at: Timestamp,
    began: Instant,
    stop: CancellationToken,
}

/// The end of an exchange with the Command Center.
enum Exchange {
    Replied(ClientReply),
    /// Stopped by the user.
    Stopped,
    TooSlow,
}

/// The end of a reply. The dialogue keeps all but a silent one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyEnd {
    /// Rules understood it.
    ByRules,
    /// In the words of the Command Center.
    ByCenter,
    /// In a sentence of our own, or stopped.
    InOwnWords,
    /// The words were not meant for us.
    Silent,
}

impl NodeRole {
    /// Answers a query; with the engine here if the Command Center cannot be reached and the settings allow it.
    pub(super) async fn answer(
        self,
        config: NodeConfig,
        query: Query,
        controls: ReplyControls,
        events: mpsc::Sender<ReplyEvent>,
    ) {
        let ReplyControls { stop, answers, caller } = controls;
        let context = self.context(config, query, stop.clone());
        let mut stream = StreamedReply::new(events.clone(), context.language.clone());
        let language = data_of(context.language.as_ref());
        if asks_for_nothing(&context.query, &context.replying.name, language) {
            return self
                .finish(&context, stream, ReplyEnd::Silent, CollectedResults::default(), Vec::new())
                .await;
        }
        if is_own_request(&context.redacted, &context.replying, context.language.as_ref()) {
            let controls = ReplyControls { stop, answers, caller };
            return hand_over(context, controls, &events, &self.parts.engine).await;
        }
        let (said, to_say) = mpsc::channel(1);
        let mut questions = QuestionToUser::new(events.clone(), answers, stop.clone());
        if context.query.origin == Origin::Satellite {
            questions.cannot_click();
        }
        let user = AskedUser::new(questions, context.query.origin.clone(), said);
        let runner = &self.parts.runner;
        let tools = ExposedTools::new(runner, &context.config, context.tool_context(), &user, events.clone());
        let own = start_timer(&context.redacted, &context.replying.name, language, &tools).await;
        if let Some(own) = own {
            stream.say(&own, context.language.clone()).await;
            return self
                .finish(&context, stream, ReplyEnd::ByRules, tools.into_collected(), Vec::new())
                .await;
        }
        let exchange = self.exchange(&context, &tools, &user, to_say, &mut stream).await;
        let is_out_of_reach =
            matches!(&exchange, Exchange::Replied(reply) if reply.ending == Ending::Unreachable);
        if is_out_of_reach && context.config.falls_back {
            let answers = user.into_questions().into_answers();
            return fall_back(context, ReplyControls { stop, answers, caller }, &events, &self.parts.engine)
                .await;
        }
        let finished = conclude(exchange, &context, &mut stream).await;
        let names = tools.names();
        self.finish(&context, stream, finished, tools.into_collected(), names).await;
    }

    fn context(&self, config: NodeConfig, query: Query, stop: CancellationToken) -> Context {
        let replying = self.parts.replying.borrow().clone();
        let now = self.parts.clock.now();
        let redacted = redaction::redact(&query.text, redaction::MAX_CHARS);
        let recent =
            self.parts.dialogue.recent(&query.conversation, replying.dialogue_window, now.as_microsecond());
        let language = language_of_reply(&replying, &query, &redacted, &recent);
        Context { query, redacted, config, replying, language, asked_at: now, began: Instant::now(), stop }
    }

    /// Sends the query, runs tools and asks the user until the Command Center has finished.
    async fn exchange(
        &self,
        context: &Context,
        tools: &ExposedTools<'_>,
        user: &AskedUser,
        mut to_say: mpsc::Receiver<String>,
        stream: &mut StreamedReply,
    ) -> Exchange {
        let Context { query, config, replying, stop, .. } = context;
        let answering = async {
            let (http, follow_up) = self.conversation(context).await;
            let client_config = self.client_config(config, context.sentences());
            let client = CommandCenterClient::new(&http, tools, user, client_config);
            client.answer(&context.redacted, follow_up.as_ref()).await
        };
        let mut answering = std::pin::pin!(tokio::time::timeout(replying.timeout, answering));
        let reply = loop {
            tokio::select! {
                biased; // A stopped reply says nothing more.
                () = stop.cancelled() => return Exchange::Stopped,
                reply = &mut answering => break reply,
                Some(words) = to_say.recv() => {
                    stream.send(ReplyEvent::Progress { text: words.clone() }).await;
                    stream.speak_first(&words, context.language.clone()).await;
                }
            }
        };
        let Ok(reply) = reply else { return Exchange::TooSlow };
        let is_open = matches!(reply.ending, Ending::Answered | Ending::NotForMe);
        match is_open && !reply.clears_history {
            true => {
                let id = reply.conversation_id.clone();
                self.conversations.keep(query, config, id, Instant::now());
            }
            false => self.conversations.forget(&query.conversation),
        }
        if reply.clears_history {
            self.end(reply.conversation_id.clone(), config);
        }
        Exchange::Replied(reply)
    }

    /// The way to the Command Center, and the conversation to go on with: that of the last reply, or one that was registered
    /// while the user spoke.
    async fn conversation(&self, context: &Context) -> (super::CenterHttp, Option<NodeConversationId>) {
        let Context { query, config, replying, .. } = context;
        let matched = self.conversations.of_query(query, config, replying.dialogue_window, Instant::now());
        let over = match matched {
            ConversationMatch::Continues(id) => return (self.connect(config).await, Some(id)),
            ConversationMatch::New { over } => over,
        };
        if let Some(over) = over {
            self.end(over, config);
        }
        if query.origin == Origin::Voice
            && let Some(prepared) = self.conversations.take_prepared(config, Instant::now()).await
        {
            return prepared;
        }
        (self.connect(config).await, None)
    }

    /// Writes the dialogue, and closes the reply.
    async fn finish(
        &self,
        context: &Context,
        stream: StreamedReply,
        finished: ReplyEnd,
        collected: CollectedResults,
        tools: Vec<String>,
    ) {
        let Context { query, replying, .. } = context;
        let text = stream.shown().trim().to_owned();
        let took = context.began.elapsed();
        let trace = ReplyTrace {
            language: context.language.clone(),
            stages: vec![StageTrace { stage: "command center".to_owned(), took }],
            is_by_rules: finished == ReplyEnd::ByRules,
            model_calls: (finished == ReplyEnd::ByCenter)
                .then(|| context.model_call(took))
                .into_iter()
                .collect(),
            tools,
            tool_calls: collected.calls,
            took,
            ..ReplyTrace::default()
        };
        stream.send(ReplyEvent::Traced(Box::new(trace.clone()))).await;
        if finished != ReplyEnd::Silent {
            let said_at = self.record(context, &text, trace);
            if finished == ReplyEnd::ByCenter {
                self.parts.engine.note_foreign_reply(&query.conversation, said_at);
            }
        }
        let has_words = collected.voice_text.is_some();
        let is_heard = query.origin.is_spoken() || collected.voice_requested || has_words;
        // A satellite has no screen.
        let speaks = replying.speaks || query.origin == Origin::Satellite;
        let response = OutgoingResponse {
            // Failures have words: without any, what was said was not meant for us.
            is_dismissed: text.is_empty() && !has_words,
            text: (!text.is_empty()).then_some(Private(text)),
            voice_requested: speaks && is_heard,
            voice_text: collected.voice_text.map(Private),
            attachments: collected.attachments,
            skip_assistant_history: true,
        };
        stream.send(ReplyEvent::Done(response)).await;
    }

    /// Writes both sides at once: the engine here writes a query itself if it answers instead. Returns the time of the reply.
    fn record(&self, context: &Context, text: &str, trace: ReplyTrace) -> i64 {
        let (query, dialogue) = (&context.query, &self.parts.dialogue);
        let asked_at = context.asked_at.as_microsecond();
        if query.replaces_previous {
            let window = context.replying.dialogue_window;
            withdraw_previous(dialogue, query, &dialogue.recent(&query.conversation, window, asked_at));
        }
        dialogue.say(&query.conversation, &query.origin, Participant::User, &context.redacted, asked_at);
        let at = self.parts.clock.now().as_microsecond();
        dialogue.say_reply(query, &redaction::scrub(text), trace, at);
        at
    }
}

impl Context {
    /// The Command Center in the place of a model.
    fn model_call(&self, took: Duration) -> ModelCall {
        let host = self.config.address.host_str().unwrap_or_default();
        ModelCall {
            role: "answer".to_owned(),
            model: format!("Command Center {host}"),
            is_embedded: false,
            outcome: ModelCallOutcome::Answered,
            took,
            prompt_tokens: 0,
            completion_tokens: 0,
        }
    }

    /// The sentences of our own.
    fn sentences(&self) -> &'static Messages {
        Messages::for_language(self.language.as_ref())
    }

    fn tool_context(&self) -> ToolContext {
        ToolContext {
            query: Private(self.redacted.clone()),
            // A tool has to answer in some language.
            language: self.language.clone().or_else(|| Language::new("en")),
            conversation: self.query.conversation.clone(),
            origin: self.query.origin.clone(),
            now: self.asked_at,
            zone: self.replying.zone(),
            stop: self.stop.clone(),
            inquiries: Inquiries::default(),
        }
    }
}

/// Says what is left to say.
async fn conclude(exchange: Exchange, context: &Context, stream: &mut StreamedReply) -> ReplyEnd {
    let sentences = context.sentences();
    let text = match exchange {
        Exchange::Stopped => return ReplyEnd::InOwnWords,
        Exchange::TooSlow => {
            stream.send(ReplyEvent::Failed(too_slow())).await;
            ReplyText::Stock(StockPhrase::Unreachable)
        }
        Exchange::Replied(reply) => {
            if reply.ending == Ending::NotForMe {
                return ReplyEnd::Silent;
            }
            if let ReplyText::Stock(phrase) = &reply.text
                && let Some(trouble) = trouble_of(phrase)
            {
                stream.send(ReplyEvent::Failed(trouble)).await;
            }
            reply.text
        }
    };
    match text {
        ReplyText::Words(words) => {
            stream.say(&words, context.language.clone()).await;
            if stream.shown().trim().is_empty() {
                tracing::warn!("the answer of the Command Center was malformed");
                stream.say(sentences.reply_garbled(), Some(sentences.language().clone())).await;
                return ReplyEnd::InOwnWords;
            }
            ReplyEnd::ByCenter
        }
        ReplyText::Stock(phrase) => {
            stream.say(&phrase.sentence(sentences), Some(sentences.language().clone())).await;
            ReplyEnd::InOwnWords
        }
        ReplyText::Nothing => ReplyEnd::Silent,
    }
}

/// Lets the engine here answer, and says why.
async fn fall_back(
    context: Context,
    controls: ReplyControls,
    events: &mpsc::Sender<ReplyEvent>,
    local: &dyn Replier,
) {
    tracing::info!("the Command Center cannot be reached, so the engine here answers");
    let text = context.sentences().node_answers_itself().to_owned();
    if events.send(ReplyEvent::Progress { text }).await.is_ok() {
        hand_over(context, controls, events, local).await;
    }
}

/// Lets the engine here answer in place of the Command Center.
async fn hand_over(
    context: Context,
    controls: ReplyControls,
    events: &mpsc::Sender<ReplyEvent>,
    local: &dyn Replier,
) {
    let mut reply = local.reply(context.query, controls);
    while let Some(event) = reply.next().await {
        // Without a reader the reply is dropped, as its own stream would be.
        if events.send(event).await.is_err() {
            return;
        }
    }
}
