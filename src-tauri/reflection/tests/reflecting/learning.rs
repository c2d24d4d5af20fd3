//! Facts are stored once, with the user's words as evidence.

use std::sync::Arc;

use llm::{CancellationToken, ChatModel};
use memory::{Branch, FactStatus, Participant};
use testkit::{ScriptedModel, Turn};
use vocabulary::ConversationId;

use crate::support::{DAY, Fixture, MINUTE, NOW, Override, Pass, context};

#[tokio::test]
async fn fact_has_the_users_words_as_evidence() {
    let fixture = Fixture::new();
    fixture.say(NOW, "well, I like tea").await;
    let written = fixture.write().await.unwrap();

    let fact = fixture.facts(Branch::User.node()).await.pop().unwrap();
    let evidence = fixture.memory.evidence(fact.id).await.unwrap().pop().unwrap();

    assert_eq!(evidence.quote, "well, I like tea");
    assert_eq!((evidence.observed_at, fact.valid_from), (NOW, NOW));
    assert_eq!(evidence.day.unwrap().to_string(), "2025-11-22");
    assert_eq!(ConversationId(evidence.conversation), ConversationId("main".into()));
    assert_eq!((evidence.participant, evidence.channel.as_str()), (Some(Participant::User), "voice"));
    assert_eq!(evidence.entry, Some(written.entries[0].0));
    assert!(evidence.message.is_some());
}

#[tokio::test]
async fn repeated_fact_gets_further_evidence_in_any_node() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.write().await.unwrap();
    let drinks = fixture.memory.create_node(Branch::User.node(), "Drinks", "", NOW).await.unwrap();
    let tea = fixture.facts(Branch::User.node()).await[0].id;
    fixture.memory.move_facts(vec![tea], drinks, NOW).await.unwrap();
    fixture.say(NOW + DAY, "I LIKE  Tea!").await;

    let written = fixture.write().await.unwrap();

    assert_eq!((written.learning.learned.len(), written.learning.already_known), (0, 1));
    assert_eq!(fixture.memory.evidence(tea).await.unwrap().len(), 2);
    assert!(fixture.user_facts().await.is_empty());
}

#[tokio::test]
async fn statement_of_the_assistant_is_not_stored_as_a_fact() {
    let fixture = Fixture::new();
    fixture.answer(NOW, "You like sailing?").await;
    fixture.say(NOW + 1, "yes, as I said").await;

    let written = fixture.write().await.unwrap();

    assert!(fixture.user_facts().await.is_empty());
    assert!(fixture.facts(Branch::World.node()).await.is_empty());
    assert_eq!(written.learning.unsupported, 3);
}

#[tokio::test]
async fn newer_fact_replaces_the_one_it_contradicts() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I live in Leeds").await;
    fixture.say(NOW + 1, "I like tea").await;
    fixture.write().await.unwrap();
    fixture.say(NOW + DAY, "I moved to York").await;

    fixture.write().await.unwrap();

    assert_eq!(fixture.user_facts().await, ["The user likes tea.", "The user lives in York."]);
    let york = fixture.facts(Branch::User.node()).await[1].id;
    let history = fixture.memory.history_of(york).await.unwrap();
    assert_eq!(
        (history[0].text.as_str(), history[0].status),
        ("The user lives in Leeds.", FactStatus::Superseded)
    );
    assert_eq!(fixture.memory.evidence(york).await.unwrap().len(), 1, "Leeds is no evidence for York");
    assert_eq!(fixture.memory.evidence(history[0].id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn facts_are_found_later_when_the_model_was_unavailable() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.model.override_answers(|pass, _| (pass != Pass::Diary).then_some(Override::Refuses));
    let written = fixture.write().await.unwrap();
    assert_eq!(written.learning.error.unwrap().code(), "model_failed");
    assert_eq!(fixture.diary().await.len(), 1);

    fixture.model.answer_normally();
    let learning = fixture.learn().await;

    assert_eq!(learning.learned.len(), 1);
    assert_eq!(fixture.user_facts().await, ["The user likes tea."]);
    assert!(fixture.memory.unsearched_messages(9).await.unwrap().is_empty());
}

#[tokio::test]
async fn failed_merge_appends_the_new_fact() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.write().await.unwrap();
    fixture.say(NOW + 1, "I like cake").await;
    fixture.model.override_answers(|pass, _| (pass == Pass::Merge).then_some(Override::Refuses));

    fixture.write().await.unwrap();

    assert_eq!(fixture.user_facts().await, ["The user likes tea.", "The user likes cake."]);
}

#[tokio::test]
async fn stopping_the_search_keeps_the_diary_and_searches_again() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    let stop = CancellationToken::new();
    let stops = stop.clone();
    fixture.model.override_answers(move |pass, _| {
        (pass == Pass::Facts).then(|| {
            stops.cancel();
            Override::Hangs
        })
    });

    let written = fixture.reflection.write_diary(&context(), &stop, &mut |_| {}).await.unwrap();

    assert_eq!(written.learning.error.unwrap().code(), "stopped");
    assert_eq!(fixture.diary().await.len(), 1);
    fixture.model.answer_normally();
    assert_eq!(fixture.learn().await.learned.len(), 1);
}

#[tokio::test]
async fn unreadable_message_does_not_block_later_messages() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like bananas").await;
    fixture.say(NOW + MINUTE, "I like tea").await;
    fixture.model.override_answers(|pass, given| {
        let endless = || Override::Says("banana ".repeat(20_000));
        (pass == Pass::Facts && given.contains("bananas")).then(endless)
    });

    fixture.write().await.unwrap();
    for _ in 0..3 {
        fixture.learn().await;
    }

    assert_eq!(fixture.user_facts().await, ["The user likes tea."]);
    assert!(fixture.memory.unsearched_messages(9).await.unwrap().is_empty());
}

#[tokio::test]
async fn messages_before_an_unreadable_one_are_searched() {
    let fixture = Fixture::new();
    let said = ["tea", "cake", "bananas"].map(str::to_owned);
    for (place, liked) in (0..).zip(said.into_iter().chain((0..60).map(|number| format!("number {number}"))))
    {
        fixture.say(NOW + place * MINUTE, &format!("I like {liked}")).await;
    }
    fixture.model.override_answers(|pass, given| {
        let endless = || Override::Says("banana ".repeat(20_000));
        (pass == Pass::Facts && given.contains("bananas")).then(endless)
    });

    fixture.write().await.unwrap();
    for _ in 0..15 {
        fixture.learn().await;
    }

    let known = fixture.user_facts().await;
    assert!(
        ["The user likes tea.", "The user likes cake."].iter().all(|it| known.contains(&(*it).to_owned()))
    );
    assert_eq!(known.len(), 62);
    assert!(fixture.memory.unsearched_messages(9).await.unwrap().is_empty());
}

#[tokio::test]
async fn long_node_is_split_without_losing_evidence() {
    let fixture = Fixture::new();
    for i in 0..80 {
        let liked =
            format!("thing number {i} of the very many things that one can like in this world of ours");
        fixture.say(NOW + i, &format!("I like {liked}")).await;
    }

    let written = fixture.write().await.unwrap();

    let user = Branch::User.node();
    assert_eq!(written.learning.split_nodes, [user]);
    assert!(fixture.user_facts().await.is_empty());
    let children = fixture.memory.children(user, NOW).await.unwrap();
    let mut facts = 0;
    for child in &children {
        for fact in fixture.facts(child.id).await {
            assert_eq!(fixture.memory.evidence(fact.id).await.unwrap().len(), 1);
            facts += 1;
        }
    }
    assert_eq!((children.len(), facts), (2, 80));
}

#[tokio::test]
async fn fact_is_stored_in_the_node_that_the_model_chooses() {
    let fixture = Fixture::new();
    let drinks =
        fixture.memory.create_node(Branch::User.node(), "Drinks", "what one drinks", NOW).await.unwrap();
    let hot = fixture.memory.create_node(drinks, "Hot drinks", "", NOW).await.unwrap();
    fixture.memory.create_node(Branch::User.node(), "Sport", "", NOW).await.unwrap();
    fixture.model.override_answers(|pass, given| {
        let number =
            given.lines().find_map(|line| line.split_once(". ").filter(|(_, to)| to.contains("rinks")));
        (pass == Pass::Place).then(|| Override::Says(number.map_or("NONE", |(number, _)| number).to_owned()))
    });
    fixture.say(NOW, "I like tea").await;
    fixture.say(NOW + 1, "From now on keep it short").await;
    let mut changes = fixture.memory.graph_changes();

    fixture.write().await.unwrap();

    assert_eq!(fixture.facts(hot).await[0].text, "The user likes tea.");
    assert_eq!(fixture.facts(Branch::Directives.node()).await[0].text, "From now on keep it short.");
    assert_eq!(fixture.memory.node(hot).await.unwrap().unwrap().access_count, 1);
    let heard: Vec<_> = std::iter::from_fn(|| changes.try_recv().ok()).map(|change| change.node).collect();
    assert!(heard.contains(&hot) && heard.contains(&Branch::Directives.node()));
}

#[tokio::test]
async fn helper_model_files_facts_and_the_chat_model_finds_them() {
    let mut fixture = Fixture::new();
    let helper = Arc::new(ScriptedModel::new([Turn::says("1")]));
    fixture.reflection = fixture.reflection.with_helper(Arc::clone(&helper) as Arc<dyn ChatModel>);
    let drinks =
        fixture.memory.create_node(Branch::User.node(), "Drinks", "what one drinks", NOW).await.unwrap();
    fixture.say(NOW, "I like tea").await;

    fixture.write().await.unwrap();

    assert_eq!(fixture.facts(drinks).await[0].text, "The user likes tea.");
    assert_eq!(helper.asked().len(), 1);
    let asked = [Pass::Diary, Pass::Facts, Pass::Place].map(|pass| fixture.model.asked(pass));
    assert_eq!(asked, [1, 1, 0]);
}
