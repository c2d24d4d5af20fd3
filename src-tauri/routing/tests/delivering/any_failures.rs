//! The rules of a delivery, for any response and any failures.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::subsequence;
use routing::{Feedback, Outcome, RunEnd, feedback};
use vocabulary::{AttachmentKind, Origin, OutgoingResponse, Private, ReplyPart};

use crate::recording::Recording;
use crate::{attachment, open};

const PARTS: [ReplyPart; 4] = [ReplyPart::Text, ReplyPart::Voice, ReplyPart::Image, ReplyPart::File];

fn any_text() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop_oneof![
        Just(String::new()),
        Just(" \u{A0}\n".to_owned()),
        "[a-z]{1,8}( [a-z]{1,8}){0,3}"
    ])
}

fn any_response() -> impl Strategy<Value = OutgoingResponse> {
    let kind = prop_oneof![Just(AttachmentKind::Image), Just(AttachmentKind::Document)];
    let files = prop::collection::vec(kind, 0..4);
    (any_text(), any::<bool>(), any_text(), files).prop_map(|(text, voice_requested, voice_text, files)| {
        let files = files.into_iter().enumerate();
        OutgoingResponse {
            text: text.map(Private),
            voice_requested,
            voice_text: voice_text.map(Private),
            attachments: files.map(|(index, kind)| attachment(&index.to_string(), kind)).collect(),
            ..OutgoingResponse::default()
        }
    })
}

fn any_parts() -> impl Strategy<Value = Vec<ReplyPart>> {
    subsequence(PARTS.to_vec(), 0..=PARTS.len())
}

/// The parts that a channel got of the first delivery and of the second, and their outcomes.
struct Seen {
    first: Vec<String>,
    all: Vec<String>,
    outcome: Outcome,
    decided: Feedback,
}

fn deliver(channel: &Arc<Recording>, response: &OutgoingResponse) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let mut delivery = open(channel, Origin::Typed);
        delivery.deliver(response).await;
        let first = channel.given();
        let outcome = delivery.outcome().clone();
        let (model_text, has_failed, is_silent, is_retried) = ("", false, false, false);
        let decided = feedback(&RunEnd {
            outcome: &outcome,
            response: Some(response),
            model_text,
            has_failed,
            is_silent,
            is_retried,
        });
        delivery.retry(response).await;
        Seen { first, all: channel.given(), outcome, decided }
    })
}

/// The place of a part in the order of the contract.
fn rank(given: &str) -> usize {
    match given.split(' ').next() {
        Some("Text") => 0,
        Some("Voice") => 1,
        _ => 2,
    }
}

proptest! {
    #[test]
    fn parts_come_in_order_each_once(response in any_response(), lacks in any_parts()) {
        // Without text for the eye or the ear, one stands in for the other: the order of both is not told.
        let lacks: Vec<ReplyPart> = lacks.into_iter().filter(|part| !matches!(part, ReplyPart::Text | ReplyPart::Voice)).collect();
        let channel = Recording::new().without(lacks);

        let seen = deliver(&channel, &response);

        prop_assert!(seen.first.is_sorted_by_key(|given| rank(given)), "{:?}", seen.first);
        let names = seen.first.iter().filter(|given| rank(given) == 2).map(|given| given.split(' ').nth(1));
        let expected: Vec<Option<String>> = response.attachments.iter().map(|it| Some(it.filename.clone())).collect();
        let noted: Vec<Option<String>> = names
            .map(|name| name.map(|name| name.chars().filter(char::is_ascii_digit).collect()))
            .collect();
        prop_assert_eq!(noted, expected);
        prop_assert_eq!(seen.all, seen.first, "nothing was missing, so nothing comes twice");
    }

    #[test]
    fn failing_part_does_not_keep_others_from_arriving(response in any_response(), fails in any_parts()) {
        let whole = deliver(&Recording::new(), &response).first;
        let channel = Recording::new().refusing(fails.clone());

        let seen = deliver(&channel, &response);

        let failing: Vec<String> = fails.iter().map(|part| format!("{part:?}")).collect();
        let expected: Vec<String> = whole
            .iter()
            .filter(|given| !failing.iter().any(|part| given.starts_with(part.as_str())))
            .cloned()
            .collect();
        // Words that cannot be heard may be read in their place.
        let seen_parts: Vec<&String> = seen.first.iter().filter(|given| whole.contains(given)).collect();
        prop_assert_eq!(seen_parts, expected.iter().collect::<Vec<_>>());
    }

    #[test]
    fn delivered_means_that_any_part_arrived(
        response in any_response(), fails in any_parts(), hangs in any_parts(), lacks in any_parts()
    ) {
        let channel = Recording::new().refusing(fails).hanging(hangs).without(lacks);

        let seen = deliver(&channel, &response);

        let arrived = seen.first.iter().filter(|given| !given.starts_with("Note ")).count();
        prop_assert_eq!(seen.outcome.is_delivered(), arrived > 0);
    }

    #[test]
    fn user_is_never_left_without_anything(response in any_response(), fails in any_parts()) {
        let seen = deliver(&Recording::new().refusing(fails), &response);

        let got_something = seen.outcome.is_delivered();
        prop_assert!(got_something || seen.decided != Feedback::Nothing, "{:?}", seen.outcome);
    }

    #[test]
    fn second_try_brings_what_was_missing_and_nothing_else(response in any_response(), fails in any_parts()) {
        let mut whole = deliver(&Recording::new(), &response).first;
        let spoken_alone = response.text.as_ref().is_none_or(|text| text.trim().is_empty());
        // Words that could not be heard were read instead, and count as arrived.
        prop_assume!(!(spoken_alone && fails.contains(&ReplyPart::Voice)));
        let channel = Recording::new().refusing_once(fails);

        let mut all = deliver(&channel, &response).all;

        whole.sort();
        all.sort();
        prop_assert_eq!(all, whole);
    }
}
