//! A thousand turns with echoes: memory must not feed on itself.

use std::collections::HashSet;

use memory::{Kind, Participant, Recall};
use rstest::rstest;
use serde_json::json;

use crate::support::{Home, Instead, MINUTE, NOW, Pass, fenced, message};

const TURNS: usize = 1000;

/// Turns between two flushes.
const FLUSH: usize = 25;

/// How many different things the user ever says to like.
const THINGS: usize = 60;

fn thing(number: usize) -> String {
    const KINDS: [&str; 12] = [
        "tea", "chess", "rowing", "poems", "maps", "owls", "jazz", "bread", "trams", "ferns", "kites",
        "clocks",
    ];
    const ORIGINS: [&str; 5] = ["from Leeds", "of old times", "in the rain", "with friends", "before dawn"];
    format!("{} {}", KINDS[number % 12], ORIGINS[number / 12 % 5])
}

/// What the user says in a turn: something new or told before, in another case and with other punctuation.
fn told(turn: usize) -> String {
    // Two of three turns tell something.
    let thing = thing((turn / 3 * 2 + turn % 3) * 7 % THINGS);
    match turn % 4 {
        0 => format!("I like {thing}."),
        1 => format!("I LIKE {}!", thing.to_uppercase()),
        2 => format!("you know,  i like   {thing}"),
        _ => format!("I like {thing}"),
    }
}

#[tokio::test]
async fn a_thousand_turns_with_echoes_leave_each_fact_once_with_its_witness() {
    let home = Home::new();
    let mut messages = Vec::new();
    for turn in 0..TURNS {
        let at = NOW + turn as i64 * MINUTE;
        // Each third turn the assistant tells what it has found in its memory, and the user agrees.
        if turn % 3 == 2 {
            let recall =
                Recall { words: thing(turn), kinds: vec![Kind::Fact], limit: 1, ..Recall::default() };
            let known = home.memory.recall(recall).await.unwrap().pop();
            let known = known.map_or_else(|| "sailing to Mars.".to_owned(), |found| found.item.text.0);
            let narrated = known.trim_start_matches("The user likes ").trim_end_matches('.').to_owned();
            messages.push(message(at, Participant::Assistant, &format!("You like {narrated}?")));
            messages.push(message(at + 1, Participant::User, "yes, as I said"));
        } else {
            messages.push(message(at, Participant::User, &told(turn)));
            // And it says what nobody ever told it.
            messages.push(message(
                at + 1,
                Participant::Assistant,
                &format!("You like unicorns number {turn}?"),
            ));
        }
        if turn % FLUSH == FLUSH - 1 {
            home.memory.add_messages(std::mem::take(&mut messages)).await.unwrap();
            let written = home.write().await.unwrap();
            assert!(written.unfinished.is_none() && written.learning.unfinished.is_none());
        }
    }

    let mut facts = Vec::new();
    for (_, node) in home.memory.tree(NOW).await.unwrap() {
        facts.extend(home.facts(node.id).await);
    }
    let health = home.memory.examine(NOW).await.unwrap();
    assert!(health.duplicates * 100 <= facts.len() as i64, "{} of {}", health.duplicates, facts.len());
    let said: HashSet<String> =
        (0..THINGS).map(|number| format!("the user likes {}.", thing(number)).to_lowercase()).collect();
    for fact in &facts {
        assert!(said.contains(&fact.text.to_lowercase()), "never said: {}", fact.text);
        let evidence = home.memory.evidence(fact.id).await.unwrap();
        assert!(!evidence.is_empty());
        assert!(evidence.iter().all(|it| it.participant == Some(Participant::User) && it.message.is_some()));
    }
    assert_eq!(facts.len(), THINGS);
    assert_eq!((home.pending().await, home.memory.unsearched_messages(9).await.unwrap().len()), (0, 0));
}

/// The same liking in other words: what the user says, and the fact that a model makes of it.
const WORDINGS: [(&str, &str); 5] = [
    ("I like {}", "The user likes {}."),
    ("I really do like {} a lot", "The user likes {} a lot."),
    ("what I enjoy is {}", "The user enjoys {}."),
    ("I have always been fond of {}", "The user has always been fond of {}."),
    ("nothing beats {}, if you ask me", "{} is what the user prefers to anything else."),
];

const RETOLD_THINGS: usize = 30;

/// Tells of a thing in one of the wordings, so that in the end each was told in all of them, and twice.
fn retold(turn: usize) -> String {
    let (thing, wording) = (turn % RETOLD_THINGS, turn / RETOLD_THINGS % WORDINGS.len());
    WORDINGS[wording].0.replace("{}", &self::thing(thing))
}

/// The facts that a careful model finds, each in the words it was told in.
fn paraphrased_facts(dialogue: &str) -> String {
    let mut facts = Vec::new();
    for line in fenced(dialogue, "DIALOGUE") {
        let Some(said) = line.strip_prefix("User: ") else { continue };
        for (thing, (told, fact)) in
            (0..RETOLD_THINGS).flat_map(|number| WORDINGS.map(|wording| (thing(number), wording)))
        {
            if said == told.replace("{}", &thing) {
                facts.push(json!({"branch": "USER", "fact": fact.replace("{}", &thing), "quote": said}));
            }
        }
    }
    json!(facts).to_string()
}

fn thing_in(fact: &str) -> Option<usize> {
    (0..RETOLD_THINGS).find(|number| fact.contains(&thing(*number)))
}

/// One fact for each thing, the older one.
fn joined_facts(material: &str) -> String {
    let mut known = HashSet::new();
    let lines = [fenced(material, "EXISTING FACTS"), fenced(material, "NEW FACTS")].concat();
    let facts = lines.iter().filter_map(|line| line.split_once(". ").map(|(_, fact)| fact));
    let facts: Vec<&str> = facts.filter(|fact| known.insert(thing_in(fact))).collect();
    json!({"facts": facts}).to_string()
}

/// No rule of ours knows that other words say the same: it takes the model to join them, and then no guard stands in its
/// way. Without it there is one fact for each wording, however often it is told.
#[rstest]
#[case::a_model_that_joins_what_says_the_same(true, RETOLD_THINGS)]
#[case::a_model_that_joins_nothing(false, RETOLD_THINGS * WORDINGS.len())]
#[tokio::test]
async fn what_is_retold_in_other_words(#[case] joins: bool, #[case] at_most: usize) {
    let home = Home::new();
    home.model.instead(move |pass, given| match pass {
        Pass::Facts => Some(Instead::Says(paraphrased_facts(given))),
        Pass::Merge if joins => Some(Instead::Says(joined_facts(given))),
        _ => None,
    });
    for turns in (0..2 * RETOLD_THINGS * WORDINGS.len()).collect::<Vec<_>>().chunks(FLUSH) {
        let said =
            turns.iter().map(|turn| message(NOW + *turn as i64 * MINUTE, Participant::User, &retold(*turn)));
        home.memory.add_messages(said.collect()).await.unwrap();
        home.write().await.unwrap();
    }

    let mut facts = Vec::new();
    for (_, node) in home.memory.tree(NOW).await.unwrap() {
        facts.extend(home.facts(node.id).await.into_iter().map(|fact| fact.text));
    }
    let things: HashSet<_> = facts.iter().filter_map(|fact| thing_in(fact)).collect();
    assert_eq!(things.len(), RETOLD_THINGS);
    assert!(facts.len() <= at_most, "{} facts of {RETOLD_THINGS} things", facts.len());
}
