//! Statements about something that the user has at a time: "I have a meeting at three tomorrow".
//!
//! A tiny model claims to have set a reminder for it. No model and no I/O in here.

use std::ops::Range;

use languages::{LanguageData, folded, folded_words};
use vocabulary::Language;

use crate::answer_text::answer_patterns::{Match, patterns_of};
use crate::answer_text::sentences::sentences;
use crate::plain_requests::fast_path::{NamedBy, NamedThing, is_ahead, likely, named_thing};
use crate::plain_requests::request_kind::written;
use crate::told_facts::own_facts::is_number;

/// The signs behind which another request may begin. A full stop may stand in a time.
const BREAKS: [char; 5] = [',', ';', '!', '–', '—'];

/// Something that the user has at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToldAppointment {
    /// The word for it: "meeting"; the whole sentence if its patterns name nothing.
    pub thing: String,
    /// The time of day as the tools have it, if it was said.
    pub time: Option<String>,
    /// The day in the words of the user, if it was said.
    pub date: Option<String>,
}

/// The appointment that a text tells of; `None` for a question, for what has no time, and for a text that says more.
pub(crate) fn told_appointment(text: &str, data: &'static LanguageData) -> Option<ToldAppointment> {
    let is_one = sentences(text).len() == 1 && !text.contains(BREAKS);
    let asks = text.trim_end().ends_with(['?', '？', '؟']);
    let patterns = patterns_of(data).filter(|_| is_one && !asks)?;
    let words = folded_words(text);
    let is_meant = |found: &Match| {
        let own = found.own.clone().unwrap_or_default();
        is_thing(&words[own.clone()], data) && ends_with_a_noun(text, own, data)
    };
    let found = patterns
        .appointments
        .whole_if(&words, &|found| is_meant(found) && when(text, found, data).is_some())?;
    let NamedThing { time, date, .. } = when(text, &found, data)?;
    let thing = found.own.and_then(|own| written(text, own));
    let whole = || text.trim().trim_end_matches(['.', '…']).to_owned();
    Some(ToldAppointment { thing: thing.unwrap_or_else(whole), time: time.map(|time| likely(&time)), date })
}

/// The time of a match, if its words say nothing else and it is still to come. A number alone is none: "Windows 11".
fn when(text: &str, found: &Match, data: &'static LanguageData) -> Option<NamedThing> {
    let ranges = [found.earlier_name.clone(), found.name.clone()];
    let parts: Vec<String> = ranges.into_iter().flatten().filter_map(|range| written(text, range)).collect();
    let is_bare_number = |part: &String| !part.contains([':', '.']) && is_number(&folded_words(part), data);
    if parts.iter().any(is_bare_number) {
        return None;
    }
    let thing = named_thing(&parts.join(" "), NamedBy::Time, &Language::new(data.code)?, &[])?;
    let is_of_another_day = thing.date.as_deref().is_some_and(is_ahead);
    (thing.words.is_empty() && (thing.time.is_some() || is_of_another_day)).then_some(thing)
}

/// `true` for words that can name an appointment: no time, no question, and nothing that Jarvis itself keeps.
fn is_thing(own: &[String], data: &LanguageData) -> bool {
    let is_other = |word: &String| {
        let table = data.answers.as_ref();
        table.is_some_and(|table| table.not_appointments.iter().any(|known| folded(known) == *word))
    };
    !own.iter().any(is_other)
}

/// `false` for words that a participle may end: "Brot gegessen". Of several words the last one is a noun if it is capitalised.
fn ends_with_a_noun(text: &str, own: Range<usize>, data: &LanguageData) -> bool {
    let may_end_otherwise = own.len() > 1 && data.answers.as_ref().is_some_and(|table| table.participle_last);
    let is_capitalised = || {
        let last = written(text, own.end - 1..own.end);
        last.is_some_and(|word| word.starts_with(char::is_uppercase))
    };
    !may_end_otherwise || is_capitalised()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn told(code: &str, text: &str) -> Option<(String, Option<String>, Option<String>)> {
        let told = told_appointment(text, languages::of_code(code).unwrap())?;
        Some((told.thing, told.time, told.date))
    }

    #[rstest]
    #[case::english("en", "I have a meeting at 3 tomorrow", "meeting", Some("15:00"), Some("tomorrow"))]
    #[case::two_words(
        "en",
        "I've got a dentist appointment on Monday",
        "dentist appointment",
        None,
        Some("on Monday")
    )]
    #[case::day_first("en", "Tomorrow I have an exam at 9.", "exam", Some("09:00"), Some("Tomorrow"))]
    #[case::digits("en", "My interview is on Friday at 10:30", "interview", Some("10:30"), Some("on Friday"))]
    #[case::evening(
        "en",
        "I have dinner tomorrow evening at 8",
        "I have dinner tomorrow evening at 8",
        Some("20:00"),
        Some("tomorrow evening")
    )]
    #[case::morning(
        "en",
        "I have a flight tomorrow morning at 5",
        "flight",
        Some("05:00"),
        Some("tomorrow morning")
    )]
    #[case::noon("en", "I have a meeting at noon", "meeting", Some("12:00"), None)]
    #[case::german_evening(
        "de",
        "Ich habe heute Abend um 8 ein Date",
        "Date",
        Some("20:00"),
        Some("heute Abend")
    )]
    #[case::german_two_words(
        "de",
        "Ich habe morgen um 9 ein wichtiges Meeting",
        "wichtiges Meeting",
        Some("09:00"),
        Some("morgen")
    )]
    #[case::french_without_article(
        "fr",
        "J'ai rendez-vous demain à 15 heures",
        "J'ai rendez-vous demain à 15 heures",
        Some("15:00"),
        Some("demain")
    )]
    #[case::no_day("en", "I have a call at half past two", "call", Some("14:30"), None)]
    #[case::german("de", "Ich habe morgen um 15 Uhr ein Meeting.", "Meeting", Some("15:00"), Some("morgen"))]
    #[case::german_verb_second(
        "de",
        "Morgen habe ich um 9 einen Termin",
        "Termin",
        Some("09:00"),
        Some("Morgen")
    )]
    #[case::french("fr", "J'ai une réunion demain à 15 heures", "réunion", Some("15:00"), Some("demain"))]
    #[case::spanish("es", "Tengo una reunión mañana a las 15:00", "reunión", Some("15:00"), Some("mañana"))]
    #[case::italian("it", "Ho una riunione domani alle 15", "riunione", Some("15:00"), Some("domani"))]
    #[case::dutch(
        "nl",
        "Ik heb morgen om 15 uur een vergadering",
        "vergadering",
        Some("15:00"),
        Some("morgen")
    )]
    #[case::portuguese(
        "pt",
        "Tenho uma reunião amanhã às 15 horas",
        "reunião",
        Some("15:00"),
        Some("amanhã")
    )]
    #[case::swedish("sv", "Jag har ett möte imorgon klockan 15", "möte", Some("15:00"), Some("imorgon"))]
    #[case::turkish("tr", "Yarın saat 15'te toplantım var", "toplantım", Some("15:00"), Some("Yarın"))]
    fn appointment_is_told_with_its_time(
        #[case] code: &str,
        #[case] text: &str,
        #[case] thing: &str,
        #[case] time: Option<&str>,
        #[case] date: Option<&str>,
    ) {
        let expected = (thing.to_owned(), time.map(str::to_owned), date.map(str::to_owned));

        assert_eq!(told(code, text), Some(expected));
    }

    #[rstest]
    #[case::question("en", "Do I have a meeting tomorrow?")]
    #[case::question_without_its_word("en", "I have a meeting tomorrow?")]
    #[case::today_alone("en", "I have a headache today")]
    #[case::illness("en", "I have a cold since Monday")]
    #[case::about_a_day("en", "I have a question about tomorrow")]
    #[case::nothing("en", "I have no time tomorrow")]
    #[case::time("en", "I have time tomorrow")]
    #[case::alarm("en", "I have an alarm at 7")]
    #[case::past("en", "I have a message from yesterday")]
    #[case::order_behind("en", "I have a meeting at 3 tomorrow, remind me")]
    #[case::without_time("en", "I have a meeting")]
    #[case::german_time("de", "Ich habe morgen Zeit")]
    #[case::german_question("de", "Habe ich morgen einen Termin?")]
    #[case::french_age("fr", "J'ai 15 ans demain")]
    #[case::spanish_hunger("es", "Tengo hambre mañana")]
    #[case::italian_question("it", "Ho una domanda per domani")]
    #[case::dutch_time("nl", "Ik heb morgen geen tijd")]
    #[case::portuguese_time("pt", "Não tenho tempo amanhã")]
    #[case::swedish_question("sv", "Jag har en fråga om imorgon")]
    #[case::turkish_time("tr", "Yarın zamanım var")]
    #[case::eaten("en", "I have eaten at noon")]
    #[case::got_up("en", "I got up at 6")]
    #[case::got_paid("en", "I got paid on Friday")]
    #[case::german_eaten("de", "Ich habe um 12 gegessen")]
    #[case::german_eaten_something("de", "Ich habe um 12 Pizza gegessen")]
    #[case::german_eaten_with_article("de", "Ich habe um 12 ein Brot gegessen")]
    #[case::german_worked("de", "Ich habe am Montag gearbeitet")]
    #[case::french_eaten("fr", "J'ai mangé à midi")]
    #[case::italian_eaten("it", "Ho mangiato pizza alle 13")]
    #[case::dutch_eaten("nl", "Ik heb om 12 uur gegeten")]
    #[case::dutch_eaten_with_article("nl", "Ik heb om 12 uur een boterham gegeten")]
    #[case::swedish_eaten("sv", "Jag har ätit klockan 12")]
    #[case::number_of_a_phone("en", "I have an iPhone 15")]
    #[case::number_of_a_system("en", "I have Windows 11")]
    #[case::number_of_a_room("en", "We have room 12")]
    #[case::size("en", "My shoe size is 9")]
    #[case::number_in_words("en", "My lucky number is seven")]
    #[case::age("en", "My son is seven")]
    #[case::german_phone("de", "Ich habe ein iPhone 15")]
    #[case::spanish_system("es", "Tengo Windows 11")]
    #[case::spanish_number("es", "Mi número es 7")]
    #[case::turkish_channel("tr", "Kanal 5")]
    #[case::turkish_farewell("tr", "Görüşürüz yarın")]
    #[case::turkish_price("tr", "Dolar yarın")]
    fn something_else_is_no_appointment(#[case] code: &str, #[case] text: &str) {
        assert_eq!(told(code, text), None);
    }
}
