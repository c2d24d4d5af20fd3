//! The user speaks over our voice, and the real recogniser hears the words.
#![cfg(feature = "whisper")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "over_our_voice/decisions.rs"]
mod decisions;
#[path = "over_our_voice/echoes.rs"]
mod echoes;
#[path = "over_our_voice/noises.rs"]
mod noises;
#[path = "over_our_voice/talk.rs"]
mod talk;

use listening::ListeningEvent;
use rstest::rstest;
use testkit::{Room, frames_without_echo};

use decisions::decisions;
use talk::{Figures, OUR_REPLY, OurVoice, Recogniser, Talk, spoken};

const ROOM: Room = Room { delay_ms: 80, attenuation_db: 0.0, drift_ppm: 0.0 };

#[rstest]
#[case::a_woman("en-gb+f3", "Could you please turn off the light in the kitchen?")]
#[case::a_man("en-gb+m3", "Remind me to call my sister tomorrow morning.")]
fn words_spoken_over_our_voice_are_recognised(#[case] voice: &str, #[case] text: &str) {
    let recogniser = Recogniser::new();
    let user = spoken(voice, text);
    let said = recogniser.words(&user);

    let talk = Talk::new(&user, &OurVoice::new(ROOM), 6.0);

    let share_of = |sound| {
        let mut figures = Figures::default();
        figures.add(&said, &recogniser.words(talk.words_of_user(sound)));
        figures.share()
    };
    let (without, with) = (share_of(talk.microphone()), share_of(talk.cancelled()));
    assert!(talk.echo_loss_db() > 15.0, "{:.1} dB", talk.echo_loss_db());
    assert!(with >= 0.6 && with > without + 0.3, "{without:.2} without, {with:.2} with the canceller");
}

#[rstest]
#[case::stop_over_a_quieter_echo(6.0, Some("Stop!"), true)]
#[case::polite_stop_over_a_loud_echo(0.0, Some("Please stop!"), true)]
#[case::our_voice_alone(0.0, None, false)]
#[tokio::test(flavor = "multi_thread")]
async fn bare_stop_over_our_voice_ends_the_reply(
    #[case] attenuation_db: f32,
    #[case] user: Option<&str>,
    #[case] is_stopped: bool,
) {
    let recogniser = Recogniser::new();
    let our_voice = OurVoice::new(Room { attenuation_db, ..ROOM });
    let user = user.map(|text| spoken("en-gb", text)).unwrap_or_default();
    let talk = Talk::new(&user, &our_voice, 6.0);

    let heard = frames_without_echo(&our_voice.played, talk.microphone());
    let decisions = decisions(recogniser.0.clone(), &heard, &our_voice, OUR_REPLY).await;

    let has_stopped = decisions.iter().any(|event| matches!(event, ListeningEvent::Stop));
    let has_query = decisions.iter().any(|event| matches!(event, ListeningEvent::Directed { .. }));
    assert_eq!((has_stopped, has_query), (is_stopped, false), "{decisions:?}");
}
