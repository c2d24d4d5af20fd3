//! What is forgotten is gone from all that was made of it.

use llm::CancellationToken;
use memory::{Forget, ItemId, Kind, Undo};
use rstest::rstest;

use crate::support::{Home, Instead, NOW, Pass, occasion};

#[tokio::test]
async fn forgetting_a_message_takes_its_entry_and_facts_and_the_rest_is_written_again() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.say(NOW + 1, "I like secret meetings").await;
    home.write().await.unwrap();

    home.memory.forget(Forget::LastThing, Undo::Never, NOW + 2).await.unwrap();

    assert!(home.diary().await.is_empty());
    assert_eq!(home.of_user().await, ["The user likes tea."]);
    home.write().await.unwrap();
    assert_eq!(home.diary().await[0].1, "Said: I like tea.");
    assert_eq!(home.of_user().await, ["The user likes tea."]);
    assert_eq!(home.model.asked(Pass::Facts), 1, "what was searched is not searched again");
}

#[tokio::test]
async fn forgetting_the_newer_of_two_that_contradict_leaves_no_trace_of_it() {
    let home = Home::new();
    home.say(NOW, "I live in Leeds").await;
    home.write().await.unwrap();
    home.say(NOW + 1, "I moved to York").await;
    home.write().await.unwrap();

    home.memory.forget(Forget::LastThing, Undo::Never, NOW + 2).await.unwrap();

    assert!(home.of_user().await.iter().all(|fact| !fact.contains("York")));
}

#[tokio::test]
async fn what_is_forgotten_while_the_model_works_never_comes_back() {
    for pass in [Pass::Diary, Pass::Facts, Pass::Merge] {
        let home = Home::new();
        home.say(NOW, "I like tea").await;
        home.write().await.unwrap();
        home.say(NOW + 1, "I like secret meetings").await;
        let memory = home.memory.clone();
        let mut is_done = false;
        home.model.instead(move |asked, _| {
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

        // The pass may fail: what counts is what is there when all is done.
        let _ = home.reflection.write_diary(&occasion(), &CancellationToken::new(), &mut |_| {}).await;
        home.write().await.unwrap();

        let everything = format!("{:?} {:?}", home.diary().await, home.of_user().await);
        assert!(!everything.contains("secret"), "{pass:?}: {everything}");
        assert!(everything.contains("tea"), "{pass:?}: {everything}");
    }
}

#[rstest]
#[case::the_newer(2, &["The user likes tea."])]
#[case::the_older(1, &["The user likes coffee."])]
#[tokio::test]
async fn a_line_that_a_model_worded_from_two_gives_way_to_what_the_other_says(
    #[case] message: i64,
    #[case] left: &[&str],
) {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.write().await.unwrap();
    home.say(NOW + 1, "I like coffee").await;
    home.model.instead(|pass, _| {
        let both = r#"{"facts":["The user likes tea and coffee."]}"#;
        (pass == Pass::Merge).then(|| Instead::Says(both.into()))
    });
    home.write().await.unwrap();
    assert_eq!(home.of_user().await, ["The user likes tea and coffee."]);

    let what = Forget::Items(vec![ItemId::new(Kind::Message, message)]);
    home.memory.forget(what, Undo::Never, NOW + 2).await.unwrap();

    assert_eq!(home.of_user().await, left);
}
