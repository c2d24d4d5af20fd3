//! Replies that come back through the microphone, and contain what would be a request in the mouth of a user.

use listening::ListeningEvent;
use rstest::rstest;
use testkit::{Room, frames_without_echo, white_noise};
use vocabulary::Frame;

use super::decisions::{decisions, frames_of};
use super::talk::{NOISE_RMS, OurVoice, Recogniser, samples_in};

const REPLIES: [&str; 10] = [
    "You can say Jarvis, set a timer for ten minutes, whenever you like.",
    "I am Jarvis, and I run on this machine. What would you like to know?",
    "The museum opens at nine. Shall I remind you?",
    "Jarvis, what time is it, is a question that I hear often.",
    "The train leaves at noon from the second platform.",
    "Tell me the name of the town, and I look for the weather there.",
    "My name is Jarvis. Call me by it anywhere in a sentence.",
    "The capital of France is Paris. Do you want to hear more about it?",
    "Stop is the word that ends whatever I say, Jarvis would tell you.",
    "It is twenty past four. How is the weather tomorrow, you may ask.",
];

/// Says these replies in a room, and returns what was taken for words of a user.
async fn mistaken(
    replies: &[&'static str],
    room: Room,
    is_cancelled: bool,
) -> Vec<(&'static str, ListeningEvent)> {
    let recogniser = Recogniser::new();
    let mut mistaken = Vec::new();
    for reply in replies {
        let our_voice = OurVoice::saying(reply, room);
        let sound = in_a_room(&our_voice, is_cancelled);
        let decisions = decisions(recogniser.0.clone(), &sound, &our_voice, reply).await;
        let taken_for_a_user = |event: &ListeningEvent| {
            matches!(
                event,
                ListeningEvent::Directed { .. } | ListeningEvent::Stop | ListeningEvent::WakeWordOnly
            )
        };
        mistaken.extend(decisions.into_iter().filter(taken_for_a_user).map(|event| (*reply, event)));
    }
    mistaken
}

/// The sound of the microphone while we speak alone, and in the quiet after it.
fn in_a_room(our_voice: &OurVoice, is_cancelled: bool) -> Vec<Frame> {
    const QUIET_SECS: f64 = 2.5;
    let noise = white_noise().map(|noise| noise * NOISE_RMS * 3_f32.sqrt());
    let length = our_voice.echo.len() + samples_in(QUIET_SECS);
    let echo = our_voice.echo.iter().copied().chain(std::iter::repeat(0.0));
    let microphone: Vec<f32> = echo.zip(noise).take(length).map(|(echo, noise)| echo + noise).collect();
    match is_cancelled {
        true => frames_without_echo(&our_voice.played, &microphone),
        false => frames_of(&microphone),
    }
}

#[rstest]
#[case::before_the_canceller_knows_the_room(0)]
#[case::in_the_middle_of_a_sentence(3)]
#[tokio::test(flavor = "multi_thread")]
async fn reply_with_our_name_is_not_taken_for_words_of_a_user(#[case] reply: usize) {
    let room = Room { delay_ms: 20, attenuation_db: 0.0, drift_ppm: 0.0 };

    assert_eq!(mistaken(&REPLIES[reply..=reply], room, true).await, vec![]);
}

mod slow {
    use super::*;

    #[rstest]
    #[case::near(Room { delay_ms: 20, attenuation_db: 0.0, drift_ppm: 0.0 }, true)]
    #[case::usual(Room { delay_ms: 80, attenuation_db: 6.0, drift_ppm: 0.0 }, true)]
    #[case::quiet(Room { delay_ms: 80, attenuation_db: 18.0, drift_ppm: 0.0 }, true)]
    #[case::late(Room { delay_ms: 250, attenuation_db: 6.0, drift_ppm: 0.0 }, true)]
    #[case::other_clock(Room { delay_ms: 150, attenuation_db: 0.0, drift_ppm: 50.0 }, true)]
    #[case::faster_clock(Room { delay_ms: 150, attenuation_db: 6.0, drift_ppm: -200.0 }, true)]
    #[case::without_canceller(Room { delay_ms: 80, attenuation_db: 0.0, drift_ppm: 0.0 }, false)]
    #[case::quiet_without_canceller(Room { delay_ms: 80, attenuation_db: 12.0, drift_ppm: 0.0 }, false)]
    #[case::faint_without_canceller(Room { delay_ms: 150, attenuation_db: 20.0, drift_ppm: 0.0 }, false)]
    #[case::late_without_canceller(Room { delay_ms: 400, attenuation_db: 6.0, drift_ppm: 0.0 }, false)]
    #[ignore = "slow: ten replies in each of ten rooms"]
    #[tokio::test(flavor = "multi_thread")]
    async fn no_reply_is_taken_for_words_of_a_user(
        #[case] room: Room,
        #[case] is_cancelled: bool,
        #[values(0, 1)] half: usize,
    ) {
        let replies = &REPLIES[half * 5..][..5];

        assert_eq!(mistaken(replies, room, is_cancelled).await, vec![]);
    }
}
