//! Turns explicit statements of users about themselves and theirs into facts of the knowledge graph.

use languages::{Introduction, LanguageData};
use memory::{Branch, Evidence, Memory, MemoryError, NewFact};

use crate::own_facts::{OwnThing, told};

/// A statement that becomes a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Statement {
    /// The user says their name or where they live, with these words.
    Introduction(Introduction, String),
    /// The user says something about a person or a thing of theirs. The fact is the sentence itself.
    Own(OwnThing),
}

/// The beginning of a fact that quotes the user, and its end.
const QUOTE: (&str, &str) = ("The user said: “", "”");

impl Statement {
    /// The fact. Facts are in English, as models read them, but for what they quote.
    fn fact(&self, said: &str) -> String {
        match self {
            Self::Introduction(introduction, words) => format!("{}{words}.", beginning(*introduction)),
            Self::Own(_) => format!("{}{}{}", QUOTE.0, said.trim(), QUOTE.1),
        }
    }

    /// `true` if a known fact says the same of the same person or thing, be it another name.
    fn takes_place_of(&self, fact: &str, data: &'static LanguageData) -> bool {
        match self {
            Self::Introduction(introduction, _) => fact.starts_with(beginning(*introduction)),
            Self::Own(thing) => {
                quoted(fact).and_then(|said| told(said, data)).is_some_and(|it| it.is_same(thing))
            }
        }
    }
}

/// The beginning of the fact of an introduction.
fn beginning(introduction: Introduction) -> &'static str {
    match introduction {
        Introduction::OwnName => "The user's name is ",
        Introduction::OwnPlace => "The user lives in ",
    }
}

fn quoted(fact: &str) -> Option<&str> {
    fact.strip_prefix(QUOTE.0)?.strip_suffix(QUOTE.1)
}

/// Stores what the user said, in this language. A newer name takes the place of an older one, which stays as history.
pub(crate) async fn learn(
    memory: &Memory,
    statement: &Statement,
    data: &'static LanguageData,
    evidence: Evidence,
    now_micros: i64,
) -> Result<(), MemoryError> {
    let new = NewFact { text: statement.fact(&evidence.quote), evidence };
    let known = memory.facts(Branch::User.node()).await?;
    let mut same_kind = known.iter().filter(|known| statement.takes_place_of(&known.text, data));
    match same_kind.find(|known| known.text != new.text) {
        Some(older) => memory.correct(older.id, new, now_micros).await.map(|_| ()),
        None => memory.learn(Branch::User.node(), new, now_micros).await.map(|_| ()),
    }
}

/// The words of a fact of this kind in the profile.
pub(crate) fn text_of_profile(profile: &str, introduction: Introduction) -> Option<String> {
    let of_fact = |fact: &str| {
        let words = fact.strip_prefix(beginning(introduction))?;
        Some(words.trim_end_matches('.').to_owned())
    };
    facts_of(profile).find_map(of_fact)
}

/// The sentence of the user in the profile that tells this, in this language.
pub(crate) fn sentence_of_profile(
    profile: &str,
    thing: &OwnThing,
    data: &'static LanguageData,
) -> Option<String> {
    let tells = |said: &&str| told(said, data).is_some_and(|it| it.is_same(thing));
    facts_of(profile).filter_map(quoted).find(tells).map(str::to_owned)
}

/// The lines of the profile, the newest first.
fn facts_of(profile: &str) -> impl Iterator<Item = &str> {
    profile.lines().rev().map(|line| line.trim_start_matches(['-', ' ']))
}

#[cfg(test)]
mod tests {
    use languages::OwnFact;

    use super::*;

    #[test]
    fn fact_in_the_profile_is_read_back_in_its_words() {
        let name = Statement::Introduction(Introduction::OwnName, "Anne-Marie".to_owned());
        let profile = format!("Heading:\n{}\nHas a dog.", name.fact(""));

        let read =
            [Introduction::OwnName, Introduction::OwnPlace].map(|kind| text_of_profile(&profile, kind));

        assert_eq!(read, [Some("Anne-Marie".to_owned()), None]);
    }

    #[test]
    fn sentence_in_the_profile_is_read_back() {
        let english = &languages::all()[0];
        let said = "My sister is called Ingrid.";
        let sister = told(said, english).unwrap();
        let profile = format!("Heading:\n- {}\nHas a dog.", Statement::Own(sister.clone()).fact(said));

        let brother = OwnThing { fact: OwnFact::Name, own: "brother".to_owned() };
        let read = [sister, brother].map(|thing| sentence_of_profile(&profile, &thing, english));

        assert_eq!(read, [Some(said.to_owned()), None]);
    }
}
