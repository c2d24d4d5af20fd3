//! Nodes: their order, limits, change events, and the warm profile.

use memory::{Branch, GraphAction, GraphChange, Memory, Node, NodeEdit, NodeId};

use crate::support::{DAY, Home, NOW, fact};

fn names(nodes: &[Node]) -> Vec<&str> {
    nodes.iter().map(|node| node.name.as_str()).collect()
}

/// A node that was used this many times, the last time at `at`.
async fn used(memory: &Memory, parent: NodeId, name: &str, times: usize, at: i64) -> NodeId {
    let node = memory.create_node(parent, name, "", NOW).await.unwrap();
    for _ in 0..times {
        memory.touch_node(node, at).await.unwrap();
    }
    node
}

#[tokio::test]
async fn siblings_are_sorted_by_frequency_and_recency_of_use() {
    let home = Home::new();
    let (memory, user) = (&home.memory, Branch::User.node());
    used(memory, user, "Never", 0, NOW).await;
    used(memory, user, "Often, long ago", 3, NOW).await;
    used(memory, user, "Twice, lately", 2, NOW + 60 * DAY).await;

    let then = memory.children(user, NOW).await.unwrap();
    let later = memory.children(user, NOW + 60 * DAY).await.unwrap();

    assert_eq!(names(&then), ["Often, long ago", "Twice, lately", "Never"]);
    assert_eq!(names(&later), ["Twice, lately", "Often, long ago", "Never"]);
}

#[tokio::test]
async fn older_node_comes_first_among_equals() {
    let home = Home::new();
    let (memory, user) = (&home.memory, Branch::User.node());
    for name in ["One", "Two", "Three"] {
        used(memory, user, name, 1, NOW).await;
    }

    let siblings = memory.children(user, NOW).await.unwrap();
    let recent = memory.recent_nodes(3).await.unwrap();
    let top = memory.top_nodes(3, NOW).await.unwrap();

    for nodes in [siblings, recent, top] {
        assert_eq!(names(&nodes), ["One", "Two", "Three"]);
    }
}

#[tokio::test]
async fn recent_nodes_and_top_nodes_are_sorted_differently() {
    let home = Home::new();
    let memory = &home.memory;
    used(memory, Branch::World.node(), "Weather", 1, NOW + 2 * DAY).await;
    used(memory, Branch::User.node(), "Health", 9, NOW + DAY).await;
    used(memory, Branch::User.node(), "Trips", 2, NOW + 3 * DAY).await;

    let recent = memory.recent_nodes(3).await.unwrap();
    let top = memory.top_nodes(2, NOW + 3 * DAY).await.unwrap();
    let all = memory.recent_nodes(99).await.unwrap();

    assert_eq!(names(&recent), ["Trips", "Weather", "Health"]);
    assert_eq!(names(&top), ["Health", "Trips"]);
    assert!(all.iter().all(|node| node.id != NodeId::ROOT), "root holds nothing");
    assert_eq!(all.len(), 6);
}

#[tokio::test]
async fn description_is_cut_at_300_characters() {
    let home = Home::new();
    let memory = &home.memory;
    let long = "é護".repeat(200);

    let made = memory.create_node(Branch::World.node(), &long, &long, NOW).await.unwrap();
    let edited = memory.create_node(Branch::World.node(), "Edited", "", NOW).await.unwrap();
    let edit = NodeEdit { description: Some(long.clone()), ..NodeEdit::default() };
    memory.edit_node(edited, edit, NOW).await.unwrap();

    for id in [made, edited] {
        let description = memory.node(id).await.unwrap().unwrap().description;
        assert_eq!(description, long.chars().take(300).collect::<String>());
    }
    assert_eq!(memory.node(made).await.unwrap().unwrap().name.chars().count(), 200);
}

#[tokio::test]
async fn change_outside_the_branches_names_no_branch() {
    let home = Home::new();
    let memory = &home.memory;
    let mut changes = memory.graph_changes();

    let beside = memory.create_node(NodeId::ROOT, "Elsewhere", "", NOW).await.unwrap();
    let below = NodeEdit { parent: Some(Branch::World.node()), ..NodeEdit::default() };
    memory.edit_node(beside, below, NOW).await.unwrap();

    let heard: Vec<GraphChange> = std::iter::from_fn(|| changes.try_recv().ok()).collect();
    let heard_of = |action, branch| GraphChange { action, node: beside, branch };
    assert_eq!(
        heard,
        [
            heard_of(GraphAction::Created, None),
            heard_of(GraphAction::Updated, Some(Branch::World)),
            heard_of(GraphAction::Updated, None),
        ]
    );
}

#[tokio::test]
async fn only_user_facts_invalidate_the_cached_profile() {
    let home = Home::new();
    let memory = &home.memory;
    let tea = used(memory, Branch::User.node(), "Tea", 1, NOW).await;
    let cake = used(memory, Branch::User.node(), "Cake", 0, NOW).await;
    memory.learn(tea, fact("Likes tea."), NOW).await.unwrap();
    memory.learn(cake, fact("Likes cake."), NOW).await.unwrap();
    let profile = async || memory.warm_profile(NOW).await.unwrap().user;
    assert_eq!(profile().await, "Likes tea.\nLikes cake.");
    // This is not a change event: only a newly loaded profile has the new order.
    memory.touch_node(cake, NOW).await.unwrap();
    memory.touch_node(cake, NOW).await.unwrap();

    memory.learn(Branch::World.node(), fact("The sea is salty."), NOW).await.unwrap();
    let after_the_world = profile().await;
    memory.learn(tea, fact("Likes it green."), NOW).await.unwrap();

    assert_eq!(after_the_world, "Likes tea.\nLikes cake.");
    assert_eq!(profile().await, "Likes cake.\nLikes tea.\nLikes it green.");
}

#[tokio::test]
async fn profile_takes_upper_nodes_first_up_to_its_limit() {
    let home = Home::new();
    let memory = &home.memory;
    let long = |word: &str| format!("{} ends.", format!("{word} ").repeat(80).trim());
    let first = used(memory, Branch::User.node(), "First", 1, NOW).await;
    let deep = used(memory, first, "Deep", 9, NOW).await;
    let second = used(memory, Branch::User.node(), "Second", 0, NOW).await;
    for (node, word) in [(deep, "deep"), (second, "second"), (first, "first"), (Branch::User.node(), "top")] {
        memory.learn(node, fact(&long(word)), NOW).await.unwrap();
    }
    for wish in 0..40 {
        let wish = fact(&format!("Wants thing number {wish} so."));
        memory.learn(Branch::Directives.node(), wish, NOW).await.unwrap();
    }

    let profile = memory.warm_profile(NOW).await.unwrap();

    let beginnings: Vec<&str> =
        profile.user.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    assert_eq!(beginnings, ["top", "first", "second"]);
    assert_eq!(profile.user.chars().count(), 1200);
    assert!(profile.user.ends_with('…') && profile.directives.ends_with('…'));
    assert_eq!(profile.directives.chars().count(), 600);
    assert!(profile.directives.starts_with("Wants thing number 0 so.\nWants thing number 1 so."));
}
