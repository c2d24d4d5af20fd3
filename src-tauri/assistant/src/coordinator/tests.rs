//! When the follow-up window opens for the answer to a question.

use std::time::Duration;

use futures::StreamExt;
use memory::{Dialogue, MemoryService};
use models::{Catalogue, ModelStore};
use routing::{ChannelId, Channels};
use rstest::rstest;
use settings::Settings;
use testkit::{FixedClock, ScriptedLoudspeaker, ScriptedReplier, ToneVoice};
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use vocabulary::{QuestionId, ReplyControls, ReplyEvent, ReplyStream};

use super::*;
use crate::appointment_ringer::AppointmentRinger;
use crate::event_bus::EventBus;
use crate::replies::PersonChannel;
use crate::voice::SpeechOutputParts;

/// Asks, and never goes on.
fn asks(controls: ReplyControls) -> ReplyStream {
    let question = Question { id: QuestionId(1), text: "Shall I?".into(), options: Vec::new() };
    let asked = futures::stream::iter([ReplyEvent::Question(question)]);
    let waiting = futures::stream::once(async move {
        controls.stop.cancelled().await;
        ReplyEvent::Done(vocabulary::OutgoingResponse::default())
    });
    Box::pin(asked.chain(waiting))
}

#[rstest]
#[case::spoken_question_is_heard_first(Origin::Voice)]
#[case::typed_question_is_read(Origin::Typed)]
#[tokio::test]
async fn answer_is_awaited_once_the_question_has_come_across(#[case] origin: Origin) {
    let folder = tempfile::tempdir().unwrap();
    let (service, opening) = MemoryService::start(folder.path().join("jarvis.db").as_path(), |_| {});
    let (dialogue, writing) = Dialogue::start(&service);
    tokio::spawn(async { _ = tokio::join!(opening, writing) });
    let (stop, settings, speaker) =
        (CancellationToken::new(), Settings::default(), ScriptedLoudspeaker::default());
    let (commands, commands_to_obey) = mpsc::channel(8);
    let loudspeaker = speaker.clone();
    let parts = SpeechOutputParts {
        settings: &settings,
        store: &ModelStore::with_catalogue(folder.path(), Catalogue::bundled()),
        loudspeaker: Arc::new(move |_| Arc::new(loudspeaker.clone())),
        voice: Some(Arc::new(ToneVoice::new("tones"))),
        commands: commands.clone(),
    };
    let (speech_output, _) = SpeechOutput::open(parts, &TaskTracker::new(), &stop);
    let events = EventBus::new();
    let mut observed = events.observe();
    let channels = Channels::default();
    let person = PersonChannel { events: events.clone(), speech_output: speech_output.clone() };
    let _person = channels.register(ChannelId::Person, Arc::new(person));
    let replier = ScriptedReplier::new(|_, controls| asks(controls));
    let replies =
        ReplySessions::new(Arc::new(replier), channels, dialogue, events.clone(), stop.child_token());
    let ringer = AppointmentRinger {
        memory: watch::channel(None).1,
        clock: Arc::new(FixedClock::at("2025-11-22T12:00:00Z")),
        settings: watch::channel(settings.clone()).1,
        speech_output: speech_output.clone(),
        reply_ids: replies.ids(),
        events: events.clone(),
    };
    let (doors, mut awaited) = mpsc::channel(8);
    let (heard, listened) = mpsc::channel(8);
    let (talk_orders, _orders) = mpsc::channel(8);
    let (_capture, capture) = mpsc::channel(8);
    let inputs = CoordinatorInputs {
        replies,
        _person,
        spoken: speech_output.subscribe(),
        speech_output,
        ringer: ringer.start().1,
        commands: commands_to_obey,
        listened,
        capture,
        doors,
        talk_orders,
        state: watch::Sender::new(AssistantState::Idle),
        events,
        troubles: Arc::default(),
    };
    let coordinator = tokio::spawn(run(inputs, stop.clone()));

    if origin == Origin::Voice {
        let query = "delete the list".to_owned();
        let (language, continues_previous, ended_at) = (None, false, Instant::now());
        heard.send(ListeningEvent::Directed { query, language, continues_previous, ended_at }).await.unwrap();
        speaker.until(|seen| seen.started == 1).await;
        while !matches!(observed.recv().await.unwrap(), AssistantEvent::Speech(SpeechEvent::Sentence { .. }))
        {
        }
        assert!(awaited.try_recv().is_err(), "the question still sounds");
        assert!(speaker.finish_sound());
    } else {
        let (accepted, _reply) = oneshot::channel();
        commands
            .send(Command::Ask { text: "delete the list".into(), origin, replaces_previous: false, accepted })
            .await
            .unwrap();
    }

    let opened = async { while awaited.recv().await != Some(DoorEvent::QuestionAsked) {} };
    assert!(tokio::time::timeout(Duration::from_secs(20), opened).await.is_ok());
    stop.cancel();
    coordinator.await.unwrap();
}
