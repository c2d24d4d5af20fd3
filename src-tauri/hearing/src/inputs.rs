//! The channels and parts of the hearing task.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use vocabulary::{Frame, HearingEvent, TalkOrder};

use crate::activity::VoiceActivity;
use crate::config::HearingConfig;
use crate::endpoint_model::EndpointModel;
use crate::keyword_spotter::KeywordSpotter;
use crate::pass_timing::PassTiming;
use crate::speech_to_text::SpeechToText;

/// The inputs of the hearing task.
pub struct HearingInputs {
    /// The sound of the microphone. The task ends when this closes.
    pub frames: mpsc::Receiver<Frame>,
    /// The settings; changes apply at once.
    pub config: watch::Receiver<HearingConfig>,
    /// The recogniser; a new one is used from the next pass on.
    pub engine: watch::Receiver<Arc<dyn SpeechToText>>,
    /// The first stage, which looks for the name in sound: without it every utterance is decoded.
    pub keyword_spotter: watch::Receiver<Option<Arc<dyn KeywordSpotter>>>,
    /// `true` while the rules of listening need every word, with or without the name.
    pub needs_all_words: watch::Receiver<bool>,
    /// The model with a vote on the end of an utterance, if there is one.
    pub endpoint_model: watch::Receiver<Option<Arc<dyn EndpointModel>>>,
    /// `true` while the assistant's own voice is playing.
    pub is_voice_playing: watch::Receiver<bool>,
    /// Orders of the talk key.
    pub orders: mpsc::Receiver<TalkOrder>,
    /// Detects speech in frames.
    pub activity: Box<dyn VoiceActivity>,
    /// The way the time of recognition is counted.
    pub timing: PassTiming,
    /// Receives the events. When it is full the task waits: utterances are never dropped.
    pub events: mpsc::Sender<HearingEvent>,
}
