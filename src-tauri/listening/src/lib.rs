//! Decides which of the recognised words were directed at us.
//!
//! Utterances come in, the directed ones go out as queries. An utterance is directed when it contains the wake word,
//! when the hot window is open, or when it is a stop command while we speak. Where the rules are unsure, a language model
//! is asked through the port [`judge::IntentJudge`]. This crate knows no microphone, no model and no window.
//!
//! Source: docs/behaviour/listening.md.

mod task; // start here
mod doubts;
mod attention; // the rules, pure
pub mod decision; // the rules about one utterance
pub mod judge;
mod config;
mod hot_window;
mod overlap;
mod own_voice;
mod room_level;
mod wake;
mod stop;
pub mod echo;
mod transcript;
pub mod similarity;

pub use attention::{Attention, Doubt, Verdict};
pub use config::{ListeningConfig, ListeningConfigError};
pub use hot_window::{HotWindow, HotWindowChange, is_collecting_over};
pub use stop::{is_stop_command, is_stop_in_any_language};
pub use task::{DoorEvent, ListeningEvent, ListeningInputs, run};
pub use transcript::{Segment, Transcript};
pub use wake::WakeWord;
