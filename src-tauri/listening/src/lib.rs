//! Decides which of the words heard were meant for us.
//!
//! Utterances come in, the directed ones go out as queries. Three things let one through: the wake word anywhere in
//! it, an open hot window, or a command to fall silent while we speak. No microphone, no model, no window in here.
//!
//! Source: behaviour reference, sections 1.3 to 1.8.

mod listener; // the task: start here
mod attention; // the rules, pure
mod config;
mod hot_window;
mod wake;
mod stop;
pub mod echo;
mod transcript;
pub mod similarity;

pub use attention::{Attention, HotWindowChange, Verdict};
pub use config::{ListeningConfig, ListeningConfigError};
pub use hot_window::{HotWindow, is_collecting_over};
pub use listener::{DoorState, ListenerInputs, ListeningEvent, run};
pub use stop::is_stop_command;
pub use transcript::{Segment, Transcript};
pub use wake::WakeWord;
