//! Dutch.

use super::table::{ClockMeaning, Meaning, Table};

pub(super) const DUTCH: Table = Table {
    code: "nl",
    openers: "kun je me zeggen|kun je|kan je|kunt u|zou je|wil je|zeg me|zeg|vertel me|weet je|ik wil weten|ik wil|ik heb nodig",
    ignored: "nu|even|eens|op dit moment|voor mij|me zeggen|me vertellen|snel",
    dismissals: "laat maar|vergeet het|maakt niet uit|dat is alles|niets|bedankt|dank je|dank je wel|dankjewel|nee bedankt|stop|hou op|stil|genoeg",
    decimal_sign: ',',
    point: "komma",
    one: "een|één",
    and: "en",
    durations: &[
        ("een half uur|half uur|een halfuur|halfuur", 1800),
        ("een kwartier|kwartier|een kwart uur", 900),
        ("drie kwartier", 2700),
        ("een halve minuut|halve minuut", 30),
    ],
    and_a_half: "en een half|en een halve",
    unit_and_a_half: "",
    halves: &[("anderhalf|anderhalve", 15), ("tweeënhalf|tweeënhalve", 25), ("drieënhalf|drieënhalve", 35)],
    morning: "'s ochtends|'s morgens|s ochtends|s morgens|in de ochtend",
    evening: "'s avonds|'s middags|s avonds|s middags|vanavond|vanmiddag",
    clock: &[
        ("half {h}", ClockMeaning::Offset(-30)),
        ("kwart over {h}", ClockMeaning::Offset(15)),
        ("kwart voor {h}", ClockMeaning::Offset(-15)),
        ("{m} minuten? over {h}", ClockMeaning::Past),
        ("{m} minuten? voor {h}", ClockMeaning::To),
        ("{h} uur {m}", ClockMeaning::Past),
        ("{h} uur?", ClockMeaning::Offset(0)),
        ("middernacht", ClockMeaning::Fixed(0)),
    ],
    operators: &[
        ("plus|+", "+"),
        ("min|-|−", "-"),
        ("keer|maal|vermenigvuldigd met|x|×|*|·", "*"),
        ("gedeeld door|÷|/", "/"),
        ("tot de macht|^", "^"),
        ("modulo", "mod"),
    ],
    prefixes: &[
        ("de wortel van|wortel van|de vierkantswortel van|vierkantswortel van|√", "sqrt"),
        ("de derdemachtswortel van|derdemachtswortel van", "cbrt"),
    ],
    postfixes: &[("kwadraat|in het kwadraat|²", "^ 2"), ("³", "^ 3")],
    repeating: "elke|iedere|ieder|altijd|dagelijks|wekelijks",
    repetitions: &[
        ("elke dag|iedere dag|dagelijks|elke ochtend|elke avond", "daily"),
        ("op werkdagen|doordeweeks|elke werkdag", "weekdays"),
    ],
    every: "elke|iedere",
    list_words: "lijst|lijstje",
    requests: &[
        (
            Meaning::Time,
            &[
                "hoe laat is het",
                "hoe laat het is",
                "hoe laat is 't",
                "de tijd",
                "wat is de tijd",
                "hoe laat is het in {place}",
                "hoe laat het is in {place}",
                "wat is de tijd in {place}",
            ],
        ),
        (
            Meaning::Date,
            &[
                "welke dag is het vandaag?",
                "wat voor dag is het vandaag?",
                "welke datum is het vandaag?",
                "wat is de datum vandaag|van_vandaag?",
                "de hoeveelste is het vandaag?",
                "welke dag|datum is|valt|was|wordt het? {date}",
                "wat voor dag is het? {date}",
                "welke dag van de week is het? {date}",
                "wanneer is het? {date}",
            ],
        ),
        (
            Meaning::DaysUntil,
            &[
                "hoeveel dagen nog? tot {date}",
                "hoeveel dagen is het nog? tot {date}",
                "hoe lang nog? tot {date}",
                "hoe lang is het nog? tot {date}",
            ],
        ),
        (
            Meaning::Timer,
            &[
                "zet|stel|start|maak een|de? timer in? op|voor|van {duration}",
                "stel|zet een|de? timer voor|van|op {duration} in?",
                "een? timer van|voor|op? {duration}",
                "zet|stel|start|maak een|de? {label} timer in? op|voor|van {duration}",
                "een? {label} timer van|voor {duration}",
                "zet|stel|start|maak een timer voor de|het? {label} op|van {duration}",
                "zet|stel|start|maak een timer van|op {duration} voor de|het? {label}",
                "zet|stel|start|maak een timer van {duration} genaamd|met_de_naam {label}",
                "zet|stel|start|maak een|de? {label} timer op|voor|van {duration} en nog? een|een_andere voor de|het? {label}",
                "zet|stel|start|maak een|de? {label} timer op|voor|van {duration} en een {label} timer op|voor|van {duration}",
                "zet|stel|start|maak een timer van {duration} en een van {duration}",
            ],
        ),
        (
            Meaning::ListTimers,
            &[
                "welke timers lopen|heb_ik|zijn_er",
                "toon|laat mijn|de timers zien?",
                "hoe lang loopt de|mijn timer nog",
                "hoe lang nog op de timer",
                "hoe lang loopt de|mijn {label} timer nog",
                "hoeveel tijd staat er nog op de timer",
            ],
        ),
        (
            Meaning::CancelTimer,
            &[
                "annuleer|stop|verwijder|wis de|mijn timer",
                "zet de timer uit|stop",
                "annuleer|stop|verwijder|wis de|mijn {label} timer",
            ],
        ),
        (Meaning::CancelAllTimers, &["annuleer|stop|verwijder|wis alle|mijn timers"]),
        (
            Meaning::StopRinging,
            &[
                "stop de wekker|het_alarm",
                "stop de|het wekker|alarm",
                "zet de|het wekker|alarm uit",
                "wekker uit",
            ],
        ),
        (
            Meaning::Snooze,
            &["snooze", "sluimer", "nog {duration}", "maak me over {duration} weer|opnieuw wakker"],
        ),
        (
            Meaning::Alarm,
            &[
                "maak me om {clock} wakker",
                "maak me {date} om {clock} wakker",
                "wek me om {clock}",
                "wek me {date} om {clock}",
                "zet de|een|mijn wekker|alarm op|om|voor {clock}",
                "zet de|een|mijn wekker|alarm voor? {date} op|om {clock}",
                "wekker om|op {clock}",
            ],
        ),
        (
            Meaning::ListReminders,
            &[
                "welke wekkers|herinneringen staan_er|heb_ik|zijn_er",
                "toon|lees mijn|de wekkers|herinneringen voor?",
            ],
        ),
        (Meaning::CancelReminder, &["annuleer|verwijder|wis mijn|de wekker|herinnering"]),
        (
            Meaning::AddTodo,
            &[
                "zet|schrijf de|het|een? {text} op mijn|de|het|ons|onze lijst|lijstje",
                "zet|schrijf de|het|een? {text} op mijn|de|het|ons|onze {list}",
            ],
        ),
        (
            Meaning::ListTodos,
            &[
                "wat staat er? op mijn|de|het|ons|onze lijst|lijstje",
                "wat staat er? op mijn|de|het|ons|onze {list}",
            ],
        ),
        (
            Meaning::FinishTodo,
            &[
                "haal|streep|verwijder|schrap de|het? {text} van mijn|de|het|ons|onze lijst|lijstje af?",
                "haal|streep|verwijder|schrap de|het? {text} van mijn|de|het|ons|onze {list} af?",
            ],
        ),
        (
            Meaning::Remind,
            &[
                "herinner me er? {date} om {clock} aan|eraan om? te? {text}",
                "herinner me er? om {clock} aan|eraan om? te? {text}",
                "herinner me eraan om? {date} om {clock} {text}",
                "herinner me over|er_over {duration} aan|eraan om? te? {text}",
            ],
        ),
        (Meaning::Volume, &["zet het? volume op {n} procent|%?", "volume op? {n} procent|%?"]),
        (Meaning::Louder, &["luider", "harder", "praat|spreek luider|harder", "zet het volume hoger|harder"]),
        (Meaning::Quieter, &["zachter", "stiller", "praat|spreek zachter", "zet het volume lager|zachter"]),
        (Meaning::Mute, &["demp", "demp je|de stem", "zet je stem uit"]),
        (Meaning::Unmute, &["zet je stem aan"]),
        (Meaning::PercentOf, &["{n} procent|% van {n}", "hoeveel|wat is {n} procent|% van {n}"]),
        (Meaning::Calculate, &["{maths}", "{maths} =", "hoeveel|wat is|zijn {maths}", "bereken {maths}"]),
        (
            Meaning::Convert,
            &[
                "{n} {unit} in|naar {unit}",
                "hoeveel|wat is|zijn {n} {unit} in {unit}",
                "reken {n} {unit} om naar|in {unit}",
                "zet {n} {unit} om naar|in {unit}",
            ],
        ),
        (Meaning::ConvertTo, &["hoeveel {unit} is|zijn|zitten_in|gaan_in {n} {unit}"]),
    ],
};
