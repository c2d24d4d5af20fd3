//! The thing that an answer to "which one?" names: "the ten minute one", "the one at seven", "the rice".

use vocabulary::Language;

use super::calls::either_time;
use super::grammar::grammar_of;
use super::lexicon::RequestLanguage;
use super::recognition::forms;
use super::slots::{Slot, Value, values_at};
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
    let mut at = 0;
    while let Some(word) = answer.get(at) {
        let rest = &answer[at..];
        let used = language.choice_words.end_in(rest).or_else(|| thing.take(by, rest, language));
        if used.is_none() && !language.data.is_function_word(&word.written.to_lowercase()) {
            thing.words.push(word.text.clone());
        }
        at += used.unwrap_or(1);
    }
    Some(thing)
}

impl NamedThing {
    /// Takes the value at the beginning of the tokens. Returns the number of its tokens.
    fn take(&mut self, by: NamedBy, rest: &[Token], language: &RequestLanguage) -> Option<usize> {
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
            Value::Clock(clock) => self.time = Some(either_time(clock)),
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
    #[case::rest_of_a_request("set a timer for ten minutes", &["set"])]
    #[case::name("the rice one", &["rice"])]
    fn other_words_are_kept(#[case] text: &str, #[case] expected: &[&str]) {
        let thing = named_thing(text, NamedBy::Duration, &Language::new("en").unwrap(), &[]).unwrap();

        assert_eq!(thing.words, expected);
    }
}
