//! Tests of a search by words and by vectors, and of its order.

use std::sync::Arc;

use ::memory::{EmbeddedPassage, MessageContent, NewMessage};
use assistant::Participant;
use llm::{CancellationToken, EmbedError, EmbedRole, Embedder};
use rstest::rstest;
use testkit::BagOfWords;
use vocabulary::ConversationId;

use super::super::tests::{Home, NOW};
use super::*;

const DAY: i64 = 86_400_000_000;

/// A home in which these texts were said this many days ago, each in its own conversation.
async fn home(said: &[(i64, &str)]) -> Home {
    let home = Home::new();
    let memory = home.memory();
    let messages = said.iter().map(|(days, text)| NewMessage {
        conversation: ConversationId(format!("earlier {days}")),
        channel: "typed".into(),
        content: MessageContent::new(Participant::User, *text, NOW - days * DAY),
        is_in_diary: true,
    });
    memory.add_messages(messages.collect()).await.unwrap();
    memory.store().close();
    home
}

/// The same, with vectors of an embedding model.
async fn home_with_vectors(said: &[(i64, &str)]) -> Home {
    let mut home = home(said).await;
    let memory = home.memory();
    let bag = BagOfWords::new();
    memory.use_embeddings_of(&bag.id().0).await.unwrap();
    for passage in memory.passages(100).await.unwrap() {
        let texts: Vec<String> = passage.texts.iter().map(|text| text.0.clone()).collect();
        let vectors = bag.embed(&texts, EmbedRole::Passage, CancellationToken::new()).await.unwrap();
        memory.keep_embeddings(&bag.id().0, vec![EmbeddedPassage { passage, vectors }]).await.unwrap();
    }
    memory.store().close();
    home.embedder = Some(Arc::new(bag));
    home
}

/// The texts of the hits, in their order.
async fn found(home: &Home, words: &str) -> Vec<String> {
    let printed = home.runs(&["search", "--json", words]).await.unwrap();
    let hits = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    hits.map(|hit| hit["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn similar_texts_are_found_and_unrelated_ones_left_out() {
    let mut home = home_with_vectors(&[(9, "the parrot sleeps"), (8, "bananas are on offer")]).await;
    let by_words = found(&home, "polly dozes").await;
    home.embedder = Some(Arc::new(BagOfWords::with_synonyms([("polly", "parrot"), ("dozes", "sleeps")])));

    assert_eq!(found(&home, "polly dozes").await, ["the parrot sleeps"]);
    assert!(by_words.is_empty());
}

#[tokio::test]
async fn newer_of_two_contradicting_texts_comes_first() {
    let said = [(300, "Anna lives in Leeds"), (20, "Anna lives in York now"), (90, "bananas are on offer")];
    let expected = ["Anna lives in York now", "Anna lives in Leeds"];

    assert_eq!(found(&home(&said).await, "where does Anna lives").await, expected);
    assert_eq!(found(&home_with_vectors(&said).await, "where does Anna lives").await, expected);
}

#[rstest]
#[case::english("what did I say about Anna last spring")]
#[case::german("was habe ich letzten Frühling über Anna gesagt")]
#[case::french("qu'ai-je dit d'Anna au printemps dernier")]
#[case::spanish("qué dije de Anna la primavera pasada")]
#[tokio::test]
async fn texts_of_the_named_time_come_first(#[case] words: &str) {
    let said = [(560, "Anna got a dog"), (220, "Anna plays the cello"), (20, "Anna moved to York")];

    assert_eq!(
        found(&home_with_vectors(&said).await, words).await,
        ["Anna plays the cello", "Anna moved to York", "Anna got a dog"]
    );
}

#[tokio::test]
async fn failing_embedding_model_leaves_word_search() {
    let mut home = home_with_vectors(&[(9, "the parrot is called Otto")]).await;
    home.embedder = Some(Arc::new(BagOfWords::failing([EmbedError::Cancelled])));

    assert_eq!(found(&home, "parrot").await, ["the parrot is called Otto"]);
}
