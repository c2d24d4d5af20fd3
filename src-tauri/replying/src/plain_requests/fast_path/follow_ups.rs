//! Recognises short requests that go on with the last one: "and in Oslo?", "make it twelve", "cancel that".
//!
//! The patterns stand in the tables `follow_up` of `requests.toml`. What was asked last is unknown here, so all readings are
//! returned.

use languages::RequestMeaning;
use vocabulary::Language;

use super::calls::time_of_day;
use super::grammar::grammar_of;
use super::recognition::forms;
use super::slots::Values;

/// A reading of a short request that goes on with the last one.
#[derive(Debug, Clone, PartialEq)]
pub struct FollowUp {
    /// The relation to the last request.
    pub meaning: FollowUpMeaning,
    /// The values that it names.
    pub values: FollowUpValues,
}

/// The relation of a short request to the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUpMeaning {
    /// The same with another value.
    SameWith,
    /// The same percentage of another number.
    SameOf,
    /// Another percentage of the same number.
    SamePercent,
    /// The last result goes on with this operator of the calculator and a number.
    Then(&'static str),
    /// The last one was meant with another value.
    Change,
    /// Another one of what was set.
    Another,
    /// The thing that was set is taken back.
    TakeBack,
    /// The time at which the last one rings.
    WhenItRings,
    /// The last call once more, as it was.
    Again,
    /// The last answer in another language.
    SameInLanguage,
}

/// The values in a short request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FollowUpValues {
    /// In digits with a full stop before decimals.
    pub number: Option<String>,
    /// The id of a unit of measure.
    pub unit: Option<&'static str>,
    /// A duration.
    pub seconds: Option<u32>,
    /// A time of day.
    pub clock: Option<FollowUpClock>,
    /// A day, in words.
    pub date: Option<String>,
    /// Another place for the last call.
    pub place: Option<String>,
    /// A name of a timer, or a thing on a list.
    pub label: Option<String>,
    /// Another language for the last answer.
    pub language: Option<Language>,
}

/// A time of day in a short request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUpClock {
    /// `HH:MM`, in the morning if nobody said which half of the day.
    pub time: String,
    /// Twelve hours later.
    pub later: String,
    /// Somebody said which half of the day, so that `later` is not meant.
    pub names_half: bool,
}

/// The languages that have such requests.
pub fn follow_up_languages() -> impl Iterator<Item = Language> {
    languages::all().iter().filter(|data| data.requests.is_some()).map(languages::LanguageData::language)
}

/// All readings of a text as a request that goes on with the last one. `names` are what the assistant is called.
pub fn follow_ups(text: &str, language: &Language, names: &[&str]) -> Vec<FollowUp> {
    let grammar = languages::of(language).and_then(grammar_of);
    let Some((forms, grammar)) = grammar.and_then(|grammar| Some((forms(text, names, grammar)?, grammar)))
    else {
        return Vec::new();
    };
    let readings = forms.iter().map(|tokens| {
        let matches = grammar.matches(tokens);
        let read = matches.into_iter().filter_map(|(meaning, values)| {
            Some(FollowUp { meaning: meaning_of(meaning)?, values: FollowUpValues::from_values(&values) })
        });
        read.collect::<Vec<_>>()
    });
    let mut found: Vec<FollowUp> = Vec::new();
    for reading in readings.into_iter().find(|readings| !readings.is_empty()).unwrap_or_default() {
        if !found.contains(&reading) {
            found.push(reading);
        }
    }
    found
}

fn meaning_of(meaning: RequestMeaning) -> Option<FollowUpMeaning> {
    Some(match meaning {
        RequestMeaning::SameWith => FollowUpMeaning::SameWith,
        RequestMeaning::SameOf => FollowUpMeaning::SameOf,
        RequestMeaning::SamePercent => FollowUpMeaning::SamePercent,
        RequestMeaning::ThenPlus => FollowUpMeaning::Then("+"),
        RequestMeaning::ThenMinus => FollowUpMeaning::Then("-"),
        RequestMeaning::ThenTimes => FollowUpMeaning::Then("*"),
        RequestMeaning::ThenOver => FollowUpMeaning::Then("/"),
        RequestMeaning::Change => FollowUpMeaning::Change,
        RequestMeaning::Another => FollowUpMeaning::Another,
        RequestMeaning::TakeBack => FollowUpMeaning::TakeBack,
        RequestMeaning::Again => FollowUpMeaning::Again,
        RequestMeaning::WhenItRings => FollowUpMeaning::WhenItRings,
        RequestMeaning::SameInLanguage => FollowUpMeaning::SameInLanguage,
        _ => return None,
    })
}

impl FollowUpValues {
    fn from_values(values: &Values) -> Self {
        let clock = values.clock.map(|clock| FollowUpClock {
            time: time_of_day(clock.minutes),
            later: time_of_day((clock.minutes + 720) % 1_440),
            names_half: clock.names_half,
        });
        Self {
            number: values.numbers.first().cloned(),
            unit: values.units.first().copied(),
            seconds: values.durations.first().copied(),
            clock,
            date: values.dates.first().cloned(),
            place: values.places.first().cloned(),
            label: values.labels.first().cloned(),
            language: values.language.and_then(Language::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The readings in one line, such as `SameWith place Oslo`.
    fn read(language: &str, text: &str) -> String {
        let language = Language::new(language).unwrap();
        let readings = follow_ups(text, &language, &["Jarvis"]).into_iter().map(|it| {
            let FollowUpValues { number, unit, seconds, clock, date, place, label, language } = it.values;
            let named = |name: &str, value: Option<String>| value.map(|value| format!("{name} {value}"));
            let values = [
                named("n", number),
                named("unit", unit.map(str::to_owned)),
                named("seconds", seconds.map(|it| it.to_string())),
                named("clock", clock.map(|it| it.time)),
                named("date", date),
                named("place", place),
                named("label", label),
                named("language", language.map(|it| it.code().to_owned())),
            ];
            let values: Vec<String> = values.into_iter().flatten().collect();
            format!("{:?} {}", it.meaning, values.join(" ")).trim_end().to_owned()
        });
        let mut readings: Vec<String> = readings.collect();
        readings.sort();
        readings.join(" | ")
    }

    #[rstest]
    #[case::place("en", "And in Oslo?", "SameWith place Oslo")]
    #[case::base("en", "and of 260?", "SameOf n 260")]
    #[case::percentage("en", "what about 20 percent", "SamePercent n 20")]
    #[case::change("en", "Jarvis, make it twelve please", "Change clock 12:00 | Change n 12")]
    #[case::another("en", "another one for the rice", "Another label rice")]
    #[case::cancel("en", "cancel that", "TakeBack")]
    #[case::when("en", "when does it ring?", "WhenItRings")]
    #[case::language("en", "in German please", "SameInLanguage language de")]
    #[case::unit("en", "and in feet?", "SameWith unit foot")]
    #[case::amount("en", "and 20 miles?", "SameWith n 20 unit mile")]
    #[case::day("en", "and until Easter?", "SameWith date Easter")]
    #[case::more_words("en", "and in Oslo they have a palace", "")]
    #[case::again("en", "Try that again.", "Again")]
    #[case::again("de", "Versuch es noch einmal.", "Again")]
    #[case::again("es", "Inténtalo otra vez.", "Again")]
    #[case::again("fr", "Réessaie.", "Again")]
    #[case::again("it", "Riprova.", "Again")]
    #[case::again("nl", "Probeer het nog een keer.", "Again")]
    #[case::again("pt", "Tenta de novo.", "Again")]
    #[case::again("sv", "Försök igen.", "Again")]
    #[case::again("tr", "Tekrar dene.", "Again")]
    #[case::place("de", "Und in Oslo?", "SameWith place Oslo")]
    #[case::base("de", "und von 260?", "SameOf n 260")]
    #[case::change("de", "mach zwölf daraus", "Change clock 12:00 | Change n 12")]
    #[case::change("de", "Stell ihn lieber auf 8 Uhr", "Change clock 08:00")]
    #[case::change("nl", "toch maar twaalf minuten", "Change n 12 unit minute | Change seconds 720")]
    #[case::change("pt", "afinal doze minutos", "Change n 12 unit minute | Change seconds 720")]
    #[case::then("fr", "divise ça entre 3 personnes", "Then(\"/\") n 3")]
    #[case::then("es", "divídelo entre 3 personas", "Then(\"/\") n 3")]
    #[case::another("de", "noch einen für den Reis", "Another label Reis")]
    #[case::cancel("de", "lösch das wieder", "TakeBack")]
    #[case::when("de", "Wann klingelt er?", "WhenItRings")]
    #[case::language("de", "auf Englisch bitte", "SameInLanguage language en")]
    #[case::place("es", "¿Y en Oslo?", "SameWith place Oslo")]
    #[case::base("es", "y de 260?", "SameOf n 260")]
    #[case::change("es", "mejor doce minutos", "Change n 12 unit minute | Change seconds 720")]
    #[case::another("es", "otro para el arroz", "Another label arroz")]
    #[case::cancel("es", "cancélalo", "TakeBack")]
    #[case::when("es", "¿cuándo suena?", "WhenItRings")]
    #[case::language("es", "en alemán por favor", "SameInLanguage language de")]
    #[case::place("fr", "Et à Oslo ?", "SameWith place Oslo")]
    #[case::base("fr", "et de 260 ?", "SameOf n 260")]
    #[case::change("fr", "plutôt douze minutes", "Change n 12 unit minute | Change seconds 720")]
    #[case::another("fr", "encore un pour le riz", "Another label riz")]
    #[case::cancel("fr", "annule ça", "TakeBack")]
    #[case::when("fr", "quand est-ce qu'il sonne ?", "WhenItRings")]
    #[case::language("fr", "en allemand s'il te plaît", "SameInLanguage language de")]
    #[case::place("it", "E a Oslo?", "SameWith place Oslo")]
    #[case::base("it", "e di 260?", "SameOf n 260")]
    #[case::change("it", "facciamo dodici minuti", "Change n 12 unit minute | Change seconds 720")]
    #[case::another("it", "un altro per il riso", "Another label riso")]
    #[case::cancel("it", "annullalo", "TakeBack")]
    #[case::when("it", "quando suona?", "WhenItRings")]
    #[case::language("it", "in tedesco per favore", "SameInLanguage language de")]
    #[case::place("nl", "En in Oslo?", "SameWith place Oslo")]
    #[case::base("nl", "en van 260?", "SameOf n 260")]
    #[case::change("nl", "maak er twaalf minuten van", "Change seconds 720")]
    #[case::another("nl", "nog een voor de rijst", "Another label rijst")]
    #[case::cancel("nl", "annuleer dat", "TakeBack")]
    #[case::when("nl", "wanneer gaat hij af?", "WhenItRings")]
    #[case::language("nl", "in het Duits alsjeblieft", "SameInLanguage language de")]
    #[case::place("pt", "E em Oslo?", "SameWith place Oslo")]
    #[case::base("pt", "e de 260?", "SameOf n 260")]
    #[case::change("pt", "muda para doze minutos", "Change n 12 unit minute | Change seconds 720")]
    #[case::another("pt", "outro para o arroz", "Another label arroz")]
    #[case::cancel("pt", "cancela isso", "TakeBack")]
    #[case::when("pt", "quando toca?", "WhenItRings")]
    #[case::language("pt", "em alemão por favor", "SameInLanguage language de")]
    #[case::place("sv", "Och i Oslo?", "SameWith place Oslo")]
    #[case::base("sv", "och av 260?", "SameOf n 260")]
    #[case::change("sv", "ändra det till tolv minuter", "Change n 12 unit minute | Change seconds 720")]
    #[case::another("sv", "en till för riset", "Another label riset")]
    #[case::cancel("sv", "ta bort den", "TakeBack")]
    #[case::when("sv", "när ringer den?", "WhenItRings")]
    #[case::language("sv", "på tyska tack", "SameInLanguage language de")]
    #[case::place("tr", "Peki Oslo'da?", "SameWith place Oslo")]
    #[case::base("tr", "peki 260'ın?", "SameOf n 260")]
    #[case::percentage("tr", "ya yüzde 20?", "SamePercent n 20")]
    #[case::change("tr", "on iki dakika olsun", "Change n 12 unit minute | Change seconds 720")]
    #[case::another("tr", "pirinç için de bir tane", "Another label pirinç")]
    #[case::cancel("tr", "bunu iptal et", "TakeBack")]
    #[case::when("tr", "ne zaman çalacak?", "WhenItRings")]
    #[case::language("tr", "Almanca lütfen", "SameInLanguage language de")]
    fn short_request_is_read_with_its_values(
        #[case] language: &str,
        #[case] text: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(read(language, text), expected);
    }
}
