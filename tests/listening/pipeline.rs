//! The way from sound to a decision, without a sound card and without waiting.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hearing::{
    DecodeEffort, DecodeRequest, Earshot, HearingConfig, HearingInputs, PassTiming, SpeechToText,
    TranscribeError, Transcription,
};
use listening::{ListeningConfig, ListeningEvent, ListeningInputs};
use settings::{HearingSettings, ListeningSettings};
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, TalkOrder};

/// The outcome of a clip.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// A query, the name alone, or a stop word.
    Directed(String),
    /// Words that were not directed at us.
    Overheard(String),
    /// No words.
    Nothing,
}

impl Outcome {
    pub fn is_directed(&self) -> bool {
        matches!(self, Self::Directed(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directed(text) => write!(f, "directed: {text}"),
            Self::Overheard(text) => write!(f, "overheard: {text}"),
            Self::Nothing => write!(f, "not heard"),
        }
    }
}

/// A recogniser whose final passes are timed.
pub struct Timed {
    engine: Arc<dyn SpeechToText>,
    final_passes: Mutex<Vec<Duration>>,
}

impl Timed {
    pub fn new(engine: Arc<dyn SpeechToText>) -> Self {
        Self { engine, final_passes: Mutex::default() }
    }

    /// The times of the final passes since the last call, the shortest first.
    pub fn take_final_passes(&self) -> Vec<Duration> {
        let mut passes = std::mem::take(&mut *self.final_passes.lock().unwrap());
        passes.sort_unstable();
        passes
    }
}

impl SpeechToText for Timed {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        self.engine.warm_up()
    }

    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        let began = Instant::now();
        let words = self.engine.transcribe(samples, request, stop)?;
        if request.effort == DecodeEffort::Final {
            self.final_passes.lock().unwrap().push(began.elapsed());
        }
        Ok(words)
    }
}

/// The outcome of a clip and the way there.
pub struct Heard {
    pub outcome: Outcome,
    /// The number of utterances that it was heard as: more than one means that it was cut off.
    pub pieces: usize,
}

/// Hears a clip with the default settings, with passes of this much sound. The recogniser gets the name only if it
/// `knows_name`.
pub async fn hear(engine: Arc<dyn SpeechToText>, samples: &[f32], knows_name: bool, pass: Duration) -> Heard {
    let timing = PassTiming::InSound(pass);
    let (frames, to_hearing) = mpsc::channel(64);
    let (heard, to_listening) = mpsc::channel(256);
    let (events, mut decided) = mpsc::channel(256);
    let (hearing_settings, listening_settings) = (HearingSettings::default(), ListeningSettings::default());
    // The senders stay until the end: settings, recogniser and voice do not change.
    let mut config = HearingConfig::new(&hearing_settings, &listening_settings).unwrap();
    if !knows_name {
        config.names.clear();
    }
    let (_config, config) = watch::channel(config);
    let (_engine, engine) = watch::channel(engine);
    let (_voice, is_voice_playing) = watch::channel(false);
    let (_orders, orders) = mpsc::channel::<TalkOrder>(1);
    let (_speech, speech) = broadcast::channel(8);
    let (_doors, doors) = mpsc::channel(1);
    let (_rules, rules) = watch::channel(ListeningConfig::try_from(&listening_settings).unwrap());
    let stop = CancellationToken::new();
    let activity = Box::new(Earshot::new());
    let inputs = HearingInputs {
        frames: to_hearing,
        config,
        engine,
        is_voice_playing,
        orders,
        activity,
        timing,
        events: heard,
    };
    let hearing = tokio::spawn(hearing::run(inputs, stop.clone()));
    let inputs = ListeningInputs { heard: to_listening, speech, doors, judge: None, config: rules, events };
    let listening = tokio::spawn(listening::run(inputs, stop.clone()));
    let collecting = tokio::spawn(async move {
        let mut outcome = Outcome::Nothing;
        let mut pieces = 0;
        while let Some(event) = decided.recv().await {
            pieces += usize::from(matches!(
                event,
                ListeningEvent::Directed { .. }
                    | ListeningEvent::WakeWordOnly
                    | ListeningEvent::Stop
                    | ListeningEvent::Overheard { .. }
            ));
            match event {
                ListeningEvent::Directed { query, .. } => outcome = Outcome::Directed(query),
                ListeningEvent::Stop => outcome = Outcome::Directed("(stop)".to_owned()),
                ListeningEvent::WakeWordOnly if !outcome.is_directed() => {
                    outcome = Outcome::Directed("(the name alone)".to_owned());
                }
                ListeningEvent::Overheard { text, .. } if !outcome.is_directed() => {
                    outcome = Outcome::Overheard(text)
                }
                _ => {}
            }
        }
        Heard { outcome, pieces }
    });
    let began = Instant::now();
    for (n, chunk) in samples.chunks(FRAME_SAMPLES).enumerate() {
        let mut frame = Frame::silence(began + FRAME_DURATION * n as u32);
        frame.samples[..chunk.len()].copy_from_slice(chunk);
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
