//! Text to sound.
//!
//! Sentences of a reply come in, sound goes to the [`audio::Speaker`], and what was heard when comes out as
//! [`vocabulary::SpeechEvent`]s. Text is cleaned up for speech, turned into sound by a voice, and played one sentence
//! after the other while the next is being made. No microphone, no model of language, no window in here.

mod clean_up;

pub use clean_up::{
    LinkDescription, estimate_tts_duration, extract_domain_description, preprocess_for_speech,
    strip_markdown_for_speech,
};
