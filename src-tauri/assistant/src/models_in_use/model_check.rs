//! Tries a model on this machine: each kind gets a small task, and the result is a sentence.

use std::time::{Duration, Instant};

use embedding::InstalledEmbedder;
use futures::StreamExt;
use hearing::{CamPlusPlus, DecodeEffort, DecodeRequest, EndpointModel, SpeakerEmbedder, SpeechToText};
use llm::embedded::default_worker_path;
use llm::{ChatEvent, ChatModel, ChatRequest, EmbedRole, EmbeddedConfig, EmbeddedModel, Embedder, Message};
use models::{CatalogueEntry, Machine, ModelStore, Purpose};
use settings::Settings;
use speaking::{InstalledVoices, TextToSpeech, Voices};
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, SAMPLE_RATE_HZ, Stage, Trouble};

use crate::models_in_use::endpoint_model::EndpointModelChoice;
use crate::models_in_use::recogniser::RecogniserChoice;
use crate::sound_paths::voice::VOICE_THREADS;

/// "What time is it in Leeds?", said by espeak-ng: 16 kHz, 16 bits.
const SPOKEN: &[u8] = include_bytes!("../../assets/what-time-is-it-in-leeds.pcm");
const SPEAKABLE: &str = "This is how I sound. Ask me anything, at any time.";
const QUESTION: &str = "Say hello in one short sentence.";
const LONGEST_ANSWER: u32 = 40;
/// Two sentences of similar meaning, and one of another.
const ALIKE: [&str; 3] = ["My dog is ill", "The puppy is not well", "The train was late"];

/// Tries an installed model, and returns the result as a sentence. Takes a little longer than loading the model.
///
/// # Errors
///
/// A [`Trouble`] when the model does not work.
pub async fn try_model(
    entry: &'static CatalogueEntry,
    store: &ModelStore,
    settings: &Settings,
) -> Result<String, Trouble> {
    match entry.purpose {
        Purpose::SpeechToText => {
            let engine = RecogniserChoice::from_entry(entry, store, settings).engine();
            off_the_async_threads(move || try_recogniser(engine.as_ref())).await
        }
        Purpose::Endpoint => {
            let Some(model) = EndpointModelChoice::from_entry(entry, store).model() else {
                return Err(not_built_in(entry));
            };
            off_the_async_threads(move || try_endpoint_model(model.as_ref())).await
        }
        Purpose::Voice => {
            let voices = InstalledVoices::new(store.clone(), Machine::this(), VOICE_THREADS);
            let id = entry.id.clone();
            off_the_async_threads(move || {
                try_voice(voices.load(&id).map_err(|error| error.trouble())?.as_ref())
            })
            .await
        }
        Purpose::LanguageModel => {
            let config =
                EmbeddedConfig::from_settings(&settings.llm, default_worker_path(), path_of(entry, store)?);
            try_language_model(&EmbeddedModel::new(config)).await
        }
        Purpose::Embedding => {
            try_embedder(&InstalledEmbedder::with_model(store.clone(), Machine::this(), entry)).await
        }
        Purpose::SpeakerEmbedding => {
            let embedder = CamPlusPlus::new(path_of(entry, store)?);
            off_the_async_threads(move || try_speaker_model(&embedder)).await
        }
        Purpose::KeywordSpotting | Purpose::VoiceActivity | Purpose::Runtime => Err(Trouble::new(
            Stage::Download,
            format!("{} does nothing that could be tried alone.", entry.label),
            "Try a model that uses it.",
        )),
    }
}

fn not_built_in(entry: &CatalogueEntry) -> Trouble {
    let what = format!("This build of Jarvis cannot run {}.", entry.label);
    Trouble::new(
        Stage::Recognition,
        what,
        "Download the ONNX Runtime, or install a build with neural models.",
    )
}

fn path_of(entry: &CatalogueEntry, store: &ModelStore) -> Result<std::path::PathBuf, Trouble> {
    store
        .path_of(&entry.id)
        .map_err(|error| Trouble::from_error(Stage::Download, &error, "Download it, then try again."))
}

async fn off_the_async_threads(
    trial: impl FnOnce() -> Result<String, Trouble> + Send + 'static,
) -> Result<String, Trouble> {
    let tried = tokio::task::spawn_blocking(trial).await;
    tried.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

fn spoken() -> Vec<f32> {
    let sample = |bytes: &[u8]| f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) / f32::from(i16::MAX);
    SPOKEN.chunks_exact(2).map(sample).collect()
}

fn try_recogniser(engine: &dyn SpeechToText) -> Result<String, Trouble> {
    let samples = spoken();
    engine.warm_up().map_err(|error| error.trouble())?;
    let began = Instant::now();
    let request = DecodeRequest { language: Language::new("en"), name: None, effort: DecodeEffort::Final };
    let heard =
        engine.transcribe(&samples, &request, &CancellationToken::new()).map_err(|error| error.trouble())?;
    let words: Vec<&str> = heard.segments.iter().map(|segment| segment.text.trim()).collect();
    let lasts = Duration::from_secs_f64(samples.len() as f64 / f64::from(SAMPLE_RATE_HZ));
    Ok(format!("Heard “{}” in {} of speech, after {}.", words.join(" "), secs(lasts), secs(began.elapsed())))
}

/// The question with the pause after it, and the same question broken off.
fn try_endpoint_model(model: &dyn EndpointModel) -> Result<String, Trouble> {
    let samples = spoken();
    let began = Instant::now();
    let probability = |samples: &[f32]| model.probability_of_end(samples).map_err(|error| error.trouble());
    let (whole, broken_off) = (probability(&samples)?, probability(&samples[..samples.len() / 2])?);
    Ok(format!(
        "Takes a question for finished with {:.0} %, and half of it with {:.0} %, after {}.",
        whole * 100.0,
        broken_off * 100.0,
        secs(began.elapsed())
    ))
}

fn try_speaker_model(embedder: &dyn SpeakerEmbedder) -> Result<String, Trouble> {
    let samples = spoken();
    let began = Instant::now();
    let embed = |samples| embedder.embed(samples).map_err(|error| error.trouble());
    let (first, second) = (embed(&samples[..samples.len() / 2])?, embed(&samples[samples.len() / 2..])?);
    let similarity = first.similarity(&second).max(0.0) * 100.0;
    Ok(format!("Two halves of a sentence are {similarity:.0} % alike, after {}.", secs(began.elapsed())))
}

fn try_voice(voice: &dyn TextToSpeech) -> Result<String, Trouble> {
    let began = Instant::now();
    let speech =
        voice.synthesise(SPEAKABLE, 1.0, &CancellationToken::new()).map_err(|error| error.trouble())?;
    Ok(format!("Made {} of speech in {}.", secs(speech.duration()), secs(began.elapsed())))
}

async fn try_language_model(model: &dyn ChatModel) -> Result<String, Trouble> {
    let began = Instant::now();
    let request = ChatRequest::new(vec![Message::user(QUESTION)]).with_max_tokens(LONGEST_ANSWER);
    let mut answer = String::new();
    let mut first_after = None;
    let mut events = model.chat(request, CancellationToken::new()).await.map_err(|error| error.trouble())?;
    while let Some(event) = events.next().await {
        if let ChatEvent::Text(text) = event.map_err(|error| error.trouble())? {
            first_after.get_or_insert_with(|| began.elapsed());
            answer.push_str(&text);
        }
    }
    let first = secs(first_after.unwrap_or_else(|| began.elapsed()));
    Ok(format!("Answered “{}”. The first word came after {first}, loading included.", answer.trim()))
}

async fn try_embedder(embedder: &dyn Embedder) -> Result<String, Trouble> {
    let began = Instant::now();
    let texts = ALIKE.map(str::to_owned);
    let vectors = embedder.embed(&texts, EmbedRole::Passage, CancellationToken::new()).await;
    let vectors = vectors.map_err(|error| error.trouble())?;
    let alike = |a: usize, b: usize| -> f32 { vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum() };
    Ok(format!(
        "“{}” and “{}” are {:.0} % alike, “{}” is {:.0} %, after {}.",
        ALIKE[0],
        ALIKE[1],
        alike(0, 1) * 100.0,
        ALIKE[2],
        alike(0, 2).max(0.0) * 100.0,
        secs(began.elapsed())
    ))
}

fn secs(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
