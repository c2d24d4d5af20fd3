//! Forgetting removes a message from everything that was derived from it.

use llm::CancellationToken;
use memory::{Forget, ItemId, RecordKind, Undo};
use rstest::rstest;

use crate::support::{Fixture, NOW, Override, Pass, context};

#[tokio::test]
async fn forgetting_a_message_removes_its_entry_and_its_facts() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.say(NOW + 1, "I like secret meetings").await;
    fixture.write().await.unwrap();

    fixture.memory.forget(Forget::LastThing, Undo::Never, NOW + 2).await.unwrap();

    assert!(fixture.diary().await.is_empty());
    assert_eq!(fixture.user_facts().await, ["The user likes tea."]);
    fixture.write().await.unwrap();
    assert_eq!(fixture.diary().await[0].1, "Said: I like tea.");
    assert_eq!(fixture.user_facts().await, ["The user likes tea."]);
    assert_eq!(fixture.model.asked(Pass::Facts), 1, "a searched message is not searched again");
}

#[tokio::test]
async fn forgetting_the_newer_of_two_contradicting_facts_removes_it() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I live in Leeds").await;
    fixture.write().await.unwrap();
    fixture.say(NOW + 1, "I moved to York").await;
    fixture.write().await.unwrap();

    fixture.memory.forget(Forget::LastThing, Undo::Never, NOW + 2).await.unwrap();

    assert!(fixture.user_facts().await.iter().all(|fact| !fact.contains("York")));
}

#[tokio::test]
async fn message_forgotten_during_a_pass_does_not_return() {
    for pass in [Pass::Diary, Pass::Facts, Pass::Merge] {
        let fixture = Fixture::new();
        fixture.say(NOW, "I like tea").await;
        fixture.write().await.unwrap();
        fixture.say(NOW + 1, "I like secret meetings").await;
        let memory = fixture.memory.clone();
        let mut is_done = false;
        fixture.model.override_answers(move |asked, _| {
            if asked == pass && !std::mem::replace(&mut is_done, true) {
                let memory = memory.clone();
                std::thread::spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                    let forgotten = memory.forget(Forget::LastThing, Undo::Never, NOW + 2);
                    runtime.block_on(forgotten).unwrap();
                })
                .join()
                .unwrap();
            }
            None
        });

        // The pass may fail: only the final state matters.
        let _ = fixture.reflection.write_diary(&context(), &CancellationToken::new(), &mut |_| {}).await;
        fixture.write().await.unwrap();

        let everything = format!("{:?} {:?}", fixture.diary().await, fixture.user_facts().await);
        assert!(!everything.contains("secret"), "{pass:?}: {everything}");
        assert!(everything.contains("tea"), "{pass:?}: {everything}");
    }
}

#[rstest]
#[case::the_newer(2, &["The user likes tea."])]
#[case::the_older(1, &["The user likes coffee."])]
#[tokio::test]
async fn rewritten_fact_is_replaced_by_the_source_that_remains(#[case] message: i64, #[case] left: &[&str]) {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.write().await.unwrap();
    fixture.say(NOW + 1, "I like coffee").await;
    fixture.model.override_answers(|pass, _| {
        let both = r#"{"facts":["The user likes tea and coffee."]}"#;
        (pass == Pass::Merge).then(|| Override::Says(both.into()))
    });
    fixture.write().await.unwrap();
    assert_eq!(fixture.user_facts().await, ["The user likes tea and coffee."]);

    let what = Forget::Items(vec![ItemId::new(RecordKind::Message, message)]);
    fixture.memory.forget(what, Undo::Never, NOW + 2).await.unwrap();

    assert_eq!(fixture.user_facts().await, left);
}
