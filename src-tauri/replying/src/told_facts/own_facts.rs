//! Statements of users about themselves, and about people and things of theirs, and later questions about them: "my aunt is
//! called …", "I work as a nurse".
//!
//! A tiny model makes up a story about the name. No model and no I/O in here.

use dates::Calendar;
use jiff::civil::{Date, date};
use languages::{LanguageData, NumberWords, OwnFact, folded, folded_words};

use crate::answer_text::answer_patterns::patterns_of;
use crate::plain_requests::request_kind::{is_plain, without_polite_ends, written};

/// The signs behind which another sentence or another request may begin.
const BREAKS: [char; 10] = [',', ';', ':', '.', '!', '?', '–', '—', '\n', '…'];

/// The endings by which two words for the same thing may differ: "Hund", "Hundes". Others tell people apart: "Freund" and
/// "Freundin", "irmã" and "irmão".
const ENDINGS: [&str; 2] = ["s", "es"];

/// The shortest word that may have an ending, in characters.
const MIN_STEM: usize = 3;

/// The most articles and prepositions before a thing: "a la leche".
const MAX_ARTICLES: usize = 2;

/// The most words of a thing: "fruits de mer".
const MAX_NOUNS: usize = 3;

/// The most words of what is liked or disliked, without those between a thing and its owner. A third may be an order.
const MAX_TASTE_NOUNS: usize = 2;

/// The most words in lower case of what somebody does or likes most.
const MAX_PLAIN_WORDS: usize = 2;

/// Two days, on which words such as "tomorrow" and "Monday" mean different days of the year.
pub(crate) const SOME_DAYS: [Date; 2] = [date(2024, 5, 15), date(2025, 8, 21)];

/// The user, or a person or a thing of theirs, and what is told about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnThing {
    pub fact: OwnFact,
    /// The word for it, folded: "aunt"; empty for the user.
    pub own: String,
    /// The words of what is told about it, folded; empty for a question.
    pub value: String,
}

/// Such a statement, and the sentence that tells it.
pub(crate) type ToldSentence = (OwnThing, String);

impl OwnThing {
    /// `true` if both are the same fact about the same thing, whatever the endings of its words are.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_longer = |long: &str, short: &str| {
            let may_have_ending = short.chars().count() >= MIN_STEM;
            let rest = long.strip_prefix(short);
            rest.is_some_and(|rest| rest.is_empty() || (may_have_ending && ENDINGS.contains(&rest)))
        };
        let kind = |fact| if fact == OwnFact::AnotherName { OwnFact::Name } else { fact };
        kind(self.fact) == kind(other.fact)
            && (is_longer(&self.own, &other.own) || is_longer(&other.own, &self.own))
    }

    /// `true` if both cannot be true: what is liked now was disliked before, or the other way round.
    pub fn is_contrary_to(&self, other: &Self) -> bool {
        let facts = (self.fact, other.fact);
        matches!(facts, (OwnFact::Like, OwnFact::Dislike) | (OwnFact::Dislike, OwnFact::Like))
            && (&self.own, &self.value) == (&other.own, &other.value)
    }

    /// `true` if there may be others of which the same is told: "I have a cat called Tom" says nothing of other cats.
    pub fn may_have_others(&self) -> bool {
        use OwnFact::{Allergy, AnotherName, Diet, Dislike, Like};
        matches!(self.fact, AnotherName | Allergy | Diet | Like | Dislike)
    }
}

/// The statement of a text about the user or theirs; `None` for a question, and for a text that says more.
pub(crate) fn told(text: &str, data: &'static LanguageData) -> Option<OwnThing> {
    if text.trim_end().ends_with(['?', '？', '؟']) {
        return None;
    }
    let words = folded_words(text);
    patterns_of(data)?.own_facts.iter().find_map(|(fact, list)| {
        let found = list.whole(&words)?;
        let value = found.name?;
        // Without a person or a thing the user speaks of themselves.
        let own = found.own.unwrap_or(value.start..value.start);
        let said = written(text, own.start.min(value.start)..own.end.max(value.end))?;
        let goes_on = match fact {
            // "3. März", "the 3rd of March, 1990"
            OwnFact::Birthday | OwnFact::Anniversary => false,
            OwnFact::Allergy | OwnFact::Diet | OwnFact::Like | OwnFact::Dislike => {
                said.contains(|sign| sign != ',' && BREAKS.contains(&sign))
            }
            _ => said.contains(BREAKS),
        };
        if goes_on || is_kept_by_jarvis(&words[own.clone()], data) {
            return None;
        }
        let (written, own, value) = (written(text, value.clone())?, &words[own], &words[value]);
        is_told(*fact, &written, value, own, data).then(|| OwnThing {
            fact: *fact,
            own: own.join(" "),
            value: value.join(" "),
        })
    })
}

/// `true` if these words, as they were written and folded, tell such a fact about this person or thing.
fn is_told(fact: OwnFact, written: &str, words: &[String], own: &[String], data: &LanguageData) -> bool {
    match fact {
        OwnFact::Number | OwnFact::Age => is_number(words, data),
        OwnFact::Birthday | OwnFact::Anniversary => is_day_of_year(written),
        OwnFact::Allergy | OwnFact::Diet => are_things(written, MAX_NOUNS, data),
        OwnFact::Like | OwnFact::Dislike => are_tastes(written, data) && !is_of_this_moment(words, data),
        OwnFact::Origin => !written.starts_with(char::is_lowercase) && is_value(fact, written, words, data),
        OwnFact::Work => {
            is_profession(words, data) || is_employer(written, own) && is_value(fact, written, words, data)
        }
        OwnFact::Favourite => is_value(fact, written, words, data) && !is_passing(written, words, own, data),
        _ => is_value(fact, written, words, data),
    }
}

/// The fact that a text asks for, if it asks for one about the user or theirs.
pub(crate) fn asked(text: &str, data: &'static LanguageData) -> Option<OwnThing> {
    let words = folded_words(text);
    let words = without_polite_ends(&words, data);
    patterns_of(data)?.own_questions.iter().find_map(|(fact, list)| {
        let own = list.whole(words)?.own.map(|own| words[own].join(" "));
        Some(OwnThing { fact: *fact, own: own.unwrap_or_default(), value: String::new() })
    })
}

/// The sentences about one person or thing that are true together, oldest first, out of those said in the dialogue and those
/// known before. Both begin with the newest. A newer one takes the place of the older ones, unless it is about one of several.
pub(crate) fn true_together(said: &[ToldSentence], known: &[ToldSentence]) -> Vec<String> {
    let has_value =
        |list: &[ToldSentence], thing: &OwnThing| list.iter().any(|(it, _)| it.value == thing.value);
    // A fact that is known beside the newest sentence was not replaced by it.
    let is_known_true =
        said.first().is_none_or(|(newest, _)| newest.may_have_others() || has_value(known, newest));
    let last = said.iter().position(|(thing, _)| !thing.may_have_others()).map_or(said.len(), |at| at + 1);
    let mut told: Vec<ToldSentence> = Vec::new();
    for (thing, sentence) in said[..last].iter().chain(known.iter().filter(|_| is_known_true)) {
        if !has_value(&told, thing) {
            told.push((thing.clone(), sentence.clone()));
        }
    }
    told.into_iter().rev().map(|(_, sentence)| sentence).collect()
}

/// `true` for timers, lists and the like, "my tea timer" too: a statement about them is a request.
fn is_kept_by_jarvis(own: &[String], data: &LanguageData) -> bool {
    let things = data.answers.as_ref().map_or("", |table| {
        table.things.iter().find(|(action, _)| action.is_none()).map_or("", |(_, words)| *words)
    });
    things.split('|').any(|thing| own.ends_with(&folded_words(thing)))
}

/// `true` for words that can be a name, a place, a work or a thing. Several words are capitalised, else the last one may be an
/// order: the name, and "call her" behind it.
fn is_value(fact: OwnFact, written: &str, words: &[String], data: &LanguageData) -> bool {
    let mut parts = written.split(|char: char| !char.is_alphanumeric()).filter(|part| !part.is_empty());
    let is_short = matches!(fact, OwnFact::Work | OwnFact::Favourite) && words.len() <= MAX_PLAIN_WORDS;
    let is_one = words.len() == 1 || is_short || parts.all(|part| !part.starts_with(char::is_lowercase));
    is_one && !words.iter().any(|word| is_plain(word, data))
}

/// `true` for what something does or is for the time being: "my favourite team is losing". Names and titles are capitalised.
fn is_passing(written: &str, words: &[String], own: &[String], data: &LanguageData) -> bool {
    let Some(table) = data.answers.as_ref() else { return false };
    let is_lasting = |word: &String| table.lasting.iter().any(|known| folded(known) == *word);
    let is_state = |word: &String| table.passing.iter().any(|known| folded(known) == *word);
    written.starts_with(char::is_lowercase)
        && words.iter().all(|word| is_state(word) && !is_lasting(word))
        && !own.last().is_some_and(is_lasting)
}

/// `true` for what is liked or disliked only just now: "I don't like this answer".
fn is_of_this_moment(words: &[String], data: &LanguageData) -> bool {
    let is_so = |phrase: &[String]| words.windows(phrase.len().max(1)).any(|part| part == phrase);
    data.answers.as_ref().is_some_and(|table| table.not_liked.iter().any(|it| is_so(&folded_words(it))))
}

/// `true` for a day or a month that is the same whatever day it is today: "3 March", not "tomorrow".
fn is_day_of_year(text: &str) -> bool {
    let [one, other] = SOME_DAYS.map(|today| {
        let span = whole_span(text, today)?;
        let is_short = span.first.month() == span.last.month() && span.first.year() == span.last.year();
        is_short.then(|| (span.first.month(), span.first.day()))
    });
    one.is_some() && one == other
}

/// `true` for what somebody is by their work. "Doctor" is no name otherwise: "call me a doctor".
fn is_profession(words: &[String], data: &LanguageData) -> bool {
    let professions = data.answers.as_ref().map_or("", |table| table.professions);
    professions.split('|').any(|profession| folded_words(profession) == words)
}

/// The days of a text that is nothing else. A year may lie in the past.
fn whole_span(text: &str, today: Date) -> Option<dates::DateSpan> {
    let calendars = [Calendar::looking_ahead(today), Calendar::looking_back(today)];
    calendars.iter().find_map(|calendar| dates::whole_span_of(text, calendar))
}

/// `true` for the name of an employer. "I work at night" and "I work for free" name none, and "am Samstag" is a day.
fn is_employer(written: &str, own: &[String]) -> bool {
    !own.is_empty()
        || (!written.starts_with(char::is_lowercase) && whole_span(written, SOME_DAYS[0]).is_none())
}

/// `true` for one thing or several that somebody likes or dislikes: "jazz, pop and rock". "Jazz, stop" has an order behind it.
fn are_tastes(written: &str, data: &LanguageData) -> bool {
    let last_part = written.rsplit_once(',').map(|(_, last)| folded_words(last));
    let goes_on = last_part.is_some_and(|words| !words.iter().any(|word| is_and(word, data)));
    !goes_on && are_things(written, MAX_TASTE_NOUNS, data)
}

/// `true` for the word between two things: "and".
fn is_and(word: &str, data: &LanguageData) -> bool {
    let and = data.requests.as_ref().map_or("", |requests| requests.and);
    and.split('|').any(|and| folded(and.trim()) == word)
}

/// `true` for one thing or several: "nuts", "peanuts, cow's milk and fish". "Nuts and call my mum" says more. Each has at most
/// `most` words.
fn are_things(written: &str, most: usize, data: &LanguageData) -> bool {
    let is_joining = |word: &String| is_and(word, data);
    let is_of_owner = |word: &String| data.of_owner.iter().any(|of| folded(of) == *word);
    let is_thing = |words: &[String]| {
        let begins = words.iter().position(|word| !is_plain(word, data)).unwrap_or(words.len());
        let (articles, rest) = words.split_at(begins);
        // "cow's milk"
        let is_noun = |word: &String| !is_plain(word, data) || is_cut_off(word);
        articles.len() <= MAX_ARTICLES
            && (1..=MAX_NOUNS).contains(&rest.len())
            && rest.iter().filter(|word| !is_of_owner(word) && !is_cut_off(word)).count() <= most
            && rest.iter().all(|word| is_noun(word) || is_of_owner(word))
            && rest.last().is_some_and(is_noun)
    };
    // Two words behind the first thing may be an order: "nuts, suggest snacks".
    let is_one_noun = |words: &[String]| {
        let rest: Vec<&String> = words.iter().skip_while(|word| is_plain(word, data)).collect();
        let is_joined = |word: &&String| is_of_owner(word) || is_cut_off(word);
        rest.len() == 1 || rest.iter().any(is_joined)
    };
    let words: Vec<Vec<String>> = written.split(',').map(folded_words).collect();
    // Nothing stands between the signs of ", and".
    let mut parts = words.iter().flat_map(|words| words.split(is_joining)).filter(|part| !part.is_empty());
    parts.next().is_some_and(is_thing) && parts.all(|part| is_thing(part) && is_one_noun(part))
}

/// `true` for a letter before or behind an apostrophe: "s", "d". A vowel is a word of its own.
fn is_cut_off(word: &str) -> bool {
    word.chars().count() == 1 && !word.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// `true` for words that are a number and nothing else: "9", "seven".
pub(crate) fn is_number(words: &[String], data: &LanguageData) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let in_words = || {
        let read = NumberWords::of_code(data.code)?.leading(&words)?;
        Some(read.1 == words.len())
    };
    let in_digits = words.len() == 1 && words[0].bytes().all(|byte| byte.is_ascii_digit());
    let is_known =
        || data.numbers.iter().flat_map(|row| row.split('|')).any(|known| [folded(known).as_str()] == *words);
    in_digits || is_known() || in_words() == Some(true)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::test_rows::rows;

    /// The rows of each language: a text, and what it tells or asks.
    const ROWS: &str = "own_facts.variations.txt";

    /// The reading of a text as the rows write it.
    fn reading(text: &str, data: &'static LanguageData) -> String {
        let line = |kind: &str, thing: OwnThing| {
            let name = languages::name_in(&OwnFact::ALL, thing.fact);
            format!("{kind} {name} {}", thing.own).trim_end().to_owned()
        };
        let told = told(text, data).map(|thing| line("tells", thing));
        told.or_else(|| asked(text, data).map(|thing| line("asks", thing))).unwrap_or_else(|| "-".to_owned())
    }

    #[test]
    fn statements_and_questions_are_told_from_near_misses() {
        let with_facts = languages::all().iter().filter(|data| {
            data.answers.as_ref().is_some_and(|table| table.own_facts.iter().next().is_some())
        });
        let (mut failures, mut languages) = (Vec::new(), 0);
        for data in with_facts {
            languages += 1;
            let rows = rows(data, ROWS);
            let near_misses = rows.iter().filter(|(_, expected)| expected == "-").count();
            assert!(near_misses >= 8 && rows.len() >= near_misses + 14, "{} has too few rows", data.code);
            let read = rows.iter().map(|(text, expected)| (text, expected, reading(text, data)));
            let wrong = read.filter(|(_, expected, found)| *expected != found);
            failures.extend(wrong.map(|(text, _, found)| format!("{}: {text} => {found}", data.code)));
        }

        assert!(failures.is_empty(), "{failures:#?}");
        assert_eq!(languages, 9);
    }

    #[rstest]
    #[case::same("sister", "sister", true)]
    #[case::ending("hund", "hundes", true)]
    #[case::other("hund", "katze", false)]
    #[case::woman("freund", "freundin", false)]
    #[case::brother("irma", "irmao", false)]
    #[case::another_thing("son", "song", false)]
    #[case::too_long("sister", "sisterhood", false)]
    #[case::short("ko", "kom", false)]
    fn thing_is_known_again_by_its_stem(#[case] one: &str, #[case] other: &str, #[case] expected: bool) {
        let [one, other] = [one, other].map(|own| OwnThing {
            fact: OwnFact::Name,
            own: own.to_owned(),
            value: String::new(),
        });

        assert_eq!((one.is_same(&other), other.is_same(&one)), (expected, expected));
    }

    /// Readings of these sentences, the newest first.
    fn told_in_english(said: &[&str]) -> Vec<ToldSentence> {
        let english = &languages::all()[0];
        said.iter().map(|said| (told(said, english).expect(said), (*said).to_owned())).collect()
    }

    const TOM: &str = "I have a cat called Tom.";
    const TOM_AGAIN: &str = "I've got a cat named Tom.";
    const ADA: &str = "I have another cat called Ada.";
    const TIM: &str = "No, my cat is called Tim.";

    #[rstest]
    #[case::two(&[ADA, TOM], &[], &[TOM, ADA])]
    #[case::one_said_twice(&[TOM_AGAIN, TOM], &[], &[TOM_AGAIN])]
    #[case::one_of_another_day(&[ADA], &[TOM], &[TOM, ADA])]
    #[case::only_known(&[], &[ADA, TOM], &[TOM, ADA])]
    #[case::correction(&[TIM, TOM], &[], &[TIM])]
    #[case::correction_of_what_was_known(&[TIM], &[TOM], &[TIM])]
    #[case::another_after_a_correction(&[ADA, TIM, TOM], &[], &[TIM, ADA])]
    #[case::kept_beside_the_newest(&[TIM], &[TIM, ADA, TOM], &[TOM, ADA, TIM])]
    #[case::nothing(&[], &[], &[])]
    fn newer_sentence_replaces_others_unless_there_may_be_several(
        #[case] said: &[&str],
        #[case] known: &[&str],
        #[case] expected: &[&str],
    ) {
        let [said, known] = [said, known].map(told_in_english);

        assert_eq!(true_together(&said, &known), expected);
    }
}
