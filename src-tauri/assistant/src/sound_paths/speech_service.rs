//! Speech for other programs: recordings to words, words to sound. The microphone and the loudspeaker are not used.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use audio::{SoundUnreadable, decode_speech};
use futures::Stream;
use hearing::{DecodeEffort, DecodeRequest, HearingConfig, SpeechToText, should_keep_segment};
use parking_lot::Mutex;
use settings::{Settings, SettingsFile};
use speaking::{
    SpeakingConfig, Speech, TextToSpeech, VoiceError, Voices, preprocess_for_speech, split_clauses,
};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use vocabulary::{Language, Private, Stage, Trouble};

/// Sentences that wait for the program to take them: synthesis stays a few ahead.
const SENTENCES: usize = 4;

/// Most voices that stay loaded between two texts. Each takes about a hundred megabytes.
const MAX_VOICES: usize = 2;

/// The longest part of a recording that is decoded at a time, in seconds: the window of the recogniser. An utterance of the user
/// waits for one part at most.
const PART_SECS: usize = 30;

/// The end of a part is looked for in its last seconds, where it is quietest.
const CUT_SECS: usize = 5;

/// Longest recording, in seconds. Source: the longest one that common services take, 25 MB of speech.
const MAX_RECORDING_SECS: usize = 800;

/// The words of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedWords {
    /// The words; empty if nothing was said.
    pub text: Private<String>,
    /// The language that they were decoded in.
    pub language: Option<Language>,
    /// The duration of the recording, in milliseconds.
    pub duration_millis: u64,
}

/// The reason why a recording gave no words.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RecordingError {
    /// It is no sound that can be read.
    #[error(transparent)]
    Unreadable(#[from] SoundUnreadable),
    /// It is longer than is read at a time.
    #[error("the recording lasts {seconds} s, and {MAX_RECORDING_SECS} s are read at a time")]
    TooLong {
        /// Its duration.
        seconds: usize,
    },
    /// Recognition does not work.
    #[error("{}", .0.message)]
    Failed(Trouble),
}

/// Sound of a voice.
#[derive(Debug, Clone, PartialEq)]
pub struct VoiceSound {
    /// Mono samples, -1.0 to 1.0.
    pub samples: Vec<f32>,
    /// Samples in a second.
    pub rate_hz: u32,
}

impl VoiceSound {
    /// Its samples at another rate.
    ///
    /// # Errors
    ///
    /// The rates do not go together.
    pub fn at_rate(&self, rate_hz: u32) -> Result<Vec<f32>, Trouble> {
        let resampled = audio::resampled(self.samples.clone(), self.rate_hz, rate_hz);
        resampled
            .map_err(|error| Trouble::from_error(Stage::Voice, &error, "Ask for another form of the sound."))
    }
}

impl From<Speech> for VoiceSound {
    fn from(speech: Speech) -> Self {
        Self { samples: speech.samples, rate_hz: speech.rate_hz }
    }
}

/// A text to say, and the way to say it.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeechRequest {
    /// The text, as it would be shown.
    pub text: Private<String>,
    /// Its language; `None` finds it out.
    pub language: Option<Language>,
    /// A voice of the catalogue; `None` is the one of the settings, or of the language.
    pub voice: Option<String>,
    /// A factor on the speed of the settings.
    pub speed: f32,
}

/// The reason why a text was not spoken.
#[derive(Debug)]
pub enum SpeechError {
    /// The request names a voice that is unknown.
    UnknownVoice(Trouble),
    /// No voice is ready, or it failed.
    Failed(Trouble),
}

/// The sound of a text, piece by piece, up to the last one or to an error. Dropping it stops the voice.
#[derive(Debug)]
pub struct SpeechStream {
    pieces: mpsc::Receiver<Result<VoiceSound, SpeechError>>,
    _stop: DropGuard,
}

impl SpeechStream {
    /// The next piece. Cancel-safe.
    pub async fn recv(&mut self) -> Option<Result<VoiceSound, SpeechError>> {
        self.pieces.recv().await
    }
}

impl Stream for SpeechStream {
    type Item = Result<VoiceSound, SpeechError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.pieces.poll_recv(context)
    }
}

/// Recognition and voices, for other programs.
pub(crate) struct SpeechService {
    pub recogniser: watch::Receiver<Arc<dyn SpeechToText>>,
    pub voices: Arc<dyn Voices>,
    pub settings: Arc<SettingsFile>,
    /// The voices that spoke last: that of the settings, and one of another language.
    pub last_voices: Mutex<Vec<LastVoice>>,
    /// Lets one recording through at a time: the user's utterances are decoded by the same recogniser.
    pub recordings: Semaphore,
    pub tasks: TaskTracker,
    pub stop: CancellationToken,
}

/// A voice that spoke.
pub(crate) struct LastVoice {
    name: String,
    voice: Arc<dyn TextToSpeech>,
    used_at: Instant,
}

impl SpeechService {
    /// The words of a WAV file. They are decoded with the quality of a whole utterance.
    pub async fn transcribe(
        &self,
        wav: Vec<u8>,
        language: Option<Language>,
    ) -> Result<RecordedWords, RecordingError> {
        let _turn = self.recordings.acquire().await;
        let engine = Arc::clone(&self.recogniser.borrow());
        let settings = self.settings.current();
        let stop = self.stop.child_token();
        // A caller who goes away stops the work.
        let guard = stop.clone().drop_guard();
        let decoding =
            tokio::task::spawn_blocking(move || decode(&*engine, &wav, language, &settings, &stop));
        let words = decoding.await.unwrap_or_else(|panic| {
            tracing::error!(%panic, "recognition did not end cleanly");
            Err(RecordingError::Failed(broke_off(Stage::Recognition)))
        });
        drop(guard);
        words
    }

    /// Says a text, sentence by sentence, into the returned stream.
    pub fn synthesise(self: Arc<Self>, request: SpeechRequest) -> SpeechStream {
        let (sounds, pieces) = mpsc::channel(SENTENCES);
        let stop = self.stop.child_token();
        let said = SpeechStream { pieces, _stop: stop.clone().drop_guard() };
        tokio::task::spawn_blocking(move || {
            let spoken = self.speak(&request, &stop, |sound| sounds.blocking_send(Ok(sound)).is_ok());
            if let Err(error) = spoken {
                // A caller who is gone needs no reason.
                let _ = sounds.blocking_send(Err(error));
            }
            drop(sounds);
            self.tasks.clone().spawn(self.give_back_when_idle());
        });
        said
    }

    /// Gives the memory of voices back that were not used for a while.
    async fn give_back_when_idle(self: Arc<Self>) {
        let idle = Duration::from_secs_f64(self.settings.current().models.idle_unload_mins * 60.0);
        if self.stop.run_until_cancelled(tokio::time::sleep(idle)).await.is_some() {
            self.last_voices.lock().retain(|last| last.used_at.elapsed() < idle);
        }
    }

    /// Says the sentences until `take` returns `false`.
    fn speak(
        &self,
        request: &SpeechRequest,
        stop: &CancellationToken,
        mut take: impl FnMut(VoiceSound) -> bool,
    ) -> Result<(), SpeechError> {
        let settings = self.settings.current();
        let config = SpeakingConfig::try_from((&settings.speaking, &settings.audio)).unwrap_or_default();
        let language =
            request.language.clone().or_else(|| languages::detect(&request.text).map(|found| found.language));
        let named = request.voice.as_deref();
        let voice = self.voice(named, language.as_ref(), &config).map_err(|error| match error {
            VoiceError::Unknown { .. } if named.is_some() => SpeechError::UnknownVoice(error.trouble()),
            error => SpeechError::Failed(error.trouble()),
        })?;
        let spoken_in = language.or_else(|| voice.language());
        for sentence in replying::sentences(&request.text) {
            let words = preprocess_for_speech(&sentence, spoken_in.as_ref());
            // The first words of a long sentence are heard while the rest is synthesised.
            for piece in split_clauses(&words) {
                let speech = voice.synthesise(piece, config.speed * request.speed, stop);
                let speech = speech.map_err(|error| SpeechError::Failed(error.trouble()))?;
                if !speech.samples.is_empty() && !take(speech.into()) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The named voice, else the one of the settings if it speaks the language, else one of the language.
    fn voice(
        &self,
        named: Option<&str>,
        language: Option<&Language>,
        config: &SpeakingConfig,
    ) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        let wanted = named.unwrap_or(&config.voice);
        let voice = self.kept(wanted.to_owned(), || self.voices.load(wanted))?;
        let fits = voice.language().is_none() || language.is_none() || voice.language().as_ref() == language;
        let Some(language) = language.filter(|_| named.is_none() && !fits) else { return Ok(voice) };
        self.kept(format!("language {}", language.code()), || {
            let found = self.voices.load_for(language)?;
            Ok(found.unwrap_or_else(|| self.voices.fallback(Some(language))))
        })
    }

    fn kept(
        &self,
        name: String,
        load: impl FnOnce() -> Result<Arc<dyn TextToSpeech>, VoiceError>,
    ) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        if let Some(last) = self.last_voices.lock().iter_mut().find(|last| last.name == name) {
            last.used_at = Instant::now();
            return Ok(Arc::clone(&last.voice));
        }
        let voice = load()?;
        let last = LastVoice { name, voice: Arc::clone(&voice), used_at: Instant::now() };
        let mut voices = self.last_voices.lock();
        voices.push(last);
        if voices.len() > MAX_VOICES {
            voices.remove(0);
        }
        Ok(voice)
    }
}

fn decode(
    engine: &dyn SpeechToText,
    wav: &[u8],
    language: Option<Language>,
    settings: &Settings,
    stop: &CancellationToken,
) -> Result<RecordedWords, RecordingError> {
    let samples = decode_speech(wav)?;
    let rate = vocabulary::SAMPLE_RATE_HZ as usize;
    let seconds = samples.len() / rate;
    if seconds > MAX_RECORDING_SECS {
        return Err(RecordingError::TooLong { seconds });
    }
    let name = Some(settings.listening.wake_word.clone());
    let mut request = DecodeRequest { language, name, effort: DecodeEffort::Final };
    // A setting that cannot be read is reported by hearing.
    let threshold = HearingConfig::new(&settings.hearing, &settings.listening)
        .map_or(1.0, |config| config.no_speech_threshold);
    let mut words: Vec<String> = Vec::new();
    for part in parts(&samples) {
        let heard = engine
            .transcribe(part, &request, stop)
            .map_err(|error| RecordingError::Failed(error.trouble()))?;
        // The rest is in the language of the beginning.
        request.language = request.language.or(heard.language);
        let spoken = heard.segments.iter().filter(|segment| {
            should_keep_segment(segment.avg_logprob, segment.no_speech_prob, 0.0, threshold)
        });
        words.extend(spoken.map(|segment| segment.text.trim().to_owned()).filter(|text| !text.is_empty()));
    }
    Ok(RecordedWords {
        text: Private(words.join(" ")),
        language: request.language,
        duration_millis: (samples.len() * 1000 / rate) as u64,
    })
}

/// The parts of a recording, cut where it is quiet.
fn parts(mut samples: &[f32]) -> Vec<&[f32]> {
    let rate = vocabulary::SAMPLE_RATE_HZ as usize;
    let mut parts = Vec::new();
    while samples.len() > PART_SECS * rate {
        let from = (PART_SECS - CUT_SECS) * rate;
        let blocks = samples[from..PART_SECS * rate].chunks(rate / 10).map(vocabulary::energy_rms);
        let quietest = blocks.enumerate().min_by(|(_, one), (_, other)| one.total_cmp(other));
        let (part, rest) = samples.split_at(from + quietest.map_or(0, |(block, _)| block * rate / 10));
        parts.push(part);
        samples = rest;
    }
    parts.push(samples);
    parts
}

fn broke_off(stage: Stage) -> Trouble {
    Trouble::new(
        stage,
        "The work broke off because of a fault in Jarvis.",
        "Try again; if it happens again, send us the log.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_recording_is_cut_where_it_is_quiet() {
        let rate = vocabulary::SAMPLE_RATE_HZ as usize;
        let mut samples = vec![0.5; 70 * rate];
        samples[27 * rate..28 * rate].fill(0.0);

        let parts = parts(&samples);

        assert_eq!(parts.iter().map(|part| part.len()).sum::<usize>(), samples.len());
        assert!(parts.iter().all(|part| part.len() <= PART_SECS * rate));
        assert!((27 * rate..28 * rate).contains(&parts[0].len()), "cut at {}", parts[0].len());
    }
}
