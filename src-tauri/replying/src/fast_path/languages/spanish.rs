//! Spanish.

use super::table::{ClockMeaning, Meaning, Table};

pub(super) const SPANISH: Table = Table {
    code: "es",
    openers: "puedes|podrías|me puedes|puedes decirme|me podrías decir|dime|sabes|quiero saber|quiero|necesito|quisiera",
    ignored: "ahora|ahora mismo|en este momento|rápido|decirme",
    dismissals: "olvídalo|déjalo|no importa|nada|eso es todo|ya está|gracias|muchas gracias|no gracias|para|cállate|silencio|basta",
    unnamed: "algo|eso|esto",
    decimal_sign: ',',
    point: "coma|punto",
    one: "un|una",
    and: "y",
    durations: &[
        ("media hora", 1800),
        ("un cuarto de hora|cuarto de hora", 900),
        ("tres cuartos de hora", 2700),
        ("medio minuto", 30),
    ],
    and_a_half: "",
    unit_and_a_half: "y media|y medio",
    halves: &[],
    morning: "de la mañana|por la mañana|de la madrugada",
    evening: "de la tarde|de la noche|por la tarde|por la noche|esta tarde|esta noche",
    clock: &[
        ("las|la? {h} y media", ClockMeaning::Offset(30)),
        ("las|la? {h} y cuarto", ClockMeaning::Offset(15)),
        ("las|la? {h} menos cuarto", ClockMeaning::Offset(-15)),
        ("las|la? {h} y {m}", ClockMeaning::Past),
        ("las|la? {h} menos {m}", ClockMeaning::To),
        ("las|la? {h} {m}", ClockMeaning::Past),
        ("las|la? {h} en_punto?", ClockMeaning::Offset(0)),
        ("mediodía|el mediodía", ClockMeaning::Fixed(720)),
        ("medianoche|la medianoche", ClockMeaning::Fixed(0)),
    ],
    operators: &[
        ("más|+|y", "+"),
        ("menos|-|−", "-"),
        ("por|multiplicado por|x|×|*|·", "*"),
        ("dividido por|dividido entre|entre|÷|/", "/"),
        ("elevado a|^", "^"),
        ("módulo", "mod"),
    ],
    prefixes: &[
        ("la raíz cuadrada de|raíz cuadrada de|la raíz de|raíz de|√", "sqrt"),
        ("la raíz cúbica de|raíz cúbica de", "cbrt"),
    ],
    postfixes: &[("al cuadrado|²", "^ 2"), ("al cubo|³", "^ 3")],
    repeating: "cada|todos|todas|siempre|diariamente",
    repetitions: &[
        ("todos los días|cada día|todas las mañanas|cada mañana", "daily"),
        ("entre semana|los días laborables|de lunes a viernes", "weekdays"),
    ],
    every: "cada|todos los",
    list_words: "",
    requests: &[
        (
            Meaning::Time,
            &[
                "qué hora es",
                "qué hora tienes",
                "la hora",
                "qué hora es en {place}",
                "la hora en {place}",
                "qué hora hay en {place}",
            ],
        ),
        (
            Meaning::Date,
            &[
                "qué día es hoy?",
                "qué día de la semana es hoy?",
                "a qué día estamos hoy?",
                "qué fecha es hoy?",
                "cuál es la fecha de? hoy?",
                "qué día es|será|cae|fue {date}",
                "qué día de la semana es|será|cae|fue {date}",
                "qué fecha es|será {date}",
                "cuándo es {date}",
            ],
        ),
        (
            Meaning::DaysUntil,
            &[
                "cuántos días faltan|quedan|hay para|hasta el? {date}",
                "cuánto falta|queda para|hasta el? {date}",
            ],
        ),
        (
            Meaning::Timer,
            &[
                "pon|poner|inicia|crea|activa|programa un|el? temporizador de|para|a|por? {duration}",
                "un? temporizador de|para? {duration}",
                "pon|inicia|crea|activa|programa un temporizador {label} de|para {duration}",
                "un? temporizador {label} de|para {duration}",
                "pon|inicia|crea|activa|programa un temporizador para el|la|los|las? {label} de {duration}",
                "pon|inicia|crea|activa|programa un temporizador de {label} de|para {duration}",
                "pon|inicia|crea|activa|programa un temporizador de {duration} para el|la|los|las? {label}",
                "pon|inicia|crea|activa|programa un temporizador de {duration} llamado {label}",
                "pon|inicia|crea|activa|programa un temporizador de? {label} de|para {duration} y otro para el|la|los|las? {label}",
                "pon|inicia|crea|activa|programa un temporizador de {duration} y otro de {duration}",
            ],
        ),
        (
            Meaning::ListTimers,
            &[
                "qué temporizadores hay|tengo|están_activos",
                "muestra|lista mis|los temporizadores",
                "cuánto queda|falta|tiempo_queda en el|mi|al temporizador",
                "cuánto le queda al temporizador",
                "cuánto queda|falta en|para el temporizador de? {label}",
                "cuánto le queda al temporizador de? {label}",
            ],
        ),
        (
            Meaning::CancelTimer,
            &[
                "cancela|para|detén|elimina|borra el|mi temporizador",
                "cancela|para|detén|elimina|borra el|mi temporizador de? {label}",
            ],
        ),
        (Meaning::CancelAllTimers, &["cancela|para|detén|elimina|borra todos? los|mis temporizadores"]),
        (Meaning::StopRinging, &["apaga|para|detén la|el alarma|despertador"]),
        (
            Meaning::Snooze,
            &[
                "pospón|pospon la? alarma?",
                "posponer",
                "{duration} más",
                "despiértame otra vez en {duration}",
            ],
        ),
        (
            Meaning::Alarm,
            &[
                "despiértame a {clock}",
                "despiértame {date} a {clock}",
                "despiértame a {clock} de? {date}",
                "pon|programa una|la|el alarma|despertador a|para {clock}",
                "pon|programa una|la|el alarma|despertador para? {date} a {clock}",
            ],
        ),
        (
            Meaning::ListReminders,
            &["qué alarmas|recordatorios tengo|hay", "muestra|lista|lee mis|las|los alarmas|recordatorios"],
        ),
        (Meaning::CancelReminder, &["cancela|borra|elimina mi|la|el alarma|recordatorio"]),
        (
            Meaning::AddTodo,
            &[
                "añade|pon|agrega|apunta|anota el|la|los|las|un|una? {text} a|en mi|la|nuestra lista",
                "añade|pon|agrega|apunta|anota el|la|los|las|un|una? {text} a|en mi|la|nuestra lista de|de_la|del {label}",
            ],
        ),
        (
            Meaning::ListTodos,
            &["qué hay en mi|la|nuestra lista", "qué hay en mi|la|nuestra lista de|de_la|del {label}"],
        ),
        (
            Meaning::FinishTodo,
            &[
                "quita|borra|elimina|tacha el|la|los|las? {text} de mi|la|nuestra lista",
                "quita|borra|elimina|tacha el|la|los|las? {text} de mi|la|nuestra lista de|de_la|del {label}",
            ],
        ),
        (
            Meaning::Remind,
            &[
                "recuérdame {date} a {clock} {text}",
                "recuérdame a {clock} {text}",
                "recuérdame {text} {date} a {clock}",
                "recuérdame {text} a {clock}",
                "recuérdame en|dentro_de {duration} {text}",
                "recuérdame {text} en|dentro_de {duration}",
            ],
        ),
        (
            Meaning::Volume,
            &["pon|sube|baja el? volumen a|al {n} por_ciento|%?", "volumen al|a? {n} por_ciento|%?"],
        ),
        (Meaning::Louder, &["más alto|fuerte", "habla más alto|fuerte", "sube el volumen"]),
        (Meaning::Quieter, &["más bajo", "habla más bajo", "baja el volumen"]),
        (Meaning::Mute, &["silencia tu|la voz", "quita|apaga la|tu voz", "ponte en silencio"]),
        (Meaning::Unmute, &["activa la|tu voz"]),
        (
            Meaning::PercentOf,
            &[
                "el? {n} por_ciento|% de {n}",
                "cuánto es el? {n} por_ciento|% de {n}",
                "cuál es el {n} por_ciento|% de {n}",
            ],
        ),
        (
            Meaning::Calculate,
            &["{maths}", "{maths} =", "cuánto es|son|da|hace {maths}", "cuál es {maths}", "calcula {maths}"],
        ),
        (
            Meaning::Convert,
            &[
                "{n} {unit} en|a {unit}",
                "convierte|pasa {n} {unit} a|en {unit}",
                "cuánto es|son {n} {unit} en {unit}",
            ],
        ),
        (Meaning::ConvertTo, &["cuántos|cuántas {unit} son|hay_en|tienen|tiene|es {n} {unit}"]),
    ],
};
