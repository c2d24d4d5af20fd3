//! Neural voices, run by the ONNX Runtime.

mod kokoro;
mod network;
mod phonemes;
mod piper;

pub use kokoro::{Kokoro, KokoroFiles};
pub use piper::{Piper, PiperFiles};
