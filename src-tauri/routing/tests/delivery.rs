#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

//! A delivery seen from its channel.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use routing::{Channel, ChannelError, ChannelId, Channels, Delivery, Part};
use vocabulary::{
    Attachment, AttachmentKind, ConversationId, Language, Origin, OutgoingResponse, Private, Query, Question,
    QuestionId, ReplyEvent, ReplyId,
};

/// Records what it receives; refuses, or never answers, the parts it is configured for.
#[derive(Default)]
struct Recording {
    given: Mutex<Vec<String>>,
    refuses: Option<Part>,
    hangs: Option<Part>,
    is_mute: bool,
}

impl Recording {
    async fn take(&self, part: Part, what: &str) -> Result<(), ChannelError> {
        if self.hangs == Some(part) {
            std::future::pending::<()>().await;
        }
        if self.refuses == Some(part) {
            return Err(ChannelError::Refused { reason: "scripted".into() });
        }
        self.given.lock().push(format!("{part:?} {what}"));
        Ok(())
    }

    fn given(&self) -> Vec<String> {
        self.given.lock().clone()
    }
}

#[async_trait]
impl Channel for Recording {
    fn carries(&self, part: Part) -> bool {
        !(self.is_mute && part == Part::Voice)
    }

    async fn send(&self, _: ReplyId, event: ReplyEvent) -> Result<(), ChannelError> {
        match event {
            ReplyEvent::Delta { text } => self.take(Part::Text, &text).await,
            // Its words have come as deltas.
            ReplyEvent::Sentence { .. } => Ok(()),
            ReplyEvent::Done(_) => {
                self.given.lock().push("closed".into());
                Ok(())
            }
            event => self.take(Part::Notice, &format!("{event:?}")).await,
        }
    }

    async fn speak(&self, _: ReplyId, sentence: &str, _: Option<&Language>) -> Result<(), ChannelError> {
        self.take(Part::Voice, sentence).await
    }

    async fn attach(&self, _: ReplyId, attachment: &Attachment) -> Result<(), ChannelError> {
        self.take(Part::Attachment, &attachment.filename).await
    }

    async fn await_answer(&self, _: ReplyId) {
        self.given.lock().push("awaits an answer".into());
    }
}

fn query(origin: Origin) -> Query {
    Query {
        reply: ReplyId(1),
        text: "does it rain?".into(),
        language: None,
        origin,
        conversation: ConversationId::main(),
        replaces_previous: false,
    }
}

/// A delivery of the reply to a query of this origin, through a registry.
fn open(channel: &Arc<Recording>, origin: Origin) -> Delivery {
    let channels = Channels::default();
    let _person = channels.register(ChannelId::Person, channel.clone());
    let _caller = channels.register(ChannelId::Caller(ReplyId(1)), channel.clone());
    channels.open(&query(origin)).unwrap()
}

fn response(text: &str) -> OutgoingResponse {
    let attachment = Attachment {
        kind: AttachmentKind::Image,
        filename: "map.png".into(),
        mime_type: "image/png".into(),
        bytes: Private(vec![1]),
        caption: None,
    };
    OutgoingResponse { attachments: vec![attachment], ..OutgoingResponse::text(text).spoken() }
}

#[tokio::test]
async fn a_streamed_reply_is_not_sent_again_at_its_end() {
    let channel = Arc::new(Recording::default());
    let mut delivery = open(&channel, Origin::Voice);

    delivery.pass_on(ReplyEvent::Delta { text: "It rains.".into() }).await;
    delivery.pass_on(ReplyEvent::Sentence { index: 0, text: "It rains.".into(), language: None }).await;
    let outcome = delivery.close(&response("It rains.")).await;

    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains.", "Attachment map.png", "closed"]);
    assert!(outcome.is_delivered() && outcome.failures.is_empty());
}

#[tokio::test]
async fn what_was_not_streamed_comes_in_the_order_text_voice_attachments() {
    let channel = Arc::new(Recording::default());

    open(&channel, Origin::Typed).close(&response("It rains.")).await;

    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains.", "Attachment map.png", "closed"]);
}

#[tokio::test(start_paused = true)]
async fn a_part_that_fails_or_hangs_does_not_stop_the_next() {
    let channel =
        Arc::new(Recording { refuses: Some(Part::Text), hangs: Some(Part::Voice), ..Recording::default() });

    let outcome = open(&channel, Origin::Voice).close(&response("It rains.")).await;

    assert_eq!(channel.given(), ["Attachment map.png", "closed"]);
    let failed: Vec<_> =
        outcome.failures.iter().map(|failure| (failure.part, failure.error.clone())).collect();
    let refused = ChannelError::Refused { reason: "scripted".into() };
    assert_eq!(failed, [(Part::Text, refused), (Part::Voice, ChannelError::TimedOut)]);
}

#[tokio::test]
async fn words_for_the_ear_are_read_where_nobody_hears() {
    let channel = Arc::new(Recording { is_mute: true, ..Recording::default() });
    let words = Some(Private("It rains.".to_owned()));
    let response = OutgoingResponse { voice_requested: true, voice_text: words, ..Default::default() };

    open(&channel, Origin::Voice).close(&response).await;

    assert_eq!(channel.given(), ["Text It rains.", "closed"]);
}

#[tokio::test]
async fn an_empty_response_is_no_delivery() {
    let channel = Arc::new(Recording::default());

    let outcome = open(&channel, Origin::Voice).close(&OutgoingResponse::default()).await;

    assert!(!outcome.is_delivered());
}

#[tokio::test]
async fn a_question_is_shown_and_spoken_only_when_the_query_was_spoken() {
    let question =
        ReplyEvent::Question(Question { id: QuestionId(1), text: "Delete it?".into(), options: vec![] });
    let aloud = ["Voice Delete it?", "awaits an answer"].as_slice();
    for (origin, expected) in [(Origin::Voice, aloud), (Origin::Typed, &[])] {
        let channel = Arc::new(Recording::default());

        open(&channel, origin).pass_on(question.clone()).await;

        let given = channel.given();
        assert!(given[0].starts_with("Notice Question"), "{given:?}");
        assert_eq!(given[1..], *expected);
    }
}

#[tokio::test]
async fn a_query_goes_back_to_the_channel_of_its_origin() {
    let channels = Channels::default();
    let (person, caller) = (Arc::new(Recording::default()), Arc::new(Recording::default()));
    let _person = channels.register(ChannelId::Person, person.clone());
    let registration = channels.register(ChannelId::Caller(ReplyId(1)), caller.clone());

    channels.open(&query(Origin::Program)).unwrap().close(&OutgoingResponse::text("Yes.")).await;

    assert_eq!(caller.given(), ["Text Yes.", "closed"]);
    assert!(person.given().is_empty());
    drop(registration);
    assert!(channels.open(&query(Origin::Program)).is_err(), "a caller that left has no channel");
}
