//! Identity and size class of a model.

use serde::{Deserialize, Serialize};

/// The kind of program that runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// An Ollama server, with the Ollama API.
    Ollama,
    /// A server with the OpenAI API.
    OpenAi,
    /// The worker program of Jarvis, on this machine.
    Embedded,
}

impl std::fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ollama => "Ollama",
            Self::OpenAi => "OpenAI-compatible",
            Self::Embedded => "embedded",
        })
    }
}

/// Provider and name of a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelIdentity {
    /// The provider.
    pub provider: ProviderKind,
    /// Name of the model at the provider.
    pub model: String,
}

impl ModelIdentity {
    /// The size class, which decides how tools are offered and how long prompts may be.
    ///
    /// As [`ModelSize::of_name`], except that a name with less than one billion parameters, such as `0.5b` or `135M`,
    /// is small too. The reference rule does not cover such models.
    pub fn size(&self) -> ModelSize {
        if has_less_than_a_billion(&self.model.to_lowercase()) {
            return ModelSize::Small;
        }
        ModelSize::of_name(&self.model)
    }
}

impl std::fmt::Display for ModelIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.model, self.provider)
    }
}

/// Size class of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSize {
    /// Needs short prompts, digests, and tools described in text.
    Small,
    /// Supports long prompts and native tools.
    Large,
}

/// A name with one of these fragments means a small model. Source: behaviour reference, section 2.9.
const SMALL_MODEL_FRAGMENTS: [&str; 10] =
    [":1b", ":3b", ":7b", "-1b", "-3b", "-7b", "_1b", "_3b", "_7b", "gemma4"];

impl ModelSize {
    /// The reference rule: a name with a listed fragment is small, any other name is large.
    pub fn of_name(model: &str) -> Self {
        let name = model.to_lowercase();
        if SMALL_MODEL_FRAGMENTS.iter().any(|fragment| name.contains(fragment)) {
            Self::Small
        } else {
            Self::Large
        }
    }
}

/// Whether a part of the lower-case name is a size such as `0.5b` or `135m`.
fn has_less_than_a_billion(name: &str) -> bool {
    name.split([':', '-', '_', '/', ' ']).any(|part| {
        let is_number = |text: &str| text.parse::<f64>().is_ok_and(|n| n > 0.0);
        let millions = part.strip_suffix('m').is_some_and(is_number);
        let below_one =
            part.strip_suffix('b').and_then(|n| n.parse::<f64>().ok()).is_some_and(|n| n > 0.0 && n < 1.0);
        millions || below_one
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::tag("llama3.2:3b", ModelSize::Small)]
    #[case::tag_with_suffix("x:3b-instruct", ModelSize::Small)]
    #[case::upper_case("Mistral-7B", ModelSize::Small)]
    #[case::family("gemma4:e2b", ModelSize::Small)]
    #[case::twenty("gpt-oss:20b", ModelSize::Large)]
    #[case::thirteen_is_not_three("model:13b", ModelSize::Large)]
    #[case::nothing("", ModelSize::Large)]
    #[case::below_one_is_not_in_the_rule("qwen2.5-coder-0.5b", ModelSize::Large)]
    fn size_class_follows_from_the_name(#[case] name: &str, #[case] expected: ModelSize) {
        assert_eq!(ModelSize::of_name(name), expected);
    }

    #[rstest]
    #[case::half_a_billion("qwen2.5-coder-0.5b-instruct-q4_k_m", ModelSize::Small)]
    #[case::millions("SmolLM2-135M-Instruct.Q4_1", ModelSize::Small)]
    #[case::the_rule_still_holds("llama3.2:1b", ModelSize::Small)]
    #[case::quantisation_is_no_size("qwen3:8b-q4_k_m", ModelSize::Large)]
    #[case::large("llama3.1:70b", ModelSize::Large)]
    fn model_below_one_billion_parameters_is_small(#[case] name: &str, #[case] expected: ModelSize) {
        let identity = ModelIdentity { provider: ProviderKind::Embedded, model: name.into() };

        assert_eq!(identity.size(), expected);
    }
}
