//! Identity and size class of a model.

use serde::{Deserialize, Serialize};
use settings::Provider;

/// The kind of program that runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// An Ollama server, with the Ollama API.
    Ollama,
    /// A server with the OpenAI API.
    OpenAi,
    /// A server with the Anthropic API.
    Anthropic,
    /// The worker program of Jarvis, on this machine.
    Embedded,
}

impl ProviderKind {
    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::OpenAi => "A server that speaks the OpenAI protocol",
            Self::Anthropic => "A server that speaks the Anthropic protocol",
            Self::Embedded => "Jarvis itself",
        }
    }

    /// The kind that the settings name; `None`: the first that is ready.
    pub(crate) fn from_setting(provider: Provider) -> Option<Self> {
        match provider {
            Provider::Auto => None,
            Provider::Ollama => Some(Self::Ollama),
            Provider::OpenAi => Some(Self::OpenAi),
            Provider::Anthropic => Some(Self::Anthropic),
            Provider::Embedded => Some(Self::Embedded),
        }
    }

    /// Returns `true` if it can run embedding models too.
    pub(crate) fn has_embeddings(self) -> bool {
        match self {
            Self::Ollama | Self::OpenAi => true,
            Self::Anthropic | Self::Embedded => false,
        }
    }
}

impl From<ProviderKind> for Provider {
    fn from(kind: ProviderKind) -> Self {
        match kind {
            ProviderKind::Ollama => Self::Ollama,
            ProviderKind::OpenAi => Self::OpenAi,
            ProviderKind::Anthropic => Self::Anthropic,
            ProviderKind::Embedded => Self::Embedded,
        }
    }
}

impl std::fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ollama => "Ollama",
            Self::OpenAi => "OpenAI-compatible",
            Self::Anthropic => "Anthropic-compatible",
            Self::Embedded => "embedded",
        })
    }
}

/// Provider and name of a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelIdentity {
    /// The provider that runs the model.
    pub provider: ProviderKind,
    /// Name of the model at the provider.
    pub model: String,
    /// The number of parameters that it has, if the provider tells.
    pub parameters: Option<u64>,
}

impl ModelIdentity {
    /// A model of which no more is known.
    pub fn new(provider: ProviderKind, model: impl Into<String>) -> Self {
        Self { provider, model: model.into(), parameters: None }
    }

    /// The size class, which decides how tools are offered and how long prompts may be.
    ///
    /// Models of up to seven billion parameters are small, if the provider or the name tells their number, such as `0.5b`,
    /// `3.8b` or `135M`; else as [`ModelSize::from_name`].
    pub fn size(&self) -> ModelSize {
        match self.parameters.or_else(|| parameters_in_name(&self.model)) {
            Some(count) if count < FEWEST_PARAMETERS_OF_LARGE => ModelSize::Small,
            Some(_) => ModelSize::Large,
            None => ModelSize::from_name(&self.model),
        }
    }
}

/// Such models follow long instructions and call tools by themselves. What is called a model of seven billion has up to 7.7.
const FEWEST_PARAMETERS_OF_LARGE: u64 = 8_000_000_000;

/// The number of parameters that a part of the name tells.
fn parameters_in_name(name: &str) -> Option<u64> {
    name.split([':', '-', '_', '/', ' ']).find_map(parameters_of)
}

/// The number that such a text means: `7.6B`, `135m`.
pub(crate) fn parameters_of(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let factor = match unit {
        "b" | "B" => 1e9,
        "m" | "M" => 1e6,
        _ => return None,
    };
    let number = number.parse::<f64>().ok().filter(|number| *number > 0.0)?;
    Some((number * factor).round() as u64)
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

/// A name with one of these fragments means a small model. Source: docs/behaviour/replying.md#size-of-a-model.
const SMALL_MODEL_FRAGMENTS: [&str; 10] =
    [":1b", ":3b", ":7b", "-1b", "-3b", "-7b", "_1b", "_3b", "_7b", "gemma4"];

impl ModelSize {
    /// The reference rule: a name with a listed fragment is small, any other name is large.
    pub fn from_name(model: &str) -> Self {
        let name = model.to_lowercase();
        if SMALL_MODEL_FRAGMENTS.iter().any(|fragment| name.contains(fragment)) {
            Self::Small
        } else {
            Self::Large
        }
    }
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
        assert_eq!(ModelSize::from_name(name), expected);
    }

    #[rstest]
    #[case::half_a_billion("qwen2.5-coder-0.5b-instruct-q4_k_m", ModelSize::Small)]
    #[case::millions("SmolLM2-135M-Instruct.Q4_1", ModelSize::Small)]
    #[case::the_rule_still_holds("llama3.2:1b", ModelSize::Small)]
    #[case::quantisation_is_no_size("qwen3:8b-q4_k_m", ModelSize::Large)]
    #[case::large("llama3.1:70b", ModelSize::Large)]
    #[case::fraction("phi3:3.8b", ModelSize::Small)]
    #[case::name_rule_where_no_number_is_told("gemma4:e2b", ModelSize::Small)]
    #[case::experts_are_no_number("mixtral-8x7b", ModelSize::Large)]
    fn number_of_parameters_in_the_name_decides(#[case] name: &str, #[case] expected: ModelSize) {
        let identity = ModelIdentity::new(ProviderKind::Embedded, name);

        assert_eq!(identity.size(), expected);
    }

    #[rstest]
    #[case::told("mistral:latest", "7.2B", ModelSize::Small)]
    #[case::told_in_millions("tiny", "494.03M", ModelSize::Small)]
    #[case::large("qwen:latest", "14.8B", ModelSize::Large)]
    #[case::against_the_name("model-3b", "30.5B", ModelSize::Large)]
    #[case::unknown("qwen3:4b", "", ModelSize::Small)]
    #[case::nonsense("llama3.1:70b", "many", ModelSize::Large)]
    fn number_that_the_provider_tells_comes_first(
        #[case] name: &str,
        #[case] told: &str,
        #[case] expected: ModelSize,
    ) {
        let identity = ModelIdentity::new(ProviderKind::Ollama, name);
        let identity = ModelIdentity { parameters: parameters_of(told), ..identity };

        assert_eq!(identity.size(), expected);
    }
}
