use rstest::rstest;

use super::*;

const REPLY: &str = "It will rain in Leeds this afternoon, so take an umbrella with you.";

fn config() -> EchoConfig {
    EchoConfig { tolerance_secs: 0.3, energy_threshold: 2.0, words_per_second: 3.0 }
}

/// Speech of `secs` seconds from second 100 on, which goes on.
fn own(text: &str, secs: f64) -> OwnSpeech {
    OwnSpeech {
        text: text.into(),
        started_secs: 100.0,
        finished_secs: None,
        duration_secs: Some(secs),
        sentences: Vec::new(),
        background_rms: 0.0045,
    }
}

fn during(text: &str, secs_in: f64) -> HeardSpeech<'_> {
    let started_secs = 100.0 + secs_in;
    HeardSpeech { text, started_secs, energy_rms: 0.05, during_own_speech: true, in_hot_window: false }
}

#[rstest]
#[case::our_own_words("rain in leeds this afternoon", 0.5, true)]
#[case::misheard_slightly("will rein in leeds this after noon", 0.5, true)]
#[case::the_user("what about tomorrow in york", 1.0, false)]
#[case::a_stop_word("stop", 1.0, false)]
#[case::our_words_and_the_users("umbrella with you what is the capital of france", 4.0, false)]
fn own_words_while_we_speak_are_an_echo(#[case] text: &str, #[case] secs_in: f64, #[case] expected: bool) {
    assert_eq!(is_echo(&during(text, secs_in), &own(REPLY, 4.5), &config()), expected);
}

/// One hundred different words, three a second.
fn long_speech() -> String {
    (0..100).map(|n| format!("w{n:02}x{:02}", n * 37 % 100)).collect::<Vec<_>>().join(" ")
}

#[rstest]
#[case::expected_word(60, true)]
#[case::first_of_the_margin(51, true)]
#[case::before_the_margin(40, false)]
#[case::eight_seconds_later(78, true)]
#[case::more_than_eight_seconds_later(84, false)]
fn short_text_is_compared_with_the_words_of_its_time(#[case] index: usize, #[case] expected: bool) {
    let speech = long_speech();
    let word = speech.split(' ').nth(index).unwrap();

    // Word 57 is expected: 19.3 s less the tolerance, three words a second.
    assert_eq!(is_echo(&during(word, 19.3), &own(&speech, 100.0 / 3.0), &config()), expected);
}

#[rstest]
#[case::part_of_a_word("stop", "This is a long story of a boat.", false)]
#[case::the_start_of_a_word("Yes.", "The shop closed yesterday.", false)]
#[case::a_word_that_we_said("Stop!", "The next stop is Leeds.", true)]
#[case::two_words_heard_as_one("notime", "There is no time left.", true)]
#[case::other_words("be quiet", "The next stop is Leeds.", false)]
#[case::too_long_for_this_rule("some five words or more", "The next stop is Leeds.", true)]
fn short_text_is_an_echo_only_when_we_said_its_words(
    #[case] text: &str,
    #[case] spoken: &str,
    #[case] expected: bool,
) {
    assert_eq!(is_explained_by_own_words(&during(text, 1.0), &own(spoken, 3.0), &config()), expected);
}

#[rstest]
#[case::quiet_and_at_once(0.1, 0.005, true)]
#[case::too_loud_for_an_echo(0.1, 0.05, false)]
#[case::exactly_at_the_threshold(0.1, 0.009, false)]
#[case::a_little_later(1.0, 0.05, true)]
#[case::too_late(1.5, 0.005, false)]
fn own_words_shortly_after_our_speech_are_an_echo(
    #[case] secs_after: f64,
    #[case] energy_rms: f64,
    #[case] expected: bool,
) {
    let own = OwnSpeech { finished_secs: Some(105.0), ..own(REPLY, 5.0) };
    let heard = HeardSpeech {
        text: "take an umbrella with you",
        started_secs: 105.0 + secs_after,
        energy_rms,
        during_own_speech: false,
        in_hot_window: true,
    };

    assert_eq!(is_echo(&heard, &own, &config()), expected);
}

#[rstest]
#[case::in_the_hot_window(true, false)]
#[case::outside(false, true)]
fn hot_window_asks_for_more_similarity(#[case] in_hot_window: bool, #[case] expected: bool) {
    let own = OwnSpeech { finished_secs: Some(105.0), ..own("abcdefghij", 5.0) };
    let heard = HeardSpeech {
        // A similarity of 88.9.
        text: "abcdefghxy",
        started_secs: 106.0,
        energy_rms: 0.05,
        during_own_speech: false,
        in_hot_window,
    };

    assert_eq!(is_echo(&heard, &own, &config()), expected);
}

#[test]
fn nothing_is_an_echo_before_our_first_word() {
    let heard = HeardSpeech { during_own_speech: false, ..during("take an umbrella", 1.0) };

    assert!(!is_echo(&heard, &own(REPLY, 5.0), &config()));
    assert!(!is_echo(&during("take an umbrella", 1.0), &OwnSpeech::default(), &config()));
}
