//! Turns sound into words.
//!
//! Frames come in, utterances go out. Voice activity finds where speech begins and may end, speech-to-text decodes
//! while the user still speaks, and the endpoint rules decide when the turn is over. No sound card, no wake
//! word, no language model in here.
//!
//! Source: behaviour reference, sections 1.1 and 1.2, with the corrections of section 11.

mod hearer; // the task: start here
mod config;
mod kept; // speech that waits for a recogniser that works
mod segmenter; // where speech begins and ends, pure
mod endpoint; // whether the words sound complete, pure
mod trust; // which words to believe, pure
mod activity;
mod recogniser;
mod speech_to_text;
#[cfg(feature = "whisper")]
mod threads; // how many to decode with, pure
#[cfg(feature = "whisper")]
mod whisper;

pub use activity::{Earshot, EnergyGate, VoiceActivity};
pub use config::{HearingConfig, HearingConfigError};
pub use endpoint::{Completeness, completeness};
pub use hearer::{HearerInputs, run};
pub use segmenter::{Segmenter, SegmenterEvent};
pub use speech_to_text::{
    DecodeEffort, DecodeRequest, NotBuiltIn, RecognisedSegment, SpeechToText, TranscribeError, Transcription,
};
pub use trust::{confidence, is_probably_no_speech, is_repetitive, keep_segment};
#[cfg(feature = "whisper")]
pub use whisper::{Whisper, WhisperConfig, threads_for_this_machine};
