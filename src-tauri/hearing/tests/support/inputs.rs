//! Inputs of hearing that play frames at any pace, for several tests.

use std::sync::Arc;
use std::time::Duration;

use hearing::{Earshot, HearingConfig, HearingInputs, PassTiming, SpeechToText};
use settings::{HearingSettings, ListeningSettings};
use tokio::sync::{mpsc, watch};
use vocabulary::{Frame, HearingEvent, TalkOrder};

/// The inputs with the usual settings, the way in for frames, and the way out for events. Nothing changes while they are in use.
pub fn inputs(
    engine: Arc<dyn SpeechToText>,
    is_voice_playing: bool,
) -> (HearingInputs, mpsc::Sender<Frame>, mpsc::Receiver<HearingEvent>) {
    let (to_hearing, frames) = mpsc::channel(64);
    let (events, received) = mpsc::channel(1024);
    let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
    let inputs = HearingInputs {
        frames,
        config: watch::channel(config).1,
        engine: watch::channel(engine).1,
        keyword_spotter: watch::channel(None).1,
        endpoint_model: watch::channel(None).1,
        needs_all_words: watch::channel(false).1,
        is_voice_playing: watch::channel(is_voice_playing).1,
        orders: mpsc::channel::<TalkOrder>(1).1,
        activity: Box::new(Earshot::new()),
        timing: PassTiming::InSound(Duration::from_millis(300)),
        events,
    };
    (inputs, to_hearing, received)
}
