//! Recordings to words and words to sound, for nodes and for clients of the OpenAI interface.

use std::sync::Arc;

use assistant::{RecordedWords, RecordingError, SpeechError, SpeechRequest, SpeechStream, VoiceSound};
use axum::body::Body;
use axum::extract::State;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::rejection::JsonRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use command_center::Detail;
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use settings::Scope;
use utoipa::ToSchema;
use vocabulary::{Language, Private, Trouble};

use crate::door::Door;
use crate::failure::{Failure, NodeFailure, OpenAiError, OpenAiFailure, malformed};
use crate::programs::Program;
use crate::sound;

/// Longest text that is spoken, in characters. Source: the OpenAI interface.
pub(crate) const MAX_TEXT: usize = 4096;

/// The speeds that may be asked for. Source: the OpenAI interface.
const SPEEDS: std::ops::RangeInclusive<f32> = 0.25..=4.0;

/// The form of a transcription.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "snake_case")]
enum TranscriptForm {
    /// `{"text": …}`
    #[default]
    Json,
    /// The words alone.
    Text,
    /// With the language and the duration.
    VerboseJson,
}

/// A form with a recording.
#[derive(Default, ToSchema)]
struct Recording {
    /// A WAV file.
    #[schema(required, nullable = false, value_type = String, format = Binary)]
    file: Option<Vec<u8>>,
    /// A code such as `en`; the settings say it otherwise.
    #[schema(value_type = Option<String>, nullable = false)]
    language: Option<Language>,
    /// The form of the answer. Routes of nodes have one.
    #[schema(rename = "response_format")]
    form: TranscriptForm,
}

/// The words of a recording.
#[derive(Serialize, ToSchema)]
struct Transcript {
    text: String,
}

/// The words of a recording, and more about it.
#[derive(Serialize, ToSchema)]
struct VerboseTranscript {
    /// Always `transcribe`.
    task: &'static str,
    /// The code of the language; `null` if it is not known.
    #[schema(required)]
    language: Option<String>,
    /// In seconds.
    duration: f64,
    text: String,
}

/// The words of a recording of a node. Who speaks is not told apart.
#[derive(Serialize, ToSchema)]
struct NodeTranscript {
    text: String,
    speaker: Speaker,
}

/// Nobody in particular.
#[derive(Serialize, ToSchema)]
struct Speaker {
    /// Always `null`.
    #[schema(required)]
    user_id: Option<i64>,
    /// Always 0.
    confidence: f64,
}

/// Turns a recording into words.
#[utoipa::path(post, path = "/v1/audio/transcriptions", tag = "OpenAI",
    request_body(content = Recording, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The words, in the form that was asked for", content(
            (Transcript = "application/json"), (String = "text/plain"),
        )),
        (status = 503, description = "No recogniser is ready", body = OpenAiError),
    ))]
pub(crate) async fn transcriptions(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, OpenAiFailure> {
    let recording = read(&program, form).await?;
    let form = recording.form;
    let words = words(&door, recording).await?;
    Ok(match form {
        TranscriptForm::Text => (words.text.0 + "\n").into_response(),
        TranscriptForm::Json => Json(Transcript { text: words.text.0 }).into_response(),
        TranscriptForm::VerboseJson => Json(VerboseTranscript {
            task: "transcribe",
            language: words.language.as_ref().map(|language| language.code().to_owned()),
            duration: words.duration_millis as f64 / 1000.0,
            text: words.text.0,
        })
        .into_response(),
    })
}

/// Turns a recording into words.
#[utoipa::path(post, path = "/api/v0/media/whisper/transcribe", tag = "nodes",
    request_body(content = Recording, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The words", body = NodeTranscript),
        (status = 503, description = "No recogniser is ready", body = Detail),
    ))]
pub(crate) async fn transcribe(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, NodeFailure> {
    let words = words(&door, read(&program, form).await?).await?;
    let speaker = Speaker { user_id: None, confidence: 0.0 };
    Ok(Json(NodeTranscript { text: words.text.0, speaker }).into_response())
}

async fn read(program: &Program, form: Result<Multipart, MultipartRejection>) -> Result<Recording, Failure> {
    if !program.may(Scope::Audio) {
        return Err(Failure::forbidden("audio"));
    }
    let mut form = form.map_err(|refused| Failure::new(refused.status(), refused.body_text()))?;
    let mut recording = Recording::default();
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        recording.take(&name, field).await?;
    }
    Ok(recording)
}

impl Recording {
    /// Takes a field of the form. What would change the meaning of the answer and cannot be done is refused.
    async fn take(&mut self, name: &str, field: Field<'_>) -> Result<(), Failure> {
        match name {
            "file" => self.file = Some(field.bytes().await.map_err(broken)?.to_vec()),
            "language" => {
                let code = field.text().await.map_err(broken)?;
                let unknown = || Failure::bad("language", "The language is unknown: use a code such as en.");
                if !code.trim().is_empty() {
                    self.language = Some(Language::new(&code).ok_or_else(unknown)?);
                }
            }
            "response_format" => {
                self.form = match field.text().await.map_err(broken)?.as_str() {
                    "json" => TranscriptForm::Json,
                    "text" => TranscriptForm::Text,
                    "verbose_json" => TranscriptForm::VerboseJson,
                    _ => {
                        let message = "The form is unknown: use json, text or verbose_json.";
                        return Err(Failure::bad("response_format", message));
                    }
                };
            }
            "stream" => refuse_stream(&field.text().await.map_err(broken)?)?,
            "timestamp_granularities" | "timestamp_granularities[]" => {
                let message =
                    "Jarvis knows no times of words or segments: leave timestamp_granularities out.";
                return Err(Failure::bad("timestamp_granularities", message));
            }
            "include" | "include[]" => {
                let message = "Jarvis knows no probabilities of tokens: leave include out.";
                return Err(Failure::bad("include", message));
            }
            // Others choose a model, or how it guesses: the settings of Jarvis do.
            _ => {}
        }
        Ok(())
    }
}

fn refuse_stream(wanted: &str) -> Result<(), Failure> {
    match is_true(wanted) {
        true => {
            Err(Failure::bad("stream", "Jarvis sends the words of a recording at once: leave stream out."))
        }
        false => Ok(()),
    }
}

/// `true` in one of the forms in which clients write it.
fn is_true(text: &str) -> bool {
    matches!(text.trim(), "true" | "True" | "1")
}

fn broken(error: MultipartError) -> Failure {
    Failure::new(error.status(), error.body_text())
}

async fn words(door: &Door, recording: Recording) -> Result<RecordedWords, Failure> {
    let Some(file) = recording.file else {
        return Err(Failure::bad("file", "There is no recording: send a WAV file as the field file."));
    };
    let words = door.assistant.transcribe(file, recording.language).await;
    words.map_err(|error| match error {
        RecordingError::Unreadable(_) => Failure::bad("file", format!("{error}. Send a WAV file.")),
        RecordingError::TooLong { .. } => Failure::bad("file", format!("{error}. Send it in parts.")),
        RecordingError::Failed(trouble) => unavailable(&trouble),
    })
}

fn unspoken(error: &SpeechError) -> Failure {
    match error {
        SpeechError::UnknownVoice(trouble) => {
            Failure::bad("voice", format!("{} {}", trouble.message, trouble.remedy))
        }
        SpeechError::Failed(trouble) => unavailable(trouble),
    }
}

fn unavailable(trouble: &Trouble) -> Failure {
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, format!("{} {}", trouble.message, trouble.remedy))
}

/// A text to speak.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SpeechBody {
    /// The text.
    #[schema(max_length = 4096)]
    input: String,
    /// A voice by its name; the usual names mean the voice of the settings.
    #[serde(default)]
    voice: Option<String>,
    /// `wav` or `pcm`.
    #[serde(default)]
    #[schema(pattern = "^(wav|pcm)$")]
    response_format: Option<String>,
    /// 1 is the usual speed.
    #[serde(default)]
    #[schema(minimum = 0.25, maximum = 4.0)]
    speed: Option<f32>,
    /// `audio`: the sound is sent as it is, not in events.
    #[serde(default)]
    #[schema(pattern = "^audio$")]
    stream_format: Option<String>,
}

/// The names of the voices of the OpenAI interface: they mean the voice of the settings.
const USUAL_VOICES: [&str; 13] = [
    "alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse", "marin",
    "cedar",
];

/// The rate of plain samples, in hertz. Source: the OpenAI interface.
const PCM_RATE: u32 = 24_000;

/// Speaks a text: a WAV file, or plain samples of 24 kHz and 16 bits.
#[utoipa::path(post, path = "/v1/audio/speech", tag = "OpenAI",
    request_body = SpeechBody,
    responses(
        (status = 200, description = "The sound", content((Vec<u8> = "audio/wav"), (Vec<u8> = "audio/pcm"))),
        (status = 503, description = "No voice is ready", body = OpenAiError),
    ))]
pub(crate) async fn speech(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    body: Result<Json<SpeechBody>, JsonRejection>,
) -> Result<Response, OpenAiFailure> {
    let body = permitted(&program, body)?;
    let as_samples = match body.response_format.as_deref() {
        None | Some("wav") => false,
        Some("pcm") => true,
        Some(other) => {
            let message = format!("Jarvis makes no {other}: use wav or pcm.");
            return Err(Failure::bad("response_format", message).into());
        }
    };
    if body.stream_format.is_some_and(|form| form != "audio") {
        let message = "Jarvis sends no events of sound: leave stream_format out, or send audio.";
        return Err(Failure::bad("stream_format", message).into());
    }
    let voice = body.voice.filter(|voice| !USUAL_VOICES.contains(&voice.as_str()));
    let sounds = said(&door, &body.input, None, voice, body.speed.unwrap_or(1.0)).await?;
    let whole = sounds.whole().await?;
    if as_samples {
        let samples = whole.at_rate(PCM_RATE).map_err(|error| unavailable(&error))?;
        return Ok(sound_response("audio/pcm", sound::pcm(&samples)));
    }
    Ok(sound_response("audio/wav", wav(&whole)?))
}

/// A text to speak at a node.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SpeakBody {
    /// The recognised words.
    #[schema(max_length = 4096)]
    text: String,
}

/// Speaks a text: a WAV file.
#[utoipa::path(post, path = "/api/v0/media/tts/speak", tag = "nodes",
    request_body = SpeakBody,
    responses(
        (status = 200, description = "The sound", body = Vec<u8>, content_type = "audio/wav"),
        (status = 503, description = "No voice is ready", body = Detail),
    ))]
pub(crate) async fn speak(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    body: Result<Json<SpeakBody>, JsonRejection>,
) -> Result<Response, NodeFailure> {
    let body = permitted(&program, body)?;
    let whole = said_for_node(&door, &body.text).await?.whole().await?;
    Ok(sound_response("audio/wav", wav(&whole)?))
}

/// Speaks a text: samples of 16 bits as they are made, with their rate as a header.
#[utoipa::path(post, path = "/api/v0/media/tts/speak/stream", tag = "nodes",
    request_body = SpeakBody,
    responses(
        (status = 200, description = "The samples", body = Vec<u8>, content_type = "audio/raw"),
        (status = 503, description = "No voice is ready", body = Detail),
    ))]
pub(crate) async fn speak_stream(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    body: Result<Json<SpeakBody>, JsonRejection>,
) -> Result<Response, NodeFailure> {
    let body = permitted(&program, body)?;
    let sounds = said_for_node(&door, &body.text).await?;
    Ok(pcm_response(sounds, &body.text))
}

/// Begins to speak the text of a node, which has no other field.
async fn said_for_node(door: &Door, text: &str) -> Result<Sounds, Failure> {
    let of_text = |failure: Failure| {
        let is_of_input = failure.field.as_deref() == Some("input");
        let field = if is_of_input { Some("text".into()) } else { failure.field };
        Failure { field, ..failure }
    };
    said(door, text, None, None, 1.0).await.map_err(of_text)
}

fn sound_response(kind: &'static str, bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, kind)], bytes).into_response()
}

fn permitted<T>(program: &Program, body: Result<Json<T>, JsonRejection>) -> Result<T, Failure> {
    if !program.may(Scope::Audio) {
        return Err(Failure::forbidden("audio"));
    }
    body.map(|Json(body)| body).map_err(|refused| malformed(&refused))
}

fn wav(sound: &VoiceSound) -> Result<Vec<u8>, Failure> {
    sound::wav(sound).map_err(|error| {
        tracing::error!(%error, "a sound could not be written as a WAV file");
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "The sound could not be written as a WAV file.")
    })
}

/// The sound of a text, as it is made. The first sentence is there.
pub(crate) struct Sounds {
    first: VoiceSound,
    rest: SpeechStream,
}

impl Sounds {
    /// All of it as one sound.
    async fn whole(mut self) -> Result<VoiceSound, Failure> {
        let mut whole = self.first;
        while let Some(next) = self.rest.recv().await {
            whole.samples.extend(next.map_err(|error| unspoken(&error))?.samples);
        }
        Ok(whole)
    }
}

/// Begins to speak.
pub(crate) async fn said(
    door: &Door,
    text: &str,
    language: Option<Language>,
    voice: Option<String>,
    speed: f32,
) -> Result<Sounds, Failure> {
    let characters = text.chars().count();
    if characters > MAX_TEXT {
        let message = format!("The text has {characters} characters, and {MAX_TEXT} are spoken at a time.");
        return Err(Failure::bad("input", message));
    }
    if !SPEEDS.contains(&speed) {
        return Err(Failure::bad("speed", "The speed is out of range: use 0.25 to 4."));
    }
    let request = SpeechRequest { text: Private(text.to_owned()), language, voice, speed };
    let mut rest = door.assistant.synthesise(request);
    match rest.recv().await {
        Some(Ok(first)) => Ok(Sounds { first, rest }),
        Some(Err(error)) => Err(unspoken(&error)),
        None => Err(Failure::bad("input", "There is nothing in the text that can be spoken.")),
    }
}

/// Samples of 16 bits as they are made, with the headers of the Command Center protocol.
pub(crate) fn pcm_response(sounds: Sounds, text: &str) -> Response {
    let Sounds { first, rest } = sounds;
    let rate = first.rate_hz;
    let begin = futures::stream::once(async move { Ok(first) });
    let bytes = begin.chain(rest).map(|sound| match sound {
        Ok(sound) => Ok(sound::pcm(&sound.samples)),
        Err(SpeechError::UnknownVoice(trouble) | SpeechError::Failed(trouble)) => {
            tracing::warn!(reason = trouble.message, "the sound of an answer broke off");
            Err(std::io::Error::other(trouble.message))
        }
    });
    let mut response = Body::from_stream(bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("audio/raw"));
    headers.insert("X-Audio-Sample-Rate", HeaderValue::from(rate));
    headers.insert("X-Audio-Channels", HeaderValue::from(1));
    headers.insert("X-Audio-Sample-Width", HeaderValue::from(2));
    if let Ok(text) = HeaderValue::from_str(&percent_encoded(text)) {
        headers.insert("X-Assistant-Message", text);
    }
    response
}

/// A text that may stand in a header.
fn percent_encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
