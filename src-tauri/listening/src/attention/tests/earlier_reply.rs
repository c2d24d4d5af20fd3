//! The echo of a reply whose words are recognised only after the next reply began: machines can be busy.

use super::*;

const FIRST: &str = "The capital of France is Paris. Do you want to hear more about it?";
const SECOND: &str = "Stop is the word that ends whatever I say, Jarvis would tell you.";
const THIRD: &str = "It is twenty past four. How is the weather tomorrow, you may ask.";

/// The first reply is spoken from second 0 to 4, the second one from 10 to 14, the third one from 20 on.
fn attention_to_replies(start: Instant, count: u64) -> Attention {
    let mut attention = attention();
    for (number, reply) in (0..count).zip([FIRST, SECOND, THIRD]) {
        let at = |secs| start + Duration::from_secs(10 * number + secs);
        if number > 0 {
            attention.speech_finished(start + Duration::from_secs(10 * number - 6));
        }
        attention.speech_started(at(0));
        attention.sentence_spoken(reply, at(0), Duration::from_secs(4));
    }
    attention
}

#[test]
fn misheard_end_of_the_reply_before_is_no_follow_up() {
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs_f64(secs);
    let mut attention = attention_to_replies(start, 2);
    attention.speech_finished(at(14.0));
    attention.tick(at(14.5));
    let heard = utterance("He's got to hear more about it.", start, 2.8);

    assert_eq!(attention.judge(&heard, at(15.0)), Verdict::Echo);
}

#[rstest]
#[case::stop_word("Stop is the word that ends", 10.3, 12.5, Verdict::Echo)]
#[case::name("Jarvis would tell you.", 12.9, 14.1, Verdict::Echo)]
#[case::words("whatever I say", 12.0, 13.0, Verdict::Echo)]
#[case::end_that_goes_on_into_the_next_reply("Jarvis would tell you.", 12.9, 14.3, Verdict::Echo)]
#[case::stop_of_the_user("Please stop!", 20.5, 21.3, Verdict::Stop)]
#[case::stop_that_ended_before_the_reply("Stop!", 18.0, 18.6, Verdict::Stop)]
fn reply_before_is_known_while_the_next_one_is_spoken(
    #[case] text: &str,
    #[case] from: f64,
    #[case] to: f64,
    #[case] expected: Verdict,
) {
    let start = Instant::now();
    let at = |secs| start + Duration::from_secs_f64(secs);
    let mut attention = attention_to_replies(start, 3);
    let heard = Utterance { started_at: at(from), ended_at: at(to), ..utterance(text, start, 0.0) };

    assert_eq!(attention.judge(&heard, at(22.0)), expected);
}
