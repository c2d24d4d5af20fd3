use rstest::rstest;

use super::taken;

#[rstest]
#[case("Hoe laat is het?", "getTime")]
#[case("Jarvis, kun je me alsjeblieft zeggen hoe laat het is?", "getTime")]
#[case("Hoe laat is het in Tokio?", r#"getTime {"place":"Tokio"}"#)]
#[case("Welke dag is het vandaag?", "getDate")]
#[case("Welke dag is het over zes weken?", r#"getDate {"date":"over zes weken"}"#)]
#[case("Hoeveel dagen nog tot Kerstmis?", r#"getDate {"date":"Kerstmis","count_days":true}"#)]
#[case("Zet een timer op tien minuten", r#"setTimer {"seconds":600}"#)]
#[case("Timer van anderhalf uur", r#"setTimer {"seconds":5400}"#)]
#[case("Zet een timer voor een half uur", r#"setTimer {"seconds":1800}"#)]
#[case(
    "Zet een thee timer op vier minuten en nog een voor de eieren",
    r#"setTimer {"seconds":240,"label":"thee"} + setTimer {"seconds":240,"label":"eieren"}"#
)]
#[case("Hoe lang loopt de timer nog?", "listTimers")]
#[case("Annuleer de thee timer", r#"cancelTimer {"label":"thee"}"#)]
#[case("Annuleer alle timers", r#"cancelTimer {"all":true}"#)]
#[case("Zet de wekker uit", "stopRinging")]
#[case("nog vijf minuten", r#"snooze {"minutes":5}"#)]
#[case("Maak me morgen om 7 uur wakker", r#"setAlarm {"time":"07:00","date":"morgen"}"#)]
#[case("Maak me om half zeven wakker", r#"setAlarm {"time":"06:30"}"#)]
#[case("Zet de wekker op kwart voor acht", r#"setAlarm {"time":"07:45"}"#)]
#[case("Laat maar", "stop")]
#[case("Bedankt Jarvis", "stop")]
#[case("Hoeveel is 17 keer 23?", r#"calculate {"expression":"17 * 23"}"#)]
#[case("3,5 plus twee", r#"calculate {"expression":"3.5 + 2"}"#)]
#[case("vijftien procent van tachtig", r#"calculate {"expression":"15% of 80"}"#)]
#[case("Hoeveel gram zijn twee koppen?", r#"convertUnits {"amount":2,"from":"cup","to":"gram"}"#)]
#[case("Reken 5 mijl om naar kilometer", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
#[case("harder", r#"setVolume {"change":"up"}"#)]
#[case("Zet melk op de boodschappenlijst", r#"addTodo {"text":"melk","list":"boodschappenlijst"}"#)]
#[case("Wat staat er op mijn boodschappenlijst?", r#"listTodos {"list":"boodschappenlijst"}"#)]
#[case("Haal de melk van de boodschappenlijst", r#"finishTodo {"text":"melk","list":"boodschappenlijst"}"#)]
#[case(
    "Herinner me er morgen om negen uur aan de tandarts te bellen",
    r#"setReminder {"time":"09:00","date":"morgen","label":"de tandarts te bellen"}"#
)]
#[case("Welke wekkers heb ik?", r#"listReminders"#)]
#[case("Annuleer mijn wekker", r#"cancelReminder"#)]
#[case("Maak me op werkdagen om zeven uur wakker", r#"setAlarm {"time":"07:00","repeats":"weekdays"}"#)]
fn closed_request_is_taken(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(taken("nl", text), expected);
}

#[rstest]
#[case("Zet een timer voor de lengte van Titanic")]
#[case("Hoe laat begint de wedstrijd?")]
#[case("Hoe laat is het in mijn hoofd?")]
#[case("Zet een timer")]
#[case("Hoe laat is het en gaat het regenen?")]
#[case("Maak me voor de wedstrijd wakker")]
#[case("Hoeveel is 17 keer")]
#[case("Ik heb gisteren een timer op tien minuten gezet")]
#[case("Hoeveel mensen zijn twee teams?")]
#[case("Bedankt, en wie heeft het geschreven?")]
#[case("Maak me om 27 uur wakker")]
fn anything_else_is_left_to_a_model(#[case] text: &str) {
    assert_eq!(taken("nl", text), "-");
}
