//! An assistant that is a node of a Command Center.

use std::sync::Arc;
use std::time::Duration;

use assistant::{Assistant, AssistantBuilder, ContactPurpose, Instance, ReplyRequest};
use audio::{AudioError, Capture, Microphone, frame_queue};
use serde_json::{Value, json};
use settings::{Folders, SecretStore};
use tempfile::TempDir;
use testkit::{
    FixedClock, InMemorySecrets, ScriptedLoudspeaker, ScriptedModel, ScriptedSpeech, ToneVoice, Turn,
};
use tokio::sync::Notify;
use vocabulary::{Answer, AssistantEvent, ConversationId, Origin, ReplyEvent, Stage};

use crate::center::Center;

/// The answer of the model here.
pub const HERE: &str = "The sea is wide and blue.";

/// Longest wait for a change of the settings to be applied.
const LIMIT: Duration = Duration::from_secs(20);

/// The way in which the user answers questions.
#[derive(Clone, Copy)]
pub enum Answers {
    Nothing,
    With(&'static str),
}

/// All that a user gets from a reply.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub text: String,
    pub questions: Vec<String>,
    pub progress: Vec<String>,
    pub tools: Vec<String>,
    /// The writer of the answer, by the trace.
    pub writer: String,
    pub trouble: Option<(Stage, String)>,
    /// The words to speak.
    pub spoken: Option<String>,
}

impl Outcome {
    /// A reply in the words of the Command Center.
    pub fn says(text: &str) -> Self {
        let writer = "Command Center 127.0.0.1".to_owned();
        Self { text: text.to_owned(), writer, ..Self::default() }
    }
}

pub struct Fixture {
    assistant: Assistant,
    model: Arc<ScriptedModel>,
    pub answers: Answers,
    /// Told of each line of progress.
    pub progressed: Arc<Notify>,
    voice: ToneVoice,
    loudspeaker: ScriptedLoudspeaker,
    _folder: TempDir,
}

impl Fixture {
    /// A node of this Command Center with the right key. `settings` are those of its section besides the address.
    pub async fn at(center: &Center, settings: Value, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with_key(&center.url(), "secret", settings, turns).await
    }

    pub async fn with_key(
        url: &str,
        key: &str,
        settings: Value,
        turns: impl IntoIterator<Item = Turn>,
    ) -> Self {
        Self::start(key, json!({ "command_center": section(url, settings) }), turns, quiet).await
    }

    pub async fn offline(url: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        let settings = json!({ "command_center": section(url, json!({})), "web": { "offline": true } });
        Self::start("secret", settings, turns, quiet).await
    }

    /// A node that speaks aloud. `settings` are those of its section besides the address.
    pub async fn aloud(center: &Center, settings: Value) -> Self {
        let settings = json!({ "command_center": section(&center.url(), settings) });
        let (voice, loudspeaker) = (ToneVoice::new("tone"), ScriptedLoudspeaker::default());
        let parts = (Arc::new(voice.clone()), Arc::new(loudspeaker.clone()));
        let fixture = Self::start("secret", settings, [], |builder| {
            builder.with_voice(parts.0).with_loudspeaker(parts.1)
        });
        Self { voice, loudspeaker, ..fixture.await }
    }

    /// Says something, and waits for as many sounds. Returns their durations.
    pub async fn hear(&self, text: &str, sounds: usize) -> Vec<Duration> {
        self.assistant.ask(text, Origin::Voice).await.unwrap();
        let heard = async {
            loop {
                let seen =
                    self.loudspeaker.until(|seen| seen.queued.len() >= sounds || seen.started > 0).await;
                match seen.queued.len() >= sounds {
                    true => return seen.queued,
                    // The next sound is queued when the one before it is out.
                    false => drop(self.loudspeaker.finish_sound()),
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LIMIT, heard).await.unwrap()
    }

    pub async fn ask_aloud(&self, text: &str) {
        self.assistant.ask(text, Origin::Voice).await.unwrap();
    }

    /// Waits until there is as much sound in the loudspeaker, up to what a sample more or less lasts. Returns its duration,
    /// in whole milliseconds.
    pub async fn hear_for(&self, duration: Duration) -> Duration {
        let sound = |queued: &[Duration]| {
            let micros = queued.iter().sum::<Duration>().as_micros() as u64;
            Duration::from_millis((micros + 500) / 1_000)
        };
        let heard = self.loudspeaker.until(|seen| sound(&seen.queued) >= duration);
        sound(&tokio::time::timeout(LIMIT, heard).await.unwrap().queued)
    }

    /// The troubles that are not over.
    pub fn troubles(&self) -> Vec<String> {
        self.assistant.troubles().into_iter().map(|trouble| trouble.message).collect()
    }

    /// The texts that the voice here has spoken.
    pub fn spoken_here(&self) -> Vec<String> {
        self.voice.asked()
    }

    /// A node with a microphone in which nothing is heard.
    pub async fn with_microphone(center: &Center) -> Self {
        let settings = json!({ "command_center": section(&center.url(), json!({})) });
        let fixture = Self::start("secret", settings, [], |builder| {
            builder
                .with_microphone(Arc::new(StillMicrophone))
                .with_recogniser(Arc::new(ScriptedSpeech::new([])))
                .with_voice(Arc::new(ToneVoice::new("tone")))
                .with_loudspeaker(Arc::new(ScriptedLoudspeaker::default()))
        });
        let fixture = fixture.await;
        fixture.assistant.open_microphone();
        fixture
    }

    async fn start(
        key: &str,
        settings: Value,
        turns: impl IntoIterator<Item = Turn>,
        furnish: impl FnOnce(AssistantBuilder) -> AssistantBuilder,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        std::fs::create_dir_all(&folders.config).unwrap();
        std::fs::write(folders.config.join("settings.json"), settings.to_string()).unwrap();
        let secrets = InMemorySecrets::default();
        secrets.set("command_center.node_key", &key.into()).unwrap();
        let model = Arc::new(ScriptedModel::new(turns));
        let builder = AssistantBuilder::new(folders.clone())
            .for_one_question()
            .with_secrets(Arc::new(secrets))
            .with_clock(Arc::new(FixedClock::at("2025-09-15T17:53:00Z")))
            .with_model(Arc::clone(&model) as Arc<dyn llm::ChatModel>);
        let instance = Instance::claim(&folders.data).unwrap();
        let assistant = Assistant::start(furnish(builder), instance).await.unwrap();
        Self {
            assistant,
            model,
            answers: Answers::Nothing,
            progressed: Arc::default(),
            voice: ToneVoice::new("tone"),
            loudspeaker: ScriptedLoudspeaker::default(),
            _folder: folder,
        }
    }

    /// Asks as a calling program does, in the conversation of the user.
    pub async fn ask(&self, text: &str) -> Outcome {
        let request = ReplyRequest::new(text, ConversationId::main());
        let mut reply = self.assistant.open_reply(request).await.unwrap();
        let mut outcome = Outcome::default();
        while let Some(event) = reply.next().await {
            match event {
                ReplyEvent::Progress { text } => {
                    outcome.progress.push(text);
                    self.progressed.notify_one();
                }
                ReplyEvent::ToolStarted { tool, .. } => outcome.tools.push(tool),
                ReplyEvent::Failed(trouble) => outcome.trouble = Some((trouble.stage, trouble.message)),
                ReplyEvent::Question(question) => {
                    outcome.questions.push(question.text);
                    if let Answers::With(words) = self.answers {
                        let answer = Answer { question: question.id, text: words.to_owned().into() };
                        reply.answer(answer).unwrap();
                    }
                }
                ReplyEvent::Traced(trace) => {
                    let writer = trace.model_calls.last().map(|call| call.model.clone());
                    outcome.writer = writer.unwrap_or_else(|| rules_or_none(trace.is_by_rules));
                }
                ReplyEvent::Done(response) => {
                    outcome.spoken = response.spoken_text().map(str::to_owned);
                    outcome.text = response.text.map(|text| text.0).unwrap_or_default();
                }
                _ => {}
            }
        }
        outcome
    }

    /// Asks, and stops the reply at its first line of progress.
    pub async fn ask_and_stop(&self, text: &str) -> Option<String> {
        let request = ReplyRequest::new(text, ConversationId::main());
        let mut reply = self.assistant.open_reply(request).await.unwrap();
        while let Some(event) = reply.next().await {
            match event {
                ReplyEvent::Progress { .. } => reply.stop(),
                ReplyEvent::Done(response) => return response.text.map(|text| text.0),
                _ => {}
            }
        }
        unreachable!("every reply ends with its Done")
    }

    /// The dialogue as it is kept, oldest first.
    pub async fn dialogue(&self) -> Vec<String> {
        let said = self.assistant.history(i64::MAX, 10).await.unwrap();
        said.into_iter().map(|message| message.content.text.0).collect()
    }

    /// The hosts that were contacted as a Command Center.
    pub async fn contacted(&self) -> Vec<String> {
        let hosts = self.assistant.hosts_contacted().await.into_iter();
        hosts.filter(|host| host.purpose == ContactPurpose::CommandCenter).map(|host| host.host).collect()
    }

    /// Number of questions to the model here.
    pub fn asked_here(&self) -> usize {
        self.model.asked().len()
    }

    /// Lets the Command Center answer from now on, or no more, and waits until that is applied.
    pub async fn set_enabled(&self, is_enabled: bool) {
        let mut events = self.assistant.subscribe();
        let set = |key: &str, value: Value| self.assistant.settings().set(key, value).unwrap();
        set("command_center.enabled", json!(is_enabled));
        // All changes are applied before one that cannot work is reported.
        set("listening.wake_word", json!("j"));
        let applied = async { while !matches!(events.recv().await, Ok(AssistantEvent::Trouble(_))) {} };
        tokio::time::timeout(LIMIT, applied).await.unwrap();
    }

    /// Taps the talk key.
    pub async fn tap_talk_key(&self) {
        self.assistant.talk().await.unwrap();
    }
}

fn rules_or_none(is_by_rules: bool) -> String {
    if is_by_rules { "rules".to_owned() } else { String::new() }
}

fn section(url: &str, settings: Value) -> Value {
    let mut section = json!({ "enabled": true, "base_url": url, "node_id": "desk" });
    for (key, value) in settings.as_object().unwrap() {
        section[key] = value.clone();
    }
    section
}

fn quiet(builder: AssistantBuilder) -> AssistantBuilder {
    builder.without_audio()
}

/// A microphone in which nothing is heard.
struct StillMicrophone;

impl Microphone for StillMicrophone {
    fn open(&self) -> Result<Capture, AudioError> {
        let (sender, frames) = frame_queue();
        Ok(Capture::new(frames, sender))
    }

    fn name(&self) -> String {
        "the still microphone".into()
    }
}
