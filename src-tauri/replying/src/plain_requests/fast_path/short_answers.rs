//! Values in a short answer to a question: "London", "for ten minutes", "at half past six".

use languages::WordOrder;
use vocabulary::Language;

use super::calls::time_of_day;
use super::grammar::{Grammar, grammar_of};
use super::recognition::forms;
use super::slots::{Slot, Value, values_at};
use super::tokens::{Token, tokens};

/// Words before the value: "I'm in London", "make it for".
const MOST_WORDS_BEFORE: usize = 4;

/// The kind of value that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedValue {
    /// A town or country.
    Place,
    /// A time of day, as `HH:MM`.
    Time,
    /// A day, in words.
    Date,
    /// A duration, in seconds.
    Duration,
    /// A number, in digits.
    Number,
}

/// The value that a short answer ends with, "should do" behind it or not; `None` if it is no such answer.
pub fn answered(text: &str, asked: AskedValue, language: &Language, names: &[&str]) -> Option<String> {
    let grammar = grammar_of(languages::of(language)?)?;
    let [spoken, request, _] = forms(text, names, grammar)?;
    [spoken, request].iter().find_map(|tokens| value_at_end(without_ending(tokens, grammar), asked, grammar))
}

/// Returns `true` if a text answers no question: "no, I changed my mind", "tell me a joke".
pub fn answers_nothing(text: &str, language: &Language, names: &[&str]) -> bool {
    let Some(data) = languages::of(language) else { return false };
    let Some(grammar) = grammar_of(data) else { return data.is_no(text) };
    let language = &grammar.language;
    let verb_may_end_it = data.word_order == WordOrder::QuestionWordInPlace;
    let refuses = |tokens: &[Token]| {
        language.no_answers.end_in(tokens).is_some() || (verb_may_end_it && language.no_answers.end(tokens))
    };
    let clauses =
        || text.split([',', '.', ';', '!', '?', '…']).map(str::trim).filter(|clause| !clause.is_empty());
    // As it was said too: French "dis" calls somebody, and begins "dis-moi".
    let said = |clause: &str, is_so: &dyn Fn(&[Token]) -> bool| {
        let cleaned = forms(clause, names, grammar).into_iter().flatten();
        cleaned.chain([tokens(clause)]).any(|tokens| is_so(&tokens))
    };
    // "Okay, milk" names something, "okay" does not.
    clauses().any(|clause| data.is_no(clause) || said(clause, &refuses))
        || clauses().all(|clause| said(clause, &|tokens| language.no_names.are(tokens)))
}

fn without_ending<'a>(tokens: &'a [Token], grammar: &Grammar) -> &'a [Token] {
    let ending = (1..tokens.len()).find(|at| grammar.language.answer_endings.are(&tokens[*at..]));
    &tokens[..ending.unwrap_or(tokens.len())]
}

fn value_at_end(tokens: &[Token], asked: AskedValue, grammar: &Grammar) -> Option<String> {
    let slot = match asked {
        AskedValue::Place => Slot::Place,
        AskedValue::Time => Slot::Clock,
        AskedValue::Date => Slot::Date,
        AskedValue::Duration => Slot::Duration,
        AskedValue::Number => Slot::Number,
    };
    (0..tokens.len().min(MOST_WORDS_BEFORE + 1)).find_map(|at| {
        let rest = &tokens[at..];
        let mut values = values_at(slot, rest, &grammar.language).into_iter();
        let (_, value) = values.find(|(used, _)| *used == rest.len())?;
        Some(match value {
            Value::Place(text) | Value::Date(text) | Value::Number(text) => text,
            Value::Clock(clock) => time_of_day(clock.minutes),
            Value::Duration(seconds) => seconds.to_string(),
            _ => return None,
        })
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english("en", &["I don't know.", "No, I changed my mind.", "Actually, leave it.", "Tell me a joke.", "Play some music.", "Forget about it", "Tell me more", "Jarvis, forget it", "Yes."])]
    #[case::german("de", &["Ich weiß es nicht.", "Nein, ich hab es mir anders überlegt.", "Ach, lass es.", "Erzähl mir einen Witz.", "Spiel Musik.", "Vergiss es", "Keine Ahnung"])]
    #[case::french("fr", &["Je ne sais pas.", "Non, j'ai changé d'avis.", "Finalement, laisse tomber.", "Raconte-moi une blague.", "Mets de la musique.", "Oublie ça", "Dis-moi tout"])]
    #[case::spanish("es", &["No lo sé.", "No, he cambiado de idea.", "Bueno, déjalo.", "Cuéntame un chiste.", "Pon algo de música.", "Olvídalo", "Ni idea"])]
    #[case::italian("it", &["Non lo so.", "No, ho cambiato idea.", "Anzi, lascia stare.", "Raccontami una barzelletta.", "Metti un po' di musica.", "Dimenticalo", "Dimmi di più"])]
    #[case::dutch("nl", &["Ik weet het niet.", "Nee, ik heb me bedacht.", "Ach, laat maar.", "Vertel een mop.", "Speel wat muziek.", "Vergeet het maar", "Geen idee"])]
    #[case::portuguese("pt", &["Não sei.", "Não, mudei de ideia.", "Olha, deixa estar.", "Conta-me uma piada.", "Toca uma música.", "Esquece isso", "Me diz mais"])]
    #[case::swedish("sv", &["Jag vet inte.", "Nej, jag har ändrat mig.", "Äh, låt bli.", "Berätta ett skämt.", "Spela musik.", "Glöm det", "Ingen aning"])]
    #[case::turkish("tr", &["Bilmiyorum.", "Hayır, fikrimi değiştirdim.", "Boş ver.", "Bana bir fıkra anlat.", "Biraz müzik çal.", "Vazgeçtim", "Emin değilim"])]
    #[case::language_without_patterns("ja", &["いいえ"])]
    fn text_that_names_nothing_is_no_answer(#[case] language: &str, #[case] texts: &[&str]) {
        let language = Language::new(language).unwrap();

        let taken: Vec<_> =
            texts.iter().filter(|text| !answers_nothing(text, &language, &["Jarvis"])).collect();

        assert!(taken.is_empty(), "{taken:?}");
    }

    #[rstest]
    #[case::english("en", &["Call the bank.", "milk and eggs", "Write to Ann", "tickets for the play", "Cancel the gym", "Little Snoring", "no milk"])]
    #[case::german("de", &["Die Bank anrufen", "Milch", "Spielzeug kaufen", "Ein Geschenk finden", "Nordhausen"])]
    #[case::french("fr", &["Appeler la banque", "du lait", "Oublier pas les clés", "Tours"])]
    #[case::spanish("es", &["Llamar al banco", "leche", "Pan y agua", "La Puebla"])]
    #[case::italian("it", &["Chiamare la banca", "latte", "Pane e acqua"])]
    #[case::dutch("nl", &["De bank bellen", "melk", "speelgoed"])]
    #[case::portuguese("pt", &["Ligar para o banco", "leite", "Conta da luz"])]
    #[case::swedish("sv", &["Ringa banken", "mjölk", "Leksaker"])]
    #[case::turkish("tr", &["Bankayı ara", "süt", "Kitap al"])]
    fn thing_to_do_or_to_buy_is_an_answer(#[case] language: &str, #[case] texts: &[&str]) {
        let language = Language::new(language).unwrap();

        let left: Vec<_> =
            texts.iter().filter(|text| answers_nothing(text, &language, &["Jarvis"])).collect();

        assert!(left.is_empty(), "{left:?}");
    }

    #[rstest]
    #[case::place("en", "London", AskedValue::Place, Some("London"))]
    #[case::place_in_a_sentence("en", "I'm in New York, please", AskedValue::Place, Some("New York"))]
    #[case::place_in_german("de", "Ich bin in Berlin.", AskedValue::Place, Some("Berlin"))]
    #[case::no_place("en", "tell me a joke", AskedValue::Place, None)]
    #[case::place_and_more("en", "London has a nice bridge", AskedValue::Place, None)]
    #[case::duration("en", "for ten minutes", AskedValue::Duration, Some("600"))]
    #[case::duration_in_french("fr", "pendant dix minutes", AskedValue::Duration, Some("600"))]
    #[case::no_duration("en", "ten", AskedValue::Duration, None)]
    #[case::duration_that_should_do("en", "twenty minutes should do", AskedValue::Duration, Some("1200"))]
    #[case::duration_in_dutch("nl", "twintig minuten is genoeg", AskedValue::Duration, Some("1200"))]
    #[case::duration_of_something_else("en", "ten minutes is too long", AskedValue::Duration, None)]
    #[case::number("en", "ten", AskedValue::Number, Some("10"))]
    #[case::time("en", "at half past six", AskedValue::Time, Some("06:30"))]
    #[case::day("en", "on Friday", AskedValue::Date, Some("on Friday"))]
    #[case::long_sentence("en", "well I have been thinking about it in London", AskedValue::Place, None)]
    #[case::language_without_patterns("ja", "東京", AskedValue::Place, None)]
    fn value_of_an_answer_is_read(
        #[case] language: &str,
        #[case] text: &str,
        #[case] asked: AskedValue,
        #[case] expected: Option<&str>,
    ) {
        let language = Language::new(language).unwrap();

        assert_eq!(answered(text, asked, &language, &["Jarvis"]).as_deref(), expected);
    }
}
