//! Turns explicit statements of users about themselves into facts of the knowledge graph.

use languages::Introduction;
use memory::{Branch, Evidence, Memory, MemoryError, NewFact};

/// The beginning of such a fact. Facts are in English, as models read them.
fn beginning(introduction: Introduction) -> &'static str {
    match introduction {
        Introduction::OwnName => "The user's name is ",
        Introduction::OwnPlace => "The user lives in ",
    }
}

fn fact(introduction: Introduction, words: &str) -> String {
    format!("{}{words}.", beginning(introduction))
}

/// Stores what the user said about themselves. A newer name takes the place of an older one, which stays as history.
pub(crate) async fn learn(
    memory: &Memory,
    introduction: Introduction,
    words: &str,
    evidence: Evidence,
    now_micros: i64,
) -> Result<(), MemoryError> {
    let new = NewFact { text: fact(introduction, words), evidence };
    let known = memory.facts(Branch::User.node()).await?;
    let is_same_kind = |text: &str| text.starts_with(beginning(introduction));
    match known.iter().find(|known| is_same_kind(&known.text) && known.text != new.text) {
        Some(older) => memory.correct(older.id, new, now_micros).await.map(|_| ()),
        None => memory.learn(Branch::User.node(), new, now_micros).await.map(|_| ()),
    }
}

/// The words of a fact of this kind in the profile.
pub(crate) fn text_of_profile(profile: &str, introduction: Introduction) -> Option<String> {
    let of_line = |line: &str| {
        let fact = line.trim_start_matches(['-', ' ']).strip_prefix(beginning(introduction))?;
        Some(fact.trim_end_matches('.').to_owned())
    };
    profile.lines().rev().find_map(of_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fact_in_the_profile_is_read_back_in_its_words() {
        let profile = format!("Heading:\n{}\nHas a dog.", fact(Introduction::OwnName, "Anne-Marie"));

        let read =
            [Introduction::OwnName, Introduction::OwnPlace].map(|kind| text_of_profile(&profile, kind));

        assert_eq!(read, [Some("Anne-Marie".to_owned()), None]);
    }
}
