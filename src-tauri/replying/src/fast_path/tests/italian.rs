use rstest::rstest;

use super::taken;

#[rstest]
#[case("Che ore sono?", "getTime")]
#[case("Jarvis, puoi dirmi che ora è per favore?", "getTime")]
#[case("Che ore sono a Tokyo?", r#"getTime {"place":"Tokyo"}"#)]
#[case("Che giorno è oggi?", "getDate")]
#[case("Che giorno è tra sei settimane?", r#"getDate {"date":"tra sei settimane"}"#)]
#[case("Quanti giorni mancano a Natale?", r#"getDate {"date":"Natale","count_days":true}"#)]
#[case("Imposta un timer di dieci minuti", r#"setTimer {"seconds":600}"#)]
#[case("Timer di un'ora e mezza", r#"setTimer {"seconds":5400}"#)]
#[case("Metti un timer di mezz'ora", r#"setTimer {"seconds":1800}"#)]
#[case(
    "Imposta un timer tè di quattro minuti e un altro per le uova",
    r#"setTimer {"seconds":240,"label":"tè"} + setTimer {"seconds":240,"label":"uova"}"#
)]
#[case("Quanto manca al timer?", "listTimers")]
#[case("Annulla il timer tè", r#"cancelTimer {"label":"tè"}"#)]
#[case("Annulla tutti i timer", r#"cancelTimer {"all":true}"#)]
#[case("Spegni la sveglia", "stopRinging")]
#[case("Ancora cinque minuti", r#"snooze {"minutes":5}"#)]
#[case("Svegliami domani alle 7", r#"setAlarm {"time":"07:00","date":"domani"}"#)]
#[case("Svegliami alle sei e mezza", r#"setAlarm {"time":"06:30"}"#)]
#[case("Metti la sveglia alle otto meno un quarto di sera", r#"setAlarm {"time":"19:45"}"#)]
#[case("Lascia stare", "stop")]
#[case("Grazie Jarvis", "stop")]
#[case("Quanto fa 17 per 23?", r#"calculate {"expression":"17 * 23"}"#)]
#[case("3,5 più due", r#"calculate {"expression":"3.5 + 2"}"#)]
#[case("il quindici per cento di ottanta", r#"calculate {"expression":"15% of 80"}"#)]
#[case("Quanti grammi sono due tazze?", r#"convertUnits {"amount":2,"from":"cup","to":"gram"}"#)]
#[case("Converti 5 miglia in chilometri", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
#[case("Alza il volume", r#"setVolume {"change":"up"}"#)]
#[case("Aggiungi il latte alla lista della spesa", r#"addTodo {"text":"latte","list":"spesa"}"#)]
#[case("Cosa c'è sulla lista della spesa?", r#"listTodos {"list":"spesa"}"#)]
#[case("Togli il latte dalla lista della spesa", r#"finishTodo {"text":"latte","list":"spesa"}"#)]
#[case(
    "Ricordami di chiamare il dentista domani alle nove",
    r#"setReminder {"time":"09:00","date":"domani","label":"chiamare il dentista"}"#
)]
#[case("Quali sveglie ho?", r#"listReminders"#)]
#[case("Cancella la sveglia", r#"cancelReminder"#)]
#[case("Svegliami ogni giorno alle sette", r#"setAlarm {"time":"07:00","repeats":"daily"}"#)]
fn closed_request_is_taken(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(taken("it", text), expected);
}

#[rstest]
#[case("Imposta un timer per la durata del Titanic")]
#[case("A che ora è la partita?")]
#[case("Che ore sono nella mia testa?")]
#[case("Imposta un timer")]
#[case("Che ore sono e pioverà?")]
#[case("Svegliami prima della partita")]
#[case("Quanto fa 17 per")]
#[case("Ieri ho impostato un timer di dieci minuti")]
#[case("Quante persone sono due squadre?")]
#[case("Grazie, e chi l'ha scritto?")]
#[case("Svegliami alle 27")]
fn anything_else_is_left_to_a_model(#[case] text: &str) {
    assert_eq!(taken("it", text), "-");
}
