//! A memory in a temporary file, and a model that answers by simple rules.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message,
    ModelIdentity, ProviderKind, Usage,
};
use memory::{Branch, Fact, Memory, MessageContent, NewMessage, NodeId, Participant};
use parking_lot::Mutex;
use reflection::{DIARY_LIMIT, DiaryUpdate, LearningOutcome, PassContext, Reflection, ReflectionError};
use serde_json::json;
use tempfile::TempDir;
use vocabulary::ConversationId;

pub const MINUTE: i64 = 60_000_000;
pub const DAY: i64 = 24 * 60 * MINUTE;

/// 2025-11-22, noon UTC.
pub const NOW: i64 = 1_763_812_800_000_000;

/// The pass that a question belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Diary,
    Facts,
    Place,
    Merge,
    Split,
    Clean,
    Tags,
}

/// The behaviour of the model in place of its normal answer.
pub enum Override {
    Says(String),
    Refuses,
    Hangs,
}

type OverrideRule = Box<dyn FnMut(Pass, &str) -> Option<Override> + Send>;

/// A model that answers each pass by a simple rule.
pub struct RuleBasedModel {
    override_rule: Mutex<OverrideRule>,
    asked: Mutex<Vec<(Pass, String)>>,
}

impl RuleBasedModel {
    /// From now on, `override_rule` may replace answers. `None` keeps the normal answer.
    pub fn override_answers(
        &self,
        override_rule: impl FnMut(Pass, &str) -> Option<Override> + Send + 'static,
    ) {
        *self.override_rule.lock() = Box::new(override_rule);
    }

    /// From now on, all answers are normal again.
    pub fn answer_normally(&self) {
        self.override_answers(|_, _| None);
    }

    /// Returns the number of questions of this pass.
    pub fn asked(&self, pass: Pass) -> usize {
        self.asked.lock().iter().filter(|(asked, _)| *asked == pass).count()
    }

    /// The material of the last question of this pass.
    pub fn last(&self, pass: Pass) -> String {
        let asked = self.asked.lock();
        asked
            .iter()
            .rev()
            .find(|(asked, _)| *asked == pass)
            .map(|(_, given)| given.clone())
            .unwrap_or_default()
    }
}

#[async_trait]
impl ChatModel for RuleBasedModel {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let (task, material) = (&request.messages[0].content, &request.messages.last().unwrap().content);
        let pass = pass(task);
        self.asked.lock().push((pass, material.clone()));
        let override_answers = (self.override_rule.lock())(pass, material);
        let answer = match override_answers {
            Some(Override::Refuses) => return Err(LlmError::Busy),
            Some(Override::Says(answer)) => answer,
            Some(Override::Hangs) => {
                let silence = futures::stream::once(async move { stop.cancelled().await });
                return Ok(silence.filter_map(|()| async { None }).boxed());
            }
            None => answer(pass, material),
        };
        let end = ChatEvent::Finished(Usage::unknown(FinishReason::Stop));
        Ok(futures::stream::iter([Ok(ChatEvent::Text(answer)), Ok(end)]).boxed())
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity::new(ProviderKind::Embedded, "scribe")
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        Ok(())
    }
}

fn pass(task: &str) -> Pass {
    [
        ("You keep the diary", Pass::Diary),
        ("You pick out", Pass::Facts),
        ("You file facts", Pass::Place),
        ("You keep a list of facts", Pass::Merge),
        ("You tidy a folder", Pass::Split),
        ("You clean a diary", Pass::Clean),
        ("You tidy the topics", Pass::Tags),
    ]
    .into_iter()
    .find_map(|(begin, pass)| task.starts_with(begin).then_some(pass))
    .unwrap()
}

fn answer(pass: Pass, material: &str) -> String {
    match pass {
        Pass::Diary => {
            let so_far = fenced(material, "DIARY").join(" ");
            let said = fenced(material, "DIALOGUE");
            let said: Vec<&str> = said.iter().filter_map(|line| line.strip_prefix("User: ")).collect();
            format!("SUMMARY: {so_far} Said: {}.\nTOPICS: tea, talk", said.join("; "))
        }
        Pass::Facts => facts_in(&fenced(material, "DIALOGUE")),
        Pass::Place => "NONE".into(),
        Pass::Merge => merged(material),
        Pass::Split => {
            let numbers = 1..=fenced(material, "FACTS").len();
            let (odd, even): (Vec<usize>, Vec<usize>) = numbers.partition(|number| number % 2 == 1);
            json!({"summary": "All of it", "categories": [
                {"name": "Odd", "description": "one", "facts": odd},
                {"name": "Even", "description": "two", "facts": even},
            ]})
            .to_string()
        }
        Pass::Clean => {
            let text = fenced(material, "DIARY").join(" ");
            let sentences = text.split_inclusive(". ").filter(|sentence| !sentence.contains("could not"));
            sentences.collect::<String>().trim().to_owned()
        }
        Pass::Tags => r#"{"teas": "tea"}"#.into(),
    }
}

/// The lines between the markers with this name.
pub fn fenced(material: &str, name: &str) -> Vec<String> {
    let begin = format!("<<<BEGIN UNTRUSTED {name}>>>");
    let Some((_, after)) = material.split_once(&begin) else { return Vec::new() };
    let inside = after.split("<<<END").next().unwrap_or_default();
    inside.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Facts from the user's words, and wrong facts from what the assistant says about the user.
fn facts_in(lines: &[String]) -> String {
    let mut facts = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if let Some(said) = line.strip_prefix("User: ") {
            let quote = said.trim_end_matches(['.', '!']);
            if let Some((_, liked)) = quote.to_lowercase().split_once("i like ") {
                let fact = format!("The user likes {liked}.");
                facts.push(json!({"branch": "USER", "fact": fact, "quote": quote}));
            }
            for lives in ["I live in ", "I moved to "] {
                if let Some((_, town)) = quote.split_once(lives) {
                    let fact = format!("The user lives in {town}.");
                    facts.push(json!({"branch": "USER", "fact": fact, "quote": quote}));
                }
            }
            if let Some(order) = quote.strip_prefix("From now on ") {
                let fact = format!("From now on {order}.");
                facts.push(json!({"branch": "DIRECTIVES", "fact": fact, "quote": quote}));
            }
        }
        if let Some((_, liked)) = line.split_once("Assistant: You like ") {
            let fact = format!("The user likes {}", liked.to_uppercase());
            let fact_again = format!("The user enjoys {liked}");
            facts.push(json!({"branch": "USER", "fact": fact}));
            facts.push(json!({"branch": "WORLD", "fact": fact_again, "quote": format!("You like {liked}")}));
            if let Some(yes) = lines.get(place + 1).and_then(|next| next.strip_prefix("User: ")) {
                let fact = format!("The user is fond of {liked}");
                facts.push(json!({"branch": "USER", "fact": fact, "quote": yes}));
            }
        }
    }
    json!(facts).to_string()
}

/// Keeps all facts; a new home replaces the old one.
fn merged(material: &str) -> String {
    let text = |line: &String| line.split_once(". ").map_or(String::new(), |(_, text)| text.to_owned());
    let old: Vec<String> = fenced(material, "EXISTING FACTS").iter().map(text).collect();
    let new: Vec<String> = fenced(material, "NEW FACTS").iter().map(text).collect();
    let is_home = |fact: &String| fact.starts_with("The user lives in ");
    let home = new.iter().position(is_home);
    let replaced = home.and_then(|_| old.iter().position(is_home));
    let stay = old.iter().enumerate().filter(|(place, _)| Some(*place) != replaced).map(|(_, fact)| fact);
    let replaces = match (home, replaced) {
        (Some(new), Some(old)) => vec![json!({"new": new + 1, "existing": old + 1})],
        _ => vec![],
    };
    json!({"facts": stay.chain(&new).collect::<Vec<_>>(), "replaces": replaces}).to_string()
}

/// A memory, a model, and a [`Reflection`] with both.
pub struct Fixture {
    pub _folder: TempDir,
    pub memory: Memory,
    pub model: Arc<RuleBasedModel>,
    pub reflection: Reflection,
}

impl Fixture {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(&folder.path().join("jarvis.db")).unwrap().memory;
        let model = Arc::new(RuleBasedModel {
            override_rule: Mutex::new(Box::new(|_, _| None)),
            asked: Mutex::default(),
        });
        let reflection = Reflection::new(memory.clone(), Arc::clone(&model) as Arc<dyn ChatModel>);
        Self { _folder: folder, memory, model, reflection }
    }

    pub async fn say(&self, at: i64, user: &str) {
        self.memory.add_messages(vec![message(at, Participant::User, user)]).await.unwrap();
    }

    pub async fn answer(&self, at: i64, text: &str) {
        self.memory.add_messages(vec![message(at, Participant::Assistant, text)]).await.unwrap();
    }

    pub async fn write(&self) -> Result<DiaryUpdate, ReflectionError> {
        self.write_at(&context()).await
    }

    pub async fn write_at(&self, context: &PassContext) -> Result<DiaryUpdate, ReflectionError> {
        self.reflection.write_diary(context, &CancellationToken::new(), &mut |_| {}).await
    }

    pub async fn learn(&self) -> LearningOutcome {
        self.reflection.learn(&context(), &CancellationToken::new()).await
    }

    pub async fn facts(&self, node: NodeId) -> Vec<Fact> {
        self.memory.facts(node).await.unwrap()
    }

    /// The facts in the branch about the user.
    pub async fn user_facts(&self) -> Vec<String> {
        self.facts(Branch::User.node()).await.into_iter().map(|fact| fact.text).collect()
    }

    /// The entries as day and summary, newest first.
    pub async fn diary(&self) -> Vec<(String, String)> {
        let entries = self.memory.entries(memory::DiaryFilter::default()).await.unwrap();
        entries.into_iter().map(|entry| (entry.day.to_string(), entry.summary)).collect()
    }

    pub async fn pending(&self) -> usize {
        self.memory.pending_messages(10_000).await.unwrap().len()
    }
}

pub fn message(at: i64, speaker: Participant, text: &str) -> NewMessage {
    NewMessage {
        conversation: ConversationId("main".into()),
        channel: "voice".into(),
        content: MessageContent::new(speaker, text, at),
        is_in_diary: false,
    }
}

pub fn context() -> PassContext {
    PassContext { now: at(NOW + DAY), zone: TimeZone::UTC, context_tokens: 8192, limit: DIARY_LIMIT }
}

pub fn at(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap()
}
