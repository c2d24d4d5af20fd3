//! Short noises of a room over our voice: none of them ends it.

use listening::ListeningEvent;
use rstest::rstest;
use testkit::{Room, frames_without_echo, short_noises, white_noise};

use super::decisions::decisions;
use super::talk::{NOISE_RMS, OUR_REPLY, OurVoice, Recogniser, samples_in};

const ROOM: Room = Room { delay_ms: 80, attenuation_db: 0.0, drift_ppm: 0.0 };

/// The first noise begins when our voice has sounded for so long; they follow each other after as much time again.
const EVERY_SECS: f64 = 2.5;

/// The events that end our voice while all noises sound in it, each with this loudest sample relative to that of our voice.
async fn endings(level_db: f32) -> Vec<ListeningEvent> {
    let our_voice = OurVoice::new(ROOM);
    let loudest = our_voice.echo.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));
    let gain = loudest * 10_f32.powf(level_db / 20.0);
    let room = white_noise().map(|noise| noise * NOISE_RMS * 3_f32.sqrt());
    let mut microphone: Vec<f32> =
        our_voice.echo.iter().zip(room).map(|(echo, noise)| echo + noise).collect();
    for (n, (_, noise)) in short_noises().iter().enumerate() {
        let from = samples_in(EVERY_SECS * (n + 1) as f64).min(microphone.len());
        for (heard, sample) in microphone[from..].iter_mut().zip(noise) {
            *heard = (*heard + sample * gain).clamp(-1.0, 1.0);
        }
    }
    let heard = frames_without_echo(&our_voice.played, &microphone);
    let decisions = decisions(Recogniser::new().0, &heard, &our_voice, OUR_REPLY).await;
    let ends_our_voice = |event: &ListeningEvent| {
        matches!(event, ListeningEvent::Stop | ListeningEvent::Directed { .. } | ListeningEvent::WakeWordOnly)
    };
    decisions.into_iter().filter(ends_our_voice).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn noises_louder_than_our_voice_do_not_end_it() {
    assert_eq!(endings(6.0).await, vec![]);
}

mod slow {
    use super::*;

    #[rstest]
    #[ignore = "slow: a reply at each of five levels"]
    #[tokio::test(flavor = "multi_thread")]
    async fn noises_of_no_level_end_our_voice(#[values(-12.0, -6.0, 0.0, 12.0, 18.0)] level_db: f32) {
        assert_eq!(endings(level_db).await, vec![]);
    }
}
