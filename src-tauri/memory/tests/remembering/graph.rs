//! The knowledge graph and its rules.

use memory::{
    Branch, ChildNodes, FactStatus, GraphAction, LearnOutcome, MemoryError, Merge, MergedLine, NodeEdit,
    NodeId, Refusal,
};

use crate::support::{DAY, Home, NOW, fact};

fn refusal<T: std::fmt::Debug>(outcome: Result<T, MemoryError>) -> Refusal {
    match outcome {
        Err(MemoryError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

async fn texts(home: &Home, node: NodeId) -> Vec<String> {
    home.memory.facts(node).await.unwrap().into_iter().map(|fact| fact.text).collect()
}

#[tokio::test]
async fn fixed_structure_exists_and_cannot_be_changed() {
    let home = Home::new();
    let rename = NodeEdit { name: Some("Me".into()), ..NodeEdit::default() };

    for id in [NodeId::ROOT, NodeId(2), NodeId(3), NodeId(4)] {
        assert_eq!(refusal(home.memory.delete_node(id, ChildNodes::Delete, NOW).await), Refusal::Fixed);
        assert_eq!(refusal(home.memory.edit_node(id, rename.clone(), NOW).await), Refusal::Fixed);
    }
    let tree = home.memory.tree(NOW).await.unwrap();

    let names: Vec<(usize, &str)> = tree.iter().map(|(depth, node)| (*depth, node.name.as_str())).collect();
    assert_eq!(names, [(0, "Root"), (1, "User"), (1, "Directives"), (1, "World")]);
}

#[tokio::test]
async fn deleting_a_node_leaves_no_orphans() {
    let home = Home::new();
    let memory = &home.memory;
    let health = memory.create_node(Branch::User.node(), "Health", "", NOW).await.unwrap();
    let teeth = memory.create_node(health, "Teeth", "", NOW).await.unwrap();
    memory.learn(health, fact("Runs on Sundays."), NOW).await.unwrap();

    memory.delete_node(health, ChildNodes::MoveUp, NOW).await.unwrap();

    assert_eq!(memory.node(teeth).await.unwrap().unwrap().parent, Some(Branch::User.node()));
    assert_eq!(texts(&home, Branch::User.node()).await, ["Runs on Sundays."]);
    memory.delete_node(teeth, ChildNodes::Delete, NOW).await.unwrap();
    assert_eq!(memory.tree(NOW).await.unwrap().len(), 4);
}

#[tokio::test]
async fn node_cannot_be_moved_below_itself_or_be_nameless() {
    let home = Home::new();
    let memory = &home.memory;
    let above = memory.create_node(Branch::World.node(), "Above", "", NOW).await.unwrap();
    let below = memory.create_node(above, "ChildNodes", "", NOW).await.unwrap();
    let into = |parent| NodeEdit { parent: Some(parent), ..NodeEdit::default() };

    assert_eq!(refusal(memory.edit_node(above, into(below), NOW).await), Refusal::BelowItself);
    assert_eq!(refusal(memory.edit_node(above, into(above), NOW).await), Refusal::BelowItself);
    assert_eq!(refusal(memory.create_node(above, " ", "", NOW).await), Refusal::NoName);
    let nowhere = NodeId(999);
    assert_eq!(refusal(memory.create_node(nowhere, "X", "", NOW).await), Refusal::NoSuchItem(nowhere.item()));
    let mut deepest = below;
    let refused = loop {
        match memory.create_node(deepest, "Deeper", "", NOW).await {
            Ok(id) => deepest = id,
            refused => break refusal(refused),
        }
    };
    assert_eq!(refused, Refusal::TooDeep);
}

#[tokio::test]
async fn fact_learned_twice_has_two_pieces_of_evidence() {
    let home = Home::new();
    let memory = &home.memory;
    let LearnOutcome::New(id) = memory.learn(Branch::User.node(), fact("Likes tea."), NOW).await.unwrap()
    else {
        panic!("it is new");
    };
    let mut again = fact("likes  TEA.");
    again.evidence.observed_at = NOW + DAY;

    let learned = memory.learn(Branch::User.node(), again, NOW + DAY).await.unwrap();

    assert_eq!(learned, LearnOutcome::Known(id));
    assert_eq!(texts(&home, Branch::User.node()).await, ["Likes tea."]);
    assert_eq!(memory.evidence(id).await.unwrap().len(), 2);
}

#[tokio::test]
async fn correction_keeps_the_old_fact_as_history() {
    let home = Home::new();
    let memory = &home.memory;
    let LearnOutcome::New(old) =
        memory.learn(Branch::User.node(), fact("Lives in Leeds."), NOW).await.unwrap()
    else {
        panic!("it is new");
    };

    let new = memory.correct(old, fact("Lives in York."), NOW + DAY).await.unwrap();

    assert_eq!(texts(&home, Branch::User.node()).await, ["Lives in York."]);
    let history = memory.history_of(new).await.unwrap();
    assert_eq!(
        (history[0].text.as_str(), history[0].status, history[0].valid_to),
        ("Lives in Leeds.", FactStatus::Superseded, Some(NOW + DAY))
    );
    memory.retract(new, NOW + 2 * DAY).await.unwrap();
    assert!(texts(&home, Branch::User.node()).await.is_empty());
    assert_eq!(memory.fact(new).await.unwrap().unwrap().status, FactStatus::Retracted);
}

#[tokio::test]
async fn merge_keeps_evidence_and_history() {
    let home = Home::new();
    let memory = &home.memory;
    let node = Branch::User.node();
    let mut ids = Vec::new();
    for text in ["Ran on Monday.", "Ran on Tuesday.", "Has a dog."] {
        let LearnOutcome::New(id) = memory.learn(node, fact(text), NOW).await.unwrap() else { panic!("new") };
        ids.push(id);
    }
    let line = |text: &str, stands_for: &[_]| MergedLine {
        text: text.into(),
        stands_for: stands_for.to_vec(),
        replaces: vec![],
        evidence: vec![],
    };

    let merged = memory
        .merge_facts(
            Merge {
                node,
                from: ids.clone(),
                lines: vec![line("Has a dog.", &[]), line("Runs often.", &ids[..2])],
            },
            NOW + DAY,
        )
        .await
        .unwrap();

    assert_eq!(texts(&home, node).await, ["Has a dog.", "Runs often."]);
    assert_eq!(merged[0], ids[2], "a line of the same words stays the same fact");
    let quotes: Vec<String> = memory
        .evidence(merged[1])
        .await
        .unwrap()
        .into_iter()
        .map(|e| e.quote)
        .filter(|q| !q.is_empty())
        .collect();
    assert_eq!(quotes, ["Ran on Monday.", "Ran on Tuesday."]);
    assert_eq!(memory.history_of(merged[1]).await.unwrap().len(), 2);
}

#[tokio::test]
async fn listeners_get_changes_and_profile_is_updated() {
    let home = Home::new();
    let memory = &home.memory;
    let mut changes = memory.graph_changes();
    assert!(memory.warm_profile(NOW).await.unwrap().is_empty());

    memory.learn(Branch::Directives.node(), fact("Be brief."), NOW).await.unwrap();
    let profile = memory.warm_profile(NOW).await.unwrap();
    let trips = memory.create_node(Branch::World.node(), "Trips", "", NOW).await.unwrap();
    memory.touch_node(trips, NOW).await.unwrap();
    memory.delete_node(trips, ChildNodes::Delete, NOW).await.unwrap();

    assert_eq!((profile.user.as_str(), profile.directives.as_str()), ("", "Be brief."));
    let mut heard = Vec::new();
    while let Ok(change) = changes.try_recv() {
        heard.push((change.action, change.branch));
    }
    assert_eq!(
        heard,
        [
            (GraphAction::Updated, Some(Branch::Directives)),
            (GraphAction::Created, Some(Branch::World)),
            (GraphAction::Deleted, Some(Branch::World)),
        ]
    );
}

#[tokio::test]
async fn nodes_are_found_by_name_description_and_facts() {
    let home = Home::new();
    let memory = &home.memory;
    let world = Branch::World.node();
    let trains = memory.create_node(world, "Trains", "", NOW).await.unwrap();
    memory.create_node(world, "Boats", "by train to the sea", NOW).await.unwrap();
    memory.create_node(world, "Other", "", NOW).await.unwrap();
    memory.learn(trains, fact("The 9:15 is always late, 100% so."), NOW).await.unwrap();

    let found = memory.search_nodes("train late", 5, NOW).await.unwrap();
    let wild = memory.search_nodes("100%", 5, NOW).await.unwrap();

    let names: Vec<&str> = found.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["Trains", "Boats"]);
    assert_eq!(wild.len(), 1);
    assert_eq!(memory.node(trains).await.unwrap().unwrap().access_count, 2, "what is found was of use");
}

#[tokio::test]
async fn replaced_fact_lends_no_evidence() {
    let home = Home::new();
    let memory = &home.memory;
    let node = Branch::User.node();
    let LearnOutcome::New(leeds) = memory.learn(node, fact("Lives in Leeds."), NOW).await.unwrap() else {
        panic!("new")
    };
    let york = MergedLine {
        text: "Lives in York.".into(),
        stands_for: vec![],
        replaces: vec![leeds],
        evidence: vec![fact("I moved to York").evidence],
    };

    let merge = Merge { node, from: vec![leeds], lines: vec![york] };
    let merged = memory.merge_facts(merge.clone(), NOW + DAY).await.unwrap();

    let quotes: Vec<String> =
        memory.evidence(merged[0]).await.unwrap().into_iter().map(|e| e.quote).collect();
    assert_eq!(quotes, ["I moved to York"]);
    assert_eq!(memory.history_of(merged[0]).await.unwrap()[0].id, leeds);
    assert_eq!(refusal(memory.merge_facts(merge, NOW + DAY).await), Refusal::Outdated);
}

#[tokio::test]
async fn merge_keeps_facts_learned_meanwhile() {
    let home = Home::new();
    let memory = &home.memory;
    let node = Branch::User.node();
    let LearnOutcome::New(tea) = memory.learn(node, fact("Likes tea."), NOW).await.unwrap() else {
        panic!("new")
    };
    memory.learn(node, fact("Has a dog."), NOW).await.unwrap();
    let line =
        MergedLine { text: "LIKES TEA!".into(), stands_for: vec![], replaces: vec![], evidence: vec![] };

    let merged = memory.merge_facts(Merge { node, from: vec![tea], lines: vec![line] }, NOW).await.unwrap();

    assert_eq!(merged, [tea]);
    assert_eq!(texts(&home, node).await, ["Likes tea.", "Has a dog."]);
}

#[tokio::test]
async fn known_fact_is_recognised_in_any_node() {
    let home = Home::new();
    let memory = &home.memory;
    let food = memory.create_node(Branch::User.node(), "Food", "", NOW).await.unwrap();
    let LearnOutcome::New(tea) = memory.learn(food, fact("Likes tea."), NOW).await.unwrap() else {
        panic!("new")
    };
    let mut again = fact("likes  TEA");
    again.evidence.observed_at = NOW + DAY;

    assert_eq!(memory.recognise(again).await.unwrap(), Some(tea));
    assert_eq!(memory.recognise(fact("Likes cake.")).await.unwrap(), None);
    assert_eq!(memory.evidence(tea).await.unwrap().len(), 2);
}

#[tokio::test]
async fn merges_of_several_nodes_are_undone_in_one_step() {
    let home = Home::new();
    let memory = &home.memory;
    let node = Branch::User.node();
    let mut from = Vec::new();
    for text in ["Ran on Monday.", "Ran on Tuesday.", "Has a dog."] {
        let LearnOutcome::New(id) = memory.learn(node, fact(text), NOW).await.unwrap() else { panic!("new") };
        from.push(id);
    }
    let before = memory.archive().await.unwrap();
    let line = MergedLine {
        text: "Runs often.".into(),
        stands_for: from[..2].to_vec(),
        replaces: vec![],
        evidence: vec![],
    };

    let merges = vec![Merge { node, from, lines: vec![line] }];
    let tidied = memory.tidy_facts("tidy", merges.clone(), NOW).await.unwrap();

    assert_eq!(texts(&home, node).await, ["Runs often."]);
    assert_eq!(memory.tidy_facts("tidy", merges, NOW).await.unwrap().nodes, 0, "its facts have changed");
    memory.undo(Some(tidied.undo), NOW).await.unwrap();
    assert_eq!(memory.archive().await.unwrap(), before);
    assert!(!memory.examine(NOW).await.unwrap().needs_repair());
}
