//! Checks that the conversations of `tests/reflecting` are valid.

#[path = "../benches/reflecting/cases.rs"]
#[expect(dead_code, reason = "only the evaluation uses some fields")]
mod cases;

use cases::{Cases, Half, Participant};
use reflection::detect_language;
use rstest::rstest;

const CONVERSATIONS: &str = include_str!("../../../tests/reflecting/conversations.json");

#[test]
fn both_halves_are_valid_and_of_equal_size() {
    let cases = Cases::read(CONVERSATIONS).unwrap();

    let of = |half| {
        let conversations = cases.conversations.iter().filter(|it| it.half == half).count();
        (conversations, cases.meals.iter().filter(|it| it.half == half).count())
    };
    assert_eq!((of(Half::Tuning), of(Half::HeldOut)), ((10, 4), (10, 4)));
}

#[test]
fn user_speaks_the_language_of_the_conversation() {
    let cases = Cases::read(CONVERSATIONS).unwrap();

    for conversation in &cases.conversations {
        let said = conversation.turns.iter().filter(|turn| turn.speaker == Participant::User);
        let said: Vec<&str> = said.map(|turn| &turn.text[..]).collect();
        assert_eq!(detect_language(&said.join(" ")), Some(&conversation.language[..]), "{}", conversation.id);
    }
}

#[rstest]
#[case::another_format(r#""jarvis-reflecting-1""#, r#""jarvis-2""#, "the format is")]
#[case::an_unknown_field(r#""avoid""#, r#""avoids""#, "unknown field")]
#[case::two_of_a_name(r#""small-talk""#, r#""good-night""#, "good-night: two have this id")]
#[case::no_words(r#"[["joke"]]"#, r#"[[]]"#, "small-talk: something to keep or avoid has no words")]
#[case::nothing_to_judge(r#""most": 0"#, r#""most": null"#, "small-talk: say which facts")]
#[case::out_of_order("07:40:25", "07:40:01", "small-talk: put each turn later")]
#[case::a_meal_that_is_none(r#""keep": [], "is_none": true"#, r#""keep": []"#, "lentils-tonight: say either")]
fn invalid_file_is_rejected_with_a_reason(#[case] right: &str, #[case] wrong: &str, #[case] expected: &str) {
    let error = Cases::read(&CONVERSATIONS.replacen(right, wrong, 1)).unwrap_err();

    assert!(error.contains(expected), "{error}");
}
