//! The user speaks over our voice, and the real recogniser hears the words.
#![cfg(feature = "whisper")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "over_our_voice/talk.rs"]
mod talk;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hearing::{Earshot, HearingConfig, HearingInputs, PassTiming, SpeechToText};
use listening::{DoorEvent, ListeningConfig, ListeningEvent, ListeningInputs};
use rstest::rstest;
use settings::{HearingSettings, ListeningSettings};
use testkit::Room;
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, ReplyId, SpeechEvent, TalkOrder};

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

/// The decisions of hearing and listening while our reply sounds in `microphone`.
async fn decisions(
    engine: Arc<dyn SpeechToText>,
    microphone: &[f32],
    our_voice: &OurVoice,
) -> Vec<ListeningEvent> {
    let (frames, to_hearing) = mpsc::channel(64);
    let (heard, to_listening) = mpsc::channel(256);
    let (events, mut decided) = mpsc::channel(256);
    let (hearing_settings, listening_settings) = (HearingSettings::default(), ListeningSettings::default());
    let (_config, config) =
        watch::channel(HearingConfig::new(&hearing_settings, &listening_settings).unwrap());
    let (_engine, engine) = watch::channel(engine);
    let (_voice, is_voice_playing) = watch::channel(true);
    let (_orders, orders) = mpsc::channel::<TalkOrder>(1);
    let (speech, speech_events) = broadcast::channel(8);
    let (_doors, doors) = mpsc::channel::<DoorEvent>(1);
    let (_rules, rules) = watch::channel(ListeningConfig::try_from(&listening_settings).unwrap());
    let stop = CancellationToken::new();
    let hearing = tokio::spawn(hearing::run(
        HearingInputs {
            frames: to_hearing,
            config,
            engine,
            keyword_spotter: watch::channel(None).1,
            needs_all_words: watch::channel(false).1,
            endpoint_model: watch::channel(None).1,
            is_voice_playing,
            orders,
            activity: Box::new(Earshot::new()),
            timing: PassTiming::InSound(Duration::from_millis(300)),
            events: heard,
        },
        stop.clone(),
    ));
    let listening = tokio::spawn(listening::run(
        ListeningInputs {
            heard: to_listening,
            speech: speech_events,
            doors,
            judge: None,
            config: rules,
            needs_all_words: watch::channel(false).0,
            events,
        },
        stop.clone(),
    ));
    let (start, reply) = (Instant::now(), ReplyId(1));
    speech.send(SpeechEvent::Started { reply, at: start }).unwrap();
    let lasts = FRAME_DURATION * (our_voice.played.len() / FRAME_SAMPLES) as u32;
    let sentence = SpeechEvent::Sentence { reply, text: OUR_REPLY.into(), at: start, lasts };
    speech.send(sentence).unwrap();

    let collecting = tokio::spawn(async move {
        let mut all = Vec::new();
        while let Some(event) = decided.recv().await {
            all.push(event);
        }
        all
    });
    for (n, chunk) in microphone.as_chunks::<FRAME_SAMPLES>().0.iter().enumerate() {
        let frame = Frame { samples: *chunk, captured_at: start + FRAME_DURATION * (n + 1) as u32 };
        frames.send(frame).await.unwrap();
    }
    drop(frames);
    hearing.await.unwrap();
    // The last words are on their way through the rules, which take microseconds.
    tokio::time::sleep(Duration::from_millis(50)).await;
    stop.cancel();
    listening.await.unwrap();
    collecting.await.unwrap()
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

    let decisions = decisions(recogniser.0.clone(), talk.cancelled(), &our_voice).await;

    let has_stopped = decisions.iter().any(|event| matches!(event, ListeningEvent::Stop));
    let has_query = decisions.iter().any(|event| matches!(event, ListeningEvent::Directed { .. }));
    assert_eq!((has_stopped, has_query), (is_stopped, false), "{decisions:?}");
}
