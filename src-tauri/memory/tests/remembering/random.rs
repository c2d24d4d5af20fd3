//! Random operations, compared with a simple model of the memory.

use std::collections::BTreeMap;

use memory::{Branch, Forget, ItemId, LearnOutcome, NodeId, Recall, RecordKind, Undo, check};
use proptest::prelude::*;

use crate::support::{Home, NOW, fact, open};

#[derive(Debug, Clone)]
enum Operation {
    Say(u8),
    Learn(u8),
    Retract(u8),
    ForgetMessage(u8),
    ForgetFact(u8),
    Undo,
    Reopen,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => any::<u8>().prop_map(Operation::Say),
        3 => (0u8..12).prop_map(Operation::Learn),
        1 => any::<u8>().prop_map(Operation::Retract),
        2 => any::<u8>().prop_map(Operation::ForgetMessage),
        1 => any::<u8>().prop_map(Operation::ForgetFact),
        1 => Just(Operation::Undo),
        1 => Just(Operation::Reopen),
    ]
}

/// The expected records.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    messages: BTreeMap<i64, String>,
    facts: BTreeMap<i64, String>,
}

fn pick(map: &BTreeMap<i64, String>, which: u8) -> Option<i64> {
    map.keys().nth(usize::from(which) % map.len().max(1)).copied()
}

async fn held(memory: &memory::Memory) -> Model {
    let all = Recall { words: "word".into(), limit: 1000, ..Recall::default() };
    let mut model = Model::default();
    for found in memory.recall(all).await.unwrap() {
        let of = match found.item.id.kind {
            RecordKind::Message => &mut model.messages,
            RecordKind::Fact => &mut model.facts,
            _ => continue,
        };
        of.insert(found.item.id.row, found.item.text.0.clone());
    }
    model
}

async fn follow(operations: Vec<Operation>) {
    let mut home = Home::new();
    let mut model = Model::default();
    let mut forgotten: Option<Model> = None;
    let user: NodeId = Branch::User.node();
    for (step, operation) in operations.into_iter().enumerate() {
        let now = NOW + step as i64;
        match operation {
            Operation::Say(word) => {
                let text = format!("word {word}");
                home.say(now, &text).await;
                let said = home.memory.recall(Recall {
                    limit: 1,
                    kinds: vec![RecordKind::Message],
                    ..Recall::default()
                });
                model.messages.insert(said.await.unwrap()[0].item.id.row, text);
            }
            Operation::Learn(word) => {
                let text = format!("Word fact {word}.");
                let learned = home.memory.learn(user, fact(&text), now).await.unwrap();
                match learned {
                    LearnOutcome::New(id) => assert!(model.facts.insert(id.0, text).is_none()),
                    LearnOutcome::Known(id) => assert_eq!(model.facts[&id.0], text),
                }
            }
            Operation::Retract(which) => {
                if let Some(row) = pick(&model.facts, which) {
                    home.memory.retract(memory::FactId(row), now).await.unwrap();
                    model.facts.remove(&row);
                }
            }
            Operation::ForgetMessage(which) => {
                if let Some(row) = pick(&model.messages, which) {
                    let item = ItemId::new(RecordKind::Message, row);
                    home.memory.forget(Forget::Items(vec![item]), Undo::Possible, now).await.unwrap();
                    let text = model.messages.remove(&row).unwrap();
                    forgotten = Some(Model { messages: [(row, text)].into(), ..Model::default() });
                }
            }
            Operation::ForgetFact(which) => {
                if let Some(row) = pick(&model.facts, which) {
                    let item = ItemId::new(RecordKind::Fact, row);
                    home.memory.forget(Forget::Items(vec![item]), Undo::Possible, now).await.unwrap();
                    let text = model.facts.remove(&row).unwrap();
                    forgotten = Some(Model { facts: [(row, text)].into(), ..Model::default() });
                }
            }
            Operation::Undo => {
                // Records added meanwhile stay.
                if let Some(mut forgotten) = forgotten.take() {
                    home.memory.undo(None, now).await.unwrap();
                    model.messages.append(&mut forgotten.messages);
                    model.facts.append(&mut forgotten.facts);
                }
            }
            Operation::Reopen => {
                home.memory.store().close();
                home.memory = open(&home.path());
            }
        }
        assert_eq!(held(&home.memory).await, model, "after step {step}");
    }
    home.memory.store().close();
    assert_eq!(check(&home.path()).unwrap(), model.messages.len() as i64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn random_operations_match_the_model(
        operations in prop::collection::vec(operation(), 1..40)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(follow(operations));
    }
}
