//! A thousand turns with echoes: memory must not feed on itself.

use std::collections::HashSet;

use memory::{Kind, Recall, Speaker};

use crate::support::{Home, MINUTE, NOW, message};

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
            messages.push(message(at, Speaker::Assistant, &format!("You like {narrated}?")));
            messages.push(message(at + 1, Speaker::User, "yes, as I said"));
        } else {
            messages.push(message(at, Speaker::User, &told(turn)));
            // And it says what nobody ever told it.
            messages.push(message(at + 1, Speaker::Assistant, &format!("You like unicorns number {turn}?")));
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
        assert!(evidence.iter().all(|it| it.speaker == Some(Speaker::User) && it.message.is_some()));
    }
    assert_eq!(facts.len(), THINGS);
    assert_eq!((home.pending().await, home.memory.unsearched(9).await.unwrap().len()), (0, 0));
}
