//! All that hears and decides, over a sound.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hearing::{Earshot, HearingConfig, HearingInputs, PassTiming, SpeechToText};
use listening::{DoorEvent, ListeningConfig, ListeningEvent, ListeningInputs};
use settings::Settings;
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, ReplyId, SpeechEvent, TalkOrder};

use super::talk::OurVoice;

/// The decisions of hearing and listening while this reply sounds in `microphone`, and after it.
pub async fn decisions(
    engine: Arc<dyn SpeechToText>,
    microphone: &[Frame],
    our_voice: &OurVoice,
    text: &str,
) -> Vec<ListeningEvent> {
    let (frames, to_hearing) = mpsc::channel(1);
    let (heard, to_listening) = mpsc::channel(256);
    let taken_in = heard.clone();
    let (events, mut decided) = mpsc::channel(256);
    let settings = Settings::default();
    let (_config, config) =
        watch::channel(HearingConfig::new(&settings.hearing, &settings.listening).unwrap());
    let (_engine, engine) = watch::channel(engine);
    let (_voice, is_voice_playing) = watch::channel(true);
    let (_orders, orders) = mpsc::channel::<TalkOrder>(1);
    let (speech, speech_events) = broadcast::channel(8);
    let (_doors, doors) = mpsc::channel::<DoorEvent>(1);
    let (_rules, rules) = watch::channel(ListeningConfig::try_from(&settings).unwrap());
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
    let frames_of_reply = our_voice.played.len() / FRAME_SAMPLES;
    let lasts = FRAME_DURATION * frames_of_reply as u32;
    let sentence = SpeechEvent::Sentence { reply, text: text.into(), at: start, lasts };
    speech.send(sentence).unwrap();

    let collecting = tokio::spawn(async move {
        let mut all = Vec::new();
        while let Some(event) = decided.recv().await {
            all.push(event);
        }
        all
    });
    for (n, frame) in microphone.iter().enumerate() {
        if n == frames_of_reply {
            speech.send(SpeechEvent::Finished { reply, at: start + lasts }).unwrap();
        }
        let frame = Frame { captured_at: start + FRAME_DURATION * (n + 1) as u32, ..frame.clone() };
        frames.send(frame).await.unwrap();
    }
    drop(frames);
    hearing.await.unwrap();
    // All places are free once listening has taken the last words; it stops behind its verdict on them.
    taken_in.reserve_many(taken_in.max_capacity()).await.unwrap();
    stop.cancel();
    listening.await.unwrap();
    collecting.await.unwrap()
}

/// The sound of a microphone from which nothing is taken.
pub fn frames_of(sound: &[f32]) -> Vec<Frame> {
    let now = Instant::now();
    sound.as_chunks::<FRAME_SAMPLES>().0.iter().map(|samples| Frame::new(*samples, now)).collect()
}
