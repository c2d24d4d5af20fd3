//! Requests about enrolled voices.

use std::path::{Path, PathBuf};
use std::time::Duration;

use audio::{AudioError, CaptureEvent, Microphone, decode_speech};
use hearing::{CamPlusPlus, Earshot, SpeakerEmbedder, VoiceActivity};
use memory::Memory;
use tokio_util::sync::CancellationToken;
use vocabulary::{
    EnrolledVoice, FRAME_DURATION, FRAME_SAMPLES, SAMPLE_RATE_HZ, SpeakerEmbedding, Stage, Trouble,
};

use super::failure::Failure;
use super::parts::DataService;
use super::responder::Responder;
use crate::data_access::requests::{Response, VoicesAnswer, VoicesRequest};
use crate::models_in_use::speaker_model::speaker_model;

/// The least speech to enrol a voice with, in samples: five seconds, some two sentences.
const MIN_SAMPLES: usize = 5 * SAMPLE_RATE_HZ as usize;

/// The speech to take from the microphone, in samples: twelve seconds, three parts.
const ENOUGH_SAMPLES: usize = 12 * SAMPLE_RATE_HZ as usize;

/// The time to wait for that speech.
const LONGEST_WAIT: Duration = Duration::from_secs(40);

/// The length of the parts that a recording is cut into, in samples: each part becomes one embedding, and their mean the
/// voice.
const PART_SAMPLES: usize = 4 * SAMPLE_RATE_HZ as usize;

impl DataService {
    pub(super) async fn run_voices(
        &self,
        request: VoicesRequest,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let opened = self.open(responder).await?;
        let outcome = self.run_voices_on(&opened, request, responder).await;
        if let Ok(voices) = opened.voices().await {
            self.parts.voices.replace(voices);
        }
        opened.close().await;
        outcome
    }

    async fn run_voices_on(
        &self,
        memory: &Memory,
        request: VoicesRequest,
        responder: &Responder,
    ) -> Result<(), Failure> {
        match request {
            VoicesRequest::List => {
                for EnrolledVoice { name, .. } in memory.voices().await? {
                    responder.send(Response::Voices(VoicesAnswer::Voice { name })).await?;
                }
                Ok(())
            }
            VoicesRequest::Enrol { name, recordings } => {
                let name = name.trim().to_owned();
                if name.is_empty() {
                    return Err(Failure::refused("A voice needs a name: use the one of its owner."));
                }
                let recordings = match recordings.is_empty() {
                    true => vec![self.listen(responder).await?],
                    false => recordings_of(recordings).await?,
                };
                let model = CamPlusPlus::new(speaker_model(self.parts.library.store()));
                let embedding =
                    tokio::task::spawn_blocking(move || embedding_of(&model, &recordings)).await??;
                memory.enrol_voice(EnrolledVoice { name: name.clone(), embedding }).await?;
                responder.send(Response::Voices(VoicesAnswer::Voice { name })).await
            }
            VoicesRequest::Remove { name } => match memory.remove_voice(name.trim().to_owned()).await? {
                true => Ok(()),
                false => Err(Failure::refused(format!("There is no voice of {name}."))),
            },
        }
    }
}

impl DataService {
    /// The speech that the microphone hears next.
    async fn listen(&self, responder: &Responder) -> Result<Vec<f32>, Failure> {
        let microphone = (self.parts.microphone)(&self.parts.settings.current().audio.microphone);
        responder.send(Response::Voices(VoicesAnswer::Listening)).await?;
        let stop = CancellationToken::new();
        // The microphone closes when the user gives up.
        let _guard = stop.clone().drop_guard();
        let heard = tokio::task::spawn_blocking(move || speech_from(microphone.as_ref(), &stop)).await?;
        heard.map_err(|error| Failure::Trouble(error.trouble()))
    }
}

/// Listens until there is enough speech, or until [`LONGEST_WAIT`] or `stop`.
fn speech_from(microphone: &dyn Microphone, stop: &CancellationToken) -> Result<Vec<f32>, AudioError> {
    let (mut capture, mut activity, mut speech) = (microphone.open()?, Earshot::new(), Vec::new());
    for _ in 0..LONGEST_WAIT.as_millis() / FRAME_DURATION.as_millis() {
        match capture.frames.blocking_recv() {
            Some(CaptureEvent::Frame(frame)) if activity.is_voiced(&frame.samples) => {
                speech.extend_from_slice(&frame.samples);
            }
            Some(CaptureEvent::Frame(_)) => {}
            Some(CaptureEvent::Lost(error)) => return Err(error),
            None => break,
        }
        if speech.len() >= ENOUGH_SAMPLES || stop.is_cancelled() {
            break;
        }
    }
    Ok(speech)
}

/// The largest recording: twenty minutes of mono sound at the rate of most microphones. Seconds are enough.
const MAX_RECORDING_BYTES: u64 = 50_000_000;

/// The speech of these files.
async fn recordings_of(paths: Vec<PathBuf>) -> Result<Vec<Vec<f32>>, Failure> {
    let mut recordings = Vec::new();
    for path in paths {
        let size = tokio::fs::metadata(&path).await.map_err(|error| unreadable(&path, &error))?;
        if !size.is_file() || size.len() > MAX_RECORDING_BYTES {
            return Err(Failure::refused(format!("{} is no file, or larger than 50 MB.", path.display())));
        }
        let wav = tokio::fs::read(&path).await.map_err(|error| unreadable(&path, &error))?;
        let decoded =
            tokio::task::spawn_blocking(move || decode_speech(&wav).map(|sound| speech_in(&sound))).await?;
        recordings.push(decoded.map_err(|error| unreadable(&path, &error))?);
    }
    Ok(recordings)
}

/// The voiced frames of a recording: silence and noise are no voice.
fn speech_in(sound: &[f32]) -> Vec<f32> {
    let mut activity = Earshot::new();
    let (frames, _) = sound.as_chunks::<FRAME_SAMPLES>();
    frames.iter().filter(|frame| activity.is_voiced(frame)).flatten().copied().collect()
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::refused(format!("{} could not be read: {error}.", path.display()))
}

/// The voice of these recordings: the mean of its parts, so that one cough or one noise counts little.
fn embedding_of(
    embedder: &dyn SpeakerEmbedder,
    recordings: &[Vec<f32>],
) -> Result<SpeakerEmbedding, Failure> {
    if recordings.iter().map(Vec::len).sum::<usize>() < MIN_SAMPLES {
        return Err(too_short());
    }
    let parts = recordings.iter().flat_map(|recording| recording.chunks(PART_SAMPLES));
    let mut embeddings = Vec::new();
    for part in parts.filter(|part| part.len() >= PART_SAMPLES / 4) {
        embeddings.push(embedder.embed(part).map_err(|error| Failure::Trouble(error.trouble()))?);
    }
    SpeakerEmbedding::mean(&embeddings).ok_or_else(too_short)
}

fn too_short() -> Failure {
    Failure::Trouble(Trouble::new(
        Stage::EnrolledVoices,
        "That is too little speech to know a voice by.",
        "Record at least five seconds: two sentences or more.",
    ))
}
