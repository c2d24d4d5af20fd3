//! What is found by words and by meaning, and in which order.

use std::sync::Arc;

use ::memory::{Embedded, NewMessage, Participant, Said};
use async_trait::async_trait;
use llm::{EmbedError, EmbedderId};
use rstest::rstest;
use testkit::BagOfWords;
use vocabulary::ConversationId;

use super::super::tests::{Home, NOW};
use super::*;

const DAY: i64 = 86_400_000_000;

/// A home in which this was said so many days ago, each in a conversation of its own.
async fn home(said: &[(i64, &str)]) -> Home {
    let home = Home::new();
    let memory = home.memory();
    let messages = said.iter().map(|(days, text)| NewMessage {
        conversation: ConversationId(format!("earlier {days}")),
        channel: "typed".into(),
        said: Said::new(Participant::User, *text, NOW - days * DAY),
        is_in_diary: true,
    });
    memory.add_messages(messages.collect()).await.unwrap();
    memory.store().close();
    home
}

/// The same, read by a model of meaning.
async fn home_with_meaning(said: &[(i64, &str)]) -> Home {
    let mut home = home(said).await;
    let memory = home.memory();
    let bag = BagOfWords::new();
    memory.use_embeddings_of(&bag.id().0).await.unwrap();
    for passage in memory.passages(100).await.unwrap() {
        let texts: Vec<String> = passage.texts.iter().map(|text| text.0.clone()).collect();
        let vectors = bag.embed(&texts, EmbedRole::Passage, CancellationToken::new()).await.unwrap();
        memory.keep_embeddings(&bag.id().0, vec![Embedded { passage, vectors }]).await.unwrap();
    }
    memory.store().close();
    home.desk.meaning = Some(Arc::new(bag));
    home
}

/// The texts of what is found, in their order.
async fn found(home: &Home, words: &str) -> Vec<String> {
    let printed = home.runs(&["search", "--json", words]).await.unwrap();
    let hits = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    hits.map(|hit| hit["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_is_alike_in_meaning_is_found_and_what_is_not_is_left_out() {
    let mut home = home_with_meaning(&[(9, "the parrot sleeps"), (8, "bananas are on offer")]).await;
    let by_words = found(&home, "polly dozes").await;
    home.desk.meaning =
        Some(Arc::new(BagOfWords::to_which_are_the_same([("polly", "parrot"), ("dozes", "sleeps")])));

    assert_eq!(found(&home, "polly dozes").await, ["the parrot sleeps"]);
    assert!(by_words.is_empty());
}

#[tokio::test]
async fn where_two_disagree_the_newer_one_comes_first() {
    let said = [(300, "Anna lives in Leeds"), (20, "Anna lives in York now"), (90, "bananas are on offer")];
    let expected = ["Anna lives in York now", "Anna lives in Leeds"];

    assert_eq!(found(&home(&said).await, "where does Anna lives").await, expected);
    assert_eq!(found(&home_with_meaning(&said).await, "where does Anna lives").await, expected);
}

#[rstest]
#[case::english("what did I say about Anna last spring")]
#[case::german("was habe ich letzten Frühling über Anna gesagt")]
#[case::french("qu'ai-je dit d'Anna au printemps dernier")]
#[case::spanish("qué dije de Anna la primavera pasada")]
#[tokio::test]
async fn what_is_of_the_time_that_is_named_comes_first(#[case] words: &str) {
    let said = [(560, "Anna got a dog"), (220, "Anna plays the cello"), (20, "Anna moved to York")];

    assert_eq!(
        found(&home_with_meaning(&said).await, words).await,
        ["Anna plays the cello", "Anna moved to York", "Anna got a dog"]
    );
}

#[tokio::test]
async fn without_meaning_words_decide_and_the_reason_is_told() {
    let home = home_with_meaning(&[(9, "the parrot is called Otto")]).await;
    let memory = home.memory();
    let missing = || EmbedError::NotInstalled { id: "all-minilm".into() };

    let broken = BagOfWords::failing([missing()]);
    let why = vector_of("parrot", Some(&broken), &memory).await.unwrap_err();
    let fresh = Home::new();
    let why_not_yet = vector_of("parrot", Some(&broken), &fresh.memory()).await.unwrap_err();
    memory.use_embeddings_of("another").await.unwrap();
    let why_not_the_same = vector_of("parrot", Some(&broken), &memory).await.unwrap_err();
    let unwanted = vector_of("parrot", None, &memory).await;

    assert!(why.contains("is not installed") && why.contains("jarvis models fetch all-minilm"), "{why}");
    assert!(why_not_yet.contains("no model of meaning was used so far"), "{why_not_yet}");
    assert!(why_not_the_same.contains("another model of meaning"), "{why_not_the_same}");
    assert_eq!(unwanted, Ok(None));
    assert_eq!(broken.asked().len(), 1, "without vectors to compare with no model is asked");
}

/// A model that never answers.
struct Silent;

#[async_trait]
impl Embedder for Silent {
    async fn embed(
        &self,
        _: &[String],
        _: EmbedRole,
        _: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        std::future::pending().await
    }

    fn id(&self) -> EmbedderId {
        BagOfWords::new().id()
    }

    fn dimensions(&self) -> Option<usize> {
        None
    }
}

#[tokio::test]
async fn a_model_of_meaning_that_never_answers_costs_no_search() {
    let home = home_with_meaning(&[(9, "the parrot is called Otto")]).await;
    let memory = home.memory();
    memory.embedding_model().await.unwrap();
    tokio::time::pause();

    let why = vector_of("parrot", Some(&Silent), &memory).await.unwrap_err();

    assert!(why.contains("took longer than 20s"), "{why}");
}

#[tokio::test]
async fn a_broken_model_of_meaning_costs_no_search() {
    let mut home = home_with_meaning(&[(9, "the parrot is called Otto")]).await;
    home.desk.meaning = Some(Arc::new(BagOfWords::failing([EmbedError::Stopped])));

    assert_eq!(found(&home, "parrot").await, ["the parrot is called Otto"]);
}
