//! The scope of forgetting: list items, and facts merged from several pieces of evidence.

use jiff::civil::date;
use memory::{
    Branch, Evidence, FactId, Forget, ItemId, LearnOutcome, Memory, Merge, MergedLine, NewEntry, NewFact,
    NodeEdit, RecordKind, Undo,
};
use rstest::rstest;
use vocabulary::Private;

use crate::support::{DAY, Home, MINUTE, NOW, list, records_without_change_times};

const USER: memory::NodeId = memory::NodeId(2);

fn words(text: &str) -> Forget {
    Forget::Words(Private(text.into()))
}

async fn lists(memory: &Memory) -> String {
    let archive = memory.archive().await.unwrap();
    format!("{:?} {:?} {:?}", archive.meals, archive.appointments, archive.todos)
}

#[rstest]
#[case::words(words("the harbour"), 3)]
#[case::a_word_in_another_form(words("harbours"), 3)]
#[case::words_apart(words("soup harbour"), 1)]
#[case::part_of_a_word(words("harb"), 0)]
#[case::when_they_were_entered(Forget::Span(NOW..NOW + 1), 3)]
#[case::when_the_meal_was_eaten(Forget::Span(NOW - DAY..NOW), 0)]
#[case::by_name(Forget::Items(vec!["meal-1".parse().unwrap(), "todo-1".parse().unwrap()]), 2)]
#[tokio::test]
async fn list_items_are_forgotten_by_id_and_restored(#[case] wish: Forget, #[case] expected: usize) {
    let home = Home::new();
    list(&home.memory, "the harbour", NOW).await;
    list(&home.memory, "the mill", NOW + MINUTE).await;
    let before = records_without_change_times(&home.memory).await;

    let preview = home.memory.would_forget(wish.clone(), NOW).await.unwrap();
    let forgotten = home.memory.forget(wish, Undo::Possible, NOW + DAY).await.unwrap();
    let left = lists(&home.memory).await;
    if let Some(undo) = forgotten.undo {
        home.memory.undo(Some(undo), NOW + DAY + MINUTE).await.unwrap();
    }

    assert_eq!(forgotten.items, preview);
    assert_eq!(forgotten.items.len(), expected);
    assert_eq!(left.matches("harbour").count(), 3 - expected);
    assert_eq!(left.matches("mill").count(), 3);
    assert_eq!(records_without_change_times(&home.memory).await, before);
}

#[tokio::test]
async fn last_thing_includes_its_list_items() {
    let home = Home::new();
    home.memory.add_todo("shopping", "bread", NOW - 1).await.unwrap();
    home.say(NOW, "put milk on the list").await;
    home.memory.add_todo("shopping", "milk", NOW + 1).await.unwrap();
    home.answer(NOW + 2, "It is on the list.").await;

    let forgotten = home.memory.forget(Forget::LastThing, Undo::Never, NOW + 3).await.unwrap();

    let kinds: Vec<RecordKind> = forgotten.items.iter().map(|item| item.id.kind).collect();
    assert_eq!(kinds, [RecordKind::Message, RecordKind::Message, RecordKind::Todo]);
    assert!(lists(&home.memory).await.contains("bread"));
}

#[tokio::test]
async fn last_thing_ignores_fast_clocks_and_imports() {
    let home = Home::new();
    home.say(NOW + 9 * DAY, "the first thing").await;
    home.memory.add_todo("shopping", "bread", NOW + 9 * DAY + 1).await.unwrap();
    home.answer(NOW + 9 * DAY + 2, "The first answer.").await;
    home.say(NOW, "put milk on the list").await;
    home.memory.add_todo("shopping", "milk", NOW + 1).await.unwrap();
    home.answer(NOW + 2, "It is on the list.").await;
    home.say(NOW - DAY, "taken in from elsewhere").await;

    let forgotten = home.memory.forget(Forget::LastThing, Undo::Never, NOW + 3).await.unwrap();

    let texts: Vec<&str> = forgotten.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(texts, ["put milk on the list", "It is on the list.", "milk"]);
}

/// Three messages, a fact from each, and a merged fact of all three. Returns the merged fact.
async fn merged(home: &Home) -> FactId {
    let mut facts = Vec::new();
    for (place, said) in ["I keep bees", "I live by the mill", "my neighbour is Odalind"].iter().enumerate() {
        home.say(NOW + place as i64, said).await;
        let fact = NewFact { text: format!("Said: {said}."), evidence: evidence_of(place as i64 + 1, said) };
        let LearnOutcome::New(id) = home.memory.learn(USER, fact, NOW).await.unwrap() else { panic!("new") };
        facts.push(id);
    }
    let first = line("Keeps bees by the mill.", &facts[..2], vec![]);
    let kept =
        merge(home, facts.clone(), vec![first, line("Said: my neighbour is Odalind.", &[], vec![])]).await;
    let whole = line("Keeps bees by the mill, next to Odalind.", &kept, vec![]);
    merge(home, kept.clone(), vec![whole]).await[0]
}

fn evidence_of(message: i64, quote: &str) -> Evidence {
    let observed_at = NOW + message - 1;
    Evidence { quote: quote.into(), observed_at, message: Some(message), ..Evidence::default() }
}

fn line(text: &str, stands_for: &[FactId], evidence: Vec<Evidence>) -> MergedLine {
    MergedLine { text: text.into(), stands_for: stands_for.to_vec(), replaces: vec![], evidence }
}

async fn merge(home: &Home, from: Vec<FactId>, lines: Vec<MergedLine>) -> Vec<FactId> {
    home.memory.merge_facts(Merge { node: USER, from, lines }, NOW + 10).await.unwrap()
}

async fn known(home: &Home) -> Vec<String> {
    let mut facts: Vec<String> =
        home.memory.facts(USER).await.unwrap().into_iter().map(|fact| fact.text).collect();
    facts.sort();
    facts
}

fn message(row: i64) -> Forget {
    Forget::Items(vec![ItemId::new(RecordKind::Message, row)])
}

#[rstest]
#[case::one_of_an_inner_merge(1, &["Said: I live by the mill.", "Said: my neighbour is Odalind."])]
#[case::the_other(2, &["Said: I keep bees.", "Said: my neighbour is Odalind."])]
#[case::one_of_the_outer_merge(3, &["Keeps bees by the mill."])]
#[tokio::test]
async fn merged_fact_is_replaced_by_remaining_evidence(#[case] row: i64, #[case] left: &[&str]) {
    let home = Home::new();
    let whole = merged(&home).await;
    let before = records_without_change_times(&home.memory).await;

    let forgotten = home.memory.forget(message(row), Undo::Possible, NOW + 20).await.unwrap();
    let known_then = known(&home).await;
    home.memory.undo(forgotten.undo, NOW + 21).await.unwrap();

    assert_eq!(known_then, left);
    let mut replacements: Vec<&str> = forgotten.replacements.iter().map(|item| item.text.as_str()).collect();
    replacements.sort_unstable();
    assert_eq!(replacements, left);
    assert!(forgotten.items.iter().any(|item| item.id == whole.item()));
    assert_eq!(records_without_change_times(&home.memory).await, before);
    assert!(!home.memory.examine(NOW + 22).await.unwrap().needs_repair());
}

#[tokio::test]
async fn evidence_without_own_fact_becomes_a_fact() {
    let home = Home::new();
    for (place, said) in ["I keep bees", "I sell honey"].iter().enumerate() {
        home.say(NOW + place as i64, said).await;
    }
    let read =
        |row, quote: &str, wording: &str| Evidence { wording: wording.into(), ..evidence_of(row, quote) };
    let evidence =
        vec![read(1, "I keep bees", "Keeps bees."), read(2, "I sell honey", "Sells honey on Mondays.")];
    merge(&home, vec![], vec![line("Is a beekeeper with a shop.", &[], evidence)]).await;

    home.memory.forget(message(1), Undo::Never, NOW + 20).await.unwrap();

    assert_eq!(known(&home).await, ["Sells honey on Mondays."]);
}

#[tokio::test]
async fn merged_fact_with_unknown_wordings_is_deleted() {
    let home = Home::new();
    home.say(NOW, "I keep bees").await;
    home.say(NOW + 1, "I sell honey").await;
    let evidence = vec![evidence_of(1, "I keep bees"), evidence_of(2, "I sell honey")];
    merge(&home, vec![], vec![line("Is a beekeeper with a shop.", &[], evidence)]).await;

    let forgotten = home.memory.forget(message(1), Undo::Possible, NOW + 20).await.unwrap();

    assert!(known(&home).await.is_empty() && forgotten.replacements.is_empty());
    home.memory.undo(forgotten.undo, NOW + 21).await.unwrap();
    assert_eq!(known(&home).await, ["Is a beekeeper with a shop."]);
}

#[tokio::test]
async fn fact_with_equal_remaining_wording_stays() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.say(NOW + 1, "I like tea, as I said").await;
    for (row, quote) in [(1, "I like tea"), (2, "I like tea, as I said")] {
        let fact = NewFact { text: "Likes tea.".into(), evidence: evidence_of(row, quote) };
        home.memory.learn(USER, fact, NOW).await.unwrap();
    }

    home.memory.forget(message(1), Undo::Never, NOW + 20).await.unwrap();

    assert_eq!(known(&home).await, ["Likes tea."]);
    assert!(home.memory.archive().await.unwrap().messages[0].text.contains("as I said"));
}

#[tokio::test]
async fn separate_words_are_matched_in_evidence_too() {
    let home = Home::new();
    let read = |quote: &str, wording: &str| Evidence {
        quote: quote.into(),
        wording: wording.into(),
        observed_at: NOW,
        ..Evidence::default()
    };
    let evidence = vec![
        read("", "Sells honey on Mondays."),
        read("with Odalind's help", "Odalind helps with the honey."),
    ];
    merge(&home, vec![], vec![line("Sells honey with the help of Odalind.", &[], evidence)]).await;

    home.memory.forget(words("Odalind honey"), Undo::Never, NOW + 20).await.unwrap();

    assert_eq!(known(&home).await, ["Sells honey on Mondays."]);
}

#[tokio::test]
async fn copy_keeps_what_the_memory_keeps() {
    let home = Home::new();
    home.say(NOW, "I have a cat").await;
    home.say(NOW + 1, "I have two cats").await;
    let learned = |row, text: &str, quote| NewFact { text: text.into(), evidence: evidence_of(row, quote) };
    let first = home.memory.learn(USER, learned(1, "Has a cat.", "I have a cat"), NOW).await.unwrap();
    let LearnOutcome::New(first) = first else { panic!("new") };
    home.memory.correct(first, learned(2, "Has two cats.", "I have two cats"), NOW + 1).await.unwrap();
    home.memory.back_up(NOW + 15).await.unwrap();

    home.memory.forget(message(2), Undo::Never, NOW + 20).await.unwrap();

    let backup = crate::support::open(&home.memory.backups()[0].path).archive().await.unwrap();
    let said = |archive: &memory::Archive| {
        archive.messages.iter().map(|message| message.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(said(&home.memory.archive().await.unwrap()), ["I have a cat"]);
    assert_eq!(said(&backup), ["I have a cat"]);
}

#[tokio::test]
async fn merged_fact_is_deleted_with_its_last_evidence() {
    let home = Home::new();
    merged(&home).await;

    for row in 1..=3 {
        home.memory.forget(message(row), Undo::Never, NOW + 20 + row).await.unwrap();
    }

    let archive = home.memory.archive().await.unwrap();
    assert!(archive.nodes.iter().all(|node| node.facts.is_empty()), "{:?}", archive.nodes);
}

#[rstest]
#[case::one_word("Odalind")]
#[case::words_apart("Odalind neighbour")]
#[tokio::test]
async fn words_reach_only_the_evidence_that_contains_them(#[case] wanted: &str) {
    let home = Home::new();
    merged(&home).await;
    home.memory.back_up(NOW + 15).await.unwrap();

    home.memory.forget(words(wanted), Undo::Never, NOW + 20).await.unwrap();

    assert_eq!(known(&home).await, ["Keeps bees by the mill."]);
    assert_eq!(crate::forgetting::files_containing(&home, "Odalind"), Vec::<String>::new());
    let backup = crate::support::open(&home.memory.backups()[0].path);
    let facts: Vec<String> =
        backup.facts(Branch::User.node()).await.unwrap().into_iter().map(|fact| fact.text).collect();
    assert_eq!(facts, ["Keeps bees by the mill."]);
    assert_eq!(backup.archive().await.unwrap().messages.len(), 2);
}

#[tokio::test]
async fn descriptions_above_a_fact_are_emptied_and_restored() {
    let home = Home::new();
    let above = home.memory.create_node(USER, "Animals", "Bees by the mill.", NOW).await.unwrap();
    let within = home.memory.create_node(above, "Bees", "Keeps them by the mill.", NOW).await.unwrap();
    let beside = home.memory.create_node(above, "Cats", "Has none.", NOW).await.unwrap();
    let fact = NewFact { text: "Keeps bees by the mill.".into(), evidence: Evidence::default() };
    let LearnOutcome::New(id) = home.memory.learn(within, fact, NOW).await.unwrap() else { panic!("new") };
    let before = records_without_change_times(&home.memory).await;

    let forgotten =
        home.memory.forget(Forget::Items(vec![id.item()]), Undo::Possible, NOW + 1).await.unwrap();
    let mut descriptions = Vec::new();
    for node in [above, within, beside] {
        descriptions.push(home.memory.node(node).await.unwrap().unwrap().description);
    }
    home.memory.undo(forgotten.undo, NOW + 2).await.unwrap();

    assert_eq!(descriptions, ["", "", "Has none."]);
    assert_eq!(records_without_change_times(&home.memory).await, before);
}

#[tokio::test]
async fn restored_description_keeps_later_changes_of_its_node() {
    let home = Home::new();
    let node = home.memory.create_node(USER, "Bees", "Keeps them by the mill.", NOW).await.unwrap();
    let other = home.memory.create_node(USER, "Animals", "", NOW).await.unwrap();
    let fact = NewFact { text: "Keeps bees by the mill.".into(), evidence: Evidence::default() };
    let LearnOutcome::New(id) = home.memory.learn(node, fact, NOW).await.unwrap() else { panic!("new") };
    let forgotten =
        home.memory.forget(Forget::Items(vec![id.item()]), Undo::Possible, NOW + 1).await.unwrap();
    let edit = NodeEdit { name: Some("Insects".into()), parent: Some(other), ..NodeEdit::default() };
    home.memory.edit_node(node, edit, NOW + 2).await.unwrap();

    home.memory.undo(forgotten.undo, NOW + 3).await.unwrap();

    let node = home.memory.node(node).await.unwrap().unwrap();
    let is_now = (node.name.as_str(), node.parent, node.description.as_str());
    assert_eq!(is_now, ("Insects", Some(other), "Keeps them by the mill."));
}

#[tokio::test]
async fn forgotten_node_takes_sources_and_history_of_its_facts() {
    let home = Home::new();
    let node = home.memory.create_node(USER, "Pets", "", NOW).await.unwrap();
    home.say(NOW, "I have a zanzicat").await;
    home.say(NOW + 1, "I have two zanzicats").await;
    let fact = |text: &str, row, quote| NewFact { text: text.into(), evidence: evidence_of(row, quote) };
    let learned =
        home.memory.learn(node, fact("Has a zanzicat.", 1, "I have a zanzicat"), NOW).await.unwrap();
    let LearnOutcome::New(first) = learned else { panic!("new") };
    let newer = fact("Has two zanzicats.", 2, "I have two zanzicats");
    home.memory.correct(first, newer, NOW + 1).await.unwrap();
    let elsewhere = home.memory.create_node(USER, "Elsewhere", "", NOW).await.unwrap();
    home.memory.move_facts(vec![first], elsewhere, NOW + 2).await.unwrap();
    let before = records_without_change_times(&home.memory).await;

    let wish = Forget::Items(vec![ItemId::new(RecordKind::Node, node.0)]);
    let forgotten = home.memory.forget(wish, Undo::Possible, NOW + 3).await.unwrap();
    let left = records_without_change_times(&home.memory).await;
    home.memory.undo(forgotten.undo, NOW + 4).await.unwrap();

    let said: Vec<&str> = left.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(said, ["I have a zanzicat"], "no fact of the node was learned from it");
    assert!(left.nodes.iter().all(|node| node.facts.is_empty()), "{:?}", left.nodes);
    assert_eq!(records_without_change_times(&home.memory).await, before);
}

#[tokio::test]
async fn fact_with_only_a_day_forgets_its_diary_entry() {
    let home = Home::new();
    let entry = |day, summary: &str| NewEntry {
        day: date(2024, 5, day),
        source: "import".into(),
        summary: summary.into(),
        topics: vec![],
    };
    let bees = home.memory.write_entry(entry(1, "Bought bees."), vec![], NOW).await.unwrap();
    home.memory.write_entry(entry(2, "Rested."), vec![], NOW).await.unwrap();
    let evidence = Evidence { entry: Some(bees.0), observed_at: NOW, ..Evidence::default() };
    let fact = NewFact { text: "Keeps bees.".into(), evidence };
    let LearnOutcome::New(id) = home.memory.learn(USER, fact, NOW).await.unwrap() else { panic!("new") };

    home.memory.forget(Forget::Items(vec![id.item()]), Undo::Never, NOW + 1).await.unwrap();

    let left = home.memory.archive().await.unwrap().diary;
    assert_eq!(left.iter().map(|entry| entry.summary.as_str()).collect::<Vec<_>>(), ["Rested."]);
}
