//! What is shown and said when something rings, language by language.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use vocabulary::{Language, RingKind};

/// The sentences of a language. `{label}` is what the user called it, `{time}` when it was due.
struct Wording {
    code: &'static str,
    timer: Sentences,
    alarm: Sentences,
    reminder: Sentences,
    /// A day of this year for `strftime`, in figures, because names of months would be English.
    day: &'static str,
    /// Before the time of a day that is not today: `{day}` and `{time}`.
    on_day: &'static str,
}

/// The sentences about one kind: on time and missed, each with a label and without one.
struct Sentences {
    labelled: &'static str,
    plain: &'static str,
    missed: &'static str,
    missed_plain: &'static str,
}

const WORDINGS: [Wording; 8] = [
    Wording {
        code: "en",
        timer: Sentences {
            labelled: "Your {label} timer is done.",
            plain: "Your timer is done.",
            missed: "Your {label} timer was done at {time}, while I was off.",
            missed_plain: "Your timer was done at {time}, while I was off.",
        },
        alarm: Sentences {
            labelled: "Your alarm: {label}.",
            plain: "Your alarm is ringing.",
            missed: "You missed your alarm of {time}, while I was off: {label}.",
            missed_plain: "You missed your alarm of {time}, while I was off.",
        },
        reminder: Sentences {
            labelled: "Reminder: {label}.",
            plain: "I was to remind you now.",
            missed: "You missed a reminder of {time}, while I was off: {label}.",
            missed_plain: "You missed a reminder of {time}, while I was off.",
        },
        day: "%-d/%-m",
        on_day: "{time} on {day}",
    },
    Wording {
        code: "de",
        timer: Sentences {
            labelled: "Dein Timer {label} ist abgelaufen.",
            plain: "Dein Timer ist abgelaufen.",
            missed: "Dein Timer {label} ist um {time} abgelaufen, als ich aus war.",
            missed_plain: "Dein Timer ist um {time} abgelaufen, als ich aus war.",
        },
        alarm: Sentences {
            labelled: "Dein Wecker: {label}.",
            plain: "Dein Wecker klingelt.",
            missed: "Dein Wecker war um {time} gestellt, als ich aus war: {label}.",
            missed_plain: "Dein Wecker war um {time} gestellt, als ich aus war.",
        },
        reminder: Sentences {
            labelled: "Erinnerung: {label}.",
            plain: "Ich soll dich jetzt erinnern.",
            missed: "Eine Erinnerung war um {time} fällig, als ich aus war: {label}.",
            missed_plain: "Eine Erinnerung war um {time} fällig, als ich aus war.",
        },
        day: "%-d.%-m.",
        on_day: "{time} am {day}",
    },
    Wording {
        code: "fr",
        timer: Sentences {
            labelled: "Votre minuteur {label} est terminé.",
            plain: "Votre minuteur est terminé.",
            missed: "Votre minuteur {label} s'est terminé à {time}, pendant que j'étais éteint.",
            missed_plain: "Votre minuteur s'est terminé à {time}, pendant que j'étais éteint.",
        },
        alarm: Sentences {
            labelled: "Votre réveil : {label}.",
            plain: "Votre réveil sonne.",
            missed: "Votre réveil devait sonner à {time}, pendant que j'étais éteint : {label}.",
            missed_plain: "Votre réveil devait sonner à {time}, pendant que j'étais éteint.",
        },
        reminder: Sentences {
            labelled: "Rappel : {label}.",
            plain: "Je devais vous le rappeler maintenant.",
            missed: "Un rappel était prévu à {time}, pendant que j'étais éteint : {label}.",
            missed_plain: "Un rappel était prévu à {time}, pendant que j'étais éteint.",
        },
        day: "%-d/%-m",
        on_day: "{time} le {day}",
    },
    Wording {
        code: "es",
        timer: Sentences {
            labelled: "Tu temporizador {label} ha terminado.",
            plain: "Tu temporizador ha terminado.",
            missed: "Tu temporizador {label} terminó a las {time}, mientras yo estaba apagado.",
            missed_plain: "Tu temporizador terminó a las {time}, mientras yo estaba apagado.",
        },
        alarm: Sentences {
            labelled: "Tu alarma: {label}.",
            plain: "Suena tu alarma.",
            missed: "Tu alarma era a las {time}, mientras yo estaba apagado: {label}.",
            missed_plain: "Tu alarma era a las {time}, mientras yo estaba apagado.",
        },
        reminder: Sentences {
            labelled: "Recordatorio: {label}.",
            plain: "Tenía que recordártelo ahora.",
            missed: "Un recordatorio era a las {time}, mientras yo estaba apagado: {label}.",
            missed_plain: "Un recordatorio era a las {time}, mientras yo estaba apagado.",
        },
        day: "%-d/%-m",
        on_day: "{time} del {day}",
    },
    Wording {
        code: "it",
        timer: Sentences {
            labelled: "Il timer {label} è finito.",
            plain: "Il timer è finito.",
            missed: "Il timer {label} è finito alle {time}, mentre ero spento.",
            missed_plain: "Il timer è finito alle {time}, mentre ero spento.",
        },
        alarm: Sentences {
            labelled: "La sveglia: {label}.",
            plain: "La sveglia suona.",
            missed: "La sveglia era alle {time}, mentre ero spento: {label}.",
            missed_plain: "La sveglia era alle {time}, mentre ero spento.",
        },
        reminder: Sentences {
            labelled: "Promemoria: {label}.",
            plain: "Dovevo ricordartelo adesso.",
            missed: "Un promemoria era alle {time}, mentre ero spento: {label}.",
            missed_plain: "Un promemoria era alle {time}, mentre ero spento.",
        },
        day: "%-d/%-m",
        on_day: "{time} del {day}",
    },
    Wording {
        code: "nl",
        timer: Sentences {
            labelled: "Je timer {label} is klaar.",
            plain: "Je timer is klaar.",
            missed: "Je timer {label} was klaar om {time}, toen ik uit stond.",
            missed_plain: "Je timer was klaar om {time}, toen ik uit stond.",
        },
        alarm: Sentences {
            labelled: "Je wekker: {label}.",
            plain: "Je wekker gaat af.",
            missed: "Je wekker stond op {time}, toen ik uit stond: {label}.",
            missed_plain: "Je wekker stond op {time}, toen ik uit stond.",
        },
        reminder: Sentences {
            labelled: "Herinnering: {label}.",
            plain: "Ik moest je nu herinneren.",
            missed: "Een herinnering stond op {time}, toen ik uit stond: {label}.",
            missed_plain: "Een herinnering stond op {time}, toen ik uit stond.",
        },
        day: "%-d-%-m",
        on_day: "{time} op {day}",
    },
    Wording {
        code: "pt",
        timer: Sentences {
            labelled: "O temporizador {label} terminou.",
            plain: "O temporizador terminou.",
            missed: "O temporizador {label} terminou às {time}, enquanto eu estava desligado.",
            missed_plain: "O temporizador terminou às {time}, enquanto eu estava desligado.",
        },
        alarm: Sentences {
            labelled: "O seu alarme: {label}.",
            plain: "O seu alarme está a tocar.",
            missed: "O seu alarme era às {time}, enquanto eu estava desligado: {label}.",
            missed_plain: "O seu alarme era às {time}, enquanto eu estava desligado.",
        },
        reminder: Sentences {
            labelled: "Lembrete: {label}.",
            plain: "Era para lembrar agora.",
            missed: "Um lembrete era às {time}, enquanto eu estava desligado: {label}.",
            missed_plain: "Um lembrete era às {time}, enquanto eu estava desligado.",
        },
        day: "%-d/%-m",
        on_day: "{time} de {day}",
    },
    Wording {
        code: "tr",
        timer: Sentences {
            labelled: "{label} zamanlayıcısı bitti.",
            plain: "Zamanlayıcı bitti.",
            missed: "{label} zamanlayıcısı ben kapalıyken bitti: {time}.",
            missed_plain: "Zamanlayıcı ben kapalıyken bitti: {time}.",
        },
        alarm: Sentences {
            labelled: "Alarm: {label}.",
            plain: "Alarm çalıyor.",
            missed: "Alarm ben kapalıyken kaçtı, {time}: {label}.",
            missed_plain: "Alarm ben kapalıyken kaçtı: {time}.",
        },
        reminder: Sentences {
            labelled: "Hatırlatma: {label}.",
            plain: "Şimdi hatırlatmam gerekiyordu.",
            missed: "Bir hatırlatma ben kapalıyken kaçtı, {time}: {label}.",
            missed_plain: "Bir hatırlatma ben kapalıyken kaçtı: {time}.",
        },
        day: "%-d.%-m.",
        on_day: "{day} {time}",
    },
];

/// The first of the user's languages that has sentences; English without one.
pub(super) fn language_of(user: &[Language]) -> Language {
    let has_wording = |language: &&Language| WORDINGS.iter().any(|words| words.code == language.code());
    let first = user.iter().find(has_wording).cloned();
    first.or_else(|| Language::new("en")).expect("en is a code of two letters")
}

/// The sentence about what rings. `missed_at` is set when it could not ring in time.
pub(super) fn sentence(language: &Language, kind: RingKind, label: &str, missed_at: Option<&str>) -> String {
    let words = wording(language);
    let sentences = match kind {
        RingKind::Timer => &words.timer,
        RingKind::Alarm => &words.alarm,
        RingKind::Reminder => &words.reminder,
    };
    // The sentence has a full stop of its own.
    let label = label.trim_end_matches(['.', ' ']);
    let template = match (label.is_empty(), missed_at.is_some()) {
        (false, false) => sentences.labelled,
        (true, false) => sentences.plain,
        (false, true) => sentences.missed,
        (true, true) => sentences.missed_plain,
    };
    // The label last: it may hold anything.
    let sentence = template.replace("{time}", missed_at.unwrap_or_default()).replace("{label}", label);
    if label.ends_with(['!', '?']) && template.ends_with("{label}.") {
        return sentence.trim_end_matches('.').to_owned();
    }
    sentence
}

/// The time of a moment, and its day unless that is today.
pub(super) fn time_of(language: &Language, at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let words = wording(language);
    let (at, now) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let time = at.strftime("%H:%M").to_string();
    if at.date() == now.date() {
        return time;
    }
    words.on_day.replace("{time}", &time).replace("{day}", &at.strftime(words.day).to_string())
}

fn wording(language: &Language) -> &'static Wording {
    WORDINGS.iter().find(|words| words.code == language.code()).unwrap_or(&WORDINGS[0])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn language(code: &str) -> Language {
        Language::new(code).unwrap()
    }

    #[rstest]
    #[case::labelled("en", RingKind::Timer, "tea", None, "Your tea timer is done.")]
    #[case::without_a_label("de", RingKind::Timer, "", None, "Dein Timer ist abgelaufen.")]
    #[case::label_with_its_own_stop(
        "fr",
        RingKind::Reminder,
        "appeler Anna.",
        None,
        "Rappel : appeler Anna."
    )]
    #[case::label_that_asks("en", RingKind::Reminder, "is the oven off?", None, "Reminder: is the oven off?")]
    #[case::label_like_a_template("en", RingKind::Reminder, "{time}", None, "Reminder: {time}.")]
    #[case::missed("tr", RingKind::Alarm, "kalk", Some("07:00"), "Alarm ben kapalıyken kaçtı, 07:00: kalk.")]
    #[case::language_without_sentences("ja", RingKind::Alarm, "", None, "Your alarm is ringing.")]
    fn sentence_names_what_rings(
        #[case] code: &str,
        #[case] kind: RingKind,
        #[case] label: &str,
        #[case] missed_at: Option<&str>,
        #[case] expected: &str,
    ) {
        assert_eq!(sentence(&language(code), kind, label, missed_at), expected);
    }

    #[test]
    fn every_language_names_the_label_and_the_time() {
        for words in &WORDINGS {
            for kind in [RingKind::Timer, RingKind::Alarm, RingKind::Reminder] {
                let said = sentence(&language(words.code), kind, "tea", Some("07:00"));

                assert!(said.contains("tea") && said.contains("07:00") && !said.contains('{'), "{said}");
                assert!(sentence(&language(words.code), kind, "tea", None).contains("tea"));
                assert!(sentence(&language(words.code), kind, "", Some("07:00")).contains("07:00"));
            }
        }
    }

    #[rstest]
    #[case::today("2025-11-22T07:00:00Z", "07:00")]
    #[case::the_day_before("2025-11-21T23:30:00Z", "23:30 am 21.11.")]
    fn missed_time_has_its_day_unless_it_is_today(#[case] at: &str, #[case] expected: &str) {
        let now = "2025-11-22T09:00:00Z".parse().unwrap();

        assert_eq!(time_of(&language("de"), at.parse().unwrap(), now, &TimeZone::UTC), expected);
    }

    #[rstest]
    #[case::first_with_sentences(&["ja", "it", "en"], "it")]
    #[case::none(&[], "en")]
    fn language_is_the_first_of_the_user_with_sentences(#[case] user: &[&str], #[case] expected: &str) {
        let user: Vec<Language> = user.iter().map(|code| language(code)).collect();

        assert_eq!(language_of(&user), language(expected));
    }
}
