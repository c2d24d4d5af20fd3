//! Our own name in what we say, and its echo.

use super::*;

const REPLY: &str = "You can say Jarvis, set a timer for ten minutes, whenever you like.";

/// The name sounds after 0.8 s.
fn attention_to(reply: &str, start: Instant) -> Attention {
    let mut attention = attention();
    attention.speech_started(start);
    attention.sentence_spoken(reply, start, Duration::from_secs(4));
    attention
}

#[rstest]
#[case::heard_well("Jarvis, set a timer.", Verdict::Echo)]
#[case::heard_imperfectly("Jarvis, send Santa Tyler.", Verdict::Echo)]
#[case::other_words("Jarvis, set center type.", Verdict::Echo)]
#[case::name_alone("Jarvis.", Verdict::Echo)]
#[case::request_of_the_user(
    "Jarvis, what is the weather in Leeds?",
    directed("what is the weather in Leeds?")
)]
#[case::two_words("Jarvis, look.", Verdict::Echo)]
fn name_that_we_say_calls_nobody(
    #[case] text: &str,
    #[case] expected: Verdict,
    #[values(false, true)] is_over: bool,
) {
    let start = Instant::now();
    let mut attention = attention_to(REPLY, start);
    if is_over {
        attention.speech_finished(start + Duration::from_secs(4));
    }

    let verdict = attention.judge(&utterance(text, start, 0.8), start + Duration::from_secs(5));

    assert_eq!(verdict, expected);
}

#[test]
fn call_after_our_speech_is_the_users() {
    let start = Instant::now();
    let mut attention = attention_to("When you call me, Jarvis, set a timer for ten minutes.", start);
    attention.speech_finished(start + Duration::from_secs(4));
    let heard = utterance("Jarvis, remind me in ten minutes.", start, 4.9);

    let verdict = attention.judge(&heard, start + Duration::from_secs(6));

    assert_eq!(verdict, directed("remind me in ten minutes."));
}

#[test]
fn stop_with_the_name_that_we_say_ends_our_speech() {
    let start = Instant::now();
    let mut attention = attention_to(REPLY, start);

    assert_eq!(attention.judge(&utterance("Jarvis, stop!", start, 0.8), start), Verdict::Stop);
}

#[test]
fn name_that_we_do_not_say_calls_us() {
    let start = Instant::now();
    let mut attention = attention_to("Press the button, set a timer for ten minutes, and wait.", start);

    let verdict = attention.judge(&utterance("Jarvis, set a timer.", start, 0.8), start);

    assert_eq!(verdict, directed("set a timer."));
}

#[rstest]
#[case::echo_of_a_slow_loudspeaker(0.2, 4.5, Verdict::Overheard)]
#[case::most_of_it_after_our_speech(3.8, 4.5, directed("Did it 20 past 4?"))]
#[case::long_after_our_speech(0.2, 4.8, directed("Did it 20 past 4?"))]
fn follow_up_is_said_after_our_speech(#[case] from: f64, #[case] to: f64, #[case] expected: Verdict) {
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs_f64(secs);
    let mut attention = attention_to("It is twenty past four. How is the weather, you may ask.", start);
    attention.speech_finished(at(4.0));
    attention.tick(at(4.4));
    let heard =
        Utterance { started_at: at(from), ended_at: at(to), ..utterance("Did it 20 past 4?", start, 0.0) };

    assert_eq!(attention.judge(&heard, at(5.0)), expected);
}

#[test]
fn request_right_after_our_name_is_the_users() {
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs_f64(secs);
    let mut attention =
        attention_to("Stop is the word that ends whatever I say, Jarvis would tell you.", start);
    attention.speech_finished(at(4.0));
    let request = utterance("Jarvis, what do you say about number four?", start, 4.2);

    let verdict = attention.judge(&Utterance { ended_at: at(7.0), ..request }, at(8.0));

    assert_eq!(verdict, directed("what do you say about number four?"));
}
