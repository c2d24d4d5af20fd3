//! Names of tools.

/// The server and its tool in the name of an MCP tool, `server__tool`; `None` for other names.
pub fn split_tool_name(name: &str) -> Option<(&str, &str)> {
    name.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// A name as models confuse it: without case, `_`, `-` and spaces.
pub(crate) fn squashed(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_a_server("files__read", Some(("files", "read")))]
    #[case::first_mark_counts("files__read__all", Some(("files", "read__all")))]
    #[case::built_in("getWeather", None)]
    #[case::no_server("__read", None)]
    #[case::no_tool("files__", None)]
    fn mcp_name_splits_at_its_first_mark(#[case] name: &str, #[case] expected: Option<(&str, &str)>) {
        assert_eq!(split_tool_name(name), expected);
    }
}
