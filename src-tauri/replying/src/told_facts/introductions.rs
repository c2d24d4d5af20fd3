//! Turns explicit statements of users about themselves and theirs into facts of the knowledge graph.

use jiff::civil::Date;
use languages::messages::Messages;
use languages::{Introduction, LanguageData};
use memory::{Branch, Evidence, Fact, Memory, MemoryError, NewFact};

use crate::told_facts::own_facts::{OwnThing, ToldSentence, told};
use crate::told_facts::told_appointments::ToldAppointment;

/// A statement that becomes a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Statement {
    /// The user says their name or where they live, with these words.
    Introduction(Introduction, String),
    /// The user says something about a person or a thing of theirs. The fact is the sentence itself.
    Own(OwnThing),
    /// The user asks to remember something. The fact is the sentence itself.
    ToRemember,
    /// The user has something at a time. The fact is the sentence, with the day on which it was said.
    Appointment(ToldAppointment),
}

/// The beginning of a fact that quotes the user, and its end.
const QUOTE: (&str, &str) = ("The user said: “", "”");

/// The same of a sentence that means little without the day on which it was said, which stands between the first two.
const DATED_QUOTE: (&str, &str) = ("The user said on ", ": “");

impl Statement {
    /// The fact. Facts are in English, as models read them, but for what they quote.
    fn fact(&self, said: &str, day: Option<Date>) -> String {
        match (self, day) {
            (Self::Introduction(introduction, words), _) => format!("{}{words}.", beginning(*introduction)),
            (Self::Appointment(_), Some(day)) => {
                format!("{}{day}{}{}{}", DATED_QUOTE.0, DATED_QUOTE.1, said.trim(), QUOTE.1)
            }
            (Self::Own(_) | Self::ToRemember | Self::Appointment(_), _) => {
                format!("{}{}{}", QUOTE.0, said.trim(), QUOTE.1)
            }
        }
    }

    /// The known fact that this statement takes the place of: what it corrects, or what it says in other words.
    fn replaced<'f>(&self, known: &'f [Fact], data: &'static LanguageData) -> Option<&'f Fact> {
        match self {
            Self::Introduction(introduction, _) => {
                known.iter().find(|fact| fact.text.starts_with(beginning(*introduction)))
            }
            Self::Own(thing) => replaced_by(thing, known, data),
            Self::ToRemember | Self::Appointment(_) => None,
        }
    }
}

fn replaced_by<'f>(thing: &OwnThing, known: &'f [Fact], data: &'static LanguageData) -> Option<&'f Fact> {
    let read = |fact: &'f Fact| Some((fact, told(quoted(&fact.text)?, data)?));
    let told: Vec<_> = known.iter().filter_map(read).collect();
    if let Some((contrary, _)) = told.iter().find(|(_, it)| it.is_contrary_to(thing)) {
        return Some(*contrary);
    }
    let same: Vec<_> = told.into_iter().filter(|(_, it)| it.is_same(thing)).collect();
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

/// The day and the sentence of a fact that quotes the user of that day.
fn quoted_of_day(fact: &str) -> Option<(Date, &str)> {
    let (day, said) = fact.strip_prefix(DATED_QUOTE.0)?.strip_suffix(QUOTE.1)?.split_once(DATED_QUOTE.1)?;
    Some((day.parse().ok()?, said))
}

/// Stores what the user said, in this language. A newer name takes the place of an older one, which stays as history.
pub(crate) async fn learn(
    memory: &Memory,
    statement: &Statement,
    data: &'static LanguageData,
    evidence: Evidence,
    now_micros: i64,
) -> Result<(), MemoryError> {
    let new = NewFact { text: statement.fact(&evidence.quote, evidence.day), evidence };
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
/// it has other facts, which a model has to word. Behind the day on which a sentence was said it is as `messages` write days.
pub(crate) fn told_in_profile(profile: &str, messages: &'static Messages) -> Option<ToldInProfile> {
    let mut told = ToldInProfile::default();
    for fact in facts_of(profile).filter(|fact| !fact.is_empty() && !fact.ends_with(':')) {
        let of_kind =
            |kind| fact.strip_prefix(beginning(kind)).map(|words| words.trim_end_matches('.').to_owned());
        let of_day = || quoted_of_day(fact).map(|(day, said)| format!("{}: {said}", messages.day(day)));
        let sentence = quoted(fact).map(str::to_owned).or_else(of_day);
        match (of_kind(Introduction::OwnName), of_kind(Introduction::OwnPlace), sentence) {
            (Some(name), ..) => told.name = told.name.or(Some(name)),
            (_, Some(place), _) => told.place = told.place.or(Some(place)),
            (.., Some(sentence)) => told.sentences.insert(0, sentence),
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
    use jiff::civil::date;
    use languages::OwnFact;

    use super::*;
    use crate::told_facts::told_appointments::told_appointment;

    #[test]
    fn fact_in_the_profile_is_read_back_in_its_words() {
        let name = Statement::Introduction(Introduction::OwnName, "Anne-Marie".to_owned());
        let profile = format!("Heading:\n{}\nHas a dog.", name.fact("", None));

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
        let english = Messages::english();
        assert_eq!(told_in_profile(profile, english), Some(expected));
        assert_eq!(told_in_profile(&format!("{profile}\n- Has a dog."), english), None);
    }

    #[test]
    fn appointment_is_told_with_the_day_on_which_it_was_said() {
        let said = "I have a meeting at 3 tomorrow.";
        let told = told_appointment(said, &languages::all()[0]).unwrap();
        let fact = Statement::Appointment(told).fact(said, Some(date(2025, 9, 15)));

        let told = told_in_profile(&format!("Heading:\n- {fact}"), Messages::english()).unwrap();

        assert_eq!(fact, "The user said on 2025-09-15: “I have a meeting at 3 tomorrow.”");
        assert_eq!(told.sentences, ["Monday, 15 September 2025: I have a meeting at 3 tomorrow."]);
    }

    #[test]
    fn sentence_in_the_profile_is_read_back() {
        let english = &languages::all()[0];
        let said = "My sister is called Ingrid.";
        let sister = told(said, english).unwrap();
        let profile = format!("Heading:\n- {}\nHas a dog.", Statement::Own(sister.clone()).fact(said, None));

        let brother = OwnThing { fact: OwnFact::Name, own: "brother".to_owned(), value: String::new() };
        let read = [&sister, &brother].map(|thing| sentences_of_profile(&profile, thing, english));

        assert_eq!(read, [vec![(sister, said.to_owned())], vec![]]);
    }
}
