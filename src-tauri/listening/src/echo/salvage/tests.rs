use rstest::rstest;

use super::*;

const REPLY: &str = "It will rain in Leeds this afternoon, so take an umbrella with you.";

fn config() -> EchoConfig {
    EchoConfig { tolerance_secs: 0.3, energy_threshold: 2.0, words_per_second: 200.0 / 60.0 }
}

/// [`REPLY`], 13 words in 5.2 s, from second 10 on.
fn own() -> OwnSpeech {
    OwnSpeech {
        text: REPLY.into(),
        started_secs: 10.0,
        finished_secs: Some(15.2),
        duration_secs: Some(5.2),
        sentences: Vec::new(),
        background_rms: 0.0045,
    }
}

#[rstest]
#[case::end_and_user("umbrella with you and what about tomorrow", Some("and what about tomorrow"))]
#[case::punctuation("Umbrella, with you. What about Tomorrow?", Some("What about Tomorrow?"))]
#[case::misheard("umbrela wit you what about tomorrow", Some("what about tomorrow"))]
#[case::two_words("with you go on", Some("go on"))]
#[case::one_word_is_not_enough("you go on", None)]
#[case::nothing_after_it("umbrella with you", None)]
#[case::whole_reply(
    "it will rain in leeds this afternoon so take an umbrella with you thanks",
    Some("thanks")
)]
#[case::words_from_the_middle("rain in leeds what about york", None)]
fn words_after_the_end_of_our_speech_are_the_users(#[case] heard: &str, #[case] expected: Option<&str>) {
    assert_eq!(after_leading_echo(heard, REPLY).as_deref(), expected);
}

#[rstest]
#[case::end_in_time("umbrella with you no tell me about york", 14.0, Some("no tell me about york"))]
#[case::two_words_in_time("with you tell me about york", 14.8, Some("tell me about york"))]
#[case::three_words_at_another_time("umbrella with you is wrong", 10.0, Some("is wrong"))]
#[case::similar_words("tak an umbrela wit you please stop this now", 14.0, Some("please stop this now"))]
#[case::other_words("what is the capital of france", 14.0, None)]
#[case::only_our_words("so take an umbrella with you", 14.0, None)]
fn user_words_are_found_in_three_phases(
    #[case] heard: &str,
    #[case] started_secs: f64,
    #[case] expected: Option<&str>,
) {
    assert_eq!(user_words_while_speaking(heard, started_secs, &own(), &config()).as_deref(), expected);
}

#[rstest]
#[case::five_words_before_it("so take an umbrella with you What about York", Some("What about York"))]
#[case::noise_before_our_words(
    "uh well so take an umbrella with you what is the capital",
    // A window with one word of the user is still similar enough.
    Some("is the capital")
)]
#[case::two_user_words_are_too_few("so take an umbrella extraordinarily now", None)]
#[case::four_words_before_it("an umbrella with you what about york", None)]
#[case::nothing("", None)]
fn rightmost_window_of_our_words_divides_the_text(#[case] heard: &str, #[case] expected: Option<&str>) {
    assert_eq!(after_rightmost_echo(heard, REPLY).as_deref(), expected);
}

#[rstest]
#[case::within_the_tolerance("umbrella with you tell me about york", 15.4, Some("tell me about york"))]
#[case::at_the_tolerance("umbrella with you tell me about york", 15.5, None)]
#[case::too_few_user_words("umbrella with you go on", 14.5, None)]
fn merged_echo_needs_an_early_start_and_three_words(
    #[case] heard: &str,
    #[case] started_secs: f64,
    #[case] expected: Option<&str>,
) {
    assert_eq!(after_merged_echo(heard, started_secs, &own(), &config()).as_deref(), expected);
}

#[rstest]
#[case::middle_of_our_speech("leeds this afternoon no I mean york", 11.6, Some("no I mean york"))]
#[case::one_shared_word("leeds no I mean york", 11.6, None)]
fn user_words_after_a_run_from_the_middle_are_found(
    #[case] heard: &str,
    #[case] started_secs: f64,
    #[case] expected: Option<&str>,
) {
    assert_eq!(after_own_words(heard, started_secs, &own(), &config()).as_deref(), expected);
}
