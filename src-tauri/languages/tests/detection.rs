//! Detection on short utterances of each language, and on texts that it must leave unknown.

use std::collections::HashMap;

use rstest::rstest;

/// The language of the text, as a code; `-` when it is unknown.
fn detected(text: &str) -> String {
    languages::detect(text).map_or("-".to_owned(), |detection| detection.language.code().to_owned())
}

/// The half of the utterances that the detection was tuned on, or the other one.
#[derive(Clone, Copy)]
enum Half {
    Tuning,
    Unseen,
}

/// The utterances of one half: the expected language or `-`, and the text. Each folder of a language has its own.
fn utterances(half: Half) -> impl Iterator<Item = (&'static str, String)> {
    let own = languages::all().iter().flat_map(|data| {
        let file = format!("{}/data/{}/utterances.txt", env!("CARGO_MANIFEST_DIR"), data.code);
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        text.lines().map(|line| (data.code, line.to_owned())).collect::<Vec<_>>()
    });
    let lines = include_str!("detection/no_language.txt").lines();
    let others = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let (code, text) = line.split_once(' ').expect("a language and a text");
        // A language that has a folder by now is detected.
        (languages::of_code(code).map_or("-", |data| data.code), text.to_owned())
    });
    let mut numbers = HashMap::new();
    own.chain(others).filter(move |(language, _)| {
        let number = numbers.entry(*language).or_insert(0);
        *number += 1;
        match half {
            Half::Tuning => *number % 2 == 1,
            Half::Unseen => *number % 2 == 0,
        }
    })
}

/// The floors are a little below what was measured: see the crate's documentation.
#[rstest]
#[case::tuning_half(Half::Tuning, 0.97, 1, 0)]
#[case::unseen_half(Half::Unseen, 0.95, 1, 1)]
fn short_utterances_are_detected_or_left_unknown(
    #[case] half: Half,
    #[case] least_share: f64,
    #[case] most_wrong: usize,
    #[case] most_invented: usize,
) {
    let (mut total, mut right, mut wrong, mut invented) = (0, 0, Vec::new(), Vec::new());
    for (language, text) in utterances(half) {
        let found = detected(&text);
        total += usize::from(language != "-");
        match (language, found.as_str()) {
            ("-", "-") | (_, "-") => {}
            ("-", _) => invented.push((text, found)),
            (language, code) if language == code => right += 1,
            _ => wrong.push((text, found)),
        }
    }

    println!("right {right} of {total}, wrong {}, invented {}", wrong.len(), invented.len());
    assert!(f64::from(right) >= least_share * total as f64, "only {right} of {total}");
    assert!(wrong.len() <= most_wrong, "{wrong:?}");
    assert!(invented.len() <= most_invented, "{invented:?}");
}

#[test]
fn utterances_cover_every_language_in_both_halves() {
    for half in [Half::Tuning, Half::Unseen] {
        for data in languages::all() {
            let count = utterances(half).filter(|(language, _)| *language == data.code).count();
            assert!(count >= 6, "{}: {count}", data.code);
        }
    }
}

#[rstest]
#[case::name_inside("Wie komme ich zur Place de la République?", "de")]
#[case::foreign_letter_in_a_name("What did Beyoncé say about it?", "en")]
#[case::without_accents("donde esta mi coche", "es")]
#[case::portuguese_and_not_spanish("onde está o meu carro", "pt")]
#[case::dutch_and_not_german("wat is de hoofdstad van Duitsland", "nl")]
#[case::name_in_another_script("用户住在 Porto。", "zh")]
#[case::yes_in_german_only("ja bitte", "de")]
#[case::name_alone("Jarvis", "-")]
#[case::word_of_many_languages("ok", "-")]
#[case::digits("3.14", "-")]
#[case::nothing("", "-")]
#[case::persian("من در تهران زندگی می‌کنم و گوشت نمی‌خورم.", "-")]
#[case::serbian("Ја живим у Београду и не једем месо, али љубим рибу.", "-")]
#[case::bulgarian("Какво ще бъде времето утре?", "-")]
#[case::czech("Bydlím v Brně, mám psa a nejím maso, ale to je dobré i pro děti.", "-")]
#[case::vietnamese("Bây giờ là mấy giờ?", "-")]
#[case::greek("Μένω στην Αθήνα.", "-")]
fn difficult_texts_have_their_language_or_none(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(detected(text), expected);
}

#[test]
fn confidence_falls_with_words_of_another_language() {
    let confidence = |text| languages::detect(text).unwrap().confidence;

    assert!(confidence("Wie spät ist es?") > confidence("Wie spät ist es, what's the time?"));
}
