//! Where a turn ends, and what becomes of it while recognition does not work.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hearing::{EnergyGate, HearerInputs, HearingConfig, SpeechToText, TranscribeError};
use settings::{HearingSettings, ListeningSettings};
use testkit::{Recognition, ScriptedSpeech};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, HearingEvent, Stage, TalkOrder};

/// Frames of speech (`v`) and silence (`.`), as fast as they are taken.
async fn play(frames: &mpsc::Sender<Frame>, pattern: &str) {
    let began = Instant::now();
    for (c, so_far) in pattern.chars().zip(1..) {
        let captured_at = began + FRAME_DURATION * so_far;
        let frame = Frame { samples: [if c == 'v' { 0.3 } else { 0.0 }; FRAME_SAMPLES], captured_at };
        frames.send(frame).await.unwrap();
        // Decoding happens on a thread of its own: let it come in between.
        tokio::task::yield_now().await;
    }
}

async fn next_of_note(events: &mut mpsc::Receiver<HearingEvent>) -> HearingEvent {
    loop {
        let event = tokio::time::timeout(Duration::from_secs(30), events.recv()).await.unwrap().unwrap();
        let is_passing = matches!(
            event,
            HearingEvent::Level { .. }
                | HearingEvent::SpeechStarted { .. }
                | HearingEvent::Partial { .. }
                | HearingEvent::TalkKey(_)
        );
        if !is_passing {
            return event;
        }
    }
}

struct Room {
    frames: mpsc::Sender<Frame>,
    events: mpsc::Receiver<HearingEvent>,
    engine: watch::Sender<Arc<dyn SpeechToText>>,
    orders: mpsc::Sender<TalkOrder>,
    _settings: (watch::Sender<HearingConfig>, watch::Sender<bool>),
}

fn room(script: impl IntoIterator<Item = Recognition>) -> Room {
    let (frames, heard_frames) = mpsc::channel(64);
    let (events, told) = mpsc::channel(1024);
    let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
    let (config, config_changes) = watch::channel(config);
    let scripted: Arc<dyn SpeechToText> = Arc::new(ScriptedSpeech::new(script));
    let (engine, engine_changes) = watch::channel(scripted);
    let (voice, voice_is_out) = watch::channel(false);
    let (orders, at_the_key) = mpsc::channel(8);
    let inputs = HearerInputs {
        frames: heard_frames,
        config: config_changes,
        engine: engine_changes,
        voice_is_out,
        orders: at_the_key,
        activity: Box::new(EnergyGate::default()),
        events,
    };
    tokio::spawn(hearing::run(inputs, CancellationToken::new()));
    Room { frames, events: told, engine, orders, _settings: (config, voice) }
}

fn utterance() -> String {
    format!("{}{}{}", ".".repeat(20), "v".repeat(40), ".".repeat(45))
}

#[tokio::test]
async fn speech_is_kept_while_the_model_is_missing_and_heard_once_it_is_there() {
    let missing = TranscribeError::ModelMissing { path: PathBuf::from("/models/speech.bin") };
    let mut room = room([Recognition::Fails(missing)]);

    play(&room.frames, &utterance()).await;
    let HearingEvent::Trouble(trouble) = next_of_note(&mut room.events).await else {
        panic!("no trouble was told")
    };
    room.engine.send_replace(Arc::new(ScriptedSpeech::new([Recognition::words("what time is it")])));

    assert_eq!(trouble.stage, Stage::Recognition);
    assert!(trouble.remedy.contains("jarvis models fetch"), "{trouble}");
    assert_eq!(next_of_note(&mut room.events).await, HearingEvent::Recovered(Stage::Recognition));
    let HearingEvent::Heard(heard) = next_of_note(&mut room.events).await else {
        panic!("nothing was heard")
    };
    assert_eq!(heard.text, "what time is it");
}

#[tokio::test]
async fn the_last_words_of_a_recording_are_heard_after_its_end() {
    let mut room = room([Recognition::words("and that is all")]);

    play(&room.frames, &format!("{}{}", ".".repeat(20), "v".repeat(40))).await;
    let Room { frames, events, .. } = &mut room;
    let (closed, _) = mpsc::channel(1);
    drop(std::mem::replace(frames, closed));

    let HearingEvent::Heard(heard) = next_of_note(events).await else { panic!("nothing was heard") };
    assert_eq!(heard.text, "and that is all");
}

#[tokio::test]
async fn a_cough_comes_to_nothing() {
    let mut room = room([Recognition::words("never asked")]);

    play(&room.frames, &format!("{}{}{}", ".".repeat(20), "v".repeat(3), ".".repeat(60))).await;

    assert!(matches!(next_of_note(&mut room.events).await, HearingEvent::Nothing { .. }));
}

/// Speech, a pause longer than any that ends an utterance, and more speech.
fn with_a_long_pause() -> String {
    format!("{}{}{}{}", ".".repeat(20), "v".repeat(40), ".".repeat(60), "v".repeat(40))
}

#[tokio::test]
async fn while_the_talk_key_is_held_no_pause_ends_the_utterance() {
    let mut room = room((0..8).map(|_| Recognition::words("what is the weather in Leeds")));
    room.orders.send(TalkOrder::Hold).await.unwrap();

    play(&room.frames, &with_a_long_pause()).await;
    room.orders.send(TalkOrder::Finish).await.unwrap();
    play(&room.frames, &".".repeat(5)).await;

    let HearingEvent::Heard(heard) = next_of_note(&mut room.events).await else {
        panic!("nothing was heard")
    };
    let lasts = heard.ended_at - heard.started_at;
    assert!(lasts > FRAME_DURATION * 140, "it was cut at the pause: {lasts:?}");
}

#[tokio::test]
async fn what_the_user_throws_away_is_not_heard() {
    let mut room = room((0..8).map(|_| Recognition::words("never mind")));

    play(&room.frames, &format!("{}{}", ".".repeat(20), "v".repeat(40))).await;
    room.orders.send(TalkOrder::Discard).await.unwrap();

    assert!(matches!(next_of_note(&mut room.events).await, HearingEvent::Nothing { .. }));
}

#[tokio::test]
async fn orders_of_the_talk_key_are_passed_on_after_they_are_obeyed() {
    let mut room = room((0..8).map(|_| Recognition::words("never mind")));
    play(&room.frames, &format!("{}{}", ".".repeat(20), "v".repeat(40))).await;

    room.orders.send(TalkOrder::Discard).await.unwrap();

    next_of_note(&mut room.events).await;
    let passed_on = tokio::time::timeout(Duration::from_secs(30), room.events.recv()).await.unwrap();
    assert_eq!(passed_on, Some(HearingEvent::TalkKey(TalkOrder::Discard)));
}

#[tokio::test]
async fn an_utterance_that_the_user_ends_waits_for_no_pause() {
    let mut room = room((0..8).map(|_| Recognition::words("what is the weather in the")));

    play(&room.frames, &format!("{}{}", ".".repeat(20), "v".repeat(40))).await;
    room.orders.send(TalkOrder::Finish).await.unwrap();
    // Far less silence than an utterance that sounds unfinished would need.
    play(&room.frames, &".".repeat(5)).await;

    let HearingEvent::Heard(heard) = next_of_note(&mut room.events).await else {
        panic!("nothing was heard")
    };
    assert_eq!(heard.text, "what is the weather in the");
}
