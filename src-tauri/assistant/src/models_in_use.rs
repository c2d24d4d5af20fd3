//! The models in use: which ones, where they come from, and when they are loaded.

pub(crate) mod recogniser; // which speech model
pub(crate) mod first_stage; // the name in sound
pub(crate) mod endpoint_model; // which model hears the end of an utterance
pub(crate) mod speaker_model; // which model of voices
pub(crate) mod language_model; // which language model
pub(crate) mod helper_model; // which one for short tasks
pub(crate) mod meal_reader; // meals are read by the chat model
pub(crate) mod active_embedder; // which embedding model
pub(crate) mod warm_up; // models are loaded before the first question
pub(crate) mod model_library; // model files: downloads, what is in use
pub(crate) mod model_check; // trying a model
