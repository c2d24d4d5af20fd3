//! The life of replies: whatever happens, each ends exactly once and disturbs no other.

mod aloud; // replies that are spoken here
mod satellites; // replies in other rooms

use std::sync::Arc;

use futures::StreamExt;
use memory::MemoryService;
use routing::Registration;
use testkit::ScriptedReplier;
use tokio::sync::broadcast;
use vocabulary::{DeliveryTrace, OutgoingResponse, QuestionId, ReplyEvent, ReplyStream};

use super::*;
use crate::sound_paths::voice::SpeechOutput;

/// Reply sessions with a person at the screen who reads the events.
struct Fixture {
    replies: ReplySessions,
    bus: EventBus,
    events: broadcast::Receiver<AssistantEvent>,
    _person: Registration,
    _folder: tempfile::TempDir,
}

fn fixture(replier: ScriptedReplier) -> Fixture {
    fixture_of(Arc::new(replier))
}

fn fixture_of(replier: Arc<ScriptedReplier>) -> Fixture {
    fixture_with(SpeechOutput::silent(), replier)
}

fn fixture_with(speech_output: SpeechOutput, replier: Arc<ScriptedReplier>) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let (service, opening) = MemoryService::start(folder.path().join("jarvis.db").as_path(), |_| {});
    let (dialogue, writing) = Dialogue::start(&service);
    tokio::spawn(async { _ = tokio::join!(opening, writing) });
    let channels = Channels::default();
    let bus = EventBus::new();
    let events = bus.observe();
    let person = PersonChannel { events: bus.clone(), speech_output };
    let _person = channels.register(ChannelId::Person, Arc::new(person));
    let stop = CancellationToken::new();
    let replies = ReplySessions::new(replier, channels, dialogue, bus.clone(), stop);
    Fixture { replies, bus, events, _person, _folder: folder }
}

fn request(text: &str, conversation: &str) -> ReplyRequest {
    ReplyRequest::new(text, ConversationId(conversation.into()))
}

fn typed(fixture: &mut Fixture, text: &str) -> Query {
    Query {
        reply: fixture.replies.next_id(),
        text: text.into(),
        language: None,
        origin: Origin::Typed,
        conversation: ConversationId::main(),
        replaces_previous: false,
    }
}

/// All events of a reply up to its end.
async fn read(handle: &mut ReplyHandle) -> Vec<ReplyEvent> {
    let mut events = Vec::new();
    while let Some(event) = handle.next().await {
        events.push(event);
    }
    events
}

fn text(events: &[ReplyEvent]) -> String {
    match events.last() {
        Some(ReplyEvent::Done(response)) => response.text.as_deref().cloned().unwrap_or_default(),
        other => panic!("the last event is not the end: {other:?}"),
    }
}

fn ends(events: &[ReplyEvent]) -> usize {
    events.iter().filter(|event| matches!(event, ReplyEvent::Done(_))).count()
}

/// Says nothing until it is stopped.
fn silent_until_stopped(controls: ReplyControls) -> ReplyStream {
    Box::pin(futures::stream::once(async move {
        controls.stop.cancelled().await;
        ReplyEvent::Done(OutgoingResponse::text("stopped"))
    }))
}

#[tokio::test]
async fn two_hundred_background_replies_end_while_one_is_in_the_foreground() {
    let release = CancellationToken::new();
    let released = release.clone();
    let mut fixture = fixture(ScriptedReplier::new(move |query, _| match query.origin {
        Origin::Program | Origin::Satellite => ScriptedReplier::says(&query.text),
        Origin::Voice | Origin::Typed => {
            let released = released.clone();
            let rest = futures::stream::once(async move {
                released.cancelled().await;
                ReplyEvent::Done(OutgoingResponse::text("It rains."))
            });
            Box::pin(futures::stream::iter([ReplyEvent::Delta { text: "It rains.".into() }]).chain(rest))
        }
    }));
    let query = typed(&mut fixture, "does it rain?");
    let foreground = query.reply;
    fixture.replies.begin_foreground(query);

    let opened: Vec<ReplyHandle> = (0..200)
        .map(|n| fixture.replies.open(request(&format!("answer {n}"), &format!("caller {n}"))).unwrap())
        .collect();
    release.cancel();
    let reading = futures::future::join_all(opened.into_iter().map(|mut handle| async move {
        let events = read(&mut handle).await;
        (ends(&events), text(&events))
    }));
    let (answers, ()) = tokio::join!(reading, async { while fixture.replies.ended().await.is_some() {} });

    let expected: Vec<(usize, String)> = (0..200).map(|n| (1, format!("answer {n}"))).collect();
    assert_eq!(answers, expected);
    let mut seen = Vec::new();
    while let Ok(event) = fixture.events.try_recv() {
        if let AssistantEvent::Reply { reply, event } = event
            && reply == foreground
        {
            seen.push(event);
        }
    }
    let rain = OutgoingResponse::text("It rains.");
    assert_eq!(seen, [ReplyEvent::Delta { text: "It rains.".into() }, ReplyEvent::Done(rain)]);
}

#[tokio::test]
async fn panicking_reply_ends_once_with_an_apology() {
    for is_panic in [true, false] {
        let mut fixture = fixture(ScriptedReplier::new(move |_, _| {
            Box::pin(futures::stream::poll_fn(move |_| match is_panic {
                true => panic!("a bug of the reply engine"),
                false => std::task::Poll::Ready(None),
            }))
        }));
        let mut handle = fixture.replies.open(request("hello", "caller")).unwrap();

        let (events, ended) = tokio::join!(read(&mut handle), fixture.replies.ended());

        assert!(matches!(events[0], ReplyEvent::Failed(_)), "{events:?}");
        assert_eq!(text(&events), "Something went wrong, and I have no answer. Please ask again.");
        assert_eq!(ends(&events), 1);
        assert!(!ended.unwrap().is_whole);
    }
}

/// A reply that comes to this.
fn comes_to(response: OutgoingResponse) -> ScriptedReplier {
    ScriptedReplier::new(move |_, _| Box::pin(futures::stream::iter([ReplyEvent::Done(response.clone())])))
}

/// All events of the reply to a calling program.
async fn answer_to_a_caller(replier: ScriptedReplier) -> Vec<ReplyEvent> {
    let mut fixture = fixture(replier);
    let mut handle = fixture.replies.open(request("hello", "caller")).unwrap();
    tokio::join!(read(&mut handle), fixture.replies.ended()).0
}

#[tokio::test]
async fn model_explains_why_a_reply_broke_off() {
    let replier = ScriptedReplier::new(|_, _| Box::pin(futures::stream::empty::<ReplyEvent>()));

    let events = answer_to_a_caller(replier.explaining("The model ended too early.")).await;

    assert_eq!(text(&events), "I could not answer. The model ended too early.");
    assert!(events.contains(&ReplyEvent::Delta { text: text(&events) }), "{events:?}");
}

#[tokio::test]
async fn trace_tells_what_arrived_and_it_is_kept_with_the_reply() {
    let replier = Arc::new(ScriptedReplier::new(|_, _| {
        let told = [
            ReplyEvent::Traced(Box::default()),
            ReplyEvent::Delta { text: "It rains.".into() },
            ReplyEvent::Done(OutgoingResponse::text("It rains.").spoken()),
        ];
        Box::pin(futures::stream::iter(told))
    }));
    let mut fixture = fixture_of(Arc::clone(&replier));
    let mut handle = fixture.replies.open(request("does it rain?", "caller")).unwrap();

    let (events, _) = tokio::join!(read(&mut handle), fixture.replies.ended());

    let [delta, ReplyEvent::Traced(trace), ReplyEvent::Done(_)] = events.as_slice() else {
        panic!("{events:?}");
    };
    // A program takes no voice.
    let arrived = DeliveryTrace { is_shown: true, ..DeliveryTrace::default() };
    assert_eq!(*delta, ReplyEvent::Delta { text: "It rains.".into() });
    assert_eq!(trace.delivery.as_ref(), Some(&arrived));
    assert_eq!(replier.delivered(), [(handle.reply(), arrived)]);
}

#[tokio::test]
async fn empty_reply_is_apologised_for_unless_no_answer_is_wanted() {
    let unwanted = OutgoingResponse { is_dismissed: true, ..OutgoingResponse::default() };

    let empty = answer_to_a_caller(comes_to(OutgoingResponse::default())).await;
    let dismissed = answer_to_a_caller(comes_to(unwanted.clone())).await;

    assert_eq!(text(&empty), "Something went wrong, and I have no answer. Please ask again.");
    assert_eq!(dismissed, [ReplyEvent::Done(unwanted)]);
}

#[tokio::test]
async fn caller_gets_the_files_with_the_response() {
    let file = vocabulary::Attachment {
        kind: vocabulary::AttachmentKind::Document,
        filename: "list.csv".into(),
        mime_type: "text/csv".into(),
        bytes: Private(vec![1, 2].into()),
        caption: None,
    };
    let response = OutgoingResponse { attachments: vec![file], ..OutgoingResponse::default() };

    let events = answer_to_a_caller(comes_to(response.clone())).await;

    assert_eq!(events, [ReplyEvent::Done(response)], "a file is an answer, too");
}

#[tokio::test]
async fn dropping_the_handle_stops_the_reply() {
    let (stopped, mut was_stopped) = tokio::sync::mpsc::channel(1);
    let mut fixture = fixture(ScriptedReplier::new(move |_, controls| {
        let stopped = stopped.clone();
        Box::pin(futures::stream::once(async move {
            controls.stop.cancelled().await;
            let _ = stopped.send(()).await;
            ReplyEvent::Done(OutgoingResponse::default())
        }))
    }));
    let handle = fixture.replies.open(request("hello", "caller")).unwrap();

    drop(handle);
    fixture.replies.ended().await;

    // A reply that is stopped before its turn is not even begun; else its engine was told to stop.
    assert!(was_stopped.recv().await.is_some() || fixture.replies.background.is_empty());
}

#[tokio::test]
async fn newer_query_supersedes_its_own_conversation_only() {
    let mut fixture = fixture(ScriptedReplier::new(|query, controls| match query.text.as_str() {
        "wait" => silent_until_stopped(controls),
        text => ScriptedReplier::says(text),
    }));
    let mut first = fixture.replies.open(request("wait", "one")).unwrap();
    let mut other = fixture.replies.open(request("hello", "two")).unwrap();

    let mut second = fixture.replies.open(request("newer", "one")).unwrap();
    let reading = async { tokio::join!(read(&mut first), read(&mut other), read(&mut second)) };
    let ((first, other, second), ()) =
        tokio::join!(reading, async { while fixture.replies.ended().await.is_some() {} });

    assert_eq!((ends(&first), text(&other), text(&second)), (1, "hello".into(), "newer".into()));
}

#[tokio::test]
async fn every_caller_gets_an_end_when_the_assistant_shuts_down() {
    let mut fixture = fixture(ScriptedReplier::new(|_, controls| silent_until_stopped(controls)));
    let mut handles: Vec<ReplyHandle> =
        (0..5).map(|n| fixture.replies.open(request("wait", &n.to_string())).unwrap()).collect();

    fixture.replies.end_all().await;

    for handle in &mut handles {
        assert_eq!(ends(&read(handle).await), 1);
        assert!(handle.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn caller_that_reads_nothing_is_dropped_and_delays_nobody() {
    let mut fixture = fixture(ScriptedReplier::new(|query, _| match query.text.as_str() {
        "flood" => Box::pin(futures::stream::repeat(ReplyEvent::Delta { text: "more ".into() })),
        text => ScriptedReplier::says(text),
    }));
    let mut silent = fixture.replies.open(request("flood", "silent")).unwrap();
    let mut other = fixture.replies.open(request("hello", "other")).unwrap();

    let (events, ()) =
        tokio::join!(read(&mut other), async { while fixture.replies.ended().await.is_some() {} });

    assert_eq!(text(&events), "hello");
    let flood = read(&mut silent).await;
    assert_eq!(ends(&flood), 1);
    assert!(flood.len() < 100, "what waits for a caller is bounded: {}", flood.len());
}

#[tokio::test]
async fn too_many_and_too_long_questions_are_refused() {
    let mut fixture = fixture(ScriptedReplier::new(|_, controls| silent_until_stopped(controls)));

    let long = "x".repeat(10 << 20);
    assert!(matches!(fixture.replies.open(request(&long, "a")), Err(ReplyRefused::TooLong { .. })));
    let handles: Vec<ReplyHandle> =
        (0..MAX_OPEN).map(|n| fixture.replies.open(request("wait", &n.to_string())).unwrap()).collect();
    assert_eq!(
        fixture.replies.open(request("one more", "b")).unwrap_err(),
        ReplyRefused::Busy { open: MAX_OPEN }
    );
    drop(handles);
    while fixture.replies.ended().await.is_some() {}
    assert!(fixture.replies.open(request("again", "c")).is_ok());
}

/// Asks whether to delete something, and says what was answered.
fn asks_first(mut controls: ReplyControls) -> ReplyStream {
    let question = Question {
        id: QuestionId(7),
        text: "Shall I delete it?".into(),
        options: vec!["yes".into(), "no".into()],
        by_hand: false,
    };
    let asked = futures::stream::iter([ReplyEvent::Question(question)]);
    let answered = futures::stream::once(async move {
        let answer = controls.answers.next().await.map(|answer| answer.text.0);
        ReplyEvent::Done(OutgoingResponse::text(answer.unwrap_or_default()))
    });
    Box::pin(asked.chain(answered))
}

/// The same, for an answer by hand.
fn asks_for_a_hand(controls: ReplyControls) -> ReplyStream {
    let by_hand = asks_first(controls).map(|event| match event {
        ReplyEvent::Question(question) => ReplyEvent::Question(Question { by_hand: true, ..question }),
        other => other,
    });
    Box::pin(by_hand)
}

/// Begins a reply in the foreground that asks something.
async fn begin_and_wait_for_the_question(fixture: &mut Fixture) -> ReplyId {
    let query = typed(fixture, "delete the list");
    let reply = query.reply;
    let mut question = fixture.replies.question();
    fixture.replies.begin_foreground(query);
    question.wait_for(Option::is_some).await.unwrap();
    reply
}

#[tokio::test]
async fn spoken_yes_does_not_allow_what_needs_a_hand_but_a_key_does() {
    let mut fixture = fixture(ScriptedReplier::new(|_, controls| asks_for_a_hand(controls)));
    let reply = begin_and_wait_for_the_question(&mut fixture).await;
    let question = fixture.replies.question();

    assert_eq!(fixture.replies.answer_aloud("Yes, please.", VoiceMatch::NotJudged), Heard::NeedsHand(reply));
    assert!(question.borrow().is_some(), "it still waits");
    assert_eq!(fixture.replies.answer_aloud("What time is it?", VoiceMatch::NotJudged), Heard::NoAnswer);
    assert_eq!(fixture.replies.answer_with("yes"), Some(reply));
}

#[tokio::test]
async fn voice_that_is_too_short_to_know_agrees_to_nothing() {
    let mut fixture = fixture(ScriptedReplier::new(|_, controls| asks_first(controls)));
    let reply = begin_and_wait_for_the_question(&mut fixture).await;

    assert_eq!(fixture.replies.answer_aloud("Yes.", VoiceMatch::TooShort), Heard::NeedsHand(reply));
    assert_eq!(fixture.replies.answer_aloud("Yes.", VoiceMatch::Enrolled), Heard::Answered);
}

#[tokio::test]
async fn spoken_no_is_enough_to_decline() {
    let mut fixture = fixture(ScriptedReplier::new(|_, controls| asks_for_a_hand(controls)));
    begin_and_wait_for_the_question(&mut fixture).await;

    assert_eq!(fixture.replies.answer_aloud("No, thanks.", VoiceMatch::NotJudged), Heard::Answered);
}

#[tokio::test]
async fn typed_yes_answers_the_question_of_the_foreground_reply() {
    let mut fixture = fixture(ScriptedReplier::new(|_, controls| asks_first(controls)));
    let reply = begin_and_wait_for_the_question(&mut fixture).await;

    assert_eq!(fixture.replies.answer_with("what time is it?"), None);
    assert_eq!(fixture.replies.answer_with("Go ahead."), Some(reply));
    fixture.replies.ended().await;

    let (mut last, mut answers) = (None, Vec::new());
    while let Ok(event) = fixture.events.try_recv() {
        if let AssistantEvent::Answered { answer, .. } = &event {
            answers.push(answer.text.0.clone());
        }
        last = Some(event);
    }
    assert_eq!(answers, ["yes"], "the doors see the option that was meant");
    let done = ReplyEvent::Done(OutgoingResponse::text("yes"));
    assert_eq!(last, Some(AssistantEvent::Reply { reply, event: done }));
    assert_eq!(fixture.replies.answer_with("yes"), None, "nothing is asked any more");
}

#[tokio::test]
async fn caller_answers_a_question_through_its_handle() {
    let mut fixture = fixture(ScriptedReplier::new(|_, controls| asks_first(controls)));
    let mut handle = fixture.replies.open(request("delete the list", "caller")).unwrap();

    let Some(ReplyEvent::Question(question)) = handle.next().await else { panic!("nothing was asked") };
    handle.answer(Answer { question: question.id, text: Private("no".into()) }).unwrap();

    assert_eq!(text(&read(&mut handle).await), "no");
}

#[tokio::test]
async fn temporary_conversation_is_neither_stored_nor_observed() {
    let mut fixture = fixture(ScriptedReplier::echo());
    let temporary = ReplyRequest { conversation: ConversationId::temporary(1), ..request("a secret", "") };

    let mut handle = fixture.replies.open(temporary).unwrap();
    let (events, _) = tokio::join!(read(&mut handle), fixture.replies.ended());

    assert_eq!(text(&events), "a secret");
    assert!(fixture.events.try_recv().is_err());
}

#[tokio::test]
async fn slow_door_gets_every_event_of_a_long_answer() {
    let pieces: Vec<String> = (0..3_000).map(|number| format!("{number} ")).collect();
    let said = pieces.concat();
    let answer = OutgoingResponse::text(said.clone());
    let mut fixture = fixture(ScriptedReplier::new(move |_, _| {
        let deltas = pieces.clone().into_iter().map(|text| ReplyEvent::Delta { text });
        let done = ReplyEvent::Done(OutgoingResponse::text(pieces.concat()));
        Box::pin(futures::stream::iter(deltas.chain([done])))
    }));
    let mut door = fixture.bus.follow();
    let query = typed(&mut fixture, "count to 3,000");
    fixture.replies.begin_foreground(query);

    let (mut shown, mut end) = (String::new(), None);
    while end.is_none() {
        // Other tasks run first, so the door is always behind.
        tokio::task::yield_now().await;
        match door.recv().await {
            Some(AssistantEvent::Reply { event: ReplyEvent::Delta { text }, .. }) => shown.push_str(&text),
            Some(AssistantEvent::Reply { event: ReplyEvent::Done(response), .. }) => end = Some(response),
            Some(_) => {}
            None => panic!("the stream of the door ended"),
        }
    }

    assert_eq!((shown, end), (said, Some(answer)));
}

#[tokio::test(start_paused = true)]
async fn door_that_reads_nothing_does_not_keep_replies_from_ending() {
    let mut fixture = fixture(ScriptedReplier::new(|_, _| {
        let deltas = (0..1_000).map(|_| ReplyEvent::Delta { text: "on ".into() });
        let done = ReplyEvent::Done(OutgoingResponse::text("on"));
        Box::pin(futures::stream::iter(deltas.chain([done])))
    }));
    let mut door = fixture.bus.follow();
    let query = typed(&mut fixture, "go on");
    fixture.replies.begin_foreground(query);

    assert!(fixture.replies.ended().await.is_some_and(|ended| ended.is_whole));
    while door.recv().await.is_some() {}
}
