//! The thing that an answer to "which one?" names: "the ten minute one", "the one at seven", "the rice", "the second one".

use languages::PlaceInList;
use vocabulary::Language;

use super::calls::either_time;
use super::grammar::grammar_of;
use super::lexicon::RequestLanguage;
use super::recognition::forms;
use super::slots::{Slot, Value, values_at};
use super::times::SpokenClock;
use super::tokens::Token;

/// More words are another request.
const MOST_WORDS: usize = 8;

/// The kind of value that things are told apart by, besides their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// The time that a timer was set for, or that is left on it.
    Duration,
    /// A time of day or a day.
    Time,
    /// Nothing else.
    Words,
}

/// The parts of an answer to "which one?".
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamedThing {
    /// A duration, in seconds.
    pub seconds: Option<u32>,
    /// A time of day as the tools have it, or two if nobody said which half of the day.
    pub time: Option<String>,
    /// A day, in words.
    pub date: Option<String>,
    /// The other words that mean something, lower case and without accents.
    pub words: Vec<String>,
}

/// The parts of a short answer to "which one?". `names` are what the assistant is called.
pub fn named_thing(text: &str, by: NamedBy, language: &Language, names: &[&str]) -> Option<NamedThing> {
    let grammar = grammar_of(languages::of(language)?)?;
    let [_, answer, _] = forms(text, names, grammar)?;
    if answer.len() > MOST_WORDS {
        return None;
    }
    let language = &grammar.language;
    let mut thing = NamedThing::default();
    let mut clock: Option<SpokenClock> = None;
    let mut at = 0;
    while let Some(word) = answer.get(at) {
        let rest = &answer[at..];
        let used = language.choice_words.end_in(rest).or_else(|| thing.take(by, rest, &mut clock, language));
        if used.is_none() && !language.data.is_function_word(&word.written.to_lowercase()) {
            thing.words.push(word.text.clone());
        }
        at += used.unwrap_or(1);
    }
    let on_day = |clock: SpokenClock| thing.date.as_deref().and_then(|date| clock.on_day(date, language));
    thing.time = clock.map(|clock| either_time(on_day(clock).unwrap_or(clock)));
    Some(thing)
}

/// The place in the question of the things that an answer to "which one?" means: "both", "the second one". `None` if the
/// answer says anything else.
pub fn place_in_list(text: &str, language: &Language, names: &[&str]) -> Option<PlaceInList> {
    let grammar = grammar_of(languages::of(language)?)?;
    let [_, answer, opened] = forms(text, names, grammar)?;
    [answer, opened].iter().find_map(|tokens| only_place(tokens, &grammar.language))
}

fn only_place(tokens: &[Token], language: &RequestLanguage) -> Option<PlaceInList> {
    let mut places = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let named = language.places.iter().filter_map(|(words, place)| Some((words.end_in(rest)?, *place)));
        at += match named.max_by_key(|(used, _)| *used) {
            Some((used, place)) => {
                places.push(place);
                used
            }
            None => language.choice_words.end_in(rest).or_else(|| language.articles.end_in(rest))?,
        };
    }
    places.pop().filter(|_| places.is_empty())
}

impl NamedThing {
    /// Takes the value at the beginning of the tokens, a time of day as `clock`. Returns the number of its tokens.
    fn take(
        &mut self,
        by: NamedBy,
        rest: &[Token],
        clock: &mut Option<SpokenClock>,
        language: &RequestLanguage,
    ) -> Option<usize> {
        let first = |slot: Slot| {
            let mut values = values_at(slot, rest, language);
            // "The ten minute one" is no second longer.
            let before_choice_word =
                |(used, _): &(usize, Value)| language.choice_words.end_in(&rest[*used..]).is_some();
            let at = values.iter().position(before_choice_word).unwrap_or_default();
            (at < values.len()).then(|| values.swap_remove(at))
        };
        let found = match by {
            NamedBy::Duration => first(Slot::Duration),
            NamedBy::Time => first(Slot::Clock).or_else(|| first(Slot::Date)),
            NamedBy::Words => None,
        };
        let (used, value) = found?;
        match value {
            Value::Duration(seconds) => self.seconds = Some(seconds),
            Value::Clock(spoken) => *clock = Some(spoken),
            Value::Date(date) => self.date = Some(date),
            _ => return None,
        }
        Some(used)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english("en", &["the ten minute one", "the one with ten minutes", "ten minutes", "the 10 minute timer please"])]
    #[case::german("de", &["der mit zehn Minuten", "den zehn Minuten Timer", "zehn Minuten", "der Zehn-Minuten-Timer"])]
    #[case::french("fr", &["celui de dix minutes", "le minuteur de dix minutes", "dix minutes"])]
    #[case::spanish("es", &["el de diez minutos", "el temporizador de diez minutos", "diez minutos"])]
    #[case::italian("it", &["quello da dieci minuti", "il timer di dieci minuti", "dieci minuti"])]
    #[case::dutch("nl", &["die van tien minuten", "de tien minuten timer", "tien minuten"])]
    #[case::portuguese("pt", &["o de dez minutos", "o temporizador de dez minutos", "dez minutos"])]
    #[case::swedish("sv", &["den på tio minuter", "tio minuter timern", "tio minuter"])]
    #[case::turkish("tr", &["on dakikalık olan", "on dakikalık zamanlayıcı", "on dakika"])]
    fn timer_is_named_by_its_duration(#[case] language: &str, #[case] texts: &[&str]) {
        let language = Language::new(language).unwrap();
        let expected = NamedThing { seconds: Some(600), ..NamedThing::default() };

        for text in texts {
            let thing = named_thing(text, NamedBy::Duration, &language, &["Jarvis"]);

            assert_eq!(thing.as_ref(), Some(&expected), "{text}");
        }
    }

    #[rstest]
    #[case::english("en", "the one at seven in the evening", "19:00")]
    #[case::evening_of_a_day("en", "the one tomorrow evening at seven", "19:00")]
    #[case::either_half("en", "the seven o'clock one", "07:00 or 19:00")]
    #[case::german("de", "der um halb sieben", "06:30 or 18:30")]
    #[case::french("fr", "celui de 7 heures", "07:00 or 19:00")]
    #[case::spanish("es", "la de las siete", "07:00 or 19:00")]
    #[case::italian("it", "quella delle sette", "07:00 or 19:00")]
    #[case::dutch("nl", "die van zeven uur", "07:00 or 19:00")]
    #[case::portuguese("pt", "o das sete horas", "07:00 or 19:00")]
    #[case::swedish("sv", "det klockan sju", "07:00 or 19:00")]
    fn alarm_is_named_by_its_time(#[case] language: &str, #[case] text: &str, #[case] expected: &str) {
        let language = Language::new(language).unwrap();

        let thing = named_thing(text, NamedBy::Time, &language, &["Jarvis"]).unwrap();

        assert_eq!((thing.time.as_deref(), thing.words.len()), (Some(expected), 0));
    }

    #[rstest]
    #[case::english(
        "en",
        "both of them",
        "all of them please",
        "all three of them",
        "the second one",
        "the last timer"
    )]
    #[case::german("de", "alle beide", "alle", "alle drei", "den zweiten", "der letzte Wecker")]
    #[case::french("fr", "tous les deux", "toutes", "tous les trois", "la deuxième", "le dernier minuteur")]
    #[case::spanish("es", "los dos", "todas ellas", "los tres", "el segundo", "la última alarma")]
    #[case::italian("it", "tutti e due", "tutte", "tutte e tre", "la seconda", "l'ultimo timer")]
    #[case::dutch("nl", "allebei", "allemaal", "alle drie", "de tweede", "de laatste wekker")]
    #[case::portuguese("pt", "os dois", "todas", "os três", "o segundo", "o último alarme")]
    #[case::swedish("sv", "båda två", "allihop", "alla tre", "den andra", "den sista timern")]
    #[case::turkish("tr", "her ikisini", "hepsini lütfen", "üçünü de", "ikincisi", "sonuncusu")]
    fn things_are_named_by_their_place(
        #[case] language: &str,
        #[case] both: &str,
        #[case] all: &str,
        #[case] three: &str,
        #[case] second: &str,
        #[case] last: &str,
    ) {
        let language = Language::new(language).unwrap();

        let places = [both, all, three, second, last].map(|text| place_in_list(text, &language, &["Jarvis"]));

        let (two, three) = (PlaceInList::AllOf(2), PlaceInList::AllOf(3));
        let expected = [two, PlaceInList::All, three, PlaceInList::Nth(2), PlaceInList::Last];
        assert_eq!(places, expected.map(Some));
    }

    #[rstest]
    #[case::two_places("en", "the first and the last one")]
    #[case::day("en", "the one on the first of June")]
    #[case::duration("en", "the thirty second one")]
    #[case::name("en", "both tea timers")]
    #[case::request("en", "tell me all about tea")]
    #[case::time_of_day("es", "la de las dos")]
    #[case::neither("en", "neither of them")]
    #[case::nothing("en", "the one")]
    fn other_answers_name_no_place(#[case] language: &str, #[case] text: &str) {
        assert_eq!(place_in_list(text, &Language::new(language).unwrap(), &["Jarvis"]), None);
    }

    #[rstest]
    #[case::rest_of_a_request("set a timer for ten minutes", &["set"])]
    #[case::name("the rice one", &["rice"])]
    fn other_words_are_kept(#[case] text: &str, #[case] expected: &[&str]) {
        let thing = named_thing(text, NamedBy::Duration, &Language::new("en").unwrap(), &[]).unwrap();

        assert_eq!(thing.words, expected);
    }
}
