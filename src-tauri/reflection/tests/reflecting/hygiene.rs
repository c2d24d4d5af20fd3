//! A thousand turns in which the assistant repeats facts: the memory must not learn from the assistant.

use std::collections::HashSet;

use memory::{Participant, Recall, RecordKind};
use rstest::rstest;
use serde_json::json;

use crate::support::{Fixture, MINUTE, NOW, Override, Pass, fenced, message};

const TURNS: usize = 1000;

/// Turns between two runs of the diary.
const TURNS_PER_RUN: usize = 25;

/// Number of different things that the user likes.
const THINGS: usize = 60;

fn thing(number: usize) -> String {
    const KINDS: [&str; 12] = [
        "tea", "chess", "rowing", "poems", "maps", "owls", "jazz", "bread", "trams", "ferns", "kites",
        "clocks",
    ];
    const ORIGINS: [&str; 5] = ["from Leeds", "of old times", "in the rain", "with friends", "before dawn"];
    format!("{} {}", KINDS[number % 12], ORIGINS[number / 12 % 5])
}

/// The user's words in a turn: something new, or something said before with other case and punctuation.
fn user_words(turn: usize) -> String {
    // Two of three turns contain a fact.
    let thing = thing((turn / 3 * 2 + turn % 3) * 7 % THINGS);
    match turn % 4 {
        0 => format!("I like {thing}."),
        1 => format!("I LIKE {}!", thing.to_uppercase()),
        2 => format!("you know,  i like   {thing}"),
        _ => format!("I like {thing}"),
    }
}

#[tokio::test]
async fn thousand_turns_with_repetitions_store_each_fact_once() {
    let fixture = Fixture::new();
    let mut messages = Vec::new();
    for turn in 0..TURNS {
        let at = NOW + turn as i64 * MINUTE;
        // In every third turn the assistant repeats a fact from its memory, and the user agrees.
        if turn % 3 == 2 {
            let recall =
                Recall { words: thing(turn), kinds: vec![RecordKind::Fact], limit: 1, ..Recall::default() };
            let known = fixture.memory.recall(recall).await.unwrap().pop();
            let known = known.map_or_else(|| "sailing to Mars.".to_owned(), |found| found.item.text.0);
            let narrated = known.trim_start_matches("The user likes ").trim_end_matches('.').to_owned();
            messages.push(message(at, Participant::Assistant, &format!("You like {narrated}?")));
            messages.push(message(at + 1, Participant::User, "yes, as I said"));
        } else {
            messages.push(message(at, Participant::User, &user_words(turn)));
            // The assistant also says something that the user never said.
            messages.push(message(
                at + 1,
                Participant::Assistant,
                &format!("You like unicorns number {turn}?"),
            ));
        }
        if turn % TURNS_PER_RUN == TURNS_PER_RUN - 1 {
            fixture.memory.add_messages(std::mem::take(&mut messages)).await.unwrap();
            let written = fixture.write().await.unwrap();
            assert!(written.error.is_none() && written.learning.error.is_none());
        }
    }

    let mut facts = Vec::new();
    for (_, node) in fixture.memory.tree(NOW).await.unwrap() {
        facts.extend(fixture.facts(node.id).await);
    }
    let health = fixture.memory.examine(NOW).await.unwrap();
    assert!(health.duplicates * 100 <= facts.len() as i64, "{} of {}", health.duplicates, facts.len());
    let said: HashSet<String> =
        (0..THINGS).map(|number| format!("the user likes {}.", thing(number)).to_lowercase()).collect();
    for fact in &facts {
        assert!(said.contains(&fact.text.to_lowercase()), "not said by the user: {}", fact.text);
        let evidence = fixture.memory.evidence(fact.id).await.unwrap();
        assert!(!evidence.is_empty());
        assert!(evidence.iter().all(|it| it.participant == Some(Participant::User) && it.message.is_some()));
    }
    assert_eq!(facts.len(), THINGS);
    assert_eq!((fixture.pending().await, fixture.memory.unsearched_messages(9).await.unwrap().len()), (0, 0));
}

/// The same preference in different words: the user's words, and the fact that a model extracts.
const WORDINGS: [(&str, &str); 5] = [
    ("I like {}", "The user likes {}."),
    ("I really do like {} a lot", "The user likes {} a lot."),
    ("what I enjoy is {}", "The user enjoys {}."),
    ("I have always been fond of {}", "The user has always been fond of {}."),
    ("nothing beats {}, if you ask me", "{} is what the user prefers to anything else."),
];

const REWORDED_THINGS: usize = 30;

/// A thing in one of the wordings. In the end each thing was mentioned twice in every wording.
fn reworded(turn: usize) -> String {
    let (thing, wording) = (turn % REWORDED_THINGS, turn / REWORDED_THINGS % WORDINGS.len());
    WORDINGS[wording].0.replace("{}", &self::thing(thing))
}

/// The facts that a careful model extracts, each in its own wording.
fn paraphrased_facts(dialogue: &str) -> String {
    let mut facts = Vec::new();
    for line in fenced(dialogue, "DIALOGUE") {
        let Some(said) = line.strip_prefix("User: ") else { continue };
        for (thing, (words, fact)) in
            (0..REWORDED_THINGS).flat_map(|number| WORDINGS.map(|wording| (thing(number), wording)))
        {
            if said == words.replace("{}", &thing) {
                facts.push(json!({"branch": "USER", "fact": fact.replace("{}", &thing), "quote": said}));
            }
        }
    }
    json!(facts).to_string()
}

fn thing_in(fact: &str) -> Option<usize> {
    (0..REWORDED_THINGS).find(|number| fact.contains(&thing(*number)))
}

/// One fact for each thing: the older one.
fn merged_facts(material: &str) -> String {
    let mut known = HashSet::new();
    let lines = [fenced(material, "EXISTING FACTS"), fenced(material, "NEW FACTS")].concat();
    let facts = lines.iter().filter_map(|line| line.split_once(". ").map(|(_, fact)| fact));
    let facts: Vec<&str> = facts.filter(|fact| known.insert(thing_in(fact))).collect();
    json!({"facts": facts}).to_string()
}

/// Only the model can recognise different wordings of one fact, and the validation must accept its merge. Without the model
/// there is one fact for each wording, even after repetitions.
#[rstest]
#[case::a_model_that_merges_wordings(true, REWORDED_THINGS)]
#[case::a_model_that_merges_nothing(false, REWORDED_THINGS * WORDINGS.len())]
#[tokio::test]
async fn reworded_facts_are_stored_once_if_the_model_merges_them(
    #[case] merges: bool,
    #[case] expected_facts: usize,
) {
    let fixture = Fixture::new();
    fixture.model.override_answers(move |pass, given| match pass {
        Pass::Facts => Some(Override::Says(paraphrased_facts(given))),
        Pass::Merge if merges => Some(Override::Says(merged_facts(given))),
        _ => None,
    });
    for turns in (0..2 * REWORDED_THINGS * WORDINGS.len()).collect::<Vec<_>>().chunks(TURNS_PER_RUN) {
        let said = turns
            .iter()
            .map(|turn| message(NOW + *turn as i64 * MINUTE, Participant::User, &reworded(*turn)));
        fixture.memory.add_messages(said.collect()).await.unwrap();
        fixture.write().await.unwrap();
    }

    let mut facts = Vec::new();
    for (_, node) in fixture.memory.tree(NOW).await.unwrap() {
        facts.extend(fixture.facts(node.id).await.into_iter().map(|fact| fact.text));
    }
    let things: HashSet<_> = facts.iter().filter_map(|fact| thing_in(fact)).collect();
    assert_eq!(things.len(), REWORDED_THINGS);
    assert_eq!(facts.len(), expected_facts, "facts of {REWORDED_THINGS} things");
}
