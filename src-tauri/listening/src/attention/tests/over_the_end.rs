//! Utterances that begin while we speak and end after it.

use super::*;

const REPLY: &str = "It is twenty past four in the afternoon.";

/// The attention so long after the end of our speech, with that end and the time now.
fn after_our_speech(since: Duration) -> (Attention, Instant, Instant) {
    let (mut attention, ended_at) = (attention(), Instant::now() + Duration::from_secs(10));
    let started_at = ended_at.checked_sub(Duration::from_secs(5)).unwrap();
    attention.speech_started(started_at);
    attention.sentence_spoken(REPLY, started_at, Duration::from_secs(5));
    attention.speech_finished(ended_at);
    let now = ended_at + since;
    attention.tick(now);
    (attention, ended_at, now)
}

/// An utterance between these times, in seconds from the end of our speech.
fn heard(text: &str, ended_at: Instant, (from, to): (f64, f64)) -> Utterance {
    let utterance = utterance(text, ended_at, from);
    Utterance { ended_at: ended_at + Duration::from_secs_f64(to), ..utterance }
}

/// An utterance starts with the quiet before it: the voice begins 0.24 s later.
#[rstest]
#[case::echo("past four in the afternoon", (-2.0, 0.8), Verdict::Echo)]
#[case::echo_misheard_as_one_word("This.", (-0.45, 0.45), Verdict::Overheard)]
#[case::echo_misheard_as_two_words("This is", (-0.45, 0.45), Verdict::Overheard)]
#[case::echo_misheard_as_three_words("How about noon", (-1.5, 0.8), Verdict::Overheard)]
#[case::echo_misheard_in_part("past four where in the city", (-2.0, 0.8), Verdict::Echo)]
#[case::echo_misheard_at_its_start("for where in the afternoon", (-2.0, 0.8), Verdict::Echo)]
#[case::user_starts_a_little_early("And tomorrow?", (-0.44, 1.8), directed("And tomorrow?"))]
#[case::full_request_over_our_voice(
    "Tell me the weather for York",
    (-2.0, 0.8),
    directed("Tell me the weather for York")
)]
#[case::full_request_that_ends_with_our_voice("Tell me the weather for York", (-2.0, 0.5), Verdict::Overheard)]
#[case::stop("Stop.", (-0.45, 0.45), Verdict::Stop)]
#[case::polite_stop("Please stop.", (-0.45, 0.45), Verdict::Stop)]
#[case::short_answer_just_before_the_end("Ten minutes.", (-0.29, 0.55), directed("Ten minutes."))]
#[case::answer_before_the_end("Yes.", (-0.45, 0.45), directed("Yes."))]
#[case::name_and_request("Jarvis, what now?", (-1.0, 0.8), directed("what now?"))]
#[case::request_behind_our_own_words("in the afternoon what about York", (-1.0, 0.8), directed("what about York"))]
#[case::answer_right_after_the_end("Yes.", (-0.2, 0.4), directed("Yes."))]
#[case::follow_up_after_the_end("And tomorrow?", (0.5, 1.4), directed("And tomorrow?"))]
fn follow_up_over_the_end_of_our_speech_needs_words_of_its_own(
    #[case] text: &str,
    #[case] times: (f64, f64),
    #[case] expected: Verdict,
) {
    let (mut attention, ended_at, judged_at) = after_our_speech(Duration::from_secs(1));

    assert_eq!(attention.judge(&heard(text, ended_at, times), judged_at), expected);
}

#[test]
fn query_after_a_call_that_interrupted_us_needs_no_more_words() {
    let (mut attention, ended_at) = (attention(), Instant::now() + Duration::from_secs(10));
    let started_at = ended_at.checked_sub(Duration::from_secs(5)).unwrap();
    attention.speech_started(started_at);
    attention.sentence_spoken(REPLY, started_at, Duration::from_secs(8));
    attention.speech_interrupted(ended_at);
    attention.await_query(ended_at);

    let verdict = attention.judge(&heard("Help me.", ended_at, (-0.45, 0.45)), ended_at);

    assert_eq!(verdict, directed("Help me."));
}

/// The voice begins 0.34 s before our end, and most of what is heard comes behind the echo: by its time it is an answer.
#[rstest]
#[case::echo_misheard_as_one_word("Evidence.", 0.95, Verdict::Echo)]
#[case::echo_misheard_as_an_answer("Yes.", 0.95, Verdict::Echo)]
#[case::answer_of_a_user("Evidence.", 0.5, directed("Evidence."))]
#[case::yes_of_a_user("Yes.", 0.5, directed("Yes."))]
#[case::stop("Stop.", 0.95, Verdict::Stop)]
#[case::name_and_request("Jarvis, what now?", 0.95, directed("what now?"))]
#[case::request_of_a_quiet_user(
    "Tell me the weather for York",
    0.95,
    directed("Tell me the weather for York")
)]
fn sound_that_was_taken_out_as_our_own_is_no_answer(
    #[case] text: &str,
    #[case] echo_share: f32,
    #[case] expected: Verdict,
) {
    let (mut attention, ended_at, judged_at) = after_our_speech(Duration::from_secs(2));

    let heard = Utterance { echo_share, ..heard(text, ended_at, (-0.58, 1.04)) };

    assert_eq!(attention.judge(&heard, judged_at), expected);
}

/// The name alone makes a query of the words before it, unless they were our own by their sound: as those of the follow-up
/// window, or within our speech.
#[rstest]
#[case::misheard_end_of_our_voice(0.95, (-0.58, 1.04), Verdict::WakeWordOnly)]
#[case::misheard_inside_our_voice(0.95, (-1.0, 0.2), Verdict::WakeWordOnly)]
#[case::words_of_a_user_over_our_voice(0.4, (-1.0, 0.2), directed("Evidence."))]
fn name_behind_our_own_sound_takes_up_no_words(
    #[case] echo_share: f32,
    #[case] times: (f64, f64),
    #[case] expected: Verdict,
) {
    let (mut attention, ended_at, judged_at) = after_our_speech(Duration::from_secs(2));
    attention.judge(&Utterance { echo_share, ..heard("Evidence.", ended_at, times) }, judged_at);

    let name = heard("Jarvis", ended_at, (times.1 + 0.3, times.1 + 1.0));

    assert_eq!(attention.judge(&name, judged_at + Duration::from_secs(1)), expected);
}

#[test]
fn name_behind_our_own_words_and_those_of_a_user_takes_up_the_latter() {
    let (mut attention, ended_at) = (attention(), Instant::now() + Duration::from_secs(10));
    let started_at = ended_at.checked_sub(Duration::from_secs(5)).unwrap();
    attention.speech_started(started_at);
    attention.sentence_spoken(REPLY, started_at, Duration::from_secs(5));
    // No follow-up window opens.
    attention.speech_interrupted(ended_at);
    let over_us = heard("in the afternoon what about York", ended_at, (-1.0, 0.8));
    assert_eq!(attention.judge(&over_us, ended_at + Duration::from_secs(1)), Verdict::Overheard);

    let name = heard("Jarvis", ended_at, (1.3, 2.0));

    assert_eq!(attention.judge(&name, ended_at + Duration::from_secs(2)), directed("what about York"));
}
