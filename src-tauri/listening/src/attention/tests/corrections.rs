//! "No, I meant …" takes the place of the query before.

use super::*;

#[rstest]
#[case::while_thinking(None, "No, I meant Paris.", true)]
#[case::over_the_reply(Some(5.0), "No, I meant Paris.", true)]
#[case::other_words(Some(5.0), "I meant the salt there.", false)]
#[case::refusal_alone(None, "No.", false)]
fn correction_replaces_the_query_before(
    #[case] reply_after_secs: Option<f64>,
    #[case] text: &str,
    #[case] expected: bool,
) {
    let mut attention = attention();
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs_f64(secs);
    attention.judge(&utterance("Jarvis, how is the weather in Leeds?", start, 0.0), start);
    if let Some(secs) = reply_after_secs {
        attention.speech_started(at(secs));
        let reply = "It will rain in Leeds this afternoon.";
        attention.sentence_spoken(reply, at(secs), Duration::from_secs(3));
    }

    let verdict = attention.judge(&utterance(text, start, 6.0), at(7.0));

    let query = format!("how is the weather in Leeds? {text}");
    let corrected = Verdict::Directed { query, continues_previous: true };
    assert_eq!(verdict, if expected { corrected } else { Verdict::Overheard });
}

#[test]
fn correction_over_a_reply_that_was_resumed_replaces_the_query() {
    let (mut attention, start) = (attention(), Instant::now());
    let at = |secs| start + Duration::from_secs(secs);
    let query = utterance("Jarvis, how is the weather in Leeds?", start, 0.0);
    attention.judge(&query, start);
    attention.speech_started(at(3));
    attention.speech_interrupted(at(4));
    attention.speech_started(at(8));

    let verdict = attention.judge(&utterance("No, I meant York.", start, 9.0), at(10));

    let query = "how is the weather in Leeds? No, I meant York.".to_owned();
    assert_eq!(verdict, Verdict::Directed { query, continues_previous: true });
}
