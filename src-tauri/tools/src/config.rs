//! The checked settings of tools.

use std::collections::BTreeSet;

use settings::Settings;

use crate::selection::Strategy;

/// What the tools run on: checked once, so nothing downstream checks again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsConfig {
    /// How the tools for a query are chosen.
    pub strategy: Strategy,
    /// Tools and servers that run without a question.
    pub allowed: BTreeSet<String>,
    /// Tools and servers that run after a question.
    pub asked: BTreeSet<String>,
    /// Tools and servers that never run.
    pub denied: BTreeSet<String>,
    /// How often one reply may search for tools; 0 offers no search.
    pub search_max_calls: usize,
}

/// A setting of tools that cannot work.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("tools.selection_strategy is {value}: use one of hybrid, llm, keyword, embedding, all")]
pub struct ToolsConfigError {
    value: String,
}

impl TryFrom<&Settings> for ToolsConfig {
    type Error = ToolsConfigError;

    fn try_from(settings: &Settings) -> Result<Self, Self::Error> {
        let tools = &settings.tools;
        let value = || ToolsConfigError { value: tools.selection_strategy.clone() };
        let names = |list: &[String]| -> BTreeSet<String> {
            list.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
        };
        Ok(Self {
            strategy: Strategy::named(&tools.selection_strategy).ok_or_else(value)?,
            allowed: names(&tools.allowed),
            asked: names(&tools.asked),
            denied: names(&tools.denied),
            search_max_calls: usize::try_from(tools.search_max_calls).unwrap_or(usize::MAX),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_settings_make_a_config() {
        let config = ToolsConfig::try_from(&Settings::default()).unwrap();

        assert_eq!((config.strategy, config.search_max_calls), (Strategy::Hybrid, 3));
        assert!(config.allowed.is_empty() && config.asked.is_empty() && config.denied.is_empty());
    }

    #[test]
    fn names_are_trimmed_and_empty_ones_left_out() {
        let mut settings = Settings::default();
        settings.tools.denied = vec![" files ".into(), String::new()];

        let config = ToolsConfig::try_from(&settings).unwrap();

        assert_eq!(config.denied, BTreeSet::from(["files".to_owned()]));
    }

    #[test]
    fn unknown_strategy_is_refused_with_its_key() {
        let mut settings = Settings::default();
        settings.tools.selection_strategy = "magic".into();

        let refused = ToolsConfig::try_from(&settings).unwrap_err();

        let said = "tools.selection_strategy is magic: use one of hybrid, llm, keyword, embedding, all";
        assert_eq!(refused.to_string(), said);
    }
}
