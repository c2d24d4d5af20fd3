//! Limits of what a tool returns.

use crate::tool_result::ToolResult;

/// Characters of a result that reach the model. The longest text of a built-in tool, a web page, has 50,000.
/// Source: docs/behaviour/tools.md#reading-a-page.
pub(crate) const MAX_CHARS: usize = 60_000;

/// The result with its texts cut, and a note where something was cut.
pub(crate) fn capped(mut result: ToolResult) -> ToolResult {
    for text in [&mut result.text, &mut result.answer].into_iter().flatten() {
        let Some((at, _)) = text.0.char_indices().nth(MAX_CHARS) else { continue };
        let cut = text.0[at..].chars().count();
        text.0.truncate(at);
        text.0.push_str(&format!("\n[The text was too long: its last {cut} characters were left out.]"));
        text.0.shrink_to_fit();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_megabytes_are_cut_with_a_note() {
        let result = capped(ToolResult::done("ä".repeat(10_000_000)));

        let text = result.text.unwrap();
        assert!(text.starts_with(&"ä".repeat(MAX_CHARS)));
        assert!(text.ends_with("ä\n[The text was too long: its last 9940000 characters were left out.]"));
    }

    #[test]
    fn text_of_the_greatest_length_stays_whole() {
        let result = ToolResult::done("x".repeat(MAX_CHARS)).answering("short");

        assert_eq!(capped(result.clone()), result);
    }
}
