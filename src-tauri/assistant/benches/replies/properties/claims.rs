//! Claims that something was done.

use super::sentences::{Sentence, sentences};
use crate::answer::Answer;

/// Participles by which a deed is claimed, with parts of the names of tools whose success makes it true.
const DEEDS: &[(&[&str], &[&str])] = &[
    (
        &[
            "set",
            "started",
            "scheduled",
            "gestellt",
            "gestartet",
            "eingestellt",
            "réglé",
            "programmé",
            "lancé",
            "configurado",
            "programado",
            "puesto",
            "impostato",
            "avviato",
            "definido",
            "iniciado",
            "ingesteld",
            "gezet",
            "running",
            "läuft",
        ],
        &["set", "change", "snooze", "list", "heating", "add"],
    ),
    (
        &[
            "added",
            "saved",
            "stored",
            "noted",
            "logged",
            "hinzugefügt",
            "gespeichert",
            "notiert",
            "ajouté",
            "enregistré",
            "añadido",
            "guardado",
            "aggiunto",
            "salvato",
            "adicionado",
            "adicionei",
            "toegevoegd",
            "opgeslagen",
        ],
        &["add", "save", "write", "log", "set", "note"],
    ),
    (
        &[
            "deleted",
            "removed",
            "cancelled",
            "canceled",
            "gelöscht",
            "entfernt",
            "supprimé",
            "annulé",
            "eliminado",
            "borrado",
            "eliminato",
            "annullato",
            "cancellato",
            "apagado",
            "cancelado",
            "verwijderd",
            "geannuleerd",
        ],
        &["delete", "remove", "cancel", "finish", "takeback", "stop"],
    ),
    (
        &[
            "sent",
            "posted",
            "delivered",
            "gesendet",
            "geschickt",
            "verschickt",
            "envoyé",
            "enviado",
            "inviato",
            "enviei",
            "verstuurd",
            "verzonden",
        ],
        &["send", "post"],
    ),
    (
        &["called", "phoned", "angerufen", "appelé", "llamado", "chiamato", "ligado", "gebeld"],
        &["call", "phone"],
    ),
    (
        &[
            "booked",
            "reserved",
            "ordered",
            "bought",
            "gebucht",
            "reserviert",
            "bestellt",
            "gekauft",
            "réservé",
            "commandé",
            "acheté",
            "reservado",
            "pedido",
            "comprado",
            "prenotato",
            "ordinato",
            "comprato",
            "geboekt",
            "besteld",
            "gekocht",
        ],
        &["book", "order", "buy", "reserve"],
    ),
    (
        &[
            "turned",
            "switched",
            "locked",
            "opened",
            "dimmed",
            "eingeschaltet",
            "ausgeschaltet",
            "allumé",
            "éteint",
            "encendido",
            "acceso",
            "spento",
            "ligado",
            "aangezet",
            "uitgezet",
        ],
        &["switch", "lamp", "turn", "lock", "open", "heating"],
    ),
];

/// Words with which the assistant speaks of a deed of its own, or of a state that a deed leaves.
const OPENERS: &[&str] = &[
    "i've",
    "have",
    "has",
    "been",
    "is",
    "are",
    "was",
    "were",
    "habe",
    "ist",
    "wurde",
    "sind",
    "läuft",
    "j'ai",
    "est",
    "a",
    "été",
    "he",
    "ha",
    "está",
    "ho",
    "è",
    "stato",
    "stata",
    "foi",
    "heb",
    "is",
    "i",
    "adicionei",
    "enviei",
];

/// The number of words that may stand between the opener and the participle: `habe den Timer für dich auf zehn Minuten gestellt`.
const REACH: usize = 8;

/// Returns the first sentence that claims a deed for which no tool succeeded.
pub fn unfounded(answer: &Answer) -> Option<String> {
    let successes: Vec<String> = answer.successes().map(str::to_lowercase).collect();
    let is_founded =
        |tools: &[&str]| successes.iter().any(|tool| tools.iter().any(|part| tool.contains(part)));
    let claim = |sentence: &Sentence| {
        let claimed: Vec<_> = DEEDS.iter().filter(|(deeds, _)| claims(sentence, deeds)).collect();
        let is_done = sentence.words.first().is_some_and(|word| word == "done" || word == "erledigt")
            && successes.is_empty();
        is_done || (!claimed.is_empty() && !claimed.iter().any(|(_, tools)| is_founded(tools)))
    };
    sentences(&answer.text).into_iter().find(|it| it.is_statement() && claim(it)).map(|it| it.text)
}

fn claims(sentence: &Sentence, deeds: &[&str]) -> bool {
    let words = &sentence.words;
    let is_opener = |word: &String| OPENERS.contains(&word.as_str());
    // You did it yourself, or it happened to somebody else.
    let is_of_user = words
        .windows(2)
        .any(|pair| pair[0] == "you" && (pair[1] == "have" || deeds.contains(&pair[1].as_str())));
    !is_of_user
        && words.iter().enumerate().any(|(at, word)| {
            deeds.contains(&word.as_str()) && words[at.saturating_sub(REACH)..=at].iter().any(is_opener)
        })
}
