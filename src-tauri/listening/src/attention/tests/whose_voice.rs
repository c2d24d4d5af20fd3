//! The verdict on an utterance by somebody whose voice is not enrolled.

use super::*;

fn spoken_by(voice: VoiceMatch, text: &str, start: Instant, secs: f64) -> Utterance {
    Utterance { voice, ..utterance(text, start, secs) }
}

#[rstest]
#[case::enrolled_voice(VoiceMatch::Enrolled, "Jarvis, what time is it?", directed("what time is it?"))]
#[case::too_short_to_judge(VoiceMatch::NotJudged, "Jarvis, what time is it?", directed("what time is it?"))]
#[case::stranger(VoiceMatch::Unknown, "Jarvis, what time is it?", Verdict::Overheard)]
#[case::stranger_with_the_name_alone(VoiceMatch::Unknown, "Jarvis", Verdict::Overheard)]
#[case::stranger_who_wants_silence(VoiceMatch::Unknown, "Jarvis, stop", Verdict::Stop)]
fn voices_that_are_not_enrolled_are_overheard_but_may_stop_us(
    #[case] voice: VoiceMatch,
    #[case] text: &str,
    #[case] expected: Verdict,
) {
    let mut attention = attention();
    let start = Instant::now();

    let verdict = attention.judge(&spoken_by(voice, text, start, 0.0), start + Duration::from_secs(1));

    assert_eq!(verdict, expected);
    assert_eq!(attention.transcript().all().count(), 1);
}

#[rstest]
#[case::talk_key_tapped(|attention: &mut Attention, at| attention.await_query_by_key(at), true)]
#[case::talk_key_held(|attention: &mut Attention, at| attention.hold_key(at), true)]
#[case::name_said_by_somebody_enrolled(|attention: &mut Attention, at| attention.await_query(at), false)]
fn stranger_is_answered_at_the_talk_key_only(
    #[case] open: fn(&mut Attention, Instant) -> HotWindowChange,
    #[case] is_answered: bool,
) {
    let mut attention = attention();
    let start = Instant::now();
    open(&mut attention, start);

    let stranger = spoken_by(VoiceMatch::Unknown, "what time is it?", start, 1.0);
    let verdict = attention.judge(&stranger, start + Duration::from_secs(2));

    assert_eq!(verdict != Verdict::Overheard, is_answered);
}

#[test]
fn name_of_an_enrolled_voice_does_not_adopt_the_words_of_a_stranger() {
    let mut attention = attention();
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs_f64(secs);
    attention.judge(&spoken_by(VoiceMatch::Unknown, "open the front door", start, 0.0), at(1.1));

    let verdict = attention.judge(&spoken_by(VoiceMatch::Enrolled, "Jarvis", start, 1.5), at(2.5));

    assert_eq!(verdict, Verdict::WakeWordOnly);
}
