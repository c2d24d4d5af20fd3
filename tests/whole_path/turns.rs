//! Spoken questions, answered aloud.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use assistant::{Assistant, AssistantBuilder, Instance};
use async_trait::async_trait;
use audio::{Pace, WavLoudspeaker};
use futures::StreamExt;
use llm::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message, ModelIdentity,
    ProviderKind, Usage,
};
use speaking::{Piper, PiperFiles, TextToSpeech};
use tokio_util::sync::CancellationToken;
use vocabulary::{AssistantEvent, ReplyEvent, SpeechEvent};

use crate::room::Room;
use crate::turn_log::TurnLog;
use crate::{Figures, percentile, process, recognition};

/// The language model's delay to its first token; the figures are above this.
const FIRST_TOKEN: Duration = Duration::from_millis(200);
/// Its delay from one token to the next: 50 tokens a second.
const EACH_TOKEN: Duration = Duration::from_millis(20);

const ANSWER: &str = "It is twenty past four. There is plenty of time left before the train leaves.";

const QUESTIONS: [&str; 20] = [
    "Jarvis, what time is it?",
    "Jarvis, how is the weather in London?",
    "What is the capital of France, Jarvis?",
    "Jarvis, set a timer for ten minutes.",
    "Tell me a joke, Jarvis.",
    "Jarvis, when does the next train leave?",
    "How tall is the Eiffel Tower, Jarvis?",
    "Jarvis, remind me to call my mother tomorrow.",
    "Jarvis, who wrote this book?",
    "What is on my calendar today, Jarvis?",
    "Jarvis, turn the volume down.",
    "Jarvis, what is seven times eight?",
    "Is it going to rain tomorrow, Jarvis?",
    "Jarvis, how do I boil an egg?",
    "Jarvis, open the kitchen window.",
    "Where did I leave my keys, Jarvis?",
    "Jarvis, what did I say about the garden?",
    "Jarvis, translate good morning into Spanish.",
    "How far is the moon, Jarvis?",
    "Jarvis, play some quiet music.",
];

/// The extent of the measurement.
pub struct Extent {
    /// The first of the questions.
    questions: usize,
    /// Time for which an idle assistant is watched.
    idle: Duration,
    /// The recogniser, as the setting names it.
    speech_model: &'static str,
}

/// For the figures that are published.
pub const ALL_TURNS: Extent =
    Extent { questions: QUESTIONS.len(), idle: Duration::from_secs(30), speech_model: "auto" };

/// The same with the fastest recogniser of the catalogue.
pub const ALL_TURNS_WITH_MOONSHINE: Extent = Extent { speech_model: "moonshine-tiny-en", ..ALL_TURNS };

/// For the checks of every change: enough to count and to compare, not for latencies.
pub const QUICK_TURNS: Extent = Extent { questions: 4, idle: Duration::from_secs(10), ..ALL_TURNS };

/// Answers after a stated delay, and notes when it was asked and when it began.
#[derive(Default)]
struct Stub {
    /// Calls for answers.
    calls: AtomicUsize,
    /// Calls for a short answer in a form: whom an utterance was meant for.
    judgements: AtomicUsize,
    asked_at: Mutex<Option<Instant>>,
    began_at: Arc<Mutex<Option<Instant>>>,
}

impl Stub {
    fn all_calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed) + self.judgements.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl ChatModel for Stub {
    async fn chat(&self, request: ChatRequest, _: CancellationToken) -> Result<ChatStream, LlmError> {
        *self.asked_at.lock().unwrap() = Some(Instant::now());
        let calls = if request.format.is_some() { &self.judgements } else { &self.calls };
        calls.fetch_add(1, Ordering::Relaxed);
        let began_at = Arc::clone(&self.began_at);
        let words: Vec<String> = ANSWER.split_inclusive(' ').map(str::to_owned).collect();
        let tokens = futures::stream::iter(words.into_iter().enumerate()).then(move |(i, word)| {
            let began_at = Arc::clone(&began_at);
            async move {
                tokio::time::sleep(if i == 0 { FIRST_TOKEN } else { EACH_TOKEN }).await;
                if i == 0 {
                    *began_at.lock().unwrap() = Some(Instant::now());
                }
                Ok(ChatEvent::Text(word))
            }
        });
        let end = futures::stream::iter([Ok(ChatEvent::Finished(Usage::unknown(FinishReason::Stop)))]);
        Ok(Box::pin(tokens.chain(end)))
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity::new(ProviderKind::Embedded, "stub")
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        Ok(())
    }
}

pub fn models() -> PathBuf {
    std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from)
}

/// The moments of one turn.
#[derive(Default)]
struct Turn {
    words: Vec<Instant>,
    accepted: Option<Instant>,
    delta: Option<Instant>,
    sentence: Option<Instant>,
    sound: Option<Instant>,
}

pub async fn measure(figures: &mut Figures, extent: &Extent) {
    let log = TurnLog::start();
    let folder = tempfile::tempdir().unwrap();
    let settings = serde_json::json!({
        "listening": { "hot_window_secs": 0 }, "replying": { "fast_path": false },
        "speaking": { "voice": "en_US-joe-medium" }, "hearing": { "speech_model": extent.speech_model },
    });
    std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
    let folders = settings::Folders::under(folder.path());

    let memory_before = process::resident_mb("self");
    let started = Instant::now();
    let quick = Assistant::start(
        AssistantBuilder::new(folders.clone()).with_model(Arc::new(Stub::default())).without_audio(),
        Instance::claim(&folders.data).unwrap(),
    )
    .await
    .unwrap();
    figures.note("start to ready, before models ms", started.elapsed().as_secs_f64() * 1e3);
    figures.note("resident memory, models unloaded MB", process::resident_mb("self"));
    figures.note("of it not pages of files MB", process::private_mb("self"));
    quick.shut_down().await;
    drop(quick);
    println!("(before the assistant: {memory_before:.1} MB)");

    let (room, stub) = (Arc::new(Room::new()), Arc::new(Stub::default()));
    let speaker = Arc::new(WavLoudspeaker::create(folder.path().join("out.wav"), Pace::RealTime).unwrap());
    let parts = AssistantBuilder::new(folders.clone())
        .with_microphone(room.clone())
        .with_loudspeaker(speaker)
        .with_model(stub.clone())
        .ready_first();
    let assistant = Assistant::start(parts, Instance::claim(&folders.data).unwrap()).await.unwrap();
    assistant.open_microphone();
    // The voice loads beside recognition; the first turn must not pay for it.
    tokio::time::sleep(Duration::from_secs(3)).await;

    let user = user_voice();
    let mut spans: Vec<(&str, Vec<f64>)> = [
        "end of speech to first sound, above the model's delay",
        "  recognition tail (end of speech to words)",
        "  endpoint wait (words to accepted)",
        "  first token above the model's delay",
        "  first sentence (first to last token of it)",
        "  synthesis and playback",
        "engine without the model",
    ]
    .map(|name| (name, Vec::new()))
    .into();
    let mut sounds = Vec::new();
    let mut missed = 0;
    for question in &QUESTIONS[..extent.questions] {
        log.clear();
        let calls_before = stub.all_calls();
        let speech = user.synthesise(question, 1.0, &CancellationToken::new()).unwrap();
        let mut events = assistant.subscribe();
        let mut turn = Turn::default();
        let sound = without_trailing_silence(to_16_khz(&speech.samples, speech.rate_hz));
        sounds.push(sound.clone());
        let listening = async {
            loop {
                let Ok(event) = events.recv().await else { continue };
                let now = Instant::now();
                match event {
                    AssistantEvent::Partial { .. } => turn.words.push(now),
                    AssistantEvent::Asked { .. } => turn.accepted = turn.accepted.or(Some(now)),
                    AssistantEvent::Reply { event: ReplyEvent::Delta { .. }, .. } => {
                        turn.delta = turn.delta.or(Some(now));
                    }
                    AssistantEvent::Reply { event: ReplyEvent::Sentence { .. }, .. } => {
                        turn.sentence = turn.sentence.or(Some(now));
                    }
                    AssistantEvent::Speech(SpeechEvent::Started { at, .. }) => turn.sound = Some(at),
                    AssistantEvent::Speech(SpeechEvent::Finished { .. }) => return,
                    _ => {}
                }
            }
        };
        let listening = tokio::time::timeout(Duration::from_secs(30), listening);
        let (ended_at, heard) = tokio::join!(room.play(sound), listening);
        if heard.is_err() {
            println!("not answered: {question}\n{}", log.text());
            missed += 1;
            continue;
        }
        let calls = stub.all_calls() - calls_before;
        if calls > 1 {
            println!("{calls} model calls: {question}\n{}", log.text());
        }
        let (asked, began) = (stub.asked_at.lock().unwrap().unwrap(), stub.began_at.lock().unwrap().unwrap());
        let (Some(accepted), Some(delta), Some(sentence), Some(sound)) =
            (turn.accepted, turn.delta, turn.sentence, turn.sound)
        else {
            println!("not followed to its end: {question}\n{}", log.text());
            missed += 1;
            continue;
        };
        // Words shown while the user still spoke were not the last ones; those after the longest pause count.
        let words = turn.words.iter().copied().find(|at| *at > ended_at).unwrap_or(accepted);
        let ms = |from: Instant, to: Instant| {
            to.saturating_duration_since(from).as_secs_f64() * 1e3
                - from.saturating_duration_since(to).as_secs_f64() * 1e3
        };
        // What the model takes is its first token and the rest of its first sentence.
        let model = ms(asked, began) + ms(delta, sentence);
        let values = [
            ms(ended_at, sound) - model,
            ms(ended_at, words),
            ms(words, accepted),
            ms(accepted, delta) - ms(asked, began),
            ms(delta, sentence),
            ms(sentence, sound),
            ms(accepted, asked) + ms(began, delta),
        ];
        for ((_, collected), value) in spans.iter_mut().zip(values) {
            collected.push(value);
        }
    }
    figures.note("turns answered, %", (extent.questions - missed) as f64 / extent.questions as f64 * 100.0);
    let per_turn = |calls: &AtomicUsize| calls.load(Ordering::Relaxed) as f64 / extent.questions as f64;
    figures.note("model calls per turn", per_turn(&stub.calls));
    figures.note("judgements per turn", per_turn(&stub.judgements));
    figures.note("stated delay of the model to its first token ms", FIRST_TOKEN.as_secs_f64() * 1e3);
    for (name, values) in &spans {
        figures.note_spread(name, values);
    }
    let [(_, whole), .., (_, engine)] = spans.as_slice() else { unreachable!("there are several spans") };
    if !engine.is_empty() {
        let share = percentile(engine, 0.5) / percentile(whole, 0.5);
        figures.note("engine without the model, % of the whole path", share * 100.0);
    }
    figures.note("resident memory, recognition and voice loaded MB", process::resident_mb("self"));
    let busy_so_far = || testkit::cpu_time(std::process::id()).unwrap_or_default();
    let (before, began) = (busy_so_far(), Instant::now());
    tokio::time::sleep(extent.idle).await;
    let busy = (busy_so_far() - before).as_secs_f64();
    figures.note("idle CPU in silence, % of one core", busy / began.elapsed().as_secs_f64() * 100.0);
    assistant.shut_down().await;
    let [_, (_, tail), ..] = spans.as_slice() else { unreachable!("there are several spans") };
    recognition::note(figures, &sounds, tail);
}

fn user_voice() -> Piper {
    let models = models();
    let files = PiperFiles {
        library: models.join("runtime/libonnxruntime.so"),
        network: models.join("voices/en_US-joe-medium.onnx"),
        configuration: models.join("voices/en_US-joe-medium.onnx.json"),
    };
    Piper::load("user", &files, 2).expect("the voice is installed: run `cargo xtask models`")
}

/// Speech ends with its last audible sample, not with the file.
fn without_trailing_silence(mut samples: Vec<f32>) -> Vec<f32> {
    let end = samples.iter().rposition(|sample| sample.abs() > 0.01).map_or(0, |last| last + 1);
    samples.truncate(end);
    samples
}

fn to_16_khz(samples: &[f32], rate_hz: u32) -> Vec<f32> {
    let step = f64::from(rate_hz) / 16_000.0;
    (0..(samples.len() as f64 / step) as usize).map(|i| samples[(i as f64 * step) as usize]).collect()
}
