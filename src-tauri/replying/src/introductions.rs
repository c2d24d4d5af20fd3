//! Turns explicit statements of users about themselves and theirs into facts of the knowledge graph.

use languages::{Introduction, LanguageData};
use memory::{Branch, Evidence, Fact, Memory, MemoryError, NewFact};

use crate::own_facts::{OwnThing, ToldSentence, told};

/// A statement that becomes a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Statement {
    /// The user says their name or where they live, with these words.
    Introduction(Introduction, String),
    /// The user says something about a person or a thing of theirs. The fact is the sentence itself.
    Own(OwnThing),
    /// The user asks to remember something. The fact is the sentence itself.
    ToRemember,
}

/// The beginning of a fact that quotes the user, and its end.
const QUOTE: (&str, &str) = ("The user said: “", "”");

impl Statement {
    /// The fact. Facts are in English, as models read them, but for what they quote.
    fn fact(&self, said: &str) -> String {
        match self {
            Self::Introduction(introduction, words) => format!("{}{words}.", beginning(*introduction)),
            Self::Own(_) | Self::ToRemember => format!("{}{}{}", QUOTE.0, said.trim(), QUOTE.1),
        }
    }

    /// The known fact that this statement takes the place of: what it corrects, or what it says in other words.
    fn replaced<'f>(&self, known: &'f [Fact], data: &'static LanguageData) -> Option<&'f Fact> {
        match self {
            Self::Introduction(introduction, _) => {
                known.iter().find(|fact| fact.text.starts_with(beginning(*introduction)))
            }
            Self::Own(thing) => replaced_by(thing, known, data),
            Self::ToRemember => None,
        }
    }
}

fn replaced_by<'f>(thing: &OwnThing, known: &'f [Fact], data: &'static LanguageData) -> Option<&'f Fact> {
    let read = |fact: &'f Fact| Some((fact, told(quoted(&fact.text)?, data)?));
    let same: Vec<_> = known.iter().filter_map(read).filter(|(_, it)| it.is_same(thing)).collect();
    let in_other_words = same.iter().find(|(_, it)| it.value == thing.value);
    // "My cat is called Tim" corrects the name of the only cat, but of several cats it is one more.
    let is_single = |it: &OwnThing| same.len() == 1 || !it.may_have_others();
    let corrected = || same.iter().find(|(_, it)| !thing.may_have_others() && is_single(it));
    in_other_words.or_else(corrected).map(|(fact, _)| *fact)
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
    match statement.replaced(&known, data).filter(|older| older.text != new.text) {
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

/// The sentences of the user in the profile that tell this, in this language, the newest first.
pub(crate) fn sentences_of_profile(
    profile: &str,
    thing: &OwnThing,
    data: &'static LanguageData,
) -> Vec<ToldSentence> {
    let read = |said: &str| told(said, data).filter(|it| it.is_same(thing)).map(|it| (it, said.to_owned()));
    facts_of(profile).filter_map(quoted).filter_map(read).collect()
}

/// All that the profile tells in words of the user: their name, where they live, and their sentences, the oldest first. `None` if
/// it has other facts, which a model has to word.
pub(crate) fn told_in_profile(profile: &str) -> Option<ToldInProfile> {
    let mut told = ToldInProfile::default();
    for fact in facts_of(profile).filter(|fact| !fact.is_empty() && !fact.ends_with(':')) {
        let of_kind =
            |kind| fact.strip_prefix(beginning(kind)).map(|words| words.trim_end_matches('.').to_owned());
        match (of_kind(Introduction::OwnName), of_kind(Introduction::OwnPlace), quoted(fact)) {
            (Some(name), ..) => told.name = told.name.or(Some(name)),
            (_, Some(place), _) => told.place = told.place.or(Some(place)),
            (.., Some(sentence)) => told.sentences.insert(0, sentence.to_owned()),
            _ => return None,
        }
    }
    Some(told)
}

/// All that users told of themselves.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ToldInProfile {
    pub name: Option<String>,
    pub place: Option<String>,
    pub sentences: Vec<String>,
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
    fn profile_is_told_unless_a_model_has_to_word_it() {
        let profile = "What is known:\n- The user's name is Ada.\n- The user said: “I'm from Leeds.”";

        let expected = ToldInProfile {
            name: Some("Ada".to_owned()),
            place: None,
            sentences: vec!["I'm from Leeds.".to_owned()],
        };
        assert_eq!(told_in_profile(profile), Some(expected));
        assert_eq!(told_in_profile(&format!("{profile}\n- Has a dog.")), None);
    }

    #[test]
    fn sentence_in_the_profile_is_read_back() {
        let english = &languages::all()[0];
        let said = "My sister is called Ingrid.";
        let sister = told(said, english).unwrap();
        let profile = format!("Heading:\n- {}\nHas a dog.", Statement::Own(sister.clone()).fact(said));

        let brother = OwnThing { fact: OwnFact::Name, own: "brother".to_owned(), value: String::new() };
        let read = [&sister, &brother].map(|thing| sentences_of_profile(&profile, thing, english));

        assert_eq!(read, [vec![(sister, said.to_owned())], vec![]]);
    }
}
