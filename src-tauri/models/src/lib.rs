//! Models: what there is to have, what is here, how it gets here, and who uses it now.
//!
//! A catalogue of speech, voice and language models comes with the program. A [`Store`] knows which of their files
//! lie in the models folder. Heavy models are lent and given back when idle.
//! Knows no engine: what is in a file is the business of `hearing`, `speaking` and `llm-worker`.

#[cfg(feature = "onnx")]
pub mod onnx;
