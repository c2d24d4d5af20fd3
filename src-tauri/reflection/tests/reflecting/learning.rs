//! Facts are found, each once, with the words that show them.

use llm::CancellationToken;
use memory::{Branch, FactStatus, Participant};
use vocabulary::ConversationId;

use crate::support::{DAY, Home, Instead, MINUTE, NOW, Pass, occasion};

#[tokio::test]
async fn a_fact_knows_the_words_it_comes_from() {
    let home = Home::new();
    home.say(NOW, "well, I like tea").await;
    let written = home.write().await.unwrap();

    let fact = home.facts(Branch::User.node()).await.pop().unwrap();
    let evidence = home.memory.evidence(fact.id).await.unwrap().pop().unwrap();

    assert_eq!(evidence.quote, "well, I like tea");
    assert_eq!((evidence.observed_at, fact.valid_from), (NOW, NOW));
    assert_eq!(evidence.day.unwrap().to_string(), "2025-11-22");
    assert_eq!(ConversationId(evidence.conversation), ConversationId("main".into()));
    assert_eq!((evidence.participant, evidence.channel.as_str()), (Some(Participant::User), "voice"));
    assert_eq!(evidence.entry, Some(written.entries[0].0));
    assert!(evidence.message.is_some());
}

#[tokio::test]
async fn a_fact_told_again_gets_a_witness_wherever_it_is() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.write().await.unwrap();
    let drinks = home.memory.create_node(Branch::User.node(), "Drinks", "", NOW).await.unwrap();
    let tea = home.facts(Branch::User.node()).await[0].id;
    home.memory.move_facts(vec![tea], drinks, NOW).await.unwrap();
    home.say(NOW + DAY, "I LIKE  Tea!").await;

    let written = home.write().await.unwrap();

    assert_eq!((written.learning.learned.len(), written.learning.known), (0, 1));
    assert_eq!(home.memory.evidence(tea).await.unwrap().len(), 2);
    assert!(home.of_user().await.is_empty());
}

#[tokio::test]
async fn what_the_assistant_says_is_no_fact() {
    let home = Home::new();
    home.answer(NOW, "You like sailing?").await;
    home.say(NOW + 1, "yes, as I said").await;

    let written = home.write().await.unwrap();

    assert!(home.of_user().await.is_empty());
    assert!(home.facts(Branch::World.node()).await.is_empty());
    assert_eq!(written.learning.without_witness, 3);
}

#[tokio::test]
async fn a_newer_fact_takes_the_place_of_the_one_it_contradicts() {
    let home = Home::new();
    home.say(NOW, "I live in Leeds").await;
    home.say(NOW + 1, "I like tea").await;
    home.write().await.unwrap();
    home.say(NOW + DAY, "I moved to York").await;

    home.write().await.unwrap();

    assert_eq!(home.of_user().await, ["The user likes tea.", "The user lives in York."]);
    let york = home.facts(Branch::User.node()).await[1].id;
    let history = home.memory.history_of(york).await.unwrap();
    assert_eq!(
        (history[0].text.as_str(), history[0].status),
        ("The user lives in Leeds.", FactStatus::Superseded)
    );
    assert_eq!(home.memory.evidence(york).await.unwrap().len(), 1, "Leeds is no evidence for York");
    assert_eq!(home.memory.evidence(history[0].id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn facts_that_wait_for_the_model_are_found_later() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.model.instead(|pass, _| (pass != Pass::Diary).then_some(Instead::Refuses));
    let written = home.write().await.unwrap();
    assert_eq!(written.learning.unfinished.unwrap().code(), "model_failed");
    assert_eq!(home.diary().await.len(), 1);

    home.model.works();
    let learning = home.learn().await;

    assert_eq!(learning.learned.len(), 1);
    assert_eq!(home.of_user().await, ["The user likes tea."]);
    assert!(home.memory.unsearched_messages(9).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_merge_that_fails_appends() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.write().await.unwrap();
    home.say(NOW + 1, "I like cake").await;
    home.model.instead(|pass, _| (pass == Pass::Merge).then_some(Instead::Refuses));

    home.write().await.unwrap();

    assert_eq!(home.of_user().await, ["The user likes tea.", "The user likes cake."]);
}

#[tokio::test]
async fn stopping_while_facts_are_searched_keeps_the_diary_and_searches_again() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    let stop = CancellationToken::new();
    let stops = stop.clone();
    home.model.instead(move |pass, _| {
        (pass == Pass::Facts).then(|| {
            stops.cancel();
            Instead::Hangs
        })
    });

    let written = home.reflection.write_diary(&occasion(), &stop, &mut |_| {}).await.unwrap();

    assert_eq!(written.learning.unfinished.unwrap().code(), "stopped");
    assert_eq!(home.diary().await.len(), 1);
    home.model.works();
    assert_eq!(home.learn().await.learned.len(), 1);
}

#[tokio::test]
async fn a_message_that_no_model_can_read_does_not_hold_up_the_others() {
    let home = Home::new();
    home.say(NOW, "I like bananas").await;
    home.say(NOW + MINUTE, "I like tea").await;
    home.model.instead(|pass, given| {
        let endless = || Instead::Says("banana ".repeat(20_000));
        (pass == Pass::Facts && given.contains("bananas")).then(endless)
    });

    home.write().await.unwrap();
    for _ in 0..3 {
        home.learn().await;
    }

    assert_eq!(home.of_user().await, ["The user likes tea."]);
    assert!(home.memory.unsearched_messages(9).await.unwrap().is_empty());
}

#[tokio::test]
async fn those_said_just_before_such_a_message_are_searched_all_the_same() {
    let home = Home::new();
    let said = ["tea", "cake", "bananas"].map(str::to_owned);
    for (place, liked) in (0..).zip(said.into_iter().chain((0..60).map(|number| format!("number {number}"))))
    {
        home.say(NOW + place * MINUTE, &format!("I like {liked}")).await;
    }
    home.model.instead(|pass, given| {
        let endless = || Instead::Says("banana ".repeat(20_000));
        (pass == Pass::Facts && given.contains("bananas")).then(endless)
    });

    home.write().await.unwrap();
    for _ in 0..15 {
        home.learn().await;
    }

    let known = home.of_user().await;
    assert!(
        ["The user likes tea.", "The user likes cake."].iter().all(|it| known.contains(&(*it).to_owned()))
    );
    assert_eq!(known.len(), 62);
    assert!(home.memory.unsearched_messages(9).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_node_that_grows_too_long_is_split_and_no_witness_is_lost() {
    let home = Home::new();
    for i in 0..80 {
        let liked =
            format!("thing number {i} of the very many things that one can like in this world of ours");
        home.say(NOW + i, &format!("I like {liked}")).await;
    }

    let written = home.write().await.unwrap();

    let user = Branch::User.node();
    assert_eq!(written.learning.split, [user]);
    assert!(home.of_user().await.is_empty());
    let children = home.memory.children(user, NOW).await.unwrap();
    let mut facts = 0;
    for child in &children {
        for fact in home.facts(child.id).await {
            assert_eq!(home.memory.evidence(fact.id).await.unwrap().len(), 1);
            facts += 1;
        }
    }
    assert_eq!((children.len(), facts), (2, 80));
}

#[tokio::test]
async fn a_fact_goes_where_the_model_files_it() {
    let home = Home::new();
    let drinks =
        home.memory.create_node(Branch::User.node(), "Drinks", "what one drinks", NOW).await.unwrap();
    let hot = home.memory.create_node(drinks, "Hot drinks", "", NOW).await.unwrap();
    home.memory.create_node(Branch::User.node(), "Sport", "", NOW).await.unwrap();
    home.model.instead(|pass, given| {
        let number =
            given.lines().find_map(|line| line.split_once(". ").filter(|(_, to)| to.contains("rinks")));
        (pass == Pass::Place).then(|| Instead::Says(number.map_or("NONE", |(number, _)| number).to_owned()))
    });
    home.say(NOW, "I like tea").await;
    home.say(NOW + 1, "From now on keep it short").await;
    let mut changes = home.memory.graph_changes();

    home.write().await.unwrap();

    assert_eq!(home.facts(hot).await[0].text, "The user likes tea.");
    assert_eq!(home.facts(Branch::Directives.node()).await[0].text, "From now on keep it short.");
    assert_eq!(home.memory.node(hot).await.unwrap().unwrap().access_count, 1);
    let heard: Vec<_> = std::iter::from_fn(|| changes.try_recv().ok()).map(|change| change.node).collect();
    assert!(heard.contains(&hot) && heard.contains(&Branch::Directives.node()));
}
