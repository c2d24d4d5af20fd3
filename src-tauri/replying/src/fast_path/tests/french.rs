use rstest::rstest;

use super::taken;

#[rstest]
#[case("Quelle heure est-il ?", "getTime")]
#[case("Jarvis, peux-tu me dire quelle heure il est, s'il te plaît ?", "getTime")]
#[case("Quelle heure est-il à Tokyo ?", r#"getTime {"place":"Tokyo"}"#)]
#[case("Quel jour sommes-nous ?", "getDate")]
#[case("Quel jour serons-nous dans six semaines ?", r#"getDate {"date":"dans six semaines"}"#)]
#[case("Combien de jours avant Noël ?", r#"getDate {"date":"Noël","count_days":true}"#)]
#[case("Mets un minuteur de dix minutes", r#"setTimer {"seconds":600}"#)]
#[case("Minuteur de deux heures et demie", r#"setTimer {"seconds":9000}"#)]
#[case("Lance un minuteur pour une demi-heure", r#"setTimer {"seconds":1800}"#)]
#[case(
    "Mets un minuteur thé de quatre minutes et un autre pour les œufs",
    r#"setTimer {"seconds":240,"label":"thé"} + setTimer {"seconds":240,"label":"œufs"}"#
)]
#[case("Combien de temps reste-t-il sur le minuteur ?", "listTimers")]
#[case("Annule le minuteur thé", r#"cancelTimer {"label":"thé"}"#)]
#[case("Annule tous les minuteurs", r#"cancelTimer {"all":true}"#)]
#[case("Arrête le réveil", "stopRinging")]
#[case("Réveille-moi demain à 7 heures", r#"setAlarm {"time":"07:00","date":"demain"}"#)]
#[case("Réveille-moi à six heures et demie", r#"setAlarm {"time":"06:30"}"#)]
#[case("Mets le réveil à huit heures moins le quart du soir", r#"setAlarm {"time":"19:45"}"#)]
#[case("Laisse tomber", "stop")]
#[case("Merci Jarvis", "stop")]
#[case("Combien font 17 fois 23 ?", r#"calculate {"expression":"17 * 23"}"#)]
#[case("3,5 plus deux", r#"calculate {"expression":"3.5 + 2"}"#)]
#[case("quinze pour cent de quatre-vingts", r#"calculate {"expression":"15% of 80"}"#)]
#[case("Combien de grammes font deux tasses ?", r#"convertUnits {"amount":2,"from":"cup","to":"gram"}"#)]
#[case("Convertis 5 miles en kilomètres", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
#[case("Plus fort", r#"setVolume {"change":"up"}"#)]
#[case("Ajoute du lait à ma liste de courses", r#"addTodo {"text":"lait","list":"courses"}"#)]
#[case("Qu'est-ce qu'il y a sur ma liste de courses ?", r#"listTodos {"list":"courses"}"#)]
#[case("Retire le lait de ma liste de courses", r#"finishTodo {"text":"lait","list":"courses"}"#)]
#[case(
    "Rappelle-moi d'appeler le dentiste demain à neuf heures",
    r#"setReminder {"time":"09:00","date":"demain","label":"appeler le dentiste"}"#
)]
#[case("Quels sont mes rappels ?", r#"listReminders"#)]
#[case("Annule mon réveil", r#"cancelReminder"#)]
#[case(
    "Rappelle-moi tous les jours à neuf heures de respirer",
    r#"setReminder {"time":"09:00","repeats":"daily","label":"respirer"}"#
)]
#[case("Mets un minuteur d'une heure et demie", r#"setTimer {"seconds":5400}"#)]
fn closed_request_is_taken(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(taken("fr", text), expected);
}

#[rstest]
#[case("Mets un minuteur pour la durée du Titanic")]
#[case("À quelle heure est le match ?")]
#[case("Quelle heure est-il dans ma tête ?")]
#[case("Mets un minuteur")]
#[case("Quelle heure est-il et va-t-il pleuvoir ?")]
#[case("Réveille-moi avant le match")]
#[case("Combien font 17 fois")]
#[case("J'ai mis un minuteur de dix minutes hier")]
#[case("Combien de gens font deux équipes ?")]
#[case("Merci, et qui l'a écrit ?")]
#[case("Réveille-moi à 27 heures")]
fn anything_else_is_left_to_a_model(#[case] text: &str) {
    assert_eq!(taken("fr", text), "-");
}
