//! The model of a request.

use ::bridge::ModelOptions;
use serde::Deserialize;

/// Options for a model as a request gives them.
#[derive(Deserialize)]
pub(super) struct Llm {
    model: String,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default, rename = "maxTokens")]
    max_tokens: Option<f64>,
}

impl Llm {
    /// The options of the bridge.
    pub fn options(self) -> ModelOptions {
        ModelOptions {
            model: self.model,
            temperature: self.temperature,
            max_tokens: self.max_tokens.map(|tokens| tokens as i64),
            context_cap: CONTEXT_CAP,
        }
    }
}

/// The largest context of a scripted server, in tokens.
pub(super) const CONTEXT_CAP: u32 = 16_384;
