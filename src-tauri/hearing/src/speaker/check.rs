//! A recogniser that also tells whose voice it heard.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio_util::sync::CancellationToken;
use vocabulary::{EnrolledVoice, SAMPLE_RATE_HZ, Stage, Trouble, VoiceMatch};

use super::embedder::{SpeakerEmbedder, SpeakerError};
use super::matching::{MIN_SPEECH, match_voice};
use crate::speech_to_text::{DecodeEffort, DecodeRequest, SpeechToText, TranscribeError, Transcription};

/// The enrolled voices of this computer, for all that compare with them. They are unknown until they were read.
#[derive(Default)]
pub struct EnrolledVoices(RwLock<Option<Arc<[EnrolledVoice]>>>);

impl EnrolledVoices {
    /// Puts these voices in the place of those before.
    pub fn replace(&self, voices: Vec<EnrolledVoice>) {
        *self.0.write() = Some(voices.into());
    }

    fn current(&self) -> Option<Arc<[EnrolledVoice]>> {
        self.0.read().clone()
    }
}

/// Told why voices are not compared, and with `None` that they are again. Returns `false` when it could not pass that on.
type Report = dyn Fn(Option<Trouble>) -> bool + Send + Sync;

/// A recogniser, and beside it the model of voices. What a final pass decodes gets its [`VoiceMatch`].
///
/// Falls open: without an enrolled voice, and when the model fails, nothing is judged, and the user is told.
pub struct VoiceCheck {
    recogniser: Arc<dyn SpeechToText>,
    embedder: Arc<dyn SpeakerEmbedder>,
    voices: Arc<EnrolledVoices>,
    report: Box<Report>,
    /// The message that was reported last, as long as its cause lasts.
    reported: Mutex<Option<String>>,
}

impl VoiceCheck {
    /// Compares with `voices` whatever `recogniser` decodes.
    pub fn new(
        recogniser: Arc<dyn SpeechToText>,
        embedder: Arc<dyn SpeakerEmbedder>,
        voices: Arc<EnrolledVoices>,
        report: impl Fn(Option<Trouble>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { recogniser, embedder, voices, report: Box::new(report), reported: Mutex::default() }
    }

    fn judge(&self, samples: &[f32]) -> VoiceMatch {
        let Some(voices) = self.voices.current() else { return VoiceMatch::NotJudged };
        if voices.is_empty() {
            self.report(Some(nobody_enrolled()));
            return VoiceMatch::NotJudged;
        }
        let speech = Duration::from_secs_f64(samples.len() as f64 / f64::from(SAMPLE_RATE_HZ));
        if speech < MIN_SPEECH {
            return VoiceMatch::TooShort;
        }
        match self.embedder.embed(samples) {
            Ok(voice) => {
                self.report(None);
                match_voice(&voice, &voices, speech)
            }
            Err(SpeakerError::TooShort) => VoiceMatch::TooShort,
            Err(error) => {
                self.report(Some(error.trouble()));
                VoiceMatch::NotJudged
            }
        }
    }

    /// Reports a change, and nothing twice.
    fn report(&self, trouble: Option<Trouble>) {
        let message = trouble.as_ref().map(|trouble| trouble.message.clone());
        let mut reported = self.reported.lock();
        if *reported != message && (self.report)(trouble) {
            *reported = message;
        }
    }
}

fn nobody_enrolled() -> Trouble {
    let message = "Only enrolled voices shall be answered, but no voice is enrolled. Everybody is answered.";
    Trouble::new(Stage::EnrolledVoices, message, "Enrol yours with `jarvis voices add NAME`.")
}

impl SpeechToText for VoiceCheck {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        self.judge(&vec![0.0; SAMPLE_RATE_HZ as usize]);
        self.recogniser.warm_up()
    }

    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        if request.effort == DecodeEffort::Partial {
            return self.recogniser.transcribe(samples, request, stop);
        }
        // At the same time: the words are waited for.
        std::thread::scope(|threads| {
            let judging = threads.spawn(|| self.judge(samples));
            let transcription = self.recogniser.transcribe(samples, request, stop);
            let voice = judging.join().unwrap_or_else(|_| {
                self.report(Some(SpeakerError::NoNumbers.trouble()));
                VoiceMatch::NotJudged
            });
            transcription.map(|words| Transcription { voice, ..words })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rstest::rstest;
    use vocabulary::SpeakerEmbedding;

    use super::*;
    use crate::NoSpeechToText;

    /// Always hears this voice; without one, the model is not installed.
    struct OneVoice(Option<&'static [f32]>);

    impl SpeakerEmbedder for OneVoice {
        fn embed(&self, _: &[f32]) -> Result<SpeakerEmbedding, SpeakerError> {
            let missing = || SpeakerError::ModelMissing { path: PathBuf::from("voices/x.pt") };
            self.0.map(|numbers| SpeakerEmbedding::new(numbers.to_vec()).unwrap()).ok_or_else(missing)
        }
    }

    fn anna() -> EnrolledVoice {
        EnrolledVoice { name: "Anna".into(), embedding: SpeakerEmbedding::new(vec![1.0, 0.0]).unwrap() }
    }

    #[rstest]
    #[case::hers(vec![anna()], Some(&[1.0, 0.1][..]), VoiceMatch::Enrolled, &[])]
    #[case::a_stranger(vec![anna()], Some(&[0.0, 1.0][..]), VoiceMatch::Unknown, &[])]
    #[case::nobody_enrolled(vec![], Some(&[0.0, 1.0][..]), VoiceMatch::NotJudged, &["no voice is enrolled"])]
    #[case::no_model(vec![anna()], None, VoiceMatch::NotJudged, &["not installed"])]
    fn voice_is_judged_or_the_user_is_told_once_why_not(
        #[case] enrolled: Vec<EnrolledVoice>,
        #[case] heard: Option<&'static [f32]>,
        #[case] expected: VoiceMatch,
        #[case] told: &[&str],
    ) {
        let (voices, troubles) = (Arc::new(EnrolledVoices::default()), Arc::new(Mutex::new(Vec::new())));
        voices.replace(enrolled);
        let report = {
            let troubles = Arc::clone(&troubles);
            move |trouble: Option<Trouble>| {
                troubles.lock().extend(trouble.map(|trouble| trouble.message));
                true
            }
        };
        let check = VoiceCheck::new(Arc::new(NoSpeechToText), Arc::new(OneVoice(heard)), voices, report);

        let judged = [0, 1].map(|_| check.judge(&[0.1; 2 * SAMPLE_RATE_HZ as usize]));

        let troubles = troubles.lock();
        assert_eq!(judged, [expected; 2]);
        assert_eq!(troubles.len(), told.len());
        assert!(troubles.iter().zip(told).all(|(trouble, words)| trouble.contains(words)), "{troubles:?}");
    }
}
