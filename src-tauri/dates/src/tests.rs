use jiff::civil::{Date, date};
use proptest::prelude::*;
use rstest::rstest;

use crate::{Calendar, span_of, whole_span_of};

/// A Thursday.
const TODAY: Date = date(2024, 9, 5);

/// The words found and their days, such as `last week: 2024-08-26..2024-09-01`; `-` for nothing.
fn found(text: &str, calendar: &Calendar) -> String {
    match span_of(text, calendar) {
        None => "-".to_owned(),
        Some(found) if found.first == found.last => format!("{}: {}", &text[found.words], found.first),
        Some(found) => format!("{}: {}..{}", &text[found.words], found.first, found.last),
    }
}

fn asked(text: &str) -> String {
    found(text, &Calendar::looking_back(TODAY))
}

fn planned(text: &str) -> String {
    found(text, &Calendar::looking_ahead(TODAY))
}

/// The tables beside the expressions of a language: `dates.samples.txt`.
#[test]
fn samples_of_each_language_have_their_days() {
    let mut wrong = String::new();
    for data in languages::all() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../languages/data");
        let Ok(samples) = std::fs::read_to_string(format!("{folder}/{}/dates.samples.txt", data.code)) else {
            continue;
        };
        for line in samples.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (text, expected) = line.split_once(" => ").unwrap_or_else(|| panic!("{}: {line}", data.code));
            let found = text.strip_prefix("+ ").map_or_else(|| asked(text), planned);
            if found != expected {
                wrong += &format!("{}: {text} => {found}\n    instead of {expected}\n", data.code);
            }
        }
    }

    assert!(wrong.is_empty(), "{wrong}");
}

#[rstest]
#[case("What did I say today?", "today: 2024-09-05")]
#[case("Whom did we meet yesterday afternoon?", "yesterday: 2024-09-04")]
#[case("What happened the day before yesterday?", "the day before yesterday: 2024-09-03")]
#[case("Who rang last night?", "last night: 2024-09-04")]
#[case("What did I eat this morning?", "this morning: 2024-09-05")]
#[case("Where were we last week?", "last week: 2024-08-26..2024-09-01")]
#[case("And the week before last?", "the week before last: 2024-08-19..2024-08-25")]
#[case("What have I done THIS MONTH", "THIS MONTH: 2024-09-01..2024-09-30")]
#[case("last year's tax", "last year: 2023-01-01..2023-12-31")]
#[case("How was last weekend", "last weekend: 2024-08-31..2024-09-01")]
#[case("What did we do this weekend?", "this weekend: 2024-08-31..2024-09-01")]
#[case("Where did we go last spring?", "last spring: 2024-03-01..2024-05-31")]
#[case("Where did we go last autumn?", "last autumn: 2023-09-01..2023-11-30")]
#[case("the fall of 2022", "the fall of 2022: 2022-09-01..2022-11-30")]
#[case("in the winter", "in the winter: 2023-12-01..2024-02-29")]
#[case("this summer", "this summer: 2024-06-01..2024-08-31")]
#[case("three days ago", "three days ago: 2024-09-02")]
#[case("two weeks ago I called", "two weeks ago: 2024-08-19..2024-08-25")]
#[case("a week ago", "a week ago: 2024-08-26..2024-09-01")]
#[case("2 months ago", "2 months ago: 2024-07-01..2024-07-31")]
#[case("twelve years ago", "twelve years ago: 2012-01-01..2012-12-31")]
#[case("half a year ago", "half a year ago: 2024-02-01..2024-04-30")]
#[case("a couple of days ago", "a couple of days ago: 2024-09-02..2024-09-04")]
#[case("a few weeks ago", "a few weeks ago: 2024-07-29..2024-08-25")]
#[case("in the last three months", "in the last three months: 2024-06-05..2024-09-05")]
#[case("over the past week", "over the past week: 2024-08-29..2024-09-05")]
#[case("since Monday", "since Monday: 2024-09-02..2024-09-05")]
#[case("since March", "since March: 2024-03-01..2024-09-05")]
#[case("since last Christmas", "since last Christmas: 2023-12-24..2024-09-05")]
#[case("since yesterday", "since yesterday: 2024-09-04..2024-09-05")]
#[case("What did I plan on Monday?", "on Monday: 2024-09-02")]
#[case("said on Thursday", "on Thursday: 2024-08-29")]
#[case("Last Tuesday she came", "Last Tuesday: 2024-09-03")]
#[case("Monday of last week", "Monday of last week: 2024-08-26")]
#[case("last week on Tuesday", "last week on Tuesday: 2024-08-27")]
#[case("in March", "in March: 2024-03-01..2024-03-31")]
#[case("in September", "in September: 2024-09-01..2024-09-30")]
#[case("in early March", "in early March: 2024-03-01..2024-03-31")]
#[case("at the end of July", "at the end of July: 2024-07-01..2024-07-31")]
#[case("in October", "in October: 2023-10-01..2023-10-31")]
#[case("in March 2023", "in March 2023: 2023-03-01..2023-03-31")]
#[case("in March last year", "in March last year: 2023-03-01..2023-03-31")]
#[case("last year in March", "last year in March: 2023-03-01..2023-03-31")]
#[case("the summer two years ago", "the summer two years ago: 2022-06-01..2022-08-31")]
#[case("Was it March last year?", "March last year: 2023-03-01..2023-03-31")]
#[case("in 2023", "in 2023: 2023-01-01..2023-12-31")]
#[case("on 3 May", "on 3 May: 2024-05-03")]
#[case("May 3rd", "May 3rd: 2024-05-03")]
#[case("on the twenty-third of May, 2022", "on the twenty-third of May, 2022: 2022-05-23")]
#[case("on December 24", "on December 24: 2023-12-24")]
#[case("on Friday, 3 May 2024", "on Friday, 3 May 2024: 2024-05-03")]
#[case("on 3.5.2024", "3.5.2024: 2024-05-03")]
#[case("2024-05-03 please", "2024-05-03: 2024-05-03")]
#[case("between March and May", "between March and May: 2024-03-01..2024-05-31")]
#[case("between November and February", "between November and February: 2023-11-01..2024-02-29")]
#[case("from Monday to Wednesday", "from Monday to Wednesday: 2024-09-02..2024-09-04")]
#[case("from 3 May 2023 until June", "from 3 May 2023 until June: 2023-05-03..2023-06-30")]
#[case("at Easter", "at Easter: 2024-03-29..2024-04-01")]
#[case("on 29 February", "on 29 February: 2024-02-29")]
#[case::narrowed("What did I do this year, say on 3 May?", "on 3 May: 2024-05-03")]
#[case::first_of_two("Was it yesterday or in 2021?", "yesterday: 2024-09-04")]
#[case::future_time_is_skipped("What did she say about next week's trip on Monday?", "on Monday: 2024-09-02")]
fn english_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("may I ask something")]
#[case("How long may it last? May we see?")]
#[case("march on")]
#[case("in march on the castle")]
#[case("the sun and the second")]
#[case("did he fall over")]
#[case("did I buy it for the soup in spring onions")]
#[case("her last will")]
#[case("mon ami")]
#[case("every Monday")]
#[case("tomorrow")]
#[case("next week")]
#[case("in two weeks")]
#[case("What is my sister's name?")]
#[case("I was here last. Week two was better")]
#[case("the score was 3.5. May I?")]
#[case("on 30 February")]
#[case("room 2024")]
#[case("during the day, and on the last day of the holiday")]
#[case("over the years")]
#[case("estate planning in estate agencies, what was that about")]
#[case::not_french("Wer war hier?")]
#[case::not_a_summer("Il a été malade")]
#[case::never_is_not_may("Non ho mai detto questo")]
#[case::mars_is_a_planet("What did I say about Mars?")]
#[case::second_is_not_monday("A segunda vez que falei com ela")]
#[case::habits("Was mache ich jeden Montag?")]
#[case("")]
fn words_without_a_time_are_ignored(#[case] text: &str) {
    assert_eq!(asked(text), "-");
}

#[rstest]
#[case("Was habe ich heute gesagt?", "heute: 2024-09-05")]
#[case("Wo war ich gestern Abend?", "gestern: 2024-09-04")]
#[case("Und vorgestern?", "vorgestern: 2024-09-03")]
#[case("Wer war letzte Woche hier?", "letzte Woche: 2024-08-26..2024-09-01")]
#[case("Was war diesen Monat?", "diesen Monat: 2024-09-01..2024-09-30")]
#[case("im letzten Jahr", "im letzten Jahr: 2023-01-01..2023-12-31")]
#[case("am Wochenende", "am Wochenende: 2024-08-31..2024-09-01")]
#[case("Wo waren wir letzten Sommer?", "letzten Sommer: 2024-06-01..2024-08-31")]
#[case("im Frühling", "im Frühling: 2024-03-01..2024-05-31")]
#[case("im fruhjahr", "im fruhjahr: 2024-03-01..2024-05-31")]
#[case("vor drei Tagen", "vor drei Tagen: 2024-09-02")]
#[case("vor zwei Wochen", "vor zwei Wochen: 2024-08-19..2024-08-25")]
#[case("vor einem Monat", "vor einem Monat: 2024-08-01..2024-08-31")]
#[case("vor ein paar Tagen", "vor ein paar Tagen: 2024-08-31..2024-09-03")]
#[case("in den letzten drei Monaten", "in den letzten drei Monaten: 2024-06-05..2024-09-05")]
#[case("in den letzten Tagen", "in den letzten Tagen: 2024-08-31..2024-09-05")]
#[case("seit Montag", "seit Montag: 2024-09-02..2024-09-05")]
#[case("seit zwei Wochen", "seit zwei Wochen: 2024-08-22..2024-09-05")]
#[case("am Montag", "am Montag: 2024-09-02")]
#[case("letzten Dienstag", "letzten Dienstag: 2024-09-03")]
#[case("Dienstag letzter Woche", "Dienstag letzter Woche: 2024-08-27")]
#[case("im März", "im März: 2024-03-01..2024-03-31")]
#[case("Ende März", "Ende März: 2024-03-01..2024-03-31")]
#[case("im Maerz 2023", "im Maerz 2023: 2023-03-01..2023-03-31")]
#[case("letztes Jahr im Mai", "letztes Jahr im Mai: 2023-05-01..2023-05-31")]
#[case("im Sommer vor zwei Jahren", "im Sommer vor zwei Jahren: 2022-06-01..2022-08-31")]
#[case("am 3. Mai", "am 3. Mai: 2024-05-03")]
#[case("am 3.5. war ich weg", "am 3.5.: 2024-05-03")]
#[case("am dritten Mai 2023", "am dritten Mai 2023: 2023-05-03")]
#[case("im Jahr 2022", "im Jahr 2022: 2022-01-01..2022-12-31")]
#[case("zwischen März und Mai", "zwischen März und Mai: 2024-03-01..2024-05-31")]
#[case("von Montag bis Mittwoch", "von Montag bis Mittwoch: 2024-09-02..2024-09-04")]
#[case("an Weihnachten", "an Weihnachten: 2023-12-24..2023-12-26")]
#[case::ahead("morgen", "-")]
#[case::ahead("nächste Woche", "-")]
#[case::a_greeting("Guten Morgen", "-")]
fn german_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("Qu'est-ce que j'ai dit aujourd'hui ?", "aujourd'hui: 2024-09-05")]
#[case("Qu’est-ce que j’ai dit aujourd’hui ?", "aujourd’hui: 2024-09-05")]
#[case("Qui est venu hier ?", "hier: 2024-09-04")]
#[case("avant-hier", "avant-hier: 2024-09-03")]
#[case("hier soir", "hier soir: 2024-09-04")]
#[case("ce matin", "ce matin: 2024-09-05")]
#[case("la semaine dernière", "la semaine dernière: 2024-08-26..2024-09-01")]
#[case("ce mois-ci", "ce mois-ci: 2024-09-01..2024-09-30")]
#[case("l'année dernière", "l'année dernière: 2023-01-01..2023-12-31")]
#[case("l'an passé", "l'an passé: 2023-01-01..2023-12-31")]
#[case("le week-end dernier", "le week-end dernier: 2024-08-31..2024-09-01")]
#[case("l'été dernier", "l'été dernier: 2024-06-01..2024-08-31")]
#[case("la dernière semaine", "la dernière semaine: 2024-08-26..2024-09-01")]
#[case("cet été", "cet été: 2024-06-01..2024-08-31")]
#[case("au printemps", "au printemps: 2024-03-01..2024-05-31")]
#[case("en hiver", "en hiver: 2023-12-01..2024-02-29")]
#[case("il y a trois jours", "il y a trois jours: 2024-09-02")]
#[case("il y a deux semaines", "il y a deux semaines: 2024-08-19..2024-08-25")]
#[case("il y a quelques mois", "il y a quelques mois: 2024-04-01..2024-07-31")]
#[case("ces trois derniers mois", "ces trois derniers mois: 2024-06-05..2024-09-05")]
#[case("au cours des trois derniers mois", "au cours des trois derniers mois: 2024-06-05..2024-09-05")]
#[case("depuis lundi", "depuis lundi: 2024-09-02..2024-09-05")]
#[case("lundi", "lundi: 2024-09-02")]
#[case("mardi dernier", "mardi dernier: 2024-09-03")]
#[case("en fevrier", "en fevrier: 2024-02-01..2024-02-29")]
#[case("en mars 2023", "en mars 2023: 2023-03-01..2023-03-31")]
#[case("le 1er mai", "le 1er mai: 2024-05-01")]
#[case("le trois mai", "le trois mai: 2024-05-03")]
#[case("le 3 mai 2023", "le 3 mai 2023: 2023-05-03")]
#[case("en 2022", "en 2022: 2022-01-01..2022-12-31")]
#[case("entre mars et mai", "entre mars et mai: 2024-03-01..2024-05-31")]
#[case("de lundi à mercredi", "de lundi à mercredi: 2024-09-02..2024-09-04")]
#[case("en mars de l'année dernière", "en mars de l'année dernière: 2023-03-01..2023-03-31")]
#[case::ahead("demain", "-")]
#[case::ahead("la semaine prochaine", "-")]
fn french_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("¿Qué dije hoy?", "hoy: 2024-09-05")]
#[case("¿Quién vino ayer?", "ayer: 2024-09-04")]
#[case("ayer por la mañana", "ayer: 2024-09-04")]
#[case("anteayer", "anteayer: 2024-09-03")]
#[case("anoche", "anoche: 2024-09-04")]
#[case("esta manana", "esta manana: 2024-09-05")]
#[case("la semana pasada", "la semana pasada: 2024-08-26..2024-09-01")]
#[case("este mes", "este mes: 2024-09-01..2024-09-30")]
#[case("el ano pasado", "el ano pasado: 2023-01-01..2023-12-31")]
#[case("el fin de semana pasado", "el fin de semana pasado: 2024-08-31..2024-09-01")]
#[case("el verano pasado", "el verano pasado: 2024-06-01..2024-08-31")]
#[case("en primavera", "en primavera: 2024-03-01..2024-05-31")]
#[case("hace tres días", "hace tres días: 2024-09-02")]
#[case("hace dos semanas", "hace dos semanas: 2024-08-19..2024-08-25")]
#[case("hace un par de meses", "hace un par de meses: 2024-06-01..2024-08-31")]
#[case("en los últimos tres meses", "en los últimos tres meses: 2024-06-05..2024-09-05")]
#[case("desde el lunes", "desde el lunes: 2024-09-02..2024-09-05")]
#[case("desde hace dos semanas", "desde hace dos semanas: 2024-08-22..2024-09-05")]
#[case("el lunes", "el lunes: 2024-09-02")]
#[case("el martes pasado", "el martes pasado: 2024-09-03")]
#[case("en marzo", "en marzo: 2024-03-01..2024-03-31")]
#[case("en marzo de 2023", "en marzo de 2023: 2023-03-01..2023-03-31")]
#[case("en marzo del año pasado", "en marzo del año pasado: 2023-03-01..2023-03-31")]
#[case("el 3 de mayo", "el 3 de mayo: 2024-05-03")]
#[case("el tres de mayo de 2023", "el tres de mayo de 2023: 2023-05-03")]
#[case("entre marzo y mayo", "entre marzo y mayo: 2024-03-01..2024-05-31")]
#[case("de lunes a miércoles", "de lunes a miércoles: 2024-09-02..2024-09-04")]
#[case::ahead("mañana", "-")]
#[case::ahead("la semana que viene", "-")]
#[case::morning("por la mañana", "-")]
fn spanish_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("Cosa ho detto ieri?", "ieri: 2024-09-04")]
#[case("l'altro ieri", "l'altro ieri: 2024-09-03")]
#[case("la settimana scorsa", "la settimana scorsa: 2024-08-26..2024-09-01")]
#[case("l'anno scorso", "l'anno scorso: 2023-01-01..2023-12-31")]
#[case("due settimane fa", "due settimane fa: 2024-08-19..2024-08-25")]
#[case("qualche giorno fa", "qualche giorno fa: 2024-08-31..2024-09-03")]
#[case("negli ultimi tre mesi", "negli ultimi tre mesi: 2024-06-05..2024-09-05")]
#[case("lunedi", "lunedi: 2024-09-02")]
#[case("martedì scorso", "martedì scorso: 2024-09-03")]
#[case("a marzo", "a marzo: 2024-03-01..2024-03-31")]
#[case("nel marzo del 2023", "nel marzo del 2023: 2023-03-01..2023-03-31")]
#[case("Dove siamo stati in estate?", "in estate: 2024-06-01..2024-08-31")]
#[case("la primavera scorsa", "la primavera scorsa: 2024-03-01..2024-05-31")]
#[case("il 3 maggio", "il 3 maggio: 2024-05-03")]
#[case("da lunedì a mercoledì", "da lunedì a mercoledì: 2024-09-02..2024-09-04")]
#[case::ahead("domani", "-")]
fn italian_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("Wat zei ik gisteren?", "gisteren: 2024-09-04")]
#[case("eergisteren", "eergisteren: 2024-09-03")]
#[case("vorige week", "vorige week: 2024-08-26..2024-09-01")]
#[case("vorig jaar", "vorig jaar: 2023-01-01..2023-12-31")]
#[case("afgelopen weekend", "afgelopen weekend: 2024-08-31..2024-09-01")]
#[case("twee weken geleden", "twee weken geleden: 2024-08-19..2024-08-25")]
#[case("een paar dagen geleden", "een paar dagen geleden: 2024-08-31..2024-09-03")]
#[case("de afgelopen drie maanden", "de afgelopen drie maanden: 2024-06-05..2024-09-05")]
#[case("op maandag", "op maandag: 2024-09-02")]
#[case("sinds maandag", "sinds maandag: 2024-09-02..2024-09-05")]
#[case("in maart", "in maart: 2024-03-01..2024-03-31")]
#[case("afgelopen zomer", "afgelopen zomer: 2024-06-01..2024-08-31")]
#[case("op 3 mei 2023", "op 3 mei 2023: 2023-05-03")]
#[case("tussen maart en mei", "tussen maart en mei: 2024-03-01..2024-05-31")]
#[case::ahead("volgende week", "-")]
fn dutch_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("O que eu disse ontem?", "ontem: 2024-09-04")]
#[case("anteontem", "anteontem: 2024-09-03")]
#[case("na semana passada", "na semana passada: 2024-08-26..2024-09-01")]
#[case("no ano passado", "no ano passado: 2023-01-01..2023-12-31")]
#[case("há duas semanas", "há duas semanas: 2024-08-19..2024-08-25")]
#[case("faz três dias", "faz três dias: 2024-09-02")]
#[case("nos últimos três meses", "nos últimos três meses: 2024-06-05..2024-09-05")]
#[case("na segunda-feira", "na segunda-feira: 2024-09-02")]
#[case("desde segunda-feira", "desde segunda-feira: 2024-09-02..2024-09-05")]
#[case("na sexta", "na sexta: 2024-08-30")]
#[case("na segunda vez", "-")]
#[case("em marco", "em marco: 2024-03-01..2024-03-31")]
#[case("em março de 2023", "em março de 2023: 2023-03-01..2023-03-31")]
#[case("no verão passado", "no verão passado: 2024-06-01..2024-08-31")]
#[case("no dia 3 de maio", "no dia 3 de maio: 2024-05-03")]
#[case("entre março e maio", "entre março e maio: 2024-03-01..2024-05-31")]
#[case::ahead("amanhã", "-")]
fn portuguese_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("我昨天说了什么?", "昨天: 2024-09-04")]
#[case("前天", "前天: 2024-09-03")]
#[case("上周我们去了哪里", "上周: 2024-08-26..2024-09-01")]
#[case("上周一你说什么", "上周一: 2024-08-26")]
#[case("上个月", "上个月: 2024-08-01..2024-08-31")]
#[case("去年", "去年: 2023-01-01..2023-12-31")]
#[case("去年三月", "去年三月: 2023-03-01..2023-03-31")]
#[case("去年的夏天", "去年的夏天: 2023-06-01..2023-08-31")]
#[case("三月到五月", "三月到五月: 2024-03-01..2024-05-31")]
#[case("半年前", "半年前: 2024-02-01..2024-04-30")]
#[case("三天前", "三天前: 2024-09-02")]
#[case("两周前", "两周前: 2024-08-19..2024-08-25")]
#[case("3个月前", "3个月前: 2024-06-01..2024-06-30")]
#[case("最近三个月", "最近三个月: 2024-06-05..2024-09-05")]
#[case("星期一", "星期一: 2024-09-02")]
#[case("2024年5月3日", "2024年5月3日: 2024-05-03")]
#[case("十一月", "十一月: 2023-11-01..2023-11-30")]
#[case("春天我种了什么", "春天: 2024-03-01..2024-05-31")]
#[case("从星期一到星期三", "从星期一到星期三: 2024-09-02..2024-09-04")]
#[case::ahead("明天", "-")]
#[case::habits("每星期一", "-")]
fn chinese_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("昨日は何を話しましたか", "昨日: 2024-09-04")]
#[case("おととい", "おととい: 2024-09-03")]
#[case("先週どこに行った", "先週: 2024-08-26..2024-09-01")]
#[case("先週の月曜日", "先週の月曜日: 2024-08-26")]
#[case("先月", "先月: 2024-08-01..2024-08-31")]
#[case("去年の夏に", "去年の夏に: 2023-06-01..2023-08-31")]
#[case("3日前", "3日前: 2024-09-02")]
#[case("二週間前", "二週間前: 2024-08-19..2024-08-25")]
#[case("2か月前", "2か月前: 2024-07-01..2024-07-31")]
#[case("月曜日に", "月曜日: 2024-09-02")]
#[case("3月に何をした", "3月: 2024-03-01..2024-03-31")]
#[case("2023年5月3日", "2023年5月3日: 2023-05-03")]
#[case::ahead("明日", "-")]
fn japanese_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("Что я сказал вчера?", "вчера: 2024-09-04")]
#[case("позавчера", "позавчера: 2024-09-03")]
#[case("на прошлой неделе", "на прошлой неделе: 2024-08-26..2024-09-01")]
#[case("в прошлом году", "в прошлом году: 2023-01-01..2023-12-31")]
#[case("две недели назад", "две недели назад: 2024-08-19..2024-08-25")]
#[case("три дня назад", "три дня назад: 2024-09-02")]
#[case("в понедельник", "в понедельник: 2024-09-02")]
#[case("с понедельника", "с понедельника: 2024-09-02..2024-09-05")]
#[case("в марте", "в марте: 2024-03-01..2024-03-31")]
#[case("прошлым летом", "прошлым летом: 2024-06-01..2024-08-31")]
#[case("весной", "весной: 2024-03-01..2024-05-31")]
#[case("3 мая", "3 мая: 2024-05-03")]
#[case("летом в прошлом году", "летом в прошлом году: 2023-06-01..2023-08-31")]
#[case::ahead("завтра", "-")]
fn russian_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("ماذا قلت أمس؟", "أمس: 2024-09-04")]
#[case("أول أمس", "أول أمس: 2024-09-03")]
#[case("الأسبوع الماضي", "الأسبوع الماضي: 2024-08-26..2024-09-01")]
#[case("العام الماضي", "العام الماضي: 2023-01-01..2023-12-31")]
#[case("قبل ثلاثة أيام", "قبل ثلاثة أيام: 2024-09-02")]
#[case("منذ أسبوعين", "منذ أسبوعين: 2024-08-19..2024-08-25")]
#[case("يوم الاثنين", "يوم الاثنين: 2024-09-02")]
#[case("في مارس", "في مارس: 2024-03-01..2024-03-31")]
#[case("في الصيف الماضي", "في الصيف الماضي: 2024-06-01..2024-08-31")]
#[case("هذا الشهر", "هذا الشهر: 2024-09-01..2024-09-30")]
#[case::ahead("غدا", "-")]
fn arabic_question_names_its_days(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(asked(text), expected);
}

#[rstest]
#[case("remind me tomorrow", "tomorrow: 2024-09-06")]
#[case("on Monday", "on Monday: 2024-09-09")]
#[case("on Thursday", "on Thursday: 2024-09-12")]
#[case("next week", "next week: 2024-09-09..2024-09-15")]
#[case("in two weeks", "in two weeks: 2024-09-16..2024-09-22")]
#[case("this weekend", "this weekend: 2024-09-07..2024-09-08")]
#[case("on 3 May", "on 3 May: 2025-05-03")]
#[case("next summer", "next summer: 2025-06-01..2025-08-31")]
#[case("from Monday to Wednesday", "from Monday to Wednesday: 2024-09-09..2024-09-11")]
#[case("what we said yesterday", "-")]
#[case("übermorgen", "übermorgen: 2024-09-07")]
#[case("in drei Tagen", "in drei Tagen: 2024-09-08")]
#[case("la semaine prochaine", "la semaine prochaine: 2024-09-09..2024-09-15")]
#[case("pasado mañana", "pasado mañana: 2024-09-07")]
#[case("下周", "下周: 2024-09-09..2024-09-15")]
#[case("через неделю", "через неделю: 2024-09-09..2024-09-15")]
fn plan_names_days_in_the_future(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(planned(text), expected);
}

/// Parts of expressions, so that a random text often contains a time.
const PIECES: [&str; 24] = [
    "last ",
    "3 ",
    "March ",
    "between ",
    "and ",
    "seit ",
    "2024 ",
    "from ",
    "to ",
    "十一月",
    "上周",
    "の",
    "weeks ",
    "ago ",
    "ı",
    "İ",
    "أمس ",
    "\0",
    "🙂",
    "e\u{301}te\u{301} ",
    "31.12.9999 ",
    "999 ",
    "99999999999 ",
    "years ",
];

proptest! {
    #[test]
    fn any_text_gives_a_valid_span(text in "(?s).{0,80}", year in -9999i16..=9999, ahead: bool) {
        assert_valid_span(&text, year, ahead)?;
    }

    #[test]
    fn any_sequence_of_time_words_gives_a_valid_span(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..12),
        year in -9999i16..=9999,
        ahead: bool,
    ) {
        assert_valid_span(&pieces.concat(), year, ahead)?;
    }
}

fn assert_valid_span(text: &str, year: i16, ahead: bool) -> Result<(), TestCaseError> {
    let today = date(year, 12, 31);
    let calendar = if ahead { Calendar::looking_ahead(today) } else { Calendar::looking_back(today) };
    if let Some(found) = span_of(text, &calendar) {
        prop_assert!(found.first <= found.last);
        prop_assert!(!found.words.is_empty());
        prop_assert!(text.get(found.words.clone()).is_some(), "{:?}", found.words);
        let is_skipped = if ahead { found.last < today } else { found.first > today };
        prop_assert!(!is_skipped);
    }
    Ok(())
}

#[rstest]
#[case::weeks_are_exact("in six weeks", Some(date(2024, 10, 17)))]
#[case::german("in sechs Wochen", Some(date(2024, 10, 17)))]
#[case::name_alone("Christmas", Some(date(2024, 12, 24)))]
#[case::day_and_month("24 December", Some(date(2024, 12, 24)))]
#[case::weekday_alone("Freitag", Some(date(2024, 9, 6)))]
#[case::month_in_a_year("May 2025", Some(date(2025, 5, 1)))]
#[case::turkish("altı hafta sonra", Some(date(2024, 10, 17)))]
#[case::turkish_day("24 Aralık", Some(date(2024, 12, 24)))]
#[case::turkish_weekday("gelecek cuma", Some(date(2024, 9, 6)))]
#[case::more_than_a_time("Christmas dinner", None)]
#[case::no_time("six", None)]
#[case::nothing("?", None)]
fn text_that_is_only_a_time_names_its_first_day(#[case] text: &str, #[case] expected: Option<Date>) {
    let calendar = Calendar::looking_ahead(TODAY).with_exact_weeks();

    assert_eq!(whole_span_of(text, &calendar).map(|span| span.first), expected);
}
