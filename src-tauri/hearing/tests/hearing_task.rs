//! The hearing task with a scripted recogniser: the end of an utterance, and failures of recognition.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hearing::{
    EndpointModel, EnergyGate, HearingConfig, HearingInputs, KeywordSpotter, PassTiming, SpeechToText,
    TranscribeError,
};
use rstest::rstest;
use settings::{HearingSettings, ListeningSettings, Patience};
use testkit::{Recognition, ScriptedEndpointModel, ScriptedSpeech, ScriptedSpotter};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, HearingEvent, Stage, TalkOrder};

/// Sends frames of speech (`v`) and silence (`.`).
async fn play(frames: &mpsc::Sender<Frame>, pattern: &str) {
    let began = Instant::now();
    for (c, so_far) in pattern.chars().zip(1..) {
        let captured_at = began + FRAME_DURATION * so_far;
        let frame = Frame::new([if c == 'v' { 0.3 } else { 0.0 }; FRAME_SAMPLES], captured_at);
        frames.send(frame).await.unwrap();
        // Decoding runs on another thread: let its results arrive.
        tokio::task::yield_now().await;
    }
}

async fn next_final_event(events: &mut mpsc::Receiver<HearingEvent>) -> HearingEvent {
    loop {
        let event = tokio::time::timeout(Duration::from_secs(30), events.recv()).await.unwrap().unwrap();
        let is_progress = matches!(
            event,
            HearingEvent::Level { .. }
                | HearingEvent::SpeechStarted { .. }
                | HearingEvent::Partial { .. }
                | HearingEvent::TalkKey(_)
        );
        if !is_progress {
            return event;
        }
    }
}

struct TestTask {
    frames: mpsc::Sender<Frame>,
    events: mpsc::Receiver<HearingEvent>,
    engine: watch::Sender<Arc<dyn SpeechToText>>,
    orders: mpsc::Sender<TalkOrder>,
    /// `true` while the voice of the assistant plays.
    voice: watch::Sender<bool>,
    /// `true` while the rules of listening need every word.
    needs_all_words: watch::Sender<bool>,
    _config: watch::Sender<HearingConfig>,
}

fn start_task(script: impl IntoIterator<Item = Recognition>) -> TestTask {
    start(script, None, PassTiming::Live, &HearingSettings::default())
}

/// A task with an endpoint model, whose passes take this much sound.
fn start_with_votes(words: &str, pass_ms: u64, model: &Arc<ScriptedEndpointModel>) -> TestTask {
    let script = (0..8).map(|_| Recognition::words(words));
    let timing = PassTiming::InSound(Duration::from_millis(pass_ms));
    let model: Arc<dyn EndpointModel> = model.clone();
    start_with(script, None, timing, &HearingSettings::default(), Some(model))
}

/// A task whose passes take 0.3 s of sound.
fn start_recording(script: impl IntoIterator<Item = Recognition>) -> TestTask {
    start(script, None, PassTiming::InSound(Duration::from_millis(300)), &HearingSettings::default())
}

/// The same with a first stage in sound.
fn start_with_first_stage(
    script: impl IntoIterator<Item = Recognition>,
    spotted: impl IntoIterator<Item = Result<bool, TranscribeError>>,
) -> TestTask {
    let spotter: Arc<dyn KeywordSpotter> = Arc::new(ScriptedSpotter::new(spotted));
    let timing = PassTiming::InSound(Duration::from_millis(300));
    start(script, Some(spotter), timing, &HearingSettings::default())
}

fn start(
    script: impl IntoIterator<Item = Recognition>,
    spotter: Option<Arc<dyn KeywordSpotter>>,
    timing: PassTiming,
    hearing: &HearingSettings,
) -> TestTask {
    start_with(script, spotter, timing, hearing, None)
}

fn start_with(
    script: impl IntoIterator<Item = Recognition>,
    spotter: Option<Arc<dyn KeywordSpotter>>,
    timing: PassTiming,
    hearing: &HearingSettings,
    endpoint_model: Option<Arc<dyn EndpointModel>>,
) -> TestTask {
    let (frames, frames_to_task) = mpsc::channel(64);
    let (events, received) = mpsc::channel(1024);
    let config = HearingConfig::new(hearing, &ListeningSettings::default()).unwrap();
    let (config, config_changes) = watch::channel(config);
    let scripted: Arc<dyn SpeechToText> = Arc::new(ScriptedSpeech::new(script));
    let (engine, engine_changes) = watch::channel(scripted);
    let (voice, is_voice_playing) = watch::channel(false);
    let (needs_all_words, needed) = watch::channel(false);
    let (orders, orders_to_task) = mpsc::channel(8);
    let inputs = HearingInputs {
        frames: frames_to_task,
        config: config_changes,
        engine: engine_changes,
        keyword_spotter: watch::channel(spotter).1,
        endpoint_model: watch::channel(endpoint_model).1,
        needs_all_words: needed,
        is_voice_playing,
        orders: orders_to_task,
        activity: Box::new(EnergyGate::default()),
        timing,
        events,
    };
    tokio::spawn(hearing::run(inputs, CancellationToken::new()));
    TestTask { frames, events: received, engine, orders, voice, needs_all_words, _config: config }
}

fn utterance() -> String {
    format!("{}{}{}", ".".repeat(20), "v".repeat(40), ".".repeat(45))
}

#[tokio::test]
async fn speech_without_a_model_is_recognised_once_it_is_installed() {
    let missing = TranscribeError::ModelMissing { path: PathBuf::from("/models/speech.bin") };
    let mut task = start_task([Recognition::Fails(missing)]);

    play(&task.frames, &utterance()).await;
    let HearingEvent::Trouble(trouble) = next_final_event(&mut task.events).await else {
        panic!("no trouble was reported")
    };
    let ended = next_final_event(&mut task.events).await;
    task.engine.send_replace(Arc::new(ScriptedSpeech::new([Recognition::words("what time is it")])));

    assert!(matches!(ended, HearingEvent::Nothing { .. }), "nobody speaks any more: {ended:?}");
    assert_eq!(trouble.stage, Stage::Recognition);
    assert!(trouble.remedy.contains("jarvis models fetch"), "{trouble}");
    assert_eq!(next_final_event(&mut task.events).await, HearingEvent::Recovered(Stage::Recognition));
    let HearingEvent::Heard(heard) = next_final_event(&mut task.events).await else {
        panic!("nothing was heard")
    };
    assert_eq!(heard.text, "what time is it");
}

#[tokio::test]
async fn last_words_of_a_recording_are_reported_after_its_end() {
    let mut task = start_task([Recognition::words("and that is all")]);

    play(&task.frames, &format!("{}{}", ".".repeat(20), "v".repeat(40))).await;
    let TestTask { frames, events, .. } = &mut task;
    let (closed, _) = mpsc::channel(1);
    drop(std::mem::replace(frames, closed));

    let HearingEvent::Heard(heard) = next_final_event(events).await else { panic!("nothing was heard") };
    assert_eq!(heard.text, "and that is all");
}

#[tokio::test]
async fn sound_without_words_belongs_to_the_speech_that_follows() {
    let script = [Recognition::words(""), Recognition::words("Jarvis, make me some tea.")];
    let mut task = start_recording(script);
    let (name, pause, order) = ("v".repeat(25), ".".repeat(55), "v".repeat(60));

    play(&task.frames, &format!("{}{name}{pause}{order}{}", ".".repeat(20), ".".repeat(60))).await;

    assert!(matches!(next_final_event(&mut task.events).await, HearingEvent::Nothing { .. }));
    let HearingEvent::Heard(heard) = next_final_event(&mut task.events).await else {
        panic!("nothing was heard")
    };
    let lasts = heard.ended_at - heard.started_at;
    assert_eq!(heard.text, "Jarvis, make me some tea.");
    assert!(lasts >= FRAME_DURATION * (25 + 55 + 60), "the sound before is not in it: {lasts:?}");
}

#[tokio::test]
async fn echo_without_words_does_not_cut_the_speech_that_follows() {
    let mut task = start_recording([Recognition::words(""), Recognition::words("Jarvis, stop the music.")]);
    task.voice.send_replace(true);
    let (echo, pause, order) = ("v".repeat(100), ".".repeat(50), "v".repeat(60));

    play(&task.frames, &format!("{}{echo}{pause}{order}{}", ".".repeat(20), ".".repeat(60))).await;

    assert!(matches!(next_final_event(&mut task.events).await, HearingEvent::Nothing { .. }));
    let HearingEvent::Heard(heard) = next_final_event(&mut task.events).await else {
        panic!("nothing was heard")
    };
    let lasts = heard.ended_at - heard.started_at;
    assert_eq!(heard.text, "Jarvis, stop the music.");
    assert!((60..100).contains(&(lasts.as_millis() / FRAME_DURATION.as_millis())), "{lasts:?}");
}

#[tokio::test]
async fn cough_is_reported_as_nothing() {
    let mut task = start_task([Recognition::words("never asked")]);

    play(&task.frames, &format!("{}{}{}", ".".repeat(20), "v".repeat(3), ".".repeat(60))).await;

    assert!(matches!(next_final_event(&mut task.events).await, HearingEvent::Nothing { .. }));
}

/// Speech, a pause longer than the endpoint silence, and more speech.
fn with_a_long_pause() -> String {
    format!("{}{}{}{}", ".".repeat(20), "v".repeat(40), ".".repeat(60), "v".repeat(40))
}

#[tokio::test]
async fn pause_does_not_end_the_utterance_while_the_key_is_held() {
    let mut task = start_task((0..8).map(|_| Recognition::words("what is the weather in Leeds")));
    task.orders.send(TalkOrder::Hold).await.unwrap();

    play(&task.frames, &with_a_long_pause()).await;
    task.orders.send(TalkOrder::Finish).await.unwrap();
    play(&task.frames, &".".repeat(5)).await;

    let HearingEvent::Heard(heard) = next_final_event(&mut task.events).await else {
        panic!("nothing was heard")
    };
    let lasts = heard.ended_at - heard.started_at;
    assert!(lasts > FRAME_DURATION * 140, "it ended at the pause: {lasts:?}");
}

#[rstest]
#[case::normal(Patience::Normal, false)]
#[case::patient(Patience::Patient, true)]
#[tokio::test]
async fn pause_of_a_patient_user_does_not_end_the_utterance(
    #[case] patience: Patience,
    #[case] is_whole: bool,
) {
    let hearing = HearingSettings { patience, ..HearingSettings::default() };
    let script = (0..8).map(|_| Recognition::words("what is the weather in the"));
    let mut task = start(script, None, PassTiming::Live, &hearing);

    play(&task.frames, &with_a_long_pause()).await;
    play(&task.frames, &".".repeat(90)).await;

    let HearingEvent::Heard(heard) = next_final_event(&mut task.events).await else {
        panic!("nothing was heard")
    };
    let spoken = heard.ended_at - heard.started_at;
    assert_eq!(spoken > FRAME_DURATION * 140, is_whole, "{spoken:?}");
}

#[tokio::test]
async fn discarded_utterance_is_reported_as_nothing() {
    let mut task = start_task((0..8).map(|_| Recognition::words("never mind")));

    play(&task.frames, &format!("{}{}", ".".repeat(20), "v".repeat(40))).await;
    task.orders.send(TalkOrder::Discard).await.unwrap();

    assert!(matches!(next_final_event(&mut task.events).await, HearingEvent::Nothing { .. }));
}

#[tokio::test]
async fn order_of_the_talk_key_is_reported_after_it_is_applied() {
    let mut task = start_task((0..8).map(|_| Recognition::words("never mind")));
    play(&task.frames, &format!("{}{}", ".".repeat(20), "v".repeat(40))).await;

    task.orders.send(TalkOrder::Discard).await.unwrap();

    next_final_event(&mut task.events).await;
    let passed_on = tokio::time::timeout(Duration::from_secs(30), task.events.recv()).await.unwrap();
    assert_eq!(passed_on, Some(HearingEvent::TalkKey(TalkOrder::Discard)));
}

#[tokio::test]
async fn utterance_ended_with_the_talk_key_needs_little_silence() {
    let mut task = start_task((0..8).map(|_| Recognition::words("what is the weather in the")));

    play(&task.frames, &format!("{}{}", ".".repeat(20), "v".repeat(40))).await;
    task.orders.send(TalkOrder::Finish).await.unwrap();
    // Much less silence than an utterance that sounds unfinished needs.
    play(&task.frames, &".".repeat(5)).await;

    let HearingEvent::Heard(heard) = next_final_event(&mut task.events).await else {
        panic!("nothing was heard")
    };
    assert_eq!(heard.text, "what is the weather in the");
}

/// Speech of more than a second, which is searched while it is said and at its end.
fn long_utterance() -> String {
    format!("{}{}{}", ".".repeat(20), "v".repeat(70), ".".repeat(60))
}

/// The final events until the sound has ended: the words of what was heard, and an empty text for nothing.
async fn heard_until_the_end(task: TestTask) -> Vec<String> {
    let TestTask { frames, mut events, needs_all_words: _needed, voice: _voice, engine: _engine, .. } = task;
    drop(frames);
    let mut heard = Vec::new();
    while let Some(event) = events.recv().await {
        match event {
            HearingEvent::Heard(utterance) => heard.push(utterance.text),
            HearingEvent::EarlierTalk(utterance) => heard.push(format!("(earlier) {}", utterance.text)),
            HearingEvent::Nothing { .. } => heard.push(String::new()),
            _ => {}
        }
    }
    heard
}

#[tokio::test]
async fn speech_without_the_name_is_not_decoded() {
    let task = start_with_first_stage([Recognition::words("we should go")], []);

    play(&task.frames, &long_utterance()).await;

    assert_eq!(heard_until_the_end(task).await, [""]);
}

#[rstest]
#[case::while_it_is_said([Ok(true), Ok(false)])]
#[case::at_its_end([Ok(false), Ok(true)])]
#[case::spotter_fails([Ok(false), Err(TranscribeError::NotBuiltIn)])]
#[tokio::test]
async fn speech_with_the_name_is_decoded_from_its_start(#[case] spotted: [Result<bool, TranscribeError>; 2]) {
    let mut task = start_with_first_stage([Recognition::words("Jarvis, what time is it?")], spotted);

    play(&task.frames, &long_utterance()).await;

    let HearingEvent::Heard(heard) = next_final_event(&mut task.events).await else {
        panic!("nothing was heard")
    };
    let lasts = heard.ended_at - heard.started_at;
    assert_eq!(heard.text, "Jarvis, what time is it?");
    assert!(lasts >= FRAME_DURATION * 70, "the beginning is not in it: {lasts:?}");
}

#[tokio::test]
async fn talk_before_the_name_is_decoded_first() {
    let script = ["I would paint the kitchen green.", "Jarvis, what do you think?"].map(Recognition::words);
    let task = start_with_first_stage(script, [Ok(false), Ok(false), Ok(true)]);

    play(&task.frames, &format!("{}{}", long_utterance(), long_utterance())).await;

    let talk_and_query = ["", "(earlier) I would paint the kitchen green.", "Jarvis, what do you think?"];
    assert_eq!(heard_until_the_end(task).await, talk_and_query);
}

#[tokio::test]
async fn every_word_is_decoded_while_the_rules_need_it() {
    let task = start_with_first_stage([Recognition::words("and tomorrow?")], []);
    task.needs_all_words.send_replace(true);

    play(&task.frames, &long_utterance()).await;

    assert_eq!(heard_until_the_end(task).await, ["and tomorrow?"]);
}

#[tokio::test]
async fn speech_that_was_left_out_is_told_as_earlier_talk_when_the_rules_need_it() {
    let mut task = start_with_first_stage([Recognition::words("what time is it?")], []);
    play(&task.frames, &long_utterance()).await;
    assert!(matches!(next_final_event(&mut task.events).await, HearingEvent::Nothing { .. }));

    task.needs_all_words.send_replace(true);
    play(&task.frames, "..").await;

    assert_eq!(heard_until_the_end(task).await, ["(earlier) what time is it?"]);
}

#[tokio::test]
async fn need_of_every_word_that_ends_meanwhile_loses_nothing() {
    let mut task = start_with_first_stage([Recognition::words("and tomorrow?")], []);
    play(&task.frames, &format!("{}{}", ".".repeat(20), "v".repeat(70))).await;
    task.needs_all_words.send_replace(true);
    play(&task.frames, &"v".repeat(30)).await;
    while !matches!(task.events.recv().await.unwrap(), HearingEvent::Partial { .. }) {}

    task.needs_all_words.send_replace(false);
    play(&task.frames, &format!("{}{}", "v".repeat(20), ".".repeat(60))).await;

    assert_eq!(heard_until_the_end(task).await, ["and tomorrow?"]);
}

#[tokio::test]
async fn speech_over_our_voice_is_decoded() {
    let task = start_with_first_stage([Recognition::words("stop")], []);
    task.voice.send_replace(true);

    play(&task.frames, &long_utterance()).await;

    assert_eq!(heard_until_the_end(task).await, ["stop"]);
}

#[tokio::test]
async fn speech_while_the_talk_key_is_held_is_decoded() {
    let task = start_with_first_stage([Recognition::words("what time is it?")], []);
    task.orders.send(TalkOrder::Hold).await.unwrap();

    play(&task.frames, &long_utterance()).await;

    assert_eq!(heard_until_the_end(task).await, ["what time is it?"]);
}

#[rstest]
#[case::sure_of_the_end("what time is it", Some(0.97), true)]
#[case::unsure_of_the_end("what time is it", Some(0.9), false)]
#[case::words_that_hang("what is the weather in the", Some(0.99), false)]
#[case::name_alone("jarvis", Some(0.99), false)]
#[case::failed_vote("what time is it", None, false)]
#[tokio::test]
async fn vote_of_the_sound_shortens_the_wait_after_a_request(
    #[case] words: &str,
    #[case] vote: Option<f32>,
    #[case] is_ended_by_the_pause: bool,
) {
    let mut task = start_with_votes(words, 100, &Arc::new(ScriptedEndpointModel::new(vote)));
    // 0.44 s: between the shortest pause and the one for words without punctuation.
    let pause = ".".repeat(22);

    let speech = "v".repeat(40);
    play(&task.frames, &format!("{}{speech}{pause}{speech}{}", ".".repeat(20), ".".repeat(60))).await;

    let HearingEvent::Heard(heard) = next_final_event(&mut task.events).await else {
        panic!("nothing was heard")
    };
    let spoken = heard.ended_at - heard.started_at;
    assert_eq!(spoken < FRAME_DURATION * 80, is_ended_by_the_pause, "{spoken:?}");
}

#[rstest]
#[case::words_may_be_a_request("what time is it", 2)]
#[case::words_hang("what is the weather in the", 0)]
#[tokio::test]
async fn endpoint_model_is_asked_once_a_pause_if_it_matters(#[case] words: &str, #[case] votes: usize) {
    let model = Arc::new(ScriptedEndpointModel::new(Some(0.5)));
    let mut task = start_with_votes(words, 20, &model);
    let (speech, pause) = ("v".repeat(40), ".".repeat(20));

    play(&task.frames, &format!("{}{speech}{pause}{speech}{}", ".".repeat(20), ".".repeat(60))).await;

    assert!(matches!(next_final_event(&mut task.events).await, HearingEvent::Heard(_)));
    assert_eq!(model.asked(), votes);
}
