//! One reply, from what it is given to all that can be seen of it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use llm::{ChatRequest, Embedder};
use memory::{Branch, Dialogue, Evidence, Forget, MemoryService, NewFact, Undo};
use replying::{ReplyEngine, ReplyParts, ReplyingConfig, RoleModels, Toolbox};
use settings::{ProtocolChoice, SelectionStrategy, Settings};
use testkit::{BagOfWords, FixedClock, ScriptedModel, Turn, embedded_toolbox, toolbox};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tools::Tool;
use vocabulary::{
    Clock, ConversationId, ModelCall, Origin, Query, Replier, ReplyControls, ReplyEvent, ReplyId,
};

/// The time of the fixture's clock, 2025-09-15 17:53 UTC, in microseconds.
const NOW: i64 = 1_757_958_780_000_000;

/// An hour before it.
const BEFORE: i64 = NOW - 3_600_000_000;

/// The inputs of a reply. The defaults are a large model, no tools and an empty memory.
pub struct Given {
    model: &'static str,
    knows_tools: bool,
    turns: Vec<Turn>,
    tools: Vec<Arc<dyn Tool>>,
    has_built_in_tools: bool,
    toolbox: Option<Toolbox>,
    change: fn(&mut Settings),
    protocol: ProtocolChoice,
    embedder: Arc<dyn Embedder>,
    facts: Vec<&'static str>,
    has_database: bool,
    asks: Vec<&'static str>,
    is_forgotten: bool,
    user: User,
}

/// The user of a reply.
struct User {
    origin: Origin,
    /// Somebody could answer a question.
    is_attended: bool,
    is_stopping: bool,
    /// The number of events that are read before the reply is dropped.
    reads: usize,
}

impl Given {
    /// A user who asks this, and a model with these responses.
    pub fn asked(text: &'static str, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            model: "big-model-70b",
            knows_tools: false,
            turns: turns.into_iter().collect(),
            tools: Vec::new(),
            has_built_in_tools: false,
            toolbox: None,
            change: |_| {},
            protocol: ProtocolChoice::Auto,
            embedder: Arc::new(BagOfWords::new()),
            facts: Vec::new(),
            has_database: true,
            asks: vec![text],
            is_forgotten: false,
            user: User { origin: Origin::Voice, is_attended: true, is_stopping: false, reads: usize::MAX },
        }
    }

    /// With a model of this name, which tells its size.
    pub fn of(mut self, model: &'static str) -> Self {
        self.model = model;
        self
    }

    /// With a model that has read the tools that are built in.
    pub fn knowing_tools(mut self) -> Self {
        self.knows_tools = true;
        self
    }

    /// With this tool.
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.shared_tool(Arc::new(tool))
    }

    /// With this tool.
    pub fn shared_tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// With the tools of Jarvis itself, which use the memory of the desk and are found by meaning, and
    /// with requests answered by rules.
    pub fn built_in(mut self) -> Self {
        self.has_built_in_tools = true;
        self
    }

    /// With this toolbox in place of tools of its own.
    pub fn using(mut self, toolbox: Toolbox) -> Self {
        self.toolbox = Some(toolbox);
        self
    }

    /// With this tool protocol.
    pub fn choosing(mut self, protocol: ProtocolChoice) -> Self {
        self.protocol = protocol;
        self
    }

    /// With these settings.
    pub fn set(mut self, change: fn(&mut Settings)) -> Self {
        self.change = change;
        self
    }

    /// With this embedding model.
    pub fn embedding_with(mut self, embedder: BagOfWords) -> Self {
        self.embedder = Arc::new(embedder);
        self
    }

    /// With this fact about the user in memory.
    pub fn knowing(mut self, fact: &'static str) -> Self {
        self.facts.push(fact);
        self
    }

    /// With a database that cannot be opened.
    pub fn without_database(mut self) -> Self {
        self.has_database = false;
        self
    }

    /// Typed, not spoken.
    pub fn typed(mut self) -> Self {
        self.user.origin = Origin::Typed;
        self
    }

    /// And asks this after the reply. What is seen of the replies is that of the last one.
    pub fn then(mut self, text: &'static str) -> Self {
        self.asks.push(text);
        self
    }

    /// And then wants the conversation to be forgotten.
    pub fn then_forgets(mut self) -> Self {
        self.is_forgotten = true;
        self
    }

    /// Without a user who could answer a question.
    pub fn unattended(mut self) -> Self {
        self.user.is_attended = false;
        self
    }

    /// With a user who stops the replies before they say anything.
    pub fn stopped(mut self) -> Self {
        self.user.is_stopping = true;
        self
    }

    /// With a user who goes away at the first event of a reply.
    pub fn dropped(mut self) -> Self {
        self.user.reads = 1;
        self
    }

    /// Gives the replies, and what is seen of the last one.
    pub async fn reply(mut self) -> Seen {
        let folder = tempfile::tempdir().unwrap();
        let (service, dialogue) = self.opened(folder.path()).await;
        let turns = std::mem::take(&mut self.turns);
        let model = ScriptedModel::new(turns).named(self.model).with_kept_beginnings(self.knows_tools);
        let model = Arc::new(model);
        let clock = Arc::new(FixedClock::at("2025-09-15T17:53:00Z"));
        let engine = self.engine(&service, &dialogue, &model, &clock).await;
        let mut seen = Seen::default();
        for text in self.asks {
            seen = Seen::from_events(one_reply(&engine, text, &self.user).await);
            // Later words have a later time: withdrawing them would take all that was said before.
            clock.advance(Duration::from_millis(1));
        }
        seen.asked = model.asked();
        if let Some(memory) = service.memory() {
            if self.is_forgotten {
                let all = Forget::Conversation(ConversationId::main().0);
                dialogue.forget(all, Undo::Never, NOW).await.unwrap();
            }
            let facts = memory.facts(Branch::User.node()).await.unwrap();
            seen.facts = facts.into_iter().map(|fact| fact.text).collect();
        }
        seen.kept = dialogue.recent(&ConversationId::main(), Duration::from_secs(300), NOW).len();
        seen
    }

    /// The memory with the facts that are given.
    async fn opened(&self, folder: &Path) -> (MemoryService, Dialogue) {
        // A file cannot stand where a folder is.
        let file = if self.has_database { folder.join("jarvis.db") } else { folder.to_owned() };
        let (service, opening) = MemoryService::start(&file, |_| {});
        tokio::spawn(opening);
        let (dialogue, writing) = Dialogue::start(&service);
        tokio::spawn(writing);
        if self.has_database {
            assert!(dialogue.opened(Duration::from_secs(30)).await);
        }
        for fact in &self.facts {
            let evidence = Evidence { observed_at: BEFORE, ..Evidence::default() };
            let fact = NewFact { text: (*fact).into(), evidence };
            service.memory().unwrap().learn(Branch::World.node(), fact, BEFORE).await.unwrap();
        }
        (service, dialogue)
    }

    async fn engine(
        &mut self,
        service: &MemoryService,
        dialogue: &Dialogue,
        model: &Arc<ScriptedModel>,
        clock: &Arc<FixedClock>,
    ) -> ReplyEngine {
        let mut settings = settings(self.change, self.protocol);
        let mut tools = std::mem::take(&mut self.tools);
        if self.has_built_in_tools {
            settings.replying.fast_path = true;
            tools.extend(tools::builtin::all(tools::builtin::Parts::from_memory(service.watch())));
        }
        let toolbox = match (self.toolbox.take(), self.has_built_in_tools) {
            (Some(toolbox), _) => toolbox,
            (None, true) => embedded_toolbox(tools, &settings, self.embedder.as_ref()).await,
            (None, false) => toolbox(tools, &settings),
        };
        let mut config = ReplyingConfig::try_from(&settings).unwrap();
        // The flow is tested here, not the speed of a busy machine.
        config.memory_timeout = Duration::from_secs(60);
        let (_, config) = watch::channel(config);
        let model = Arc::clone(model);
        ReplyEngine::new(ReplyParts {
            models: RoleModels::new(move |_| model.clone()),
            dialogue: dialogue.clone(),
            memory: service.watch(),
            embedder: Some(Arc::clone(&self.embedder)),
            toolbox,
            clock: Arc::clone(clock) as Arc<dyn Clock>,
            config,
        })
    }
}

fn settings(change: fn(&mut Settings), protocol: ProtocolChoice) -> Settings {
    let mut settings = Settings::default();
    settings.location.time_zone = "UTC".into();
    settings.location.place = "Leeds".into();
    settings.tools.selection_strategy = SelectionStrategy::All;
    settings.replying.fast_path = false;
    settings.replying.tool_protocol = protocol;
    change(&mut settings);
    settings
}

async fn one_reply(engine: &ReplyEngine, text: &str, user: &User) -> Vec<ReplyEvent> {
    let query = Query {
        reply: ReplyId(1),
        text: text.into(),
        language: None,
        origin: user.origin.clone(),
        conversation: ConversationId::main(),
        replaces_previous: false,
    };
    let stop = CancellationToken::new();
    if user.is_stopping {
        stop.cancel();
    }
    let (controls, answers) = ReplyControls::new(stop);
    let _answers = user.is_attended.then_some(answers);
    engine.reply(query, controls).take(user.reads).collect().await
}

/// All that can be seen of a reply.
#[derive(Debug, Default)]
pub struct Seen {
    /// The tasks of models, in order.
    roles: Vec<String>,
    /// The questions to models, in order.
    pub model_calls: Vec<ModelCall>,
    /// The number of traces.
    pub traces: usize,
    /// The tools that ran, in order, and how their calls ended.
    ran: Vec<String>,
    /// The way the tools were chosen.
    pub selection: String,
    /// The profile that answered last.
    pub profile: Option<String>,
    /// The number of things that memory added.
    memories: usize,
    said: String,
    is_spoken: bool,
    /// The words that are spoken.
    pub spoken: Option<String>,
    has_failed: bool,
    /// The number of messages that the dialogue holds.
    kept: usize,
    /// Notes about what was left out.
    pub notes: Vec<String>,
    /// The facts about the user in memory.
    pub facts: Vec<String>,
    /// The requests to all models, word for word, of all replies.
    pub asked: Vec<ChatRequest>,
}

impl Seen {
    fn from_events(events: Vec<ReplyEvent>) -> Self {
        let mut seen = Self::default();
        for event in events {
            match event {
                ReplyEvent::Traced(trace) => {
                    seen.traces += 1;
                    seen.roles = trace.model_calls.iter().map(|call| call.role.clone()).collect();
                    seen.model_calls = trace.model_calls;
                    seen.ran = trace
                        .tool_calls
                        .iter()
                        .map(|call| format!("{} {:?}", call.tool, call.outcome).to_lowercase())
                        .collect();
                    seen.selection = trace.selection;
                    seen.profile = trace.profile;
                    seen.memories = trace.memories;
                }
                ReplyEvent::Note { text } => seen.notes.push(text),
                ReplyEvent::Failed(_) => seen.has_failed = true,
                ReplyEvent::Done(response) => {
                    seen.is_spoken = response.voice_requested;
                    seen.spoken = response.spoken_text().map(str::to_owned);
                    seen.said = response.text.map(|text| text.0).unwrap_or_default();
                }
                _ => {}
            }
        }
        seen
    }

    /// All of it in one line, but what the models were asked.
    pub fn line(&self) -> String {
        let parts = [
            Some(format!("asked {}", list(&self.roles))),
            (!self.ran.is_empty()).then(|| format!("ran {}", list(&self.ran))),
            (self.memories > 0).then(|| format!("recalled {}", self.memories)),
            self.has_failed.then(|| "failed".to_owned()),
            Some(format!("{} {:?}", if self.is_spoken { "spoke" } else { "showed" }, self.said)),
            Some(format!("kept {}", self.kept)),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// The messages of one request, a block each.
    pub fn request(&self, number: usize) -> String {
        let request = &self.asked[number];
        let messages = request.messages.iter().map(|message| {
            let calls =
                message.tool_calls.iter().map(|call| format!("\n-> {} {}", call.name, call.arguments));
            format!("<{}>\n{}{}", message.role.as_str(), message.content, calls.collect::<String>())
        });
        let tools = request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>();
        let tools = if tools.is_empty() { String::new() } else { format!("\n<tools>\n{}", tools.join("\n")) };
        format!("{}{tools}", messages.collect::<Vec<_>>().join("\n"))
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
