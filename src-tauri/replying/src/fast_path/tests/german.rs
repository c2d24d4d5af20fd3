use rstest::rstest;

use super::taken;

#[rstest]
#[case("Wie spät ist es?", "getTime")]
#[case("Jarvis, kannst du mir bitte sagen, wie spät es ist?", "getTime")]
#[case("Wie viel Uhr ist es in Tokio?", r#"getTime {"place":"Tokio"}"#)]
#[case("Welcher Tag ist heute?", "getDate")]
#[case("Welcher Tag ist in sechs Wochen?", r#"getDate {"date":"in sechs Wochen"}"#)]
#[case("Wie viele Tage noch bis Weihnachten?", r#"getDate {"date":"Weihnachten","count_days":true}"#)]
#[case("Stell einen Timer auf zehn Minuten", r#"setTimer {"seconds":600}"#)]
#[case("Timer eineinhalb Stunden", r#"setTimer {"seconds":5400}"#)]
#[case("Stelle bitte einen Timer auf eine Stunde und zwanzig Minuten", r#"setTimer {"seconds":4800}"#)]
#[case(
    "Stell einen Tee Timer auf vier Minuten und noch einen für Eier",
    r#"setTimer {"seconds":240,"label":"Tee"} + setTimer {"seconds":240,"label":"Eier"}"#
)]
#[case("Wie lange läuft der Tee Timer noch?", r#"listTimers {"label":"Tee"}"#)]
#[case("Lösche den Timer", "cancelTimer")]
#[case("Lösche alle Timer", r#"cancelTimer {"all":true}"#)]
#[case("Mach den Wecker aus", "stopRinging")]
#[case("Noch fünf Minuten", r#"snooze {"minutes":5}"#)]
#[case("Weck mich morgen um 7", r#"setAlarm {"time":"07:00","date":"morgen"}"#)]
#[case("Weck mich um halb sieben", r#"setAlarm {"time":"06:30"}"#)]
#[case("Stell den Wecker auf Viertel vor acht abends", r#"setAlarm {"time":"19:45"}"#)]
#[case("Vergiss es", "stop")]
#[case("Danke, Jarvis", "stop")]
#[case("Was ist 17 mal 23?", r#"calculate {"expression":"17 * 23"}"#)]
#[case("Wie viel ist 3,5 plus zwei", r#"calculate {"expression":"3.5 + 2"}"#)]
#[case("fünfzehn Prozent von achtzig", r#"calculate {"expression":"15% of 80"}"#)]
#[case("Wie viel Gramm sind zwei Tassen?", r#"convertUnits {"amount":2,"from":"cup","to":"gram"}"#)]
#[case("Rechne 5 Meilen in Kilometer um", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
#[case("Lautstärke auf 40 Prozent", r#"setVolume {"percent":40}"#)]
#[case("leiser bitte", r#"setVolume {"change":"down"}"#)]
#[case(
    "Setz Milch und Brot auf meine Einkaufsliste",
    r#"addTodo {"text":"Milch","list":"Einkaufsliste"} + addTodo {"text":"Brot","list":"Einkaufsliste"}"#
)]
#[case("Was steht auf meiner Einkaufsliste?", r#"listTodos {"list":"Einkaufsliste"}"#)]
#[case("Streich die Milch von meiner Einkaufsliste", r#"finishTodo {"text":"Milch","list":"Einkaufsliste"}"#)]
#[case(
    "Erinnere mich morgen um neun daran, den Zahnarzt anzurufen",
    r#"setReminder {"time":"09:00","date":"morgen","label":"den Zahnarzt anzurufen"}"#
)]
#[case("Erinnere mich in zehn Minuten an den Ofen", r#"setTimer {"seconds":600,"label":"den Ofen"}"#)]
#[case("Welche Wecker sind gestellt?", r#"listReminders"#)]
#[case("Lösch die Erinnerung an den Zahnarzt", r#"cancelReminder {"label":"Zahnarzt"}"#)]
#[case("Weck mich werktags um sieben", r#"setAlarm {"time":"07:00","repeats":"weekdays"}"#)]
#[case(
    "Erinnere mich jeden Montag um neun an die Blumen",
    r#"setReminder {"time":"09:00","date":"Montag","repeats":"weekly","label":"die Blumen"}"#
)]
#[case("Welcher Wochentag ist der 24. Dezember?", r#"getDate {"date":"24 Dezember"}"#)]
fn closed_request_is_taken(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(taken("de", text), expected);
}

#[rstest]
#[case("Stell einen Timer auf die Länge von Titanic")]
#[case("Wie spät fängt das Spiel an?")]
#[case("Wie spät ist es in meinem Kopf?")]
#[case("Stell einen Timer")]
#[case("Wie viel Uhr ist es und regnet es?")]
#[case("Weck mich vor dem Spiel")]
#[case("Was ist 17 mal")]
#[case("Ich habe gestern einen Timer auf zehn Minuten gestellt")]
#[case("Was ist zweimal so gut?")]
#[case("Wie viele Leute sind zwei Mannschaften?")]
#[case("Danke, und wer hat es geschrieben?")]
#[case("Weck mich um 27")]
#[case::something("Schreib etwas auf meine Einkaufsliste")]
fn anything_else_is_left_to_a_model(#[case] text: &str) {
    assert_eq!(taken("de", text), "-");
}
