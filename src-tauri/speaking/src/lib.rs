//! Text to sound.
//!
//! Sentences of a reply come in, sound goes to the [`audio::Loudspeaker`], and what was heard when comes out as
//! [`vocabulary::SpeechEvent`]s. Text is cleaned up for speech, turned into sound by a voice, and played one sentence
//! after the other while the next is being made. No microphone, no language model, no window in here.

mod queue; // the task: start here
mod config;
mod clean_up;
mod clauses;
mod voice; // the port
mod voices;
mod system_voice;
#[cfg(feature = "neural")]
mod neural;
mod wording;
mod program;
mod wav_stream;
mod trim;

pub use clean_up::{
    LinkDescription, estimate_tts_duration, extract_domain_description, preprocess_for_speech,
    strip_markdown_for_speech,
};
pub use config::{OutOfRange, SpeakingConfig};
#[cfg(feature = "neural")]
pub use neural::{Kokoro, KokoroFiles, Piper, PiperFiles};
pub use queue::{SpeechHandle, SpeechNews, SpeechQueue};
pub use system_voice::SystemVoice;
pub use voice::{Speech, TextToSpeech, VoiceError};
pub use voices::{InstalledVoices, OneVoice, Voices};
