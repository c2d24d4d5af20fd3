//! The way from sound to a decision, without a sound card and without waiting.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hearing::{
    DecodeEffort, DecodeRequest, Earshot, HearingConfig, HearingInputs, KeywordSpotter, PassTiming,
    SpeechToText, TranscribeError, Transcription,
};
use listening::{ListeningConfig, ListeningEvent, ListeningInputs};
use settings::Settings;
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
    passes: AtomicUsize,
    final_passes: Mutex<Vec<Duration>>,
}

impl Timed {
    pub fn new(engine: Arc<dyn SpeechToText>) -> Self {
        Self { engine, passes: 0.into(), final_passes: Mutex::default() }
    }

    /// The passes so far, partial ones as well.
    pub fn passes(&self) -> usize {
        self.passes.load(Ordering::Relaxed)
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
        self.passes.fetch_add(1, Ordering::Relaxed);
        let words = self.engine.transcribe(samples, request, stop)?;
        if request.effort == DecodeEffort::Final {
            self.final_passes.lock().unwrap().push(began.elapsed());
        }
        Ok(words)
    }
}

/// A first stage whose searches are counted.
pub struct CountedSpotter {
    spotter: Arc<dyn KeywordSpotter>,
    /// Their number so far.
    pub searches: AtomicUsize,
    /// The time of all searches, in microseconds.
    pub micros: AtomicUsize,
}

impl CountedSpotter {
    pub fn new(spotter: Arc<dyn KeywordSpotter>) -> Self {
        Self { spotter, searches: 0.into(), micros: 0.into() }
    }
}

impl KeywordSpotter for CountedSpotter {
    fn spot(&self, samples: &[f32], names: &[String]) -> Result<bool, TranscribeError> {
        let began = Instant::now();
        let is_spotted = self.spotter.spot(samples, names)?;
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(began.elapsed().as_micros() as usize, Ordering::Relaxed);
        Ok(is_spotted)
    }
}

/// The outcome of a clip and the way there.
pub struct Heard {
    pub outcome: Outcome,
    /// The number of utterances that it was heard as: more than one means that it was cut off.
    pub pieces: usize,
}

/// The parts that hear a clip.
#[derive(Clone)]
pub struct Parts {
    pub engine: Arc<dyn SpeechToText>,
    /// The first stage in sound, if it is on.
    pub keyword_spotter: Option<Arc<dyn KeywordSpotter>>,
    /// The recogniser gets the name.
    pub knows_name: bool,
    /// The sound that a recognition pass lasts.
    pub pass: Duration,
}

/// Hears a clip with the default settings.
pub async fn hear(parts: Parts, samples: &[f32]) -> Heard {
    let Parts { engine, keyword_spotter, knows_name, pass } = parts;
    let timing = PassTiming::InSound(pass);
    let (frames, to_hearing) = mpsc::channel(64);
    let (heard, to_listening) = mpsc::channel(256);
    let taken_in = heard.clone();
    let (events, mut decided) = mpsc::channel(256);
    let settings = Settings::default();
    // The senders stay until the end: settings, recogniser and voice do not change.
    let mut config = HearingConfig::new(&settings.hearing, &settings.listening).unwrap();
    if !knows_name {
        config.names.clear();
    }
    let (_config, config) = watch::channel(config);
    let (_engine, engine) = watch::channel(engine);
    let (_voice, is_voice_playing) = watch::channel(false);
    let (needs_all_words, needed) = watch::channel(false);
    let (_orders, orders) = mpsc::channel::<TalkOrder>(1);
    let (_speech, speech) = broadcast::channel(8);
    let (_doors, doors) = mpsc::channel(1);
    let (_rules, rules) = watch::channel(ListeningConfig::try_from(&settings).unwrap());
    let stop = CancellationToken::new();
    let activity = Box::new(Earshot::new());
    let inputs = HearingInputs {
        frames: to_hearing,
        config,
        engine,
        keyword_spotter: watch::channel(keyword_spotter).1,
        needs_all_words: needed,
        endpoint_model: watch::channel(None).1,
        is_voice_playing,
        orders,
        activity,
        timing,
        events: heard,
    };
    let hearing = tokio::spawn(hearing::run(inputs, stop.clone()));
    let inputs = ListeningInputs {
        heard: to_listening,
        speech,
        doors,
        judge: None,
        config: rules,
        needs_all_words,
        events,
    };
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
    // All places are free once listening has taken the last words; it stops behind its verdict on them.
    taken_in.reserve_many(taken_in.max_capacity()).await.unwrap();
    stop.cancel();
    listening.await.unwrap();
    collecting.await.unwrap()
}
