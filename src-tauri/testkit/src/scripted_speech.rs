//! A fake speech recogniser with scripted results.

use std::collections::VecDeque;

use hearing::{DecodeEffort, DecodeRequest, RecognisedSegment, SpeechToText, TranscribeError, Transcription};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

/// The result for one utterance.
pub enum Recognition {
    /// These words, with high confidence.
    Words(String),
    /// This error.
    Fails(TranscribeError),
}

impl Recognition {
    /// These words, with high confidence.
    pub fn words(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

/// A fake speech recogniser. Each final pass uses up one result; partial passes see the next one.
pub struct ScriptedSpeech {
    script: Mutex<VecDeque<Recognition>>,
}

impl ScriptedSpeech {
    /// A recogniser with these results. Later utterances have no words.
    pub fn new(script: impl IntoIterator<Item = Recognition>) -> Self {
        Self { script: Mutex::new(script.into_iter().collect()) }
    }
}

impl SpeechToText for ScriptedSpeech {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        Ok(())
    }

    fn transcribe(
        &self,
        _: &[f32],
        request: &DecodeRequest,
        _: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        let mut script = self.script.lock();
        let words = match (script.front(), request.effort) {
            (Some(Recognition::Words(words)), DecodeEffort::Partial) => words.clone(),
            (_, DecodeEffort::Partial) => String::new(),
            (_, DecodeEffort::Final | DecodeEffort::Thorough) => match script.pop_front() {
                Some(Recognition::Words(words)) => words,
                Some(Recognition::Fails(error)) => return Err(error),
                None => String::new(),
            },
        };
        let segment = RecognisedSegment { text: words, avg_logprob: Some(-0.1), no_speech_prob: Some(0.0) };
        let segments = if segment.text.is_empty() { Vec::new() } else { vec![segment] };
        Ok(Transcription { segments, language: Language::new("en"), ..Default::default() })
    }
}
