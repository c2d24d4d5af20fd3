//! Random operations on all records: forgetting deletes everything with the given words, keeps all unrelated records, and
//! undoing restores the exact state.

use std::collections::BTreeSet;

use memory::{
    Archive, ChildNodes, FactId, FactStatus, Forget, LearnOutcome, Memory, Merge, MergedLine, NewEntry,
    NodeEdit, NodeId, Participant, Undo, UndoId,
};
use proptest::prelude::*;
use vocabulary::Private;

use crate::support::{Home, NOW, fact, list, message, open, records_without_change_times};

const WORDS: [&str; 6] = ["amber", "basil", "cedar", "delta", "ember", "fjord"];

/// Time between two steps, in microseconds: all steps are within the ten minutes in which forgetting can be undone.
const STEP: i64 = 10_000_000;

#[derive(Debug, Clone)]
enum Operation {
    Say(usize),
    WriteDiary(u8),
    Learn(usize, u8),
    Merge(u8),
    CreateNode(usize, u8),
    MoveNode(u8, u8),
    MoveFact(u8, u8),
    DeleteNode(u8, bool),
    List(usize),
    ForgetWord(usize),
    ForgetSpan(u8, u8),
    Undo,
    Reopen,
}

fn operation() -> impl Strategy<Value = Operation> {
    let word = 0..WORDS.len();
    prop_oneof![
        6 => word.clone().prop_map(Operation::Say),
        2 => (0u8..3).prop_map(Operation::WriteDiary),
        4 => (word.clone(), any::<u8>()).prop_map(|(word, node)| Operation::Learn(word, node)),
        2 => any::<u8>().prop_map(Operation::Merge),
        2 => (word.clone(), any::<u8>()).prop_map(|(word, node)| Operation::CreateNode(word, node)),
        1 => any::<(u8, u8)>().prop_map(|(node, into)| Operation::MoveNode(node, into)),
        1 => any::<(u8, u8)>().prop_map(|(fact, into)| Operation::MoveFact(fact, into)),
        1 => any::<(u8, bool)>().prop_map(|(node, all)| Operation::DeleteNode(node, all)),
        2 => word.clone().prop_map(Operation::List),
        2 => word.prop_map(Operation::ForgetWord),
        1 => (0u8..40, 1u8..10).prop_map(|(from, steps)| Operation::ForgetSpan(from, steps)),
        2 => Just(Operation::Undo),
        1 => Just(Operation::Reopen),
    ]
}

fn at_step(step: usize) -> i64 {
    NOW + step as i64 * STEP
}

/// The texts of all current records, each with its kind of record.
async fn texts(memory: &Memory) -> BTreeSet<(&'static str, String)> {
    texts_of(&memory.archive().await.unwrap())
}

fn texts_of(archive: &Archive) -> BTreeSet<(&'static str, String)> {
    let mut texts = BTreeSet::new();
    texts.extend(archive.messages.iter().map(|said| ("message", said.text.clone())));
    texts.extend(archive.diary.iter().map(|entry| ("diary", entry.summary.clone())));
    let named = archive.nodes.iter().filter_map(|node| node.path.last().cloned());
    texts.extend(named.map(|name| ("node", name)));
    let facts = archive.nodes.iter().flat_map(|node| &node.facts);
    let hold = facts.filter(|fact| fact.status == FactStatus::Current);
    texts.extend(hold.map(|fact| ("fact", fact.text.clone())));
    texts.extend(archive.meals.iter().map(|meal| ("meal", meal.description.clone())));
    texts.extend(archive.appointments.iter().map(|appointment| ("appointment", appointment.label.clone())));
    texts.extend(archive.todos.iter().map(|todo| ("todo", todo.text.clone())));
    texts
}

/// The nodes that can contain facts, in the order of the tree.
async fn fact_nodes(memory: &Memory) -> Vec<NodeId> {
    memory.tree(NOW).await.unwrap().into_iter().skip(1).map(|(_, node)| node.id).collect()
}

async fn facts(memory: &Memory) -> Vec<(NodeId, FactId, String)> {
    let mut facts = Vec::new();
    for place in fact_nodes(memory).await {
        let there = memory.facts(place).await.unwrap();
        facts.extend(there.into_iter().map(|fact| (place, fact.id, fact.text)));
    }
    facts
}

fn pick<T: Clone>(from: &[T], which: u8) -> Option<T> {
    from.get(usize::from(which) % from.len().max(1)).cloned()
}

/// A memory, and the last forgetting with the state before it.
struct Simulation {
    home: Home,
    forgotten: Option<(UndoId, Archive)>,
}

impl Simulation {
    async fn follow(&mut self, operation: Operation, step: usize) {
        let now = at_step(step);
        let memory = self.home.memory.clone();
        let before = texts(&memory).await;
        let mut expected = before.clone();
        match operation {
            Operation::Say(word) => {
                let text = format!("We spoke of {} at {step}.", WORDS[word]);
                let said = message("main", now, Participant::User, &text);
                memory.add_messages(vec![said]).await.unwrap();
                expected.insert(("message", text));
            }
            Operation::WriteDiary(day) => {
                let waiting = memory.pending_messages(100).await.unwrap();
                let day = jiff::civil::date(2025, 12, 1 + day as i8);
                let so_far = memory.entry_of_day(day, "conversation").await.unwrap();
                let mut parts: Vec<String> = so_far.iter().map(|entry| entry.summary.clone()).collect();
                parts.extend(waiting.iter().map(|message| message.content.text.0.clone()));
                if !waiting.is_empty() {
                    let (source, summary) = ("conversation".into(), parts.join(" "));
                    expected
                        .retain(|text| so_far.iter().all(|entry| *text != ("diary", entry.summary.clone())));
                    expected.insert(("diary", summary.clone()));
                    let entry = NewEntry { day, source, summary, topics: vec![] };
                    memory.continue_entry(entry, so_far, waiting, now).await.unwrap();
                }
            }
            Operation::Learn(word, place) => {
                let place = pick(&fact_nodes(&memory).await, place).unwrap();
                let text = format!("Knows the {} of {step}.", WORDS[word]);
                let mut new = fact(&text);
                new.evidence.observed_at = now;
                assert!(matches!(memory.learn(place, new, now).await.unwrap(), LearnOutcome::New(_)));
                expected.insert(("fact", text));
            }
            Operation::Merge(which) => {
                let facts = facts(&memory).await;
                let place = pick(&facts, which).map(|(place, ..)| place);
                let two: Vec<_> = facts.into_iter().filter(|fact| Some(fact.0) == place).take(2).collect();
                if let [(node, one, a), (_, other, b)] = &two[..] {
                    let (from, text) = (vec![*one, *other], format!("{a} {b}"));
                    let lines = vec![MergedLine {
                        text: text.clone(),
                        stands_for: from.clone(),
                        replaces: vec![],
                        evidence: vec![],
                    }];
                    memory.merge_facts(Merge { node: *node, from, lines }, now).await.unwrap();
                    expected.retain(|text| *text != ("fact", a.clone()) && *text != ("fact", b.clone()));
                    expected.insert(("fact", text));
                }
            }
            Operation::CreateNode(word, above) => {
                let above = pick(&fact_nodes(&memory).await, above).unwrap();
                let name = format!("About {} of {step}", WORDS[word]);
                if memory.create_node(above, &name, "", now).await.is_ok() {
                    expected.insert(("node", name));
                }
            }
            Operation::MoveNode(node, into) => {
                let fact_nodes = fact_nodes(&memory).await;
                let edit = NodeEdit { parent: pick(&fact_nodes, into), ..NodeEdit::default() };
                // Refused when the target is below the node, too deep, or when the node is a branch.
                let _ = memory.edit_node(pick(&fact_nodes, node).unwrap(), edit, now).await;
            }
            Operation::MoveFact(which, into) => {
                let into = pick(&fact_nodes(&memory).await, into).unwrap();
                if let Some((_, id, _)) = pick(&facts(&memory).await, which) {
                    memory.move_facts(vec![id], into, now).await.unwrap();
                }
            }
            Operation::DeleteNode(node, is_all) => {
                let node = pick(&fact_nodes(&memory).await, node).unwrap();
                let deleted = memory.node(node).await.unwrap().unwrap();
                let below = if is_all { ChildNodes::Delete } else { ChildNodes::MoveUp };
                let is_gone = memory.delete_node(node, below, now).await.is_ok();
                assert_eq!(is_gone, !node.is_fixed());
                if is_gone && !is_all {
                    expected.remove(&("node", deleted.name));
                } else if is_gone {
                    // Only the nodes below it are deleted with it.
                    let after = texts(&memory).await;
                    let lost: Vec<_> = expected.difference(&after).collect();
                    assert!(lost.iter().all(|(kind, _)| ["node", "fact"].contains(kind)), "{lost:?}");
                    assert!(lost.contains(&&("node", deleted.name)));
                    expected = after;
                }
            }
            Operation::List(word) => {
                let text = format!("{} of {step}", WORDS[word]);
                list(&memory, &text, now).await;
                expected.insert(("meal", format!("soup at {text}")));
                expected.insert(("appointment", format!("go to {text}")));
                expected.insert(("todo", format!("pack for {text}")));
            }
            Operation::ForgetWord(word) => {
                let word = WORDS[word];
                let archive = records_without_change_times(&memory).await;
                let wish = Forget::Words(Private(word.into()));
                let forgotten = memory.forget(wish, Undo::Possible, now).await.unwrap();
                expected = self.check_forgotten_word(word, &before, &archive).await;
                self.forgotten = forgotten.undo.map(|undo| (undo, archive)).or(self.forgotten.take());
            }
            Operation::ForgetSpan(from, steps) => {
                let span = at_step(from.into())..at_step(usize::from(from) + usize::from(steps));
                let archive = records_without_change_times(&memory).await;
                let forgotten = memory.forget(Forget::Span(span.clone()), Undo::Possible, now).await.unwrap();
                let after = memory.archive().await.unwrap();
                let in_span = |at: i64| span.contains(&at);
                assert!(after.messages.iter().all(|said| !in_span(said.at_micros)));
                assert!(after.todos.iter().all(|todo| !in_span(todo.created_at)));
                let kept = |archive: &Archive| -> Vec<i64> {
                    let said = archive.messages.iter().map(|said| said.at_micros);
                    let to_do = archive.todos.iter().map(|todo| todo.created_at);
                    said.chain(to_do).filter(|at| !in_span(*at)).collect()
                };
                assert_eq!(kept(&after), kept(&archive));
                expected = texts_of(&after);
                self.forgotten = forgotten.undo.map(|undo| (undo, archive)).or(self.forgotten.take());
            }
            Operation::Undo => {
                if let Some((undo, archive)) = self.forgotten.take() {
                    memory.undo(Some(undo), now).await.unwrap();
                    let after = memory.archive().await.unwrap();
                    // The forgotten records are restored, and newer records stay.
                    let said = |archive: &Archive| -> BTreeSet<i64> {
                        let said = archive.messages.iter().map(|said| said.at_micros);
                        said.chain(archive.todos.iter().map(|todo| todo.created_at)).collect()
                    };
                    assert!(said(&after).is_superset(&said(&archive)));
                    expected = texts_of(&after);
                }
            }
            Operation::Reopen => {
                memory.store().close();
                self.home.memory = open(&self.home.path());
            }
        }
        assert_eq!(texts(&self.home.memory).await, expected, "after step {step}");
    }

    /// At the end there is nothing to repair.
    async fn end(self, steps: usize) {
        let health = self.home.memory.examine(at_step(steps)).await.unwrap();
        assert!(!health.needs_repair(), "{health:?}");
    }

    /// Checks that no text contains the word and that unrelated texts still exist. Returns the texts.
    async fn check_forgotten_word(
        &self,
        word: &str,
        before: &BTreeSet<(&'static str, String)>,
        archive: &Archive,
    ) -> BTreeSet<(&'static str, String)> {
        let after = self.home.memory.archive().await.unwrap();
        let everything = serde_json::to_string(&after).unwrap();
        assert!(!everything.contains(word), "{word} is in {everything}");
        // Facts are deleted together with a node of this name.
        let in_named =
            archive.nodes.iter().filter(|node| node.path.last().is_some_and(|it| it.contains(word)));
        let in_named: BTreeSet<&str> =
            in_named.flat_map(|node| &node.facts).map(|fact| fact.text.as_str()).collect();
        let after = texts_of(&after);
        for text in
            before.iter().filter(|(_, text)| !text.contains(word) && !in_named.contains(text.as_str()))
        {
            assert!(after.contains(text), "{text:?} went with {word}");
        }
        after
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn random_operations_forget_exactly_what_was_asked(
        operations in prop::collection::vec(operation(), 1..40)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut world = Simulation { home: Home::new(), forgotten: None };
            for (step, operation) in operations.into_iter().enumerate() {
                world.follow(operation, step).await;
            }
            world.end(40).await;
        });
    }

    #[test]
    fn immediate_undo_restores_the_exact_state(
        operations in prop::collection::vec(operation(), 1..30), word in 0..WORDS.len()
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut world = Simulation { home: Home::new(), forgotten: None };
            let steps = operations.len();
            for (step, operation) in operations.into_iter().enumerate() {
                world.follow(operation, step).await;
            }
            let memory = &world.home.memory;
            let before = records_without_change_times(memory).await;
            let wish = Forget::Words(Private(WORDS[word].into()));
            let forgotten = memory.forget(wish, Undo::Possible, at_step(steps)).await.unwrap();
            if let Some(undo) = forgotten.undo {
                memory.undo(Some(undo), at_step(steps)).await.unwrap();
            }
            assert_eq!(records_without_change_times(memory).await, before);
        });
    }
}
