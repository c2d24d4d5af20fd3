//! Italian.

use super::table::{ClockMeaning, Meaning, Table};

pub(super) const ITALIAN: Table = Table {
    code: "it",
    openers: "puoi|potresti|mi puoi|mi sai dire|puoi dirmi|dimmi|sai|sai dirmi|vorrei sapere|voglio|vorrei|mi serve",
    ignored: "adesso|in questo momento|subito|mi",
    dismissals: "lascia stare|lascia perdere|non importa|niente|è tutto|basta così|grazie|grazie mille|no grazie|stop|zitto|silenzio|basta",
    unnamed: "qualcosa|questo|quello",
    decimal_sign: ',',
    point: "virgola",
    one: "un|una|un'",
    and: "e",
    durations: &[
        ("mezz'ora|una mezz'ora|mezzora", 1800),
        ("un quarto d'ora|quarto d'ora", 900),
        ("tre quarti d'ora", 2700),
        ("mezzo minuto", 30),
    ],
    and_a_half: "",
    unit_and_a_half: "e mezza|e mezzo",
    halves: &[],
    morning: "di mattina|del mattino|stamattina|mattina",
    evening: "di sera|del pomeriggio|di pomeriggio|stasera|sera",
    clock: &[
        ("alle|le|all'|l'? {h} e mezza|mezzo", ClockMeaning::Offset(30)),
        ("alle|le|all'|l'? {h} e un? quarto", ClockMeaning::Offset(15)),
        ("alle|le|all'|l'? {h} meno un? quarto", ClockMeaning::Offset(-15)),
        ("alle|le|all'|l'? {h} e {m}", ClockMeaning::Past),
        ("alle|le|all'|l'? {h} meno {m}", ClockMeaning::To),
        ("alle|le|all'|l'? {h} {m}", ClockMeaning::Past),
        ("alle|le|all'|l'? {h} in_punto?", ClockMeaning::Offset(0)),
        ("mezzogiorno|a mezzogiorno", ClockMeaning::Fixed(720)),
        ("mezzanotte|a mezzanotte", ClockMeaning::Fixed(0)),
    ],
    operators: &[
        ("più|+", "+"),
        ("meno|-|−", "-"),
        ("per|moltiplicato per|x|×|*|·", "*"),
        ("diviso|diviso per|fratto|÷|/", "/"),
        ("elevato a|alla|^", "^"),
        ("modulo", "mod"),
    ],
    prefixes: &[
        ("la radice quadrata di|radice quadrata di|la radice di|radice di|√", "sqrt"),
        ("la radice cubica di|radice cubica di", "cbrt"),
    ],
    postfixes: &[("al quadrato|²", "^ 2"), ("al cubo|³", "^ 3")],
    repeating: "ogni|tutti|tutte|sempre|quotidianamente",
    repetitions: &[
        ("ogni giorno|tutti i giorni|ogni mattina|ogni sera", "daily"),
        ("nei giorni feriali|nei feriali|dal lunedì al venerdì", "weekdays"),
    ],
    every: "ogni|tutti i",
    list_words: "",
    requests: &[
        (
            Meaning::Time,
            &[
                "che ora è|sono",
                "che ore sono",
                "l'ora",
                "che ora è a|in {place}",
                "che ore sono a|in {place}",
            ],
        ),
        (
            Meaning::Date,
            &[
                "che giorno è oggi?",
                "che giorno della settimana è oggi?",
                "quanti ne abbiamo oggi?",
                "che data è oggi?",
                "qual è la data di? oggi?",
                "che giorno è|sarà|cade|era|fu {date}",
                "che giorno della settimana è|sarà|cade|era {date}",
                "quando è {date}",
            ],
        ),
        (
            Meaning::DaysUntil,
            &[
                "quanti giorni mancano a|al|fino_a|fino_al|per {date}",
                "quanti giorni ci sono fino a|al {date}",
                "quanto manca a|al|per {date}",
            ],
        ),
        (
            Meaning::Timer,
            &[
                "imposta|metti|avvia|crea|fai_partire un|il? timer di|per|da|a? {duration}",
                "un? timer di|per|da? {duration}",
                "imposta|metti|avvia|crea|fai_partire un timer {label} di|per|da {duration}",
                "un? timer {label} di|per|da {duration}",
                "imposta|metti|avvia|crea|fai_partire un timer per il|la|le|i|lo|gli? {label} di|da {duration}",
                "imposta|metti|avvia|crea|fai_partire un timer di|da {duration} per il|la|le|i|lo|gli? {label}",
                "imposta|metti|avvia|crea|fai_partire un timer di|da {duration} chiamato {label}",
                "imposta|metti|avvia|crea|fai_partire un timer {label} di|per|da {duration} e un altro per il|la|le|i|lo|gli? {label}",
                "imposta|metti|avvia|crea|fai_partire un timer di|da {duration} e un altro di|da {duration}",
            ],
        ),
        (
            Meaning::ListTimers,
            &[
                "quali timer ci_sono|ho|sono_attivi",
                "mostra|elenca i miei? timer",
                "quanto manca al|sul timer",
                "quanto manca al|sul timer {label}",
                "quanto tempo resta|rimane sul timer",
                "quanto tempo resta|rimane sul timer {label}",
            ],
        ),
        (
            Meaning::CancelTimer,
            &[
                "annulla|cancella|ferma|elimina il mio? timer",
                "annulla|cancella|ferma|elimina il timer {label}",
            ],
        ),
        (Meaning::CancelAllTimers, &["annulla|cancella|ferma|elimina tutti i timer"]),
        (Meaning::StopRinging, &["spegni|ferma|stoppa la|l' sveglia|allarme"]),
        (
            Meaning::Snooze,
            &[
                "posticipa la? sveglia?",
                "posponi",
                "ancora {duration}",
                "altri|altre {duration}",
                "svegliami tra {duration}",
            ],
        ),
        (
            Meaning::Alarm,
            &[
                "svegliami {clock}",
                "svegliami {date} {clock}",
                "svegliami {clock} {date}",
                "imposta|metti la|una sveglia per? {clock}",
                "imposta|metti la|una sveglia per? {date} {clock}",
            ],
        ),
        (
            Meaning::ListReminders,
            &[
                "quali|che sveglie|promemoria ho|ci_sono|sono_impostate|sono_impostati",
                "mostra|elenca|leggi le|i miei|mie? sveglie|promemoria",
            ],
        ),
        (Meaning::CancelReminder, &["cancella|annulla|elimina la|il mia|mio? sveglia|promemoria"]),
        (
            Meaning::AddTodo,
            &[
                "aggiungi|metti|scrivi il|lo|la|l'|i|gli|le|un|una|del? {text} alla|sulla|nella mia|nostra? lista",
                "aggiungi|metti|scrivi il|lo|la|l'|i|gli|le|un|una|del? {text} alla|sulla|nella mia|nostra? lista della|delle|dei|di {label}",
            ],
        ),
        (
            Meaning::ListTodos,
            &[
                "cosa|che_cosa c'è sulla|nella mia|nostra? lista",
                "cosa|che_cosa c'è sulla|nella mia|nostra? lista della|delle|dei|di {label}",
            ],
        ),
        (
            Meaning::FinishTodo,
            &[
                "togli|rimuovi|cancella|elimina il|lo|la|l'|i|gli|le? {text} dalla mia|nostra? lista",
                "togli|rimuovi|cancella|elimina il|lo|la|l'|i|gli|le? {text} dalla mia|nostra? lista della|delle|dei|di {label}",
            ],
        ),
        (
            Meaning::Remind,
            &[
                "ricordami {date} {clock} di {text}",
                "ricordami {clock} di {text}",
                "ricordami di {text} {date} {clock}",
                "ricordami di {text} {clock}",
                "ricordami fra|tra {duration} di {text}",
                "ricordami di {text} fra|tra {duration}",
            ],
        ),
        (
            Meaning::Volume,
            &[
                "imposta|metti|alza|abbassa il? volume a|al {n} per_cento|percento|%?",
                "volume al|a? {n} per_cento|percento|%?",
            ],
        ),
        (Meaning::Louder, &["più forte", "parla più forte", "alza il volume"]),
        (Meaning::Quieter, &["più piano", "parla più piano", "abbassa il volume"]),
        (Meaning::Mute, &["togli la voce", "disattiva la voce", "muto"]),
        (Meaning::Unmute, &["riattiva|attiva la voce"]),
        (
            Meaning::PercentOf,
            &[
                "il? {n} per_cento|percento|% di {n}",
                "quanto fa|è il? {n} per_cento|percento|% di {n}",
                "qual è il {n} per_cento|percento|% di {n}",
            ],
        ),
        (
            Meaning::Calculate,
            &["{maths}", "{maths} =", "quanto fa|è|fanno {maths}", "qual è {maths}", "calcola {maths}"],
        ),
        (
            Meaning::Convert,
            &[
                "{n} {unit} in {unit}",
                "converti {n} {unit} in {unit}",
                "quanto sono|è|fa|fanno {n} {unit} in {unit}",
            ],
        ),
        (Meaning::ConvertTo, &["quanti|quante {unit} sono|ci_sono_in|fanno|fa|è {n} {unit}"]),
    ],
};
