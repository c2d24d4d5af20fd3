//! Two assistants: a fixture whose Command Center is another Jarvis, with tools on both sides.

use std::sync::Arc;
use std::time::Duration;

use assistant::{Assistant, AssistantBuilder, Instance, ReplyRequest};
use rstest::rstest;
use serde_json::{Value, json};
use settings::{Folders, Scope, SecretStore};
use tempfile::TempDir;
use testkit::{FixedClock, InMemorySecrets, ScriptedLoudspeaker, ScriptedModel, ToneVoice, Turn};
use vocabulary::{Answer, ConversationId, Origin, ReplyEvent};

use crate::served::Served;

/// A node of another Jarvis. Its own model never answers.
struct Fixture {
    assistant: Assistant,
    _folder: TempDir,
}

/// All that the user at the fixture gets from a reply.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    text: String,
    questions: Vec<String>,
    tools: Vec<String>,
    troubles: Vec<String>,
}

impl Fixture {
    async fn at(center: &mut Served, exposed: &[&str]) -> Self {
        Self::furnished(center, exposed, AssistantBuilder::without_audio).await
    }

    /// The same with another loudspeaker.
    async fn furnished(
        center: &mut Served,
        exposed: &[&str],
        furnish: impl FnOnce(AssistantBuilder) -> AssistantBuilder,
    ) -> Self {
        let scopes = [Scope::Ask, Scope::Tools, Scope::Audio];
        let key = center.assistant.add_program("desk", &scopes).unwrap().0;
        center.key.clone_from(&key);
        center.is_known().await;
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        // The tune is sound too, and comes when a machine is slow.
        let settings = json!({ "speaking": { "thinking_tune": false, "earcons": false }, "command_center": {
            "enabled": true,
            "base_url": format!("http://{}", center.address),
            "node_id": "desk",
            "exposed_tools": exposed,
            "speaks": true,
            "offline_fallback": false,
        }});
        std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
        let secrets = InMemorySecrets::default();
        let secret = key.split_once(':').unwrap().1;
        secrets.set("command_center.node_key", &secret.into()).unwrap();
        let builder = AssistantBuilder::new(folders.clone())
            .for_one_question()
            .with_model(Arc::new(ScriptedModel::new([])))
            .with_clock(Arc::new(FixedClock::at("2026-03-04T21:30:00Z")))
            .with_secrets(Arc::new(secrets));
        let assistant =
            Assistant::start(furnish(builder), Instance::claim(&folders.data).unwrap()).await.unwrap();
        Self { assistant, _folder: folder }
    }

    async fn ask(&self, text: &str) -> Outcome {
        self.ask_meanwhile(text, async || ()).await
    }

    /// Asks. Before the user says yes to a question, something else happens.
    async fn ask_meanwhile(&self, text: &str, mut meanwhile: impl AsyncFnMut()) -> Outcome {
        let request = ReplyRequest::new(text, ConversationId::main());
        let mut reply = self.assistant.open_reply(request).await.unwrap();
        let mut outcome = Outcome::default();
        while let Some(event) = reply.next().await {
            match event {
                ReplyEvent::ToolStarted { tool, .. } => outcome.tools.push(tool),
                ReplyEvent::Failed(trouble) => outcome.troubles.push(trouble.message),
                ReplyEvent::Question(question) => {
                    meanwhile().await;
                    outcome.questions.push(question.text);
                    reply.answer(Answer { question: question.id, text: "Yes".to_owned().into() }).unwrap();
                }
                ReplyEvent::Done(response) => {
                    outcome.text = response.text.map(|text| text.0).unwrap_or_default();
                }
                _ => {}
            }
        }
        outcome
    }
}

fn settings() -> Value {
    json!({ "tools": { "asked": ["setTimer", "addTodo"], "selection_strategy": "all" }, "replying": { "fast_path": false } })
}

#[tokio::test]
async fn reply_uses_tools_of_both_sides_and_asks_the_user_at_the_desk() {
    let turns = [
        Turn::calls("searchMemory", json!({ "query": "tulips" })),
        Turn::calls("setTimer", json!({ "minutes": 5 })),
        Turn::says("You like tulips, and the timer runs."),
    ];
    let mut center = Served::with(turns, settings(), []).await;
    let fixture = Fixture::at(&mut center, &["searchMemory"]).await;

    let outcome = fixture
        .ask("search what I said about tulips and then count down from five minutes with a timer")
        .await;

    assert_eq!(outcome.text, "You like tulips, and the timer runs.", "{outcome:?}");
    assert_eq!(outcome.tools, ["searchMemory"], "{}", center.told(1));
    assert!(outcome.questions.iter().any(|question| question.contains("timer")), "{outcome:?}");
    assert!(center.told(1).contains("tulips"), "{}", center.told(1));
    assert_eq!(outcome.troubles, Vec::<String>::new());
}

#[tokio::test]
async fn follow_up_goes_on_and_begins_anew_when_its_conversation_expired() {
    let turns = ["Paris.", "The Seine.", "It is 777 kilometres long."].map(Turn::says);
    let mut center = Served::with(turns, settings(), []).await;
    let fixture = Fixture::at(&mut center, &[]).await;

    let first = fixture.ask("name the largest city of France").await;
    let second = fixture.ask("which river runs through it").await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(601)).await;
    tokio::time::resume();
    let third = fixture.ask("and how long is that river").await;

    let said = [first, second, third].map(|outcome| outcome.text);
    assert_eq!(said, ["Paris.", "The Seine.", "It is 777 kilometres long."]);
    assert!(center.told(1).contains("Paris."), "{}", center.told(1));
    assert!(!center.told(2).contains("Paris."), "{}", center.told(2));
}

#[tokio::test]
async fn server_that_restarts_between_two_questions_answers_the_second() {
    let mut center = Served::with(["Paris.", "Rome."].map(Turn::says), settings(), []).await;
    let fixture = Fixture::at(&mut center, &[]).await;

    let first = fixture.ask("name the largest city of France").await;
    center.restart().await;
    let second = fixture.ask("and name that of Italy for me").await;

    assert_eq!([first.text.as_str(), second.text.as_str()], ["Paris.", "Rome."]);
}

#[tokio::test]
async fn server_that_restarts_within_a_reply_is_told_and_the_next_one_works() {
    let turns = [Turn::calls("addTodo", json!({ "text": "saffron" })), Turn::says("Rome.")];
    let mut center = Served::with(turns, settings(), []).await;
    let fixture = Fixture::at(&mut center, &[]).await;

    let lost = fixture
        .ask_meanwhile("put saffron on my list of things to buy", async || center.restart().await)
        .await;
    let next = fixture.ask("name the largest city of Italy").await;

    assert_eq!(lost.text, "The Command Center has forgotten our conversation.", "{lost:?}");
    assert_eq!(next.text, "Rome.", "{next:?}");
}

#[tokio::test]
async fn node_speaks_with_the_voice_of_the_other_side() {
    let mut center = Served::with([Turn::says("The tulips are out.")], settings(), []).await;
    let (voice, loudspeaker) = (ToneVoice::new("here"), ScriptedLoudspeaker::default());
    let parts = (Arc::new(voice.clone()), Arc::new(loudspeaker.clone()));
    let fixture =
        Fixture::furnished(&mut center, &[], |builder| builder.with_voice(parts.0).with_loudspeaker(parts.1));
    let fixture = fixture.await;

    fixture.assistant.ask("tell me about the garden", Origin::Voice).await.unwrap();
    let sentence = ToneVoice::PER_CHARACTER * "The tulips are out.".len() as u32;
    let heard = loudspeaker.until(|seen| seen.queued.iter().any(|sound| is_about(*sound, sentence)));

    tokio::time::timeout(Duration::from_secs(20), heard).await.unwrap();
    assert_eq!(center.voice.asked(), ["The tulips are out."]);
    assert_eq!(voice.asked(), Vec::<String>::new());
}

#[rstest]
#[case::short("Tulips are out.")]
#[case::half_a_second("The tulips in the garden behind the house are out.")]
#[case::longer("The tulips in the garden behind the old house with the green door are out at last.")]
#[tokio::test]
async fn node_speaks_while_the_other_side_still_makes_the_rest(#[case] first: &'static str) {
    // The code mark hides the end of the first sentence from the node, so both are one sound of the other side.
    let answer = format!("`{first}` This is held.");
    let mut center = Served::with([Turn::says(&answer)], settings(), []).await;
    let loudspeaker = ScriptedLoudspeaker::default();
    let parts = (Arc::new(ToneVoice::new("here")), Arc::new(loudspeaker.clone()));
    let fixture =
        Fixture::furnished(&mut center, &[], |builder| builder.with_voice(parts.0).with_loudspeaker(parts.1));
    let fixture = fixture.await;
    let lasts = |text: &str| ToneVoice::PER_CHARACTER * text.len() as u32;

    fixture.assistant.ask("tell me about the garden", Origin::Voice).await.unwrap();
    heard_for(&loudspeaker, lasts(first)).await;
    center.voice.release();
    heard_for(&loudspeaker, lasts(first) + lasts("This is held.")).await;

    assert_eq!(center.voice.asked(), [first, "This is held."]);
}

/// Waits until as much sound is in the loudspeaker.
async fn heard_for(loudspeaker: &ScriptedLoudspeaker, duration: Duration) {
    let least = duration - Duration::from_millis(1);
    let heard = loudspeaker.until(|seen| seen.queued.iter().sum::<Duration>() >= least);
    if tokio::time::timeout(Duration::from_secs(20), heard).await.is_err() {
        panic!("the node is silent: {:?}", loudspeaker.seen());
    }
}

/// Samples are counted as a whole.
fn is_about(sound: Duration, expected: Duration) -> bool {
    sound.abs_diff(expected) < Duration::from_millis(1)
}
