#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

//! A delivery seen from its channel.

use std::sync::Arc;

use routing::{ChannelError, ChannelId, Channels, Delivery, Outcome};
use rstest::rstest;
use vocabulary::{
    Attachment, AttachmentKind, ConversationId, Origin, OutgoingResponse, Private, Query, Question,
    QuestionId, ReplyEvent, ReplyId, ReplyPart,
};

use recording::Recording;

mod any_failures; // for every response and every failure
mod recording; // a channel that writes down what it gets

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

fn attachment(filename: &str, kind: AttachmentKind) -> Attachment {
    let (filename, mime_type) = (filename.into(), "image/png".into());
    Attachment { kind, filename, mime_type, bytes: Private(vec![1].into()), caption: None }
}

fn response(text: &str) -> OutgoingResponse {
    let attachments = vec![attachment("map.png", AttachmentKind::Image)];
    OutgoingResponse { attachments, ..OutgoingResponse::text(text).spoken() }
}

/// Delivers the response, as a reply does it that was not streamed.
async fn deliver(channel: &Arc<Recording>, origin: Origin, response: &OutgoingResponse) -> Outcome {
    let mut delivery = open(channel, origin);
    delivery.deliver(response).await;
    delivery.close(response).await
}

fn failures(outcome: &Outcome) -> Vec<(ReplyPart, usize, ChannelError)> {
    outcome.failures.iter().map(|failure| (failure.part, failure.index, failure.error.clone())).collect()
}

fn refused() -> ChannelError {
    ChannelError::Refused { reason: "scripted".into() }
}

#[tokio::test]
async fn a_streamed_reply_is_not_sent_again_at_its_end() {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);

    delivery.pass_on(ReplyEvent::Delta { text: "It rains.".into() }).await;
    delivery.pass_on(ReplyEvent::Sentence { index: 0, text: "It rains.".into(), language: None }).await;
    delivery.deliver(&response("It rains.")).await;
    let outcome = delivery.close(&response("It rains.")).await;

    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains.", "Image map.png", "closed"]);
    assert!(outcome.is_delivered() && outcome.failures.is_empty());
}

/// An answer with words of a tool to speak.
fn with_words(text: &str, words: &str) -> OutgoingResponse {
    let voice_text = Some(Private(words.to_owned()));
    OutgoingResponse { voice_text, ..OutgoingResponse::text(text).spoken() }
}

/// Passes on an answer of one sentence, as it is made.
async fn stream(delivery: &mut Delivery, text: &str) {
    delivery.pass_on(ReplyEvent::Delta { text: text.into() }).await;
    delivery.pass_on(ReplyEvent::Sentence { index: 0, text: text.into(), language: None }).await;
}

#[rstest]
#[case::other_words("Look at the table.", &["Text It rains.", "Voice It rains.", "Voice Look at the table."])]
#[case::the_same_words("It rains!", &["Text It rains.", "Voice It rains."])]
#[case::more_words("It rains. Take a coat.", &["Text It rains.", "Voice It rains.", "Voice Take a coat."])]
#[tokio::test]
async fn words_of_a_tool_are_spoken_once_behind_the_answer(#[case] words: &str, #[case] expected: &[&str]) {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);

    stream(&mut delivery, "It rains.").await;
    delivery.deliver(&with_words("It rains.", words)).await;

    assert_eq!(channel.given(), expected);
}

#[tokio::test]
async fn words_of_a_tool_that_were_refused_are_sent_again_alone() {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);
    let response = with_words("It rains.", "Look at the table.");

    stream(&mut delivery, "It rains.").await;
    channel.refuse_next(ReplyPart::Voice);
    delivery.deliver(&response).await;
    let missing = failures(delivery.outcome());
    delivery.retry(&response).await;

    assert_eq!(missing, [(ReplyPart::Voice, 1, refused())]);
    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains.", "Voice Look at the table."]);
}

#[tokio::test]
async fn answer_of_which_nothing_was_heard_is_spoken_once_more_whole() {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);
    let response = OutgoingResponse::text("It rains. Take a coat.").spoken();

    stream(&mut delivery, "It rains. ").await;
    stream(&mut delivery, "Take a coat.").await;
    channel.fall_silent(Some(refused()));
    delivery.deliver(&response).await;
    let (missing, is_spoken) = (failures(delivery.outcome()), delivery.outcome().sent_voice);
    channel.fall_silent(None);
    delivery.retry(&response).await;

    assert_eq!((missing, is_spoken), (vec![(ReplyPart::Voice, 0, refused())], false));
    assert_eq!(channel.given().last().unwrap(), "Voice It rains. Take a coat.");
    assert_eq!((failures(delivery.outcome()), delivery.outcome().sent_voice), (vec![], true));
}

#[tokio::test]
async fn answer_that_is_not_heard_the_second_time_either_is_not_spoken() {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);
    let response = OutgoingResponse::text("It rains.").spoken();

    stream(&mut delivery, "It rains.").await;
    channel.fall_silent(Some(refused()));
    delivery.deliver(&response).await;
    delivery.retry(&response).await;

    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains.", "Voice It rains."]);
    let is_spoken = delivery.outcome().sent_voice;
    assert_eq!((failures(delivery.outcome()), is_spoken), (vec![(ReplyPart::Voice, 0, refused())], false));
}

#[rstest]
#[case::quota_is_used_up(ChannelError::QuotaExceeded, Some("Note VoiceQuota"))]
#[case::no_voice_works(ChannelError::VoiceUnavailable, Some("Note VoiceUnavailable"))]
#[case::loudspeaker_is_away(ChannelError::LoudspeakerAway, None)]
#[case::loudspeaker_is_gone(refused(), None)]
#[tokio::test]
async fn reason_why_nothing_was_heard_is_told_if_it_lasts(
    #[case] reason: ChannelError,
    #[case] note: Option<&str>,
) {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);

    stream(&mut delivery, "It rains.").await;
    channel.fall_silent(Some(reason));
    delivery.deliver(&OutgoingResponse::text("It rains.").spoken()).await;

    let given = channel.given();
    assert_eq!(given.iter().skip(2).map(String::as_str).collect::<Vec<_>>(), Vec::from_iter(note));
}

#[tokio::test]
async fn words_that_wait_for_the_loudspeaker_are_sent_once_and_do_not_count_as_spoken() {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);
    let response = with_words("It rains.", "It rains.");

    stream(&mut delivery, "It rains.").await;
    channel.fall_silent(Some(ChannelError::LoudspeakerAway));
    delivery.deliver(&response).await;
    delivery.retry(&response).await;

    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains."]);
    let failed = failures(delivery.outcome());
    assert_eq!(failed, [(ReplyPart::Voice, 0, ChannelError::LoudspeakerAway)]);
    assert!(!delivery.outcome().sent_voice);
}

#[tokio::test]
async fn answer_of_sound_alone_is_read_while_the_loudspeaker_is_away() {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);
    channel.fall_silent(Some(ChannelError::LoudspeakerAway));

    let words = OutgoingResponse { text: None, ..with_words("", "It rains.") };
    delivery.deliver(&words).await;

    assert_eq!(channel.given(), ["Voice It rains.", "Text It rains."]);
}

#[tokio::test]
async fn answer_that_comes_whole_after_a_question_is_spoken() {
    let channel = Recording::new();
    let mut delivery = open(&channel, Origin::Voice);
    let (text, options) = ("Delete it?".to_owned(), vec![]);
    let question = Question { id: QuestionId(1), text, options, by_hand: false };

    delivery.pass_on(ReplyEvent::Question(question)).await;
    delivery.deliver(&OutgoingResponse::text("Done.").spoken()).await;

    let given = channel.given();
    assert_eq!(given[1..], ["Voice Delete it?", "awaits an answer", "Text Done.", "Voice Done."]);
}

#[tokio::test]
async fn what_was_not_streamed_comes_in_the_order_text_voice_attachments() {
    let channel = Recording::new();

    deliver(&channel, Origin::Typed, &response("It rains.")).await;

    assert_eq!(channel.given(), ["Text It rains.", "Voice It rains.", "Image map.png", "closed"]);
}

#[tokio::test(start_paused = true)]
async fn a_part_that_fails_or_hangs_does_not_stop_the_next() {
    let channel = Recording::new().refusing([ReplyPart::Text]).hanging([ReplyPart::Voice]);

    let outcome = deliver(&channel, Origin::Voice, &response("It rains.")).await;

    assert_eq!(channel.given(), ["Image map.png", "closed"]);
    let expected = [(ReplyPart::Text, 0, refused()), (ReplyPart::Voice, 0, ChannelError::TimedOut)];
    assert_eq!(failures(&outcome), expected);
    assert!(outcome.is_delivered());
}

#[rstest]
#[case::mute_channel(Recording::new().without([ReplyPart::Voice]), &["Text It rains.", "closed"])]
#[case::failing_voice(Recording::new().refusing([ReplyPart::Voice]), &["Text It rains.", "closed"])]
#[case::voice_without_quota(
    Recording::new().failing(ReplyPart::Voice, ChannelError::QuotaExceeded),
    &["Note VoiceQuota", "Text It rains.", "closed"]
)]
#[tokio::test]
async fn words_that_cannot_be_heard_are_read(#[case] channel: Arc<Recording>, #[case] expected: &[&str]) {
    let words = Some(Private("It rains.".to_owned()));
    let response = OutgoingResponse { voice_requested: true, voice_text: words, ..Default::default() };

    let outcome = deliver(&channel, Origin::Voice, &response).await;

    assert_eq!(channel.given(), expected);
    assert!(outcome.is_delivered());
}

#[tokio::test]
async fn answer_that_was_read_is_not_read_again_if_it_cannot_be_heard() {
    let channel = Recording::new().failing(ReplyPart::Voice, ChannelError::VoiceUnavailable);
    let mut delivery = open(&channel, Origin::Voice);

    for (index, text) in ["It rains.", "Take a coat."].into_iter().enumerate() {
        delivery.pass_on(ReplyEvent::Delta { text: format!("{text} ") }).await;
        delivery.pass_on(ReplyEvent::Sentence { index, text: text.into(), language: None }).await;
    }
    delivery.deliver(&OutgoingResponse::text("It rains. Take a coat.").spoken()).await;

    let expected = ["Text It rains. ", "Note VoiceUnavailable", "Text Take a coat. "];
    assert_eq!(channel.given(), expected, "one note is enough");
}

#[tokio::test]
async fn an_empty_response_is_no_delivery() {
    let channel = Recording::new();

    let outcome = deliver(&channel, Origin::Voice, &OutgoingResponse::default().spoken()).await;

    assert_eq!(channel.given(), ["closed"]);
    assert!(!outcome.is_delivered());
}

#[tokio::test]
async fn text_is_sent_with_its_blanks() {
    let channel = Recording::new();

    deliver(&channel, Origin::Typed, &OutgoingResponse::text("  It rains.\n")).await;

    assert_eq!(channel.given(), ["Text   It rains.\n", "closed"]);
}

#[tokio::test]
async fn only_what_is_missing_is_sent_again() {
    let channel = Recording::new().refusing_once([ReplyPart::Text, ReplyPart::File]);
    let attachments =
        vec![attachment("map.png", AttachmentKind::Image), attachment("list.csv", AttachmentKind::Document)];
    let response = OutgoingResponse { attachments, ..OutgoingResponse::text("It rains.").spoken() };
    let mut delivery = open(&channel, Origin::Typed);

    delivery.deliver(&response).await;
    let missing = failures(delivery.outcome());
    delivery.retry(&response).await;

    assert_eq!(missing, [(ReplyPart::Text, 0, refused()), (ReplyPart::File, 1, refused())]);
    assert_eq!(channel.given(), ["Voice It rains.", "Image map.png", "Text It rains.", "File list.csv"]);
    assert_eq!((failures(delivery.outcome()), delivery.outcome().sent_attachments), (vec![], 2));
}

#[tokio::test]
async fn picture_is_a_file_where_no_pictures_are_shown() {
    let channel = Recording::new().without([ReplyPart::Image]);

    let outcome = deliver(&channel, Origin::Typed, &response("A map.")).await;

    assert!(channel.given().contains(&"File map.png".to_owned()), "{:?}", channel.given());
    assert_eq!(failures(&outcome), []);
}

#[tokio::test]
async fn file_that_a_channel_cannot_show_is_named() {
    let channel = Recording::new().without([ReplyPart::Image, ReplyPart::File]);

    let outcome = deliver(&channel, Origin::Typed, &response("A map.")).await;

    assert_eq!(channel.given(), ["Text A map.", "Voice A map.", "Note NotShown(\"map.png\")", "closed"]);
    assert_eq!(failures(&outcome), [(ReplyPart::Image, 0, ChannelError::Unsupported)]);
}

#[tokio::test]
async fn text_is_heard_where_nothing_can_be_read() {
    let channel = Recording::new().without([ReplyPart::Text]);

    let outcome = deliver(&channel, Origin::Typed, &OutgoingResponse::text("It rains.")).await;

    assert_eq!(channel.given(), ["Voice It rains.", "closed"]);
    assert!(outcome.is_delivered());
}

#[tokio::test]
async fn a_question_is_shown_and_spoken_only_when_the_query_was_spoken() {
    let question = ReplyEvent::Question(Question {
        id: QuestionId(1),
        text: "Delete it?".into(),
        options: vec![],
        by_hand: false,
    });
    let aloud = ["Voice Delete it?", "awaits an answer"].as_slice();
    for (origin, expected) in [(Origin::Voice, aloud), (Origin::Typed, &[])] {
        let channel = Recording::new();

        open(&channel, origin).pass_on(question.clone()).await;

        let given = channel.given();
        assert!(given[0].starts_with("Notice Question"), "{given:?}");
        assert_eq!(given[1..], *expected);
    }
}

#[tokio::test]
async fn a_query_goes_back_to_the_channel_of_its_origin() {
    let channels = Channels::default();
    let (person, caller) = (Recording::new(), Recording::new());
    let _person = channels.register(ChannelId::Person, person.clone());
    let registration = channels.register(ChannelId::Caller(ReplyId(1)), caller.clone());

    let mut delivery = channels.open(&query(Origin::Program)).unwrap();
    delivery.deliver(&OutgoingResponse::text("Yes.")).await;

    assert_eq!(caller.given(), ["Text Yes."]);
    assert!(person.given().is_empty());
    drop(registration);
    assert!(channels.open(&query(Origin::Program)).is_err(), "a caller that left has no channel");
}
