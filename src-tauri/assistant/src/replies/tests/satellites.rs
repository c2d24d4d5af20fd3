//! Replies at satellites.

use tokio::sync::mpsc;

use super::*;

/// A query at a satellite, and what it is told.
fn at_satellite(
    text: &str,
    previous: Option<SatelliteReply>,
) -> (SatelliteRequest, mpsc::Receiver<SpeakerOrder>, mpsc::Receiver<(ReplyId, SatelliteTurn)>) {
    let (orders, to_speaker) = mpsc::channel(16);
    let (turns, to_session) = mpsc::channel(16);
    let request = SatelliteRequest {
        text: text.into(),
        language: None,
        replaces_previous: previous.is_some(),
        previous: previous.map(|reply| (reply.id(), reply.into_finished())),
        channel: Arc::new(SatelliteChannel { orders, turns }),
    };
    (request, to_speaker, to_session)
}

#[tokio::test]
async fn reply_at_a_satellite_goes_there_and_to_the_screen_without_its_questions() {
    let mut fixture = fixture(ScriptedReplier::new(|_, controls| asks_first(controls)));
    let (request, mut orders, mut turns) = at_satellite("delete the list", None);

    let mut reply = fixture.replies.open_at_satellite(request).unwrap();
    let Some((_, SatelliteTurn::Asked(question))) = turns.recv().await else { panic!("nothing was asked") };
    let is_about_something_else = !reply.answer_with(&question, "what time is it?");
    assert!(is_about_something_else && reply.answer_with(&question, "Go ahead."));
    fixture.replies.ended().await;

    let id = reply.id();
    let said = SpeakerOrder::Say { reply: id, text: question.text, language: None };
    assert_eq!(orders.recv().await, Some(said));
    let mut shown = Vec::new();
    while let Ok(event) = fixture.events.try_recv() {
        shown.push(event);
    }
    let is_question = |event: &AssistantEvent| {
        matches!(event, AssistantEvent::Reply { event: ReplyEvent::Question(_), .. })
    };
    assert!(!shown.iter().any(is_question), "nobody at this machine can answer it");
    let done = ReplyEvent::Done(OutgoingResponse::text("yes"));
    assert_eq!(shown.last(), Some(&AssistantEvent::Reply { reply: id, event: done }));
}

#[rstest::rstest]
#[case::nobody_else_asked(false, true)]
#[case::somebody_asked_at_this_machine(true, false)]
#[tokio::test]
async fn query_at_a_satellite_takes_back_only_the_newest(
    #[case] is_asked_between: bool,
    #[case] replaces: bool,
) {
    let replier = Arc::new(ScriptedReplier::echo());
    let mut fixture = fixture_of(Arc::clone(&replier));
    let (request, _orders, _turns) = at_satellite("a timer", None);
    let first = fixture.replies.open_at_satellite(request).unwrap();
    fixture.replies.ended().await;
    if is_asked_between {
        let query = typed(&mut fixture, "what time is it?");
        fixture.replies.begin_foreground(query);
        fixture.replies.ended().await;
    }

    let (request, _orders, _turns) = at_satellite("a timer of ten minutes", Some(first));
    let _second = fixture.replies.open_at_satellite(request).unwrap();
    fixture.replies.ended().await;

    assert_eq!(replier.asked().last().map(|query| query.replaces_previous), Some(replaces));
}

#[tokio::test]
async fn program_and_satellites_do_not_stop_each_other() {
    let mut fixture = fixture(ScriptedReplier::new(|query, controls| match query.text.as_str() {
        "wait" => silent_until_stopped(controls),
        text => ScriptedReplier::says(text),
    }));
    let (kitchen, _orders, _turns) = at_satellite("wait", None);
    let _kitchen = fixture.replies.open_at_satellite(kitchen).unwrap();

    let (hall, _orders, _turns) = at_satellite("hello", None);
    let hall = fixture.replies.open_at_satellite(hall).unwrap();
    let hall_ended = fixture.replies.ended().await;
    let mut handle = fixture.replies.open(request("hello", "main")).unwrap();
    let (answer, program_ended) = tokio::join!(read(&mut handle), fixture.replies.ended());

    assert_eq!(hall_ended.map(|ended| ended.reply), Some(hall.id()));
    assert_eq!(text(&answer), "hello");
    assert_eq!(program_ended.map(|ended| ended.is_whole), Some(true));
}
