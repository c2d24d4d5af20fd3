//! Turns sound into words.
//!
//! Frames come in, utterances go out. Voice activity detection finds the start and the possible end of speech,
//! speech-to-text decodes while the user still speaks, and the endpoint rules decide when the utterance ends. This
//! crate knows no sound card, no wake word and no language model.
//!
//! Source: docs/behaviour/listening.md#capture and docs/behaviour/listening.md#recognition-filters.

mod task; // start here
mod inputs;
mod config;
mod current_utterance; // the utterance that the user is speaking
mod wordless; // sound without words that may belong to the next utterance, pure
mod name_gate; // which utterances are decoded at all
mod uncalled; // utterances without the name
mod retry; // utterances that recognition failed on
mod pace; // how often passes start, pure
mod pass_timing; // when the result of a pass counts, pure
mod segmenter; // where speech starts and ends, pure
mod echo_share; // how much of an utterance is our own voice, pure
mod endpoint; // how much silence ends an utterance, pure
mod endpoint_vote; // the vote of the sound in a pause
mod name_prompt; // the name of the assistant, for the recogniser
mod filters; // which recognised words to accept, pure
mod level;
mod activity;
mod decoder;
mod speech_to_text;
mod speaker; // whose voice it is
mod keyword_spotter;
mod pronounceable; // names that can be looked for in sound
mod endpoint_model;
#[cfg(any(feature = "moonshine", feature = "phonemes", feature = "smart_turn", feature = "whisper"))]
mod model_slot; // a model that is loaded by the first call
#[cfg(feature = "whisper")]
mod threads; // the number of decoding threads
#[cfg(feature = "whisper")]
mod whisper;
#[cfg(feature = "moonshine")]
mod moonshine;
#[cfg(feature = "phonemes")]
mod phonemes; // the name in sound
#[cfg(feature = "smart_turn")]
mod smart_turn;

pub use activity::{Earshot, EnergyGate, VoiceActivity};
pub use config::{HearingConfig, HearingConfigError};
pub use endpoint::{Completeness, PauseSigns};
pub use endpoint_model::EndpointModel;
pub use filters::{confidence, is_probably_no_speech, is_repetitive, should_keep_segment};
pub use inputs::HearingInputs;
pub use keyword_spotter::KeywordSpotter;
#[cfg(feature = "moonshine")]
pub use moonshine::{Moonshine, MoonshineConfig};
pub use pass_timing::PassTiming;
#[cfg(feature = "phonemes")]
pub use phonemes::{PhonemeSpotter, PhonemeSpotterFiles};
pub use pronounceable::is_pronounceable;
pub use segmenter::{Segmenter, SegmenterEvent, SpeechLimits};
#[cfg(feature = "smart_turn")]
pub use smart_turn::{SmartTurn, SmartTurnConfig};
pub use speaker::{CamPlusPlus, EnrolledVoices, SpeakerEmbedder, SpeakerError, VoiceCheck, match_voice};
pub use speech_to_text::{
    DecodeEffort, DecodeRequest, NoSpeechToText, RecognisedSegment, SpeechToText, TranscribeError,
    Transcription,
};
pub use task::run;
#[cfg(feature = "whisper")]
pub use whisper::{Whisper, WhisperConfig, threads_for_this_machine};
