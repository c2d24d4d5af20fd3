//! Which model answers, and what may be asked of it.

use serde::{Deserialize, Serialize};

/// What kind of program runs the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// An Ollama server, spoken to in its own format.
    Ollama,
    /// Any server that speaks the OpenAI format.
    OpenAi,
    /// Our own worker program, on this machine.
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

/// What answers: provider and model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelIdentity {
    /// What runs it.
    pub provider: ProviderKind,
    /// Its name there.
    pub model: String,
}

impl ModelIdentity {
    /// The size class that decides how tools are offered and how long prompts may be.
    ///
    /// The rule of [`ModelSize::of_name`], and besides: a name that states less than one billion parameters, such as
    /// `0.5b` or `135M`, is small too. The rule was written when nobody chatted with models of that size.
    pub fn size(&self) -> ModelSize {
        if states_less_than_a_billion(&self.model.to_lowercase()) {
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

/// How capable a model is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSize {
    /// Needs short prompts, digests, and tools offered in plain text.
    Small,
    /// Copes with long prompts and native tools.
    Large,
}

/// Parts of a name that make a model small. Source: behaviour reference, section 2.9.
const SMALL_NAMES: [&str; 10] = [":1b", ":3b", ":7b", "-1b", "-3b", "-7b", "_1b", "_3b", "_7b", "gemma4"];

impl ModelSize {
    /// The reference's rule, by name alone: a listed fragment makes a model small, anything else is large.
    pub fn of_name(model: &str) -> Self {
        let name = model.to_lowercase();
        if SMALL_NAMES.iter().any(|fragment| name.contains(fragment)) { Self::Small } else { Self::Large }
    }
}

/// Does a part of the lower-case name read like `0.5b` or `135m`?
fn states_less_than_a_billion(name: &str) -> bool {
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
    fn the_name_decides_the_size(#[case] name: &str, #[case] expected: ModelSize) {
        assert_eq!(ModelSize::of_name(name), expected);
    }

    #[rstest]
    #[case::half_a_billion("qwen2.5-coder-0.5b-instruct-q4_k_m", ModelSize::Small)]
    #[case::millions("SmolLM2-135M-Instruct.Q4_1", ModelSize::Small)]
    #[case::the_rule_still_holds("llama3.2:1b", ModelSize::Small)]
    #[case::quantisation_is_no_size("qwen3:8b-q4_k_m", ModelSize::Large)]
    #[case::large("llama3.1:70b", ModelSize::Large)]
    fn a_model_below_a_billion_is_small(#[case] name: &str, #[case] expected: ModelSize) {
        let identity = ModelIdentity { provider: ProviderKind::Embedded, model: name.into() };

        assert_eq!(identity.size(), expected);
    }
}
