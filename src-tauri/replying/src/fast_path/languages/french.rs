//! French.

use super::table::{ClockMeaning, Meaning, Table};

pub(super) const FRENCH: Table = Table {
    code: "fr",
    openers: "peux-tu|tu peux|pourrais-tu|tu pourrais|est-ce que tu peux|dis-moi|dis moi|tu sais|sais-tu|je voudrais|je veux|j'aimerais|il me faut",
    ignored: "moi|maintenant|en ce moment|actuellement|vite|me dire",
    dismissals: "laisse tomber|oublie|ce n'est rien|c'est tout|rien|merci|merci beaucoup|non merci|stop|arrête|tais-toi|silence|ça suffit",
    unnamed: "quelque chose|ça|cela|ceci",
    decimal_sign: ',',
    point: "virgule",
    one: "un|une",
    and: "et",
    durations: &[
        ("une demi-heure|demi-heure|une demie heure", 1800),
        ("un quart d'heure|quart d'heure", 900),
        ("trois quarts d'heure", 2700),
        ("une demi-minute", 30),
    ],
    and_a_half: "",
    unit_and_a_half: "et demie|et demi",
    halves: &[],
    morning: "du matin|ce matin|le matin",
    evening: "du soir|de l'après-midi|ce soir|cet après-midi",
    clock: &[
        ("{h} heures|heure|h et demie|demi", ClockMeaning::Offset(30)),
        ("{h} heures|heure|h et quart", ClockMeaning::Offset(15)),
        ("{h} heures|heure|h moins le? quart", ClockMeaning::Offset(-15)),
        ("{h} heures|heure|h {m}", ClockMeaning::Past),
        ("{h} heures|heure|h", ClockMeaning::Offset(0)),
        ("midi", ClockMeaning::Fixed(720)),
        ("midi et demi|demie", ClockMeaning::Fixed(750)),
        ("minuit", ClockMeaning::Fixed(0)),
    ],
    operators: &[
        ("plus|+|et", "+"),
        ("moins|-|−", "-"),
        ("fois|multiplié par|x|×|*|·", "*"),
        ("divisé par|sur|÷|/", "/"),
        ("puissance|à la puissance|exposant|^", "^"),
        ("modulo", "mod"),
    ],
    prefixes: &[
        ("la racine carrée de|racine carrée de|la racine de|racine de|√", "sqrt"),
        ("la racine cubique de|racine cubique de", "cbrt"),
    ],
    postfixes: &[("au carré|²", "^ 2"), ("au cube|³", "^ 3")],
    repeating: "chaque|tous|toutes|toujours|quotidiennement",
    repetitions: &[
        ("tous les jours|chaque jour|tous les matins|chaque matin|tous les soirs", "daily"),
        ("en semaine|les jours de semaine|du lundi au vendredi", "weekdays"),
    ],
    every: "chaque|tous les",
    list_words: "",
    requests: &[
        (
            Meaning::Time,
            &[
                "quelle heure est-il|est_il|il_est|est-ce",
                "il est quelle heure",
                "quelle est l'heure",
                "l'heure",
                "quelle heure est-il|il_est à|au|en {place}",
                "il est quelle heure à|au|en {place}",
                "l'heure à|au|en {place}",
            ],
        ),
        (
            Meaning::Date,
            &[
                "quel jour sommes-nous|est-on|on_est|est-ce aujourd'hui?",
                "on est quel jour aujourd'hui?",
                "quelle est la date d'aujourd'hui|du_jour?",
                "quelle date sommes-nous aujourd'hui?",
                "quel jour est|sera|serons-nous|tombe|est-ce {date}",
                "quel jour de la semaine est|sera|tombe {date}",
                "quelle date serons-nous|sera-t-on|est-ce {date}",
                "quand est {date}",
            ],
        ),
        (
            Meaning::DaysUntil,
            &[
                "combien de jours avant|jusqu'à|jusqu'au {date}",
                "combien de jours reste-t-il|il_reste avant|jusqu'à|jusqu'au {date}",
                "il reste combien de jours avant|jusqu'à|jusqu'au {date}",
                "dans combien de jours est|c'est {date}",
            ],
        ),
        (
            Meaning::Timer,
            &[
                "mets|mettre|lance|lancer|démarre|règle|programme|crée un|le? minuteur de|d'|pour|à|sur? {duration}",
                "un? minuteur de|d'|pour? {duration}",
                "un? timer de|d'|pour? {duration}",
                "mets|lance|démarre|règle|programme|crée un timer de|d'|pour {duration}",
                "mets|lance|démarre|règle|programme|crée un minuteur {label} de|d'|pour {duration}",
                "un? minuteur {label} de|d'|pour {duration}",
                "mets|lance|démarre|règle|programme|crée un minuteur pour le|la|les? {label} de|d' {duration}",
                "mets|lance|démarre|règle|programme|crée un minuteur de|d' {duration} pour le|la|les? {label}",
                "mets|lance|démarre|règle|programme|crée un minuteur de|d' {duration} appelé|nommé {label}",
                "mets|lance|démarre|règle|programme|crée un minuteur {label} de|d'|pour {duration} et un autre pour le|la|les? {label}",
                "mets|lance|démarre|règle|programme|crée un minuteur {label} de|d'|pour {duration} et un minuteur {label} de|d'|pour {duration}",
                "mets|lance|démarre|règle|programme|crée un minuteur de|d' {duration} et un autre de|d' {duration}",
            ],
        ),
        (
            Meaning::ListTimers,
            &[
                "quels minuteurs tournent|sont_actifs|sont_en_cours",
                "montre|liste mes|les minuteurs",
                "combien de temps reste-t-il|il_reste sur le|mon? minuteur",
                "combien de temps reste-t-il|il_reste sur le|mon? minuteur {label}",
                "il reste combien de temps sur le|mon? minuteur",
            ],
        ),
        (
            Meaning::CancelTimer,
            &[
                "annule|arrête|supprime|stoppe le|mon minuteur",
                "annule|arrête|supprime|stoppe le|mon minuteur {label}",
            ],
        ),
        (Meaning::CancelAllTimers, &["annule|arrête|supprime|stoppe tous? les|mes minuteurs"]),
        (
            Meaning::StopRinging,
            &[
                "arrête|éteins|coupe le|l' réveil|alarme",
                "arrête|éteins|coupe la sonnerie",
                "arrête de sonner",
            ],
        ),
        (
            Meaning::Snooze,
            &[
                "répète l'alarme",
                "encore {duration}",
                "rappelle-moi dans {duration}",
                "réveille-moi dans {duration}",
                "snooze",
            ],
        ),
        (
            Meaning::Alarm,
            &[
                "réveille à {clock}",
                "réveille {date} à {clock}",
                "réveille à {clock} {date}",
                "mets|règle|programme un|le|mon|une|l' réveil|alarme à|pour {clock}",
                "mets|règle|programme un|le|mon|une|l' réveil|alarme pour? {date} à {clock}",
            ],
        ),
        (
            Meaning::ListReminders,
            &[
                "quels|quelles sont mes alarmes|réveils|rappels",
                "quels|quelles alarmes|réveils|rappels ai-je|j'ai",
                "montre|liste|lis mes|les alarmes|réveils|rappels",
            ],
        ),
        (Meaning::CancelReminder, &["annule|supprime mon|le|l' réveil|alarme|rappel"]),
        (
            Meaning::AddTodo,
            &[
                "ajoute|mets|note|écris du|de_la|des|le|la|les|l'|un|une? {text} sur|à|dans ma|la|notre liste",
                "ajoute|mets|note|écris du|de_la|des|le|la|les|l'|un|une? {text} sur|à|dans ma|la|notre liste de|des|d' {label}",
            ],
        ),
        (
            Meaning::ListTodos,
            &[
                "qu'est-ce qu'il y a sur|dans ma|la|notre liste",
                "qu'est-ce qu'il y a sur|dans ma|la|notre liste de|des|d' {label}",
                "qu'y a-t-il sur|dans ma|la|notre liste",
                "qu'y a-t-il sur|dans ma|la|notre liste de|des|d' {label}",
            ],
        ),
        (
            Meaning::FinishTodo,
            &[
                "retire|enlève|supprime|raye|efface le|la|les|l'? {text} de ma|la|notre liste",
                "retire|enlève|supprime|raye|efface le|la|les|l'? {text} de ma|la|notre liste de|des|d' {label}",
            ],
        ),
        (
            Meaning::Remind,
            &[
                "rappelle-moi {date} à {clock} de|d' {text}",
                "rappelle-moi à {clock} de|d' {text}",
                "rappelle-moi de|d' {text} {date} à {clock}",
                "rappelle-moi de|d' {text} à {clock}",
                "rappelle-moi dans {duration} de|d' {text}",
                "rappelle-moi de|d' {text} dans {duration}",
            ],
        ),
        (
            Meaning::Volume,
            &["mets|règle|monte|baisse le? volume à|sur {n} pour_cent|%?", "volume à? {n} pour_cent|%?"],
        ),
        (Meaning::Louder, &["plus fort", "parle plus fort", "monte|augmente le son|volume"]),
        (
            Meaning::Quieter,
            &["moins fort", "parle moins_fort|plus_doucement", "baisse|diminue le son|volume"],
        ),
        (Meaning::Mute, &["coupe le son|ta_voix", "muet", "désactive ta voix"]),
        (Meaning::Unmute, &["remets|réactive le|ta son|voix"]),
        (
            Meaning::PercentOf,
            &[
                "{n} pour_cent|% de {n}",
                "combien font|fait {n} pour_cent|% de {n}",
                "quel est|que_font {n} pour_cent|% de {n}",
            ],
        ),
        (
            Meaning::Calculate,
            &[
                "{maths}",
                "{maths} =",
                "combien font|fait|ça_fait|égale {maths}",
                "quelle est|quel_est|que_font {maths}",
                "calcule {maths}",
                "{maths} ça fait combien",
            ],
        ),
        (
            Meaning::Convert,
            &[
                "{n} {unit} en {unit}",
                "convertis|convertir {n} {unit} en {unit}",
                "combien font|fait {n} {unit} en {unit}",
            ],
        ),
        (
            Meaning::ConvertTo,
            &["combien de|d' {unit} font|fait|dans|y_a-t-il_dans|il_y_a_dans|représentent {n} {unit}"],
        ),
    ],
};
