#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

//! A delivery seen from its channel.

use std::sync::Mutex;

use async_trait::async_trait;
use routing::{Channel, ChannelError, Part, Voice, deliver};
use vocabulary::{Attachment, AttachmentKind, OutgoingResponse, Private, ReplyEvent, ReplyId};

/// Records what it is given; refuses or never answers what it is told to.
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
        self.given.lock().unwrap().push(format!("{part:?} {what}"));
        Ok(())
    }

    fn given(&self) -> Vec<String> {
        self.given.lock().unwrap().clone()
    }
}

#[async_trait]
impl Channel for Recording {
    fn carries(&self, part: Part) -> bool {
        !(self.is_mute && part == Part::Voice)
    }

    async fn show(&self, _: ReplyId, text: &str) -> Result<(), ChannelError> {
        self.take(Part::Text, text).await
    }

    async fn speak(&self, _: ReplyId, sentence: &str) -> Result<(), ChannelError> {
        self.take(Part::Voice, sentence).await
    }

    async fn attach(&self, _: ReplyId, attachment: &Attachment) -> Result<(), ChannelError> {
        self.take(Part::Attachment, &attachment.filename).await
    }

    async fn close(&self, _: ReplyId) {}
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
    let channel = Recording::default();
    let mut delivery = deliver(&channel, ReplyId(1), Voice::Aloud);

    delivery.pass_on(&ReplyEvent::Delta { text: "It rains.".into() }).await;
    delivery.pass_on(&ReplyEvent::Sentence { index: 0, text: "It rains.".into() }).await;
    let outcome = delivery.close(&response("It rains.")).await;

    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains.", "Attachment map.png"]);
    assert!(outcome.is_delivered() && outcome.failures.is_empty());
}

#[tokio::test]
async fn what_was_not_streamed_comes_in_the_order_text_voice_attachments() {
    let channel = Recording::default();

    deliver(&channel, ReplyId(1), Voice::Silent).close(&response("It rains.")).await;

    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains.", "Attachment map.png"]);
}

#[tokio::test(start_paused = true)]
async fn a_part_that_fails_or_hangs_does_not_stop_the_next() {
    let channel = Recording { refuses: Some(Part::Text), hangs: Some(Part::Voice), ..Recording::default() };

    let outcome = deliver(&channel, ReplyId(1), Voice::Aloud).close(&response("It rains.")).await;

    assert_eq!(channel.given(), ["Attachment map.png"]);
    let failed: Vec<_> =
        outcome.failures.iter().map(|failure| (failure.part, failure.error.clone())).collect();
    let refused = ChannelError::Refused { reason: "scripted".into() };
    assert_eq!(failed, [(Part::Text, refused), (Part::Voice, ChannelError::TimedOut)]);
}

#[tokio::test]
async fn words_for_the_ear_are_read_where_nobody_hears() {
    let channel = Recording { is_mute: true, ..Recording::default() };
    let words = Some(Private("It rains.".to_owned()));
    let response = OutgoingResponse { voice_requested: true, voice_text: words, ..Default::default() };

    deliver(&channel, ReplyId(1), Voice::Aloud).close(&response).await;

    assert_eq!(channel.given(), ["Text It rains."]);
}

#[tokio::test]
async fn an_empty_response_is_no_delivery() {
    let channel = Recording::default();

    let outcome = deliver(&channel, ReplyId(1), Voice::Aloud).close(&OutgoingResponse::default()).await;

    assert!(!outcome.is_delivered());
}
