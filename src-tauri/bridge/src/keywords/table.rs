//! The keywords of tools.

use languages::{ToolWords, all};

/// The keywords of a tool in lower case: its name, its name in words, and the phrases for tools of that name.
pub fn keywords(tool: &str) -> Vec<String> {
    let mut keywords = vec![tool.to_lowercase()];
    let phrases = tool_words().flat_map(|words| words.tools.iter());
    let phrases = phrases.filter(|(name, _)| *name == tool).flat_map(|(_, phrases)| phrases.iter());
    for keyword in std::iter::once(tool.to_lowercase().replace('_', " ")).chain(phrases.map(str::to_owned)) {
        if !keywords.contains(&keyword) {
            keywords.push(keyword);
        }
    }
    keywords
}

/// The words for tools in all languages that have some.
pub(super) fn tool_words() -> impl Iterator<Item = &'static ToolWords> {
    all().iter().filter_map(|data| data.tool_words.as_ref())
}
