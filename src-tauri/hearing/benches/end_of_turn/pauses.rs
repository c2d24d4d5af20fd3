//! The pauses of a recording, with what words and sound say at each.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hearing::{
    DecodeEffort, DecodeRequest, Earshot, EndpointModel, HearingConfig, PauseSigns, Segmenter,
    SegmenterEvent, SmartTurn, SpeechLimits, SpeechToText, VoiceActivity,
};
use settings::{HearingSettings, ListeningSettings};
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, Language, SAMPLE_RATE_HZ};

use crate::recordings::{Clip, Reference};

/// The silence after which the model is asked, as in `hearing::endpoint_vote`.
const VOTE_SILENCE: Duration = Duration::from_millis(120);
/// The time from the beginning of a pause to its vote: that silence, and the model beside the recogniser.
const VOTE_KNOWN_AFTER: Duration = Duration::from_millis(220);
/// The silence around a recording: the longest pause that a policy waits for is shorter.
const SILENCE_SECS: usize = 3;

/// A pause of at least [`VOTE_SILENCE`].
pub struct Pause {
    /// `None` at the end of a sentence, where it does not matter how long a person stays silent.
    pub inside: Option<Duration>,
    pub signs: PauseSigns,
    pub words_known_after: Duration,
    pub vote_known_after: Duration,
    text: String,
}

/// Finds pauses.
pub struct Listener {
    pub recogniser: Arc<dyn SpeechToText>,
    pub endpoint: SmartTurn,
    /// The time from the beginning of a pause to the words of the final pass.
    pub words_known_after: Duration,
}

/// A pause that has begun.
struct Begun {
    frame: usize,
    signs: PauseSigns,
    text: String,
}

impl Listener {
    pub fn pauses(&self, clip: &Clip) -> Vec<Pause> {
        let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
        let limits = SpeechLimits { pause: VOTE_SILENCE, max_length: Duration::from_secs(3600) };
        let (mut segmenter, mut activity) = (Segmenter::new(config.clone()), Earshot::new());
        let mut reference = Reference::new(&clip.text);
        let samples = clip.between_silence(SILENCE_SECS);
        let pre_roll = config.pre_roll.as_millis() as usize * SAMPLE_RATE_HZ as usize / 1000;
        let (mut pauses, mut begun, mut started) = (Vec::new(), None::<Begun>, None::<usize>);
        let now = Instant::now();
        for (n, chunk) in samples.as_chunks::<FRAME_SAMPLES>().0.iter().enumerate() {
            let frame = Frame::new(*chunk, now + FRAME_DURATION * n as u32);
            match segmenter.push(&frame, activity.is_voiced(chunk), limits) {
                Some(SegmenterEvent::SpeechStarted { .. }) => started = Some(n),
                Some(SegmenterEvent::PauseStarted) => {
                    let first = *started.get_or_insert(n) * FRAME_SAMPLES;
                    let heard = &samples[first.saturating_sub(pre_roll)..(n + 1) * FRAME_SAMPLES];
                    begun = Some(self.begun(n, heard, &config));
                }
                Some(SegmenterEvent::SpeechResumed) => {
                    // Sound after the last word of the transcript is a click or a breath.
                    let Some(pause) = begun.take().filter(|_| !reference.is_over()) else { continue };
                    let lasts = VOTE_SILENCE + FRAME_DURATION * (n - pause.frame) as u32;
                    let is_end = reference.is_sentence_end_after(&pause.text);
                    started = if is_end { Some(n) } else { started };
                    pauses.push(self.pause(pause, (!is_end).then_some(lasts)));
                }
                Some(SegmenterEvent::MaxLengthReached) | None => {}
            }
        }
        pauses.extend(begun.filter(|_| !reference.is_over()).map(|pause| self.pause(pause, None)));
        // Sound without words ends no turn.
        pauses.retain(|pause| !pause.text.is_empty());
        pauses
    }

    fn begun(&self, frame: usize, heard: &[f32], config: &HearingConfig) -> Begun {
        let text = self.words(heard);
        let vote = self.endpoint.probability_of_end(heard).unwrap();
        Begun { frame, signs: PauseSigns::new(&text, Some(vote), config), text }
    }

    fn pause(&self, begun: Begun, inside: Option<Duration>) -> Pause {
        let Begun { signs, text, .. } = begun;
        let words_known_after = self.words_known_after;
        Pause { inside, signs, words_known_after, vote_known_after: VOTE_KNOWN_AFTER, text }
    }

    fn words(&self, samples: &[f32]) -> String {
        let request = DecodeRequest {
            language: Language::new("en"),
            name: Some("jarvis".into()),
            effort: DecodeEffort::Final,
        };
        let heard = self.recogniser.transcribe(samples, &request, &CancellationToken::new()).unwrap();
        heard.segments.iter().map(|segment| segment.text.trim()).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.inside.map_or("end".to_owned(), |lasts| lasts.as_millis().to_string());
        let PauseSigns { words, is_name_only, finished } = self.signs;
        let vote = finished.unwrap_or_default();
        write!(f, "{millis}\t{words:?}\t{is_name_only}\t{vote:.3}\t{}", self.text)
    }
}
