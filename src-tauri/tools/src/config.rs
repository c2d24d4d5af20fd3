//! The checked settings of tools.

use std::collections::BTreeSet;

use settings::{SelectionStrategy, Settings};

use crate::tool_result::capitalised;

/// The configuration of the tools: checked once, so nothing downstream checks again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsConfig {
    /// The name of the assistant, with a capital letter.
    pub name: String,
    /// The way the tools for a query are chosen.
    pub strategy: SelectionStrategy,
    /// Tools and servers that run without a question.
    pub allowed: BTreeSet<String>,
    /// Tools and servers that run after a question.
    pub asked: BTreeSet<String>,
    /// Tools and servers that never run.
    pub denied: BTreeSet<String>,
    /// The number of times that one reply may search for tools; 0 offers no search.
    pub search_max_calls: usize,
}

impl From<&Settings> for ToolsConfig {
    fn from(settings: &Settings) -> Self {
        let tools = &settings.tools;
        let names = |list: &[String]| -> BTreeSet<String> {
            list.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
        };
        Self {
            name: capitalised(settings.listening.wake_word.trim()),
            strategy: tools.selection_strategy,
            allowed: names(&tools.allowed),
            asked: names(&tools.asked),
            denied: names(&tools.denied),
            search_max_calls: usize::try_from(tools.search_max_calls).unwrap_or(usize::MAX),
        }
    }
}

/// The configuration of the tools of the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebConfig {
    /// The web may be searched.
    pub can_search: bool,
    /// Wikipedia is asked when a search found nothing else.
    pub has_wikipedia: bool,
    /// Pages are left alone where their site asks programs for it.
    pub respects_robots: bool,
    /// The place where the user is, in words; empty is not told.
    pub place: String,
}

impl From<&Settings> for WebConfig {
    fn from(settings: &Settings) -> Self {
        Self {
            can_search: settings.web.search,
            has_wikipedia: settings.web.wikipedia,
            respects_robots: settings.web.robots,
            place: settings.location.place.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_settings_make_a_config() {
        let config = ToolsConfig::from(&Settings::default());

        assert_eq!(config.name, "Jarvis");
        assert_eq!((config.strategy, config.search_max_calls), (SelectionStrategy::Hybrid, 3));
        assert!(config.allowed.is_empty() && config.asked.is_empty() && config.denied.is_empty());
    }

    #[test]
    fn names_are_trimmed_and_empty_ones_left_out() {
        let mut settings = Settings::default();
        settings.tools.denied = vec![" files ".into(), String::new()];

        let config = ToolsConfig::from(&settings);

        assert_eq!(config.denied, BTreeSet::from(["files".to_owned()]));
    }
}
