use rstest::rstest;

use super::*;

fn timer(text: &str) -> Option<(u64, Option<String>)> {
    spoken_timer(text, "Jarvis", languages::of_code("en").unwrap())
        .map(|timer| (timer.duration_seconds, timer.label))
}

#[rstest]
#[case::plain("set a timer for 10 minutes", 600, None)]
#[case::sum("Set a timer for 1 hour, 5 minutes and 30 seconds.", 3930, None)]
#[case::short_units("timer 2 hrs 10 mins 5 secs", 7805, None)]
#[case::label_before("set a 10 minute pasta timer", 600, Some("pasta"))]
#[case::label_behind("set a timer for 8 minutes for the eggs", 480, Some("eggs"))]
#[case::named("start a timer called tea time for five minutes please", 300, Some("tea time"))]
#[case::label_with_an_order("set a timer for 5 minutes to stop the oven", 300, Some("stop oven"))]
#[case::wake_me("Hey Jarvis, wake me up in 20 minutes", 1200, None)]
#[case::let_me_know("let me know in 15 mins to check the oven", 900, Some("check oven"))]
#[case::when_over("let me know when the 5 minutes are up", 300, None)]
#[case::notify_me("notify me in half an hour", 1800, None)]
#[case::quarter("timer for a quarter of an hour", 900, None)]
#[case::quarter_hour("quarter hour timer", 900, None)]
#[case::an_hour("set a timer for an hour", 3600, None)]
#[case::an_hour_and_a_half("set a timer for an hour and a half", 5400, None)]
#[case::hour_and_half_an_hour("set a timer for one hour and half an hour", 5400, None)]
#[case::decimals("set a timer for 1.5 hours", 5400, None)]
#[case::number_words("set a timer for five minutes", 300, None)]
#[case::compound_number("set a timer for twenty five minutes", 1500, None)]
#[case::hour_twenty("set a timer for an hour twenty", 4800, None)]
#[case::request_as_question("can you set a timer for 3 minutes?", 180, None)]
#[case::not_forgotten("don't forget to set a timer for 5 minutes", 300, None)]
#[case::another("set another timer for 5 minutes", 300, None)]
#[case::hyphen("set a 10-minute timer", 600, None)]
#[case::glued("timer 1h30m", 5400, None)]
#[case::capitals("SET A TIMER FOR 10 MINUTES", 600, None)]
#[case::second_timer("set a second timer for 5 minutes", 300, None)]
#[case::from_now("set a timer for 10 minutes from now", 600, None)]
#[case::accents("set a 5 minute Café timer", 300, Some("café"))]
#[case::apostrophe("timer for mom's cookies, 12 minutes", 720, Some("mom's cookies"))]
#[case::given("give me a 10 minute timer", 600, None)]
#[case::corrected_number("set a timer for 10 minutes, not 5", 600, None)]
#[case::called("set a 5 minute timer and call it tea", 300, Some("tea"))]
fn timer_is_read_from_plain_words(#[case] text: &str, #[case] seconds: u64, #[case] label: Option<&str>) {
    assert_eq!(timer(text), Some((seconds, label.map(str::to_owned))));
}

#[rstest]
#[case::no_trigger("wait 5 minutes")]
#[case::no_duration("set a timer")]
#[case::no_unit("set a timer for 5")]
#[case::zero("set a timer for 0 minutes")]
#[case::negative("set a timer for -5 minutes")]
#[case::days("set a timer for 2 days")]
#[case::days_and_hours("set a timer for 1 day and 2 hours")]
#[case::two_timers("set a timer for 5 minutes and another for 10 minutes")]
#[case::two_of_the_same("set two 5 minute timers")]
#[case::two_durations("set a 5 minute timer and a 10 minute timer")]
#[case::one_more("set a 5 minute timer and another one")]
#[case::two_requests("set a 5 minute timer and tell me a joke")]
#[case::question_in_one_word("what's the 5 minute timer for?")]
#[case::range("set a timer for 5 to 10 minutes")]
#[case::range_with_dash("set a timer for 5-10 minutes")]
#[case::range_in_words("set a timer for five or ten minutes")]
#[case::range_of_durations("set a timer for between 5 minutes and 10 minutes")]
#[case::alternative("set a timer for 5 minutes or 10")]
#[case::negation("don't set a timer for 5 minutes")]
#[case::negation_in_two_words("do not set a timer for 5 minutes")]
#[case::never("never set a timer for 5 minutes")]
#[case::no_timer("I want no timer for 5 minutes")]
#[case::cancelled("cancel my 5 minute timer")]
#[case::asked_to_cancel("can you please stop the 10 minute timer")]
#[case::longer("add 5 minutes to my timer")]
#[case::question("how long is left on my 5 minute timer?")]
#[case::question_with_is("is the 5 minute timer still running")]
#[case::question_with_did("did you set the timer for 5 minutes")]
#[case::question_with_name("Jarvis, what is a 5 minute timer?")]
#[case::left("let me know when there are 5 minutes left")]
#[case::event("wake me 10 minutes before sunrise")]
#[case::condition("let me know if it rains in the next 2 hours")]
#[case::repeated("set a timer for 5 minutes every hour")]
#[case::repeated_times("set a timer for 5 minutes 3 times")]
#[case::later("set a timer for 10 minutes at 5 pm")]
#[case::other_day("set a timer for 10 minutes tomorrow")]
#[case::nothing("")]
fn anything_else_is_no_timer(#[case] text: &str) {
    assert_eq!(timer(text), None);
}

#[rstest]
#[case::plain("Stell einen Timer auf zehn Minuten", Some((600, None)))]
#[case::label("Stelle bitte einen Timer für die Nudeln auf 8 Minuten", Some((480, Some("nudeln".to_owned()))))]
#[case::half("Timer auf anderthalb Stunden", Some((5400, None)))]
#[case::wake_me("Weck mich in einer halben Stunde", Some((1800, None)))]
#[case::negation("Stell keinen Timer auf zehn Minuten", None)]
#[case::range("Stell einen Timer auf 5 bis 10 Minuten", None)]
#[case::question("Wie lange läuft der Timer auf zehn Minuten noch", None)]
#[case::repeated("Sag mir alle zehn Minuten Bescheid", None)]
fn german_timer_is_read_the_same_way(#[case] text: &str, #[case] expected: Option<(u64, Option<String>)>) {
    let found = spoken_timer(text, "Jarvis", languages::of_code("de").unwrap());

    assert_eq!(found.map(|timer| (timer.duration_seconds, timer.label)), expected);
}

#[rstest]
#[case::spanish("es", "Pon un temporizador de diez minutos", Some((600, "")))]
#[case::spanish_label("es", "Pon un temporizador de 8 minutos para la pasta, por favor", Some((480, "pasta")))]
#[case::spanish_wake_me("es", "Despiértame en media hora", Some((1800, "")))]
#[case::spanish_negation("es", "No pongas un temporizador de diez minutos", None)]
#[case::spanish_range("es", "Pon un temporizador de 5 a 10 minutos", None)]
#[case::spanish_order("es", "Cancela el temporizador de diez minutos", None)]
#[case::spanish_question("es", "¿Cuánto le queda al temporizador de diez minutos?", None)]
#[case::french("fr", "Mets un minuteur de dix minutes", Some((600, "")))]
#[case::french_label("fr", "Lance un minuteur de 8 minutes pour les pâtes", Some((480, "pâtes")))]
#[case::french_wake_me("fr", "Réveille-moi dans une demi-heure", Some((1800, "")))]
#[case::french_negation("fr", "Ne mets pas de minuteur de dix minutes", None)]
#[case::french_range("fr", "Mets un minuteur de 5 à 10 minutes", None)]
#[case::french_order("fr", "Annule le minuteur de dix minutes", None)]
#[case::french_repeated("fr", "Mets un minuteur de dix minutes chaque jour", None)]
#[case::italian("it", "Imposta un timer di dieci minuti", Some((600, "")))]
#[case::italian_label("it", "Metti un timer di 8 minuti per la pasta", Some((480, "pasta")))]
#[case::italian_wake_me("it", "Svegliami tra mezz'ora", Some((1800, "")))]
#[case::italian_negation("it", "Non impostare un timer di dieci minuti", None)]
#[case::italian_range("it", "Imposta un timer tra 5 e 10 minuti", None)]
#[case::italian_order("it", "Annulla il timer di dieci minuti", None)]
#[case::italian_two("it", "Imposta due timer di dieci minuti", None)]
#[case::dutch("nl", "Zet een timer op tien minuten", Some((600, "")))]
#[case::dutch_label("nl", "Zet een timer van 8 minuten voor de pasta", Some((480, "pasta")))]
#[case::dutch_wake_me("nl", "Maak me wakker over een half uur", Some((1800, "")))]
#[case::dutch_negation("nl", "Zet geen timer op tien minuten", None)]
#[case::dutch_range("nl", "Zet een timer op 5 tot 10 minuten", None)]
#[case::dutch_order("nl", "Verwijder de timer van tien minuten", None)]
#[case::portuguese("pt", "Coloca um temporizador de dez minutos", Some((600, "")))]
#[case::portuguese_label("pt", "Coloca um temporizador de 8 minutos para o macarrão", Some((480, "macarrão")))]
#[case::portuguese_wake_me("pt", "Me acorda em meia hora", Some((1800, "")))]
#[case::portuguese_negation("pt", "Não coloca um temporizador de dez minutos", None)]
#[case::portuguese_range("pt", "Coloca um temporizador de 5 a 10 minutos", None)]
#[case::portuguese_order("pt", "Cancela o temporizador de dez minutos", None)]
#[case::swedish("sv", "Ställ en timer på tio minuter", Some((600, "")))]
#[case::swedish_label("sv", "Ställ en timer på 8 minuter för pastan", Some((480, "pastan")))]
#[case::swedish_wake_me("sv", "Väck mig om en halvtimme", Some((1800, "")))]
#[case::swedish_negation("sv", "Ställ inte en timer på tio minuter", None)]
#[case::swedish_range("sv", "Ställ en timer på 5 till 10 minuter", None)]
#[case::swedish_order("sv", "Stoppa timern på tio minuter", None)]
#[case::turkish("tr", "On dakikalık zamanlayıcı kur", Some((600, "")))]
#[case::turkish_label("tr", "Makarna için 8 dakikalık bir zamanlayıcı kur", Some((480, "makarna")))]
#[case::turkish_wake_me("tr", "Beni yarım saat sonra uyandır", Some((1800, "")))]
#[case::turkish_negation("tr", "On dakikalık zamanlayıcı kurma", None)]
#[case::turkish_order("tr", "On dakikalık zamanlayıcıyı iptal et", None)]
#[case::turkish_question("tr", "On dakikalık zamanlayıcıda ne kadar kaldı", None)]
fn timer_is_read_in_every_language_with_its_words(
    #[case] language: &str,
    #[case] text: &str,
    #[case] expected: Option<(u64, &str)>,
) {
    let found = spoken_timer(text, "Jarvis", languages::of_code(language).unwrap());

    let found = found.map(|timer| (timer.duration_seconds, timer.label.unwrap_or_default()));
    assert_eq!(found, expected.map(|(seconds, label)| (seconds, label.to_owned())));
}

#[test]
fn language_without_words_for_timers_has_none() {
    let polish = languages::of_code("pl").unwrap();

    assert_eq!(spoken_timer("set a timer for 10 minutes", "Jarvis", polish), None);
}
