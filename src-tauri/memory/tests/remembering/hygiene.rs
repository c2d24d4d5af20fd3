//! Finding and repairing inconsistencies.

use memory::{Branch, Forget, Health, Recall, Undo};
use rusqlite::Connection;
use vocabulary::Private;

use crate::support::{DAY, Home, NOW, fact};

#[tokio::test]
async fn consistent_memory_has_nothing_to_repair() {
    let home = Home::new();
    home.say(NOW, "hello").await;
    home.memory.learn(Branch::User.node(), fact("Likes tea."), NOW).await.unwrap();

    let health = home.memory.examine(NOW).await.unwrap();

    let expected = Health {
        messages: 1,
        facts: 1,
        nodes: 4,
        pending_messages: 1,
        without_vector: 2,
        ..Health::default()
    };
    assert_eq!(health, expected);
    assert!(!health.needs_repair());
}

#[tokio::test]
async fn junk_duplicates_orphans_and_gaps_are_repaired() {
    let home = Home::new();
    let memory = &home.memory;
    home.say(NOW, "the heron stood still").await;
    home.say(NOW + 1, "the ghost walks").await;
    let empty = memory.create_node(Branch::World.node(), "Empty", "", NOW - 40 * DAY).await.unwrap();
    let lost = memory.create_node(Branch::World.node(), "Lost", "", NOW).await.unwrap();
    let below = memory.create_node(lost, "ChildNodes", "", NOW).await.unwrap();
    memory.learn(Branch::User.node(), fact("Likes tea."), NOW).await.unwrap();
    memory.learn(lost, fact("likes TEA!"), NOW + 1).await.unwrap();
    memory.store().close();
    let other = Connection::open(home.path()).unwrap();
    other
        .execute_batch(&format!(
            "DELETE FROM messages WHERE text LIKE '%ghost%';
             INSERT INTO words (words) VALUES ('delete-all');
             INSERT INTO words (rowid, tokens) VALUES (8, 'the ghost walks');
             UPDATE nodes SET parent = {} WHERE id = {};",
            below.0, lost.0
        ))
        .unwrap();
    drop(other);
    let memory = crate::support::open(&home.path());

    let before = memory.repair(NOW).await.unwrap();
    let after = memory.examine(NOW).await.unwrap();

    assert_eq!(
        (before.orphans, before.duplicates, before.junk, before.unreachable, before.without_words > 0),
        (1, 1, 1, 2, true)
    );
    assert!(!after.needs_repair(), "{after:?}");
    let found =
        memory.recall(Recall { words: "heron ghost".into(), limit: 5, ..Recall::default() }).await.unwrap();
    assert_eq!(found.len(), 1);
    assert!(memory.node(empty).await.unwrap().is_none());
    assert_eq!(memory.node(lost).await.unwrap().unwrap().parent, Some(Branch::User.node()));
    let fact = &memory.facts(Branch::User.node()).await.unwrap()[0];
    assert_eq!(memory.evidence(fact.id).await.unwrap().len(), 2, "the witnesses of both");
    memory.forget(Forget::Words(Private("tea".into())), Undo::Never, NOW).await.unwrap();
    assert_eq!(memory.examine(NOW).await.unwrap().facts, 0);
}

/// The search table keeps what it read of itself, and a reader that examines may have read it before the last changes.
#[tokio::test]
async fn memory_that_changes_between_readings_is_not_taken_for_damaged() {
    let home = Home::new();
    for round in 0..40 {
        home.say(NOW + round, &format!("the heron number {round} stood still")).await;
        home.memory.recall(Recall { words: "heron".into(), limit: 5, ..Recall::default() }).await.unwrap();
        home.say(NOW + 1_000 + round, &format!("the crow number {round} flew off")).await;

        let health = home.memory.examine(NOW).await.unwrap();

        assert_eq!(health.damage, "", "round {round}");
    }
}
