mod corrections;
mod earlier_reply;
mod our_name;
mod over_the_end; // of our speech
mod stop_words;
mod whose_voice; // of somebody who is not enrolled

use rstest::rstest;
use settings::{ListeningSettings, Settings};
use vocabulary::{UtteranceId, VoiceMatch};

use super::*;

fn attention() -> Attention {
    Attention::new(ListeningConfig::try_from(&Settings::default()).unwrap())
}

/// One second of speech that starts `secs` after `start`.
fn utterance(text: &str, start: Instant, secs: f64) -> Utterance {
    let started_at = match secs < 0.0 {
        true => start.checked_sub(Duration::from_secs_f64(-secs)).unwrap(),
        false => start + Duration::from_secs_f64(secs),
    };
    Utterance {
        id: UtteranceId(0),
        text: text.into(),
        language: None,
        started_at,
        ended_at: started_at + Duration::from_secs(1),
        energy_rms: 0.05,
        echo_share: 0.0,
        confidence: 0.9,
        voice: VoiceMatch::NotJudged,
    }
}

/// The state after a reply that was spoken from second 5 to second 10.
fn after_reply() -> (Attention, Instant) {
    let mut attention = attention();
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs(secs);
    attention.speech_started(at(5));
    attention.sentence_spoken("It is twenty past four in the afternoon.", at(5), Duration::from_secs(5));
    attention.speech_finished(at(10));
    attention.tick(at(11));
    (attention, start)
}

fn directed(query: &str) -> Verdict {
    Verdict::Directed { query: query.into(), continues_previous: false }
}

#[rstest]
#[case::wake_word_first("Jarvis, what time is it?", directed("what time is it?"))]
#[case::wake_word_last("What time is it, Jarvis?", directed("What time is it?"))]
#[case::wake_word_alone("Jarvis.", Verdict::WakeWordOnly)]
#[case::no_wake_word("What time is it?", Verdict::Overheard)]
#[case::stop_with_the_wake_word("Jarvis, stop.", Verdict::Stop)]
#[case::stop_without_a_reply("stop", Verdict::Overheard)]
fn idle_assistant_answers_only_after_the_wake_word(#[case] text: &str, #[case] expected: Verdict) {
    let start = Instant::now();

    assert_eq!(attention().judge(&utterance(text, start, 0.0), start), expected);
}

#[rstest]
#[case::follow_up_in_the_hot_window("and what about tomorrow", 12.0, directed("and what about tomorrow"))]
#[case::our_own_last_words("past four in the afternoon", 10.5, Verdict::Echo)]
#[case::our_misheard_words_recognised_late("past four where in the city", 9.2, Verdict::Overheard)]
#[case::words_over_our_last_ones_recognised_late("and what about tomorrow", 9.2, Verdict::Overheard)]
#[case::words_that_go_on_after_our_last_ones(
    "and what about tomorrow",
    9.5,
    directed("and what about tomorrow")
)]
#[case::wake_word_over_our_last_words("Jarvis, what about tomorrow?", 9.2, directed("what about tomorrow?"))]
#[case::stop("Stop.", 12.0, Verdict::Stop)]
#[case::polite_stop("Please stop.", 12.0, Verdict::Stop)]
#[case::query_about_stopping("stop the egg timer", 12.0, directed("stop the egg timer"))]
#[case::word_similar_to_stop("top", 12.0, directed("top"))]
fn follow_up_in_the_hot_window_needs_no_wake_word(
    #[case] text: &str,
    #[case] secs: f64,
    #[case] expected: Verdict,
) {
    let (mut attention, start) = after_reply();

    assert_eq!(attention.judge(&utterance(text, start, secs), start + Duration::from_secs(12)), expected);
}

#[rstest]
#[case::started_before_it_closed(13.9, directed("and tomorrow then"))]
#[case::started_after_it_closed(14.5, Verdict::Overheard)]
fn late_transcript_is_judged_by_the_start_of_speech(#[case] secs: f64, #[case] expected: Verdict) {
    let (mut attention, start) = after_reply();
    let late = start + Duration::from_secs(14);
    attention.tick(late);

    assert_eq!(attention.judge(&utterance("and tomorrow then", start, secs), late), expected);
}

#[rstest]
#[case::stop("Stop.", Verdict::Stop)]
#[case::our_own_words("twenty past four", Verdict::Echo)]
#[case::other_people("pass me the salt please", Verdict::Overheard)]
#[case::barge_in("Jarvis, what about York?", directed("what about York?"))]
fn stop_or_the_wake_word_is_needed_while_we_speak(#[case] text: &str, #[case] expected: Verdict) {
    let mut attention = attention();
    let start = Instant::now();
    attention.speech_started(start);
    attention.sentence_spoken("It is twenty past four in the afternoon.", start, Duration::from_secs(3));

    assert_eq!(attention.judge(&utterance(text, start, 0.5), start), expected);
}

#[test]
fn stop_is_obeyed_while_we_say_a_similar_word() {
    let mut attention = attention();
    let start = Instant::now();
    attention.speech_started(start);
    let story = "This is a long story about a small boat on a wide river.";
    attention.sentence_spoken(story, start, Duration::from_secs(3));

    assert_eq!(attention.judge(&utterance("Stop", start, 1.0), start), Verdict::Stop);
}

#[test]
fn stop_word_in_our_own_speech_is_an_echo() {
    let mut attention = attention();
    let start = Instant::now();
    attention.speech_started(start);
    attention.sentence_spoken("The next stop is Leeds.", start, Duration::from_secs(2));

    assert_eq!(attention.judge(&utterance("next stop", start, 0.4), start), Verdict::Echo);
}

#[test]
fn speech_right_after_a_query_continues_the_query() {
    let mut attention = attention();
    let start = Instant::now();
    attention.judge(&utterance("Jarvis, what is the weather?", start, 0.0), start);

    let verdict = attention.judge(&utterance("in Leeds tomorrow", start, 1.7), start);

    let query = "what is the weather? in Leeds tomorrow".to_owned();
    assert_eq!(verdict, Verdict::Directed { query, continues_previous: true });
}

#[rstest]
#[case::right_after(1.5, directed("Tell me a joke."))]
#[case::later(3.0, Verdict::WakeWordOnly)]
fn wake_word_after_a_short_pause_directs_the_sentence_before(#[case] secs: f64, #[case] expected: Verdict) {
    let mut attention = attention();
    let start = Instant::now();
    attention.judge(&utterance("Tell me a joke.", start, 0.0), start);

    assert_eq!(attention.judge(&utterance("Jarvis.", start, secs), start), expected);
}

#[test]
fn query_after_the_wake_word_alone_is_directed() {
    let mut attention = attention();
    let start = Instant::now();
    attention.judge(&utterance("Jarvis.", start, 0.0), start);
    attention.await_query(start + Duration::from_secs(1));

    let verdict = attention.judge(&utterance("what time is it", start, 2.0), start + Duration::from_secs(3));

    assert_eq!(verdict, directed("what time is it"));
}

#[test]
fn query_while_the_talk_key_is_held_is_directed() {
    let mut attention = attention();
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs_f64(secs);
    attention.hold_key(at(0.0));
    attention.release_key(at(5.0));
    let closed = attention.tick(at(5.5));

    assert_eq!(closed, Some(HotWindowChange::Closed));
    let long = Utterance { ended_at: at(4.9), ..utterance("what time is it in Leeds", start, 1.0) };
    assert_eq!(attention.judge(&long, at(5.6)), directed("what time is it in Leeds"));
    assert_eq!(attention.judge(&utterance("pass the salt", start, 7.0), at(8.0)), Verdict::Overheard);
}

#[rstest]
#[case::without_the_wake_word("what time is it", 0.5, Verdict::Overheard)]
#[case::with_the_wake_word("Jarvis, what time is it?", 0.5, Verdict::Overheard)]
#[case::started_later("Jarvis, what time is it?", 1.5, directed("what time is it?"))]
fn utterance_started_before_a_discard_is_overheard(
    #[case] text: &str,
    #[case] secs: f64,
    #[case] expected: Verdict,
) {
    let mut attention = attention();
    let start = Instant::now();
    attention.hold_key(start);
    attention.discard(start + Duration::from_secs(1));

    assert_eq!(attention.judge(&utterance(text, start, secs), start + Duration::from_secs(3)), expected);
}

#[test]
fn wake_word_after_a_discard_does_not_restore_the_sentence() {
    let mut attention = attention();
    let start = Instant::now();
    attention.discard(start + Duration::from_secs(1));
    attention.judge(&utterance("Tell me a joke.", start, 0.5), start);

    assert_eq!(attention.judge(&utterance("Jarvis.", start, 2.0), start), Verdict::WakeWordOnly);
}

#[test]
fn interrupted_reply_does_not_open_the_hot_window() {
    let mut attention = attention();
    let start = Instant::now();
    attention.speech_started(start);
    attention.speech_interrupted(start + Duration::from_secs(1));

    assert_eq!(attention.next_tick(), None);
    assert_eq!(attention.judge(&utterance("what now then", start, 3.0), start), Verdict::Overheard);
}

#[rstest]
#[case::quiet_room(-60.0, 2.0, false)]
#[case::noisy_room(-30.0, 2.0, true)]
#[case::noisy_room_and_a_low_threshold(-30.0, 1.0, false)]
#[case::quiet_room_and_a_high_threshold(-42.0, 7.0, true)]
fn echo_right_after_our_speech_is_not_much_louder_than_the_room(
    #[case] room_dbfs: f32,
    #[case] threshold: f64,
    #[case] is_echo: bool,
) {
    let listening = ListeningSettings { echo_energy_threshold: threshold, ..ListeningSettings::default() };
    let mut attention =
        Attention::new(ListeningConfig::try_from(&Settings { listening, ..Settings::default() }).unwrap());
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs_f64(secs);
    (0..50).for_each(|_| attention.hear_level(room_dbfs));
    attention.speech_started(at(5.0));
    // Our own voice is loud in the microphone, and is not the room.
    (0..50).for_each(|_| attention.hear_level(-10.0));
    attention.sentence_spoken("It is twenty past four in the afternoon.", at(5.0), Duration::from_secs(5));
    attention.speech_finished(at(10.0));

    // The same words in another order: so only the loudness, 0.05, tells.
    let text = "Afternoon, the, in four, past twenty, is it.";
    let verdict = attention.judge(&utterance(text, start, 10.1), at(11.2));

    assert_eq!(verdict == Verdict::Echo, is_echo, "{verdict:?}");
}

/// An answer of the intent judge.
fn answer(directed: bool, query: &str) -> String {
    format!(
        r#"{{"directed": {directed}, "query": "{query}", "stop": false, "confidence": "high", "reasoning": ""}}"#
    )
}

fn doubt_about(text: &str, talk: &[&str]) -> (Attention, Verdict) {
    let mut attention = attention();
    let start = Instant::now();
    for (line, secs) in talk.iter().zip([0.0, 3.0, 6.0]) {
        attention.judge(&utterance(line, start, secs), start);
    }
    let verdict = attention.judge(&utterance(text, start, 12.0), start + Duration::from_secs(13));
    (attention, verdict)
}

const TALK: [&str; 2] = ["I would paint the kitchen green.", "No, blue is nicer."];

#[rstest]
#[case::opinion("Jarvis, what do you think?", &TALK, true)]
#[case::earlier_question("Jarvis, answer that.", &TALK, true)]
#[case::talk_about_us("I told Jarvis yesterday.", &[], true)]
#[case::clear_question("Jarvis, what time is it?", &TALK, false)]
#[case::nothing_to_refer_to("Jarvis, what do you think?", &[], false)]
#[case::stop("Jarvis, stop that.", &TALK, false)]
#[case::name_alone("Jarvis.", &TALK, false)]
#[case::other_people("What do you think?", &TALK, false)]
fn judge_is_asked_only_where_the_rules_are_unsure(
    #[case] text: &str,
    #[case] talk: &[&str],
    #[case] expected: bool,
) {
    let (_, verdict) = doubt_about(text, talk);

    assert_eq!(matches!(verdict, Verdict::Unsure(_)), expected, "{verdict:?}");
}

#[rstest]
#[case::topic_of_the_talk(
    "Jarvis, what do you think?",
    Some(answer(true, "Should the kitchen be green or blue?")),
    directed("Should the kitchen be green or blue?")
)]
#[case::talk_about_us("I told Jarvis about them.", Some(answer(false, "")), Verdict::Overheard)]
#[case::no_answer("Jarvis, what do you think?", None, directed("what do you think?"))]
#[case::garbage("Jarvis, what do you think?", Some("I think so".into()), directed("what do you think?"))]
#[case::query_about_us(
    "Jarvis, what do they know?",
    Some(answer(true, "Who is Jarvis?")),
    directed("Who is Jarvis?")
)]
fn answer_of_the_judge_decides_a_doubt(
    #[case] text: &str,
    #[case] answer: Option<String>,
    #[case] expected: Verdict,
) {
    let (mut attention, verdict) = doubt_about(text, &TALK);
    let Verdict::Unsure(doubt) = verdict else { panic!("{verdict:?}") };

    assert!(TALK.iter().all(|line| doubt.prompt.user.contains(line)));
    assert_eq!(attention.resolve(&doubt, answer.as_deref()), expected);
}

#[test]
fn judge_is_not_asked_when_the_setting_is_off() {
    let listening = ListeningSettings { intent_judge: false, ..ListeningSettings::default() };
    let mut attention =
        Attention::new(ListeningConfig::try_from(&Settings { listening, ..Settings::default() }).unwrap());
    let start = Instant::now();

    let verdict = attention.judge(&utterance("I told Jarvis yesterday.", start, 0.0), start);

    assert_eq!(verdict, directed("I told yesterday."));
}

#[rstest]
#[case::kept(120.0, true)]
#[case::forgotten(10.0, false)]
fn talk_is_kept_as_long_as_the_settings_say(#[case] transcript_secs: f64, #[case] expected: bool) {
    let listening = ListeningSettings { transcript_secs, ..ListeningSettings::default() };
    let mut attention =
        Attention::new(ListeningConfig::try_from(&Settings { listening, ..Settings::default() }).unwrap());
    let start = Instant::now();
    attention.judge(&utterance(TALK[0], start, 0.0), start);

    let question = utterance("Jarvis, what do you think?", start, 30.0);
    let verdict = attention.judge(&question, start + Duration::from_secs(31));

    assert_eq!(matches!(verdict, Verdict::Unsure(_)), expected);
}

#[rstest]
#[case::as_we_said_it("Stop is the word that ends it.", Verdict::Echo)]
#[case::heard_imperfectly("Stop is the world that and sit.", Verdict::Echo)]
#[case::imperfectly_with_the_name("Stop is the world that and sit, Jarvis.", Verdict::Echo)]
#[case::short_and_imperfect("Stop it.", Verdict::Echo)]
#[case::of_the_user("Stop, I have heard enough of this now.", Verdict::Stop)]
#[case::of_the_user_alone("Please stop talking.", Verdict::Stop)]
fn stop_word_that_we_say_after_a_long_silence_ends_nothing(#[case] text: &str, #[case] expected: Verdict) {
    let mut attention = attention();
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs(secs);
    attention.speech_started(start);
    let first = "There are many ways to end what I say, and each of them works at any moment, here and in other rooms too.";
    attention.sentence_spoken(first, start, Duration::from_secs(6));
    // A busy machine synthesises slowly: the next sentence sounds much later.
    attention.sentence_spoken("Stop is the word that ends it.", at(20), Duration::from_secs(2));

    assert_eq!(attention.judge(&utterance(text, start, 20.2), at(22)), expected);
}

#[test]
fn stop_behind_our_own_words_ends_our_speech() {
    let mut attention = attention();
    let start = Instant::now();
    attention.speech_started(start);
    let reply = "It will rain in Leeds this afternoon, so take an umbrella with you.";
    attention.sentence_spoken(reply, start, Duration::from_secs(5));

    let verdict = attention.judge(&utterance("rain in Leeds this afternoon so stop", start, 0.8), start);

    assert_eq!(verdict, Verdict::Stop);
}

#[rstest]
#[case::stop("Stop.", Verdict::Stop)]
#[case::never_mind("Never mind.", Verdict::Stop)]
#[case::with_the_name("Jarvis, forget it.", Verdict::Stop)]
#[case::in_another_language("Vergiss es.", Verdict::Stop)]
#[case::request_that_begins_alike("Jarvis, cancel my pasta timer.", directed("cancel my pasta timer."))]
#[case::another_query("Jarvis, what time is it?", directed("what time is it?"))]
#[case::other_people("Pass me the salt.", Verdict::Overheard)]
fn speech_while_we_think_can_take_the_query_back(#[case] text: &str, #[case] expected: Verdict) {
    let mut attention = attention();
    let start = Instant::now();
    attention.judge(&utterance("Jarvis, tell me a story.", start, 0.0), start);

    let verdict = attention.judge(&utterance(text, start, 5.0), start + Duration::from_secs(6));

    assert_eq!(verdict, expected);
}

#[rstest]
#[case::rest_of_the_sentence("compared with yellow", 13.4, Some("what do you think? compared with yellow"))]
#[case::taken_back("Never mind.", 15.0, None)]
fn speech_after_a_doubt_goes_on_with_it_or_takes_it_back(
    #[case] text: &str,
    #[case] secs: f64,
    #[case] expected: Option<&str>,
) {
    let (mut attention, verdict) = doubt_about("Jarvis, what do you think?", &TALK);
    let Verdict::Unsure(doubt) = verdict else { panic!("{verdict:?}") };
    let start = doubt.utterance.started_at.checked_sub(Duration::from_secs(12)).unwrap();

    let verdict = attention.judge(&utterance(text, start, secs), start + Duration::from_secs_f64(secs + 1.0));

    match (verdict, expected) {
        (Verdict::Unsure(doubt), Some(expected)) => {
            assert!(doubt.replaces_doubt());
            assert_eq!(attention.resolve(&doubt, None), directed(expected));
        }
        (verdict, expected) => assert_eq!((verdict, expected), (Verdict::Stop, None)),
    }
}

#[test]
fn earlier_talk_is_context_and_no_request() {
    let (mut attention, start) = (attention(), Instant::now());
    attention.await_query_by_key(start);

    attention.add_talk(&utterance("what time is it", start, -8.0), start);

    let verdict = attention.judge(&utterance("how warm will it be", start, 0.5), start);
    assert_eq!(verdict, directed("how warm will it be"));
    assert_eq!(attention.transcript().all().count(), 2);
}

#[rstest]
#[case::idle(None, 20, false)]
#[case::thinking_about_a_query(Some("Jarvis, what time is it?"), 20, true)]
#[case::query_that_nobody_answers(Some("Jarvis, what time is it?"), 180, false)]
#[case::talk(Some("We should go."), 20, false)]
fn every_word_is_needed_while_a_query_is_pending(
    #[case] text: Option<&str>,
    #[case] secs: u64,
    #[case] expected: bool,
) {
    let (mut attention, start) = (attention(), Instant::now());

    if let Some(text) = text {
        attention.judge(&utterance(text, start, 0.0), start);
    }

    assert_eq!(attention.needs_all_words(start + Duration::from_secs(secs)), expected);
}

#[test]
fn every_word_is_needed_from_our_speech_to_the_end_of_the_hot_window() {
    let (mut attention, start) = (attention(), Instant::now());
    let at = |secs| start + Duration::from_secs(secs);
    let mut needed = Vec::new();

    attention.speech_started(at(5));
    attention.sentence_spoken("It is four.", at(5), Duration::from_secs(2));
    needed.push(attention.needs_all_words(at(6)));
    attention.speech_finished(at(7));
    needed.push(attention.needs_all_words(at(7)));
    attention.tick(at(8));
    needed.push(attention.needs_all_words(at(9)));
    attention.tick(at(20));
    needed.push(attention.needs_all_words(at(20)));

    assert_eq!(needed, [true, true, true, false]);
}
