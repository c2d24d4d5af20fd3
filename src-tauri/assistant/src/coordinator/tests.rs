//! When the follow-up window opens for the answer to a question, and which earcons are played.

use std::time::Duration;

use audio::{AudioError, Side};
use futures::StreamExt;
use languages::messages::Messages;
use memory::{Dialogue, MemoryService};
use routing::{ChannelId, Channels};
use rstest::rstest;
use settings::Settings;
use speaking::FixedVoice;
use testkit::{FixedClock, ScriptedLoudspeaker, ScriptedReplier, ToneVoice};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;
use vocabulary::{QuestionId, ReplyControls, ReplyEvent, ReplyStream, VoiceMatch};

use super::*;
use crate::appointments::appointment_ringer::AppointmentRinger;
use crate::event_bus::EventBus;
use crate::replies::PersonChannel;
use crate::sound_paths::voice::SpeechOutputParts;

/// Asks, and never goes on.
fn asks(question: Question, controls: ReplyControls) -> ReplyStream {
    let asked = futures::stream::iter([ReplyEvent::Question(question)]);
    let waiting = futures::stream::once(async move {
        controls.stop.cancelled().await;
        ReplyEvent::Done(vocabulary::OutgoingResponse::default())
    });
    Box::pin(asked.chain(waiting))
}

/// A coordinator with a voice of tones, whose replies ask and never go on.
struct Fixture {
    heard: mpsc::Sender<ListeningEvent>,
    commands: mpsc::Sender<Command>,
    speaker: ScriptedLoudspeaker,
    voice: ToneVoice,
    spoken: broadcast::Receiver<SpeechEvent>,
    observed: broadcast::Receiver<AssistantEvent>,
    doors: mpsc::Receiver<DoorEvent>,
    stop: CancellationToken,
    coordinator: JoinHandle<()>,
    _others: Box<dyn Send>,
}

impl Fixture {
    fn new(settings: &Settings) -> Self {
        Self::asking(settings, &[], false)
    }

    fn asking(settings: &Settings, options: &[&str], by_hand: bool) -> Self {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let question = Question { id: QuestionId(1), text: "Shall I?".into(), options, by_hand };
        let replier = ScriptedReplier::new(move |_, controls| asks(question.clone(), controls));
        Self::with(settings, replier, ScriptedLoudspeaker::default())
    }

    fn with(settings: &Settings, replier: ScriptedReplier, speaker: ScriptedLoudspeaker) -> Self {
        let voice = ToneVoice::new("tones");
        let folder = tempfile::tempdir().unwrap();
        let (service, opening) = MemoryService::start(folder.path().join("jarvis.db").as_path(), |_| {});
        let (dialogue, writing) = Dialogue::start(&service);
        tokio::spawn(async { _ = tokio::join!(opening, writing) });
        let stop = CancellationToken::new();
        let (commands, commands_to_obey) = mpsc::channel(8);
        let loudspeaker = speaker.clone();
        let parts = SpeechOutputParts {
            settings,
            loudspeaker: Arc::new(move |_| Arc::new(loudspeaker.clone())),
            voices: Arc::new(FixedVoice(Arc::new(voice.clone()))),
            commands: commands.clone(),
        };
        let (speech_output, _) = SpeechOutput::open(parts, &TaskTracker::new(), &stop);
        let events = EventBus::new();
        let observed = events.observe();
        let channels = Channels::default();
        let person = PersonChannel { events: events.clone(), speech_output: speech_output.clone() };
        let _person = channels.register(ChannelId::Person, Arc::new(person));
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
        let (door_events, doors) = mpsc::channel(8);
        let (heard, listened) = mpsc::channel(8);
        let (talk_orders, orders) = mpsc::channel(8);
        let spoken = speech_output.subscribe();
        let (status, capture) = mpsc::channel(8);
        let inputs = CoordinatorInputs {
            replies,
            _person,
            spoken: speech_output.subscribe(),
            speech_output,
            ringer: ringer.start().1,
            commands: commands_to_obey,
            listened,
            capture,
            doors: door_events,
            talk_orders,
            expected: Arc::default(),
            state: watch::Sender::new(AssistantState::Idle),
            events,
            troubles: Arc::default(),
        };
        let coordinator = tokio::spawn(run(inputs, stop.clone()));
        let _others = Box::new((folder, service, orders, status));
        Self { heard, commands, speaker, voice, spoken, observed, doors, stop, coordinator, _others }
    }

    async fn hear_request(&self) {
        self.hear("delete the list").await;
    }

    async fn hear(&self, query: &str) {
        let query = query.to_owned();
        let (language, continues_previous, ended_at) = (None, false, Instant::now());
        let heard = ListeningEvent::Directed {
            query,
            language,
            continues_previous,
            ended_at,
            voice: VoiceMatch::NotJudged,
        };
        self.heard.send(heard).await.unwrap();
    }

    /// Lets the user do this.
    async fn happen(&self, done: Done) {
        match done {
            Done::NameAlone => self.heard.send(ListeningEvent::WakeWordOnly).await.unwrap(),
            Done::Request => self.hear_request().await,
            Done::StopWord => self.heard.send(ListeningEvent::Stop).await.unwrap(),
            Done::FailureOfRecognition => {
                self.heard.send(ListeningEvent::SpeechStarted).await.unwrap();
                let trouble = Trouble::new(Stage::Recognition, "The recogniser failed.", "Choose another.");
                self.heard.send(ListeningEvent::Trouble(trouble)).await.unwrap();
            }
            Done::TalkKey => {
                self.commands.send(Command::TalkKeyDown { at: Instant::now() }).await.unwrap();
            }
        }
    }

    /// Waits for such an event.
    async fn until(&mut self, is_meant: impl Fn(&AssistantEvent) -> bool) {
        let seen = async { while !is_meant(&self.observed.recv().await.unwrap()) {} };
        tokio::time::timeout(Duration::from_secs(20), seen).await.unwrap();
    }

    async fn end(self) {
        self.stop.cancel();
        self.coordinator.await.unwrap();
    }
}

#[rstest]
#[case::spoken_question_is_heard_first(Origin::Voice)]
#[case::typed_question_is_read(Origin::Typed)]
#[tokio::test]
async fn answer_is_awaited_once_the_question_has_come_across(#[case] origin: Origin) {
    let mut settings = Settings::default();
    settings.speaking.earcons = false;
    let mut fixture = Fixture::new(&settings);

    if origin == Origin::Voice {
        fixture.hear_request().await;
        fixture.speaker.until(|seen| seen.started == 1).await;
        fixture.until(|event| matches!(event, AssistantEvent::Speech(SpeechEvent::Sentence { .. }))).await;
        assert!(fixture.doors.try_recv().is_err(), "the question still sounds");
        assert!(fixture.speaker.finish_sound());
    } else {
        let (accepted, _reply) = oneshot::channel();
        let text = "delete the list".into();
        let ask = Command::Ask { text, origin, replaces_previous: false, accepted };
        fixture.commands.send(ask).await.unwrap();
    }

    let opened = async { while fixture.doors.recv().await != Some(DoorEvent::QuestionAsked) {} };
    assert!(tokio::time::timeout(Duration::from_secs(20), opened).await.is_ok());
    fixture.end().await;
}

#[tokio::test]
async fn spoken_yes_to_what_needs_a_hand_is_answered_with_the_way_to_allow_it() {
    let mut settings = Settings::default();
    settings.speaking.earcons = false;
    let mut fixture = Fixture::asking(&settings, &["Yes", "No"], true);
    let by_hand = Messages::english().permission_by_hand();
    fixture.hear_request().await;
    fixture.speaker.until(|seen| seen.started == 1).await;
    fixture.speaker.finish_sound();
    fixture.until(is_finished).await;

    fixture.hear("Yes.").await;

    let speaker = fixture.speaker.clone();
    let playing = tokio::spawn(async move {
        loop {
            speaker.finish_sound();
            tokio::task::yield_now().await;
        }
    });
    // Then it is silent again, and waits.
    fixture.until(is_finished).await;
    playing.abort();
    assert!(fixture.voice.asked().iter().any(|text| by_hand.starts_with(text.as_str())));
    fixture.end().await;
}

fn is_finished(event: &AssistantEvent) -> bool {
    matches!(event, AssistantEvent::Speech(SpeechEvent::Finished { .. }))
}

fn away() -> ScriptedLoudspeaker {
    let speaker = ScriptedLoudspeaker::default();
    speaker.refuse(Some(AudioError::NoDevice { side: Side::Loudspeaker }));
    speaker
}

/// Says this and ends.
fn says(sentence: &'static str) -> ScriptedReplier {
    ScriptedReplier::new(move |_, _| {
        let said = [
            ReplyEvent::Delta { text: sentence.into() },
            ReplyEvent::Sentence { index: 0, text: sentence.into(), language: None },
            ReplyEvent::Done(vocabulary::OutgoingResponse::text(sentence).spoken()),
        ];
        Box::pin(futures::stream::iter(said))
    })
}

#[rstest]
#[case::loudspeaker_is_away("It rains.", away())]
#[case::voice_has_no_sound("This is impossible.", ScriptedLoudspeaker::default())]
#[tokio::test]
async fn nobody_thinks_any_more_once_the_answer_cannot_be_heard(
    #[case] sentence: &'static str,
    #[case] speaker: ScriptedLoudspeaker,
) {
    let mut fixture = Fixture::with(&Settings::default(), says(sentence), speaker);

    fixture.hear("does it rain?").await;

    fixture.until(|event| matches!(event, AssistantEvent::State(AssistantState::Thinking))).await;
    let is_at_rest = |state: &AssistantState| matches!(state, AssistantState::Idle | AssistantState::Error);
    fixture.until(|event| matches!(event, AssistantEvent::State(state) if is_at_rest(state))).await;
    fixture.end().await;
}

#[tokio::test]
async fn answer_is_awaited_to_a_question_that_cannot_be_heard() {
    let question = Question { id: QuestionId(1), text: "Shall I?".into(), options: vec![], by_hand: false };
    let replier = ScriptedReplier::new(move |_, controls| asks(question.clone(), controls));
    let mut fixture = Fixture::with(&Settings::default(), replier, away());

    fixture.hear_request().await;

    let opened = async { while fixture.doors.recv().await != Some(DoorEvent::QuestionAsked) {} };
    assert!(tokio::time::timeout(Duration::from_secs(20), opened).await.is_ok());
    fixture.end().await;
}

/// Something that the user does, or that happens to their words.
#[derive(Debug, Clone, Copy)]
enum Done {
    NameAlone,
    Request,
    StopWord,
    FailureOfRecognition,
    TalkKey,
}

#[rstest]
#[case::name_alone(Done::NameAlone, 230)]
#[case::request(Done::Request, 120)]
#[case::words_that_could_not_be_recognised(Done::FailureOfRecognition, 440)]
#[case::talk_key(Done::TalkKey, 230)]
#[tokio::test]
async fn earcon_tells_how_listening_goes_on(#[case] done: Done, #[case] expected_ms: u128) {
    let fixture = Fixture::new(&Settings::default());

    fixture.happen(done).await;

    let sounds = fixture.speaker.until(|seen| seen.started == 1).await.queued;
    // The words may be queued behind it already.
    assert!(sounds[0].as_millis().abs_diff(expected_ms) <= 1, "{sounds:?}");
    fixture.end().await;
}

/// Paused time goes on only while everything waits for it: none goes by if nothing waits.
#[rstest]
#[case::name_alone(Done::NameAlone)]
#[case::talk_key(Done::TalkKey)]
#[tokio::test]
async fn nothing_waits_before_the_earcon(#[case] done: Done) {
    let fixture = Fixture::new(&Settings::default());
    tokio::time::pause();
    let decided_at = tokio::time::Instant::now();

    fixture.happen(done).await;

    fixture.speaker.until(|seen| seen.started == 1).await;
    assert_eq!(decided_at.elapsed(), Duration::ZERO);
    fixture.end().await;
}

/// Says this, and takes its time to end when it is stopped.
fn ends_slowly(sentence: &'static str) -> ScriptedReplier {
    ScriptedReplier::new(move |_, controls| {
        let said = [
            ReplyEvent::Delta { text: sentence.into() },
            ReplyEvent::Sentence { index: 0, text: sentence.into(), language: None },
        ];
        let ending = futures::stream::once(async move {
            controls.stop.cancelled().await;
            tokio::time::sleep(Duration::from_secs(10)).await;
            ReplyEvent::Done(vocabulary::OutgoingResponse::text(sentence).spoken())
        });
        Box::pin(futures::stream::iter(said).chain(ending))
    })
}

#[rstest]
#[case::stop_word(Done::StopWord)]
#[case::another_request(Done::Request)]
#[case::talk_key(Done::TalkKey)]
#[tokio::test]
async fn barge_in_silences_our_voice_before_anything_waits(#[case] done: Done) {
    let mut settings = Settings::default();
    settings.speaking.earcons = false;
    let mut fixture = Fixture::with(&settings, ends_slowly("It rains."), ScriptedLoudspeaker::default());
    fixture.hear("does it rain?").await;
    while !matches!(fixture.spoken.recv().await.unwrap(), SpeechEvent::Sentence { .. }) {}
    tokio::time::pause();
    let decided_at = tokio::time::Instant::now();

    fixture.happen(done).await;

    while !matches!(fixture.spoken.recv().await.unwrap(), SpeechEvent::Interrupted { .. }) {}
    assert_eq!(decided_at.elapsed(), Duration::ZERO);
    assert!(!fixture.speaker.finish_sound(), "nothing plays any more");
    fixture.end().await;
}
