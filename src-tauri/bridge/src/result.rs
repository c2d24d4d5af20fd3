//! Cleans the result of a tool before the model reads it.
//!
//! Source: docs/behaviour/bridge.md#calls-and-results. Line breaks stay.

use serde_json::Value;

/// The mark of a failure in the text of a result. Source: docs/behaviour/bridge.md#calls-and-results.
const ERROR_MARK: &str = "Error:";

/// The words by which services say that they were asked too often, in lower case. Same source.
const RATE_LIMIT: &str = "rate limit";

/// The longest tag that is taken for one. A long text with many open ones would take forever otherwise.
const MAX_TAG_BYTES: usize = 256;

/// A result as the model may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanResult {
    /// The text for the model.
    pub text: String,
    /// The tool or its server says that it failed.
    pub is_error: bool,
    /// The service was asked too often.
    pub is_rate_limited: bool,
}

/// Cleans a result: of the parts of an MCP result the texts, without marks of emphasis and needless white space.
pub fn clean(raw: &str) -> CleanResult {
    let (text, is_marked) = match parts(raw) {
        Some((texts, is_error)) => (texts.join("\n"), is_error),
        None => (raw.to_owned(), is_marked_error(raw)),
    };
    let text = tidied(&without_marks(&text));
    let is_rate_limited = text.to_lowercase().contains(RATE_LIMIT);
    CleanResult { is_error: is_marked || text.starts_with(ERROR_MARK), is_rate_limited, text }
}

/// The texts of an MCP result, and whether it is an error; `None` if it is something else.
fn parts(raw: &str) -> Option<(Vec<String>, bool)> {
    let value: Value = serde_json::from_str(raw.trim_start_matches('\u{feff}').trim()).ok()?;
    let content = match &value {
        Value::Object(result) => result.get("content")?.as_array()?,
        Value::Array(parts) if !parts.is_empty() => parts,
        _ => return None,
    };
    let kind = |part: &Value| part.get("type").and_then(Value::as_str).map(str::to_owned);
    if !content.iter().all(|part| kind(part).is_some()) {
        return None;
    }
    let texts = content.iter().filter(|part| kind(part).as_deref() == Some("text"));
    let texts = texts.filter_map(|part| part.get("text")?.as_str().map(str::to_owned)).collect();
    Some((texts, is_error(&value)))
}

/// Returns `true` if the text is a JSON object that calls itself an error.
fn is_marked_error(raw: &str) -> bool {
    serde_json::from_str(raw.trim()).is_ok_and(|value: Value| is_error(&value))
}

fn is_error(value: &Value) -> bool {
    value.get("isError") == Some(&Value::Bool(true))
}

/// The text without `<strong>` and `</strong>`, and with apostrophes as characters.
fn without_marks(text: &str) -> String {
    let mut rest = text;
    let mut plain = String::with_capacity(text.len());
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = tag_length(rest).unwrap_or(1);
        if length == 1 {
            plain.push('<');
        }
        rest = &rest[length..];
    }
    plain.push_str(rest);
    plain.replace("&#x27;", "'").replace("&#X27;", "'")
}

/// The length of the tag of emphasis that the text begins with.
fn tag_length(text: &str) -> Option<usize> {
    const NAME: &str = "strong";
    let slash = usize::from(text[1..].starts_with('/'));
    let behind = 1 + slash + NAME.len();
    let name = text.get(1 + slash..behind).filter(|name| name.eq_ignore_ascii_case(NAME));
    let end = name.and_then(|_| text.bytes().take(MAX_TAG_BYTES).position(|byte| byte == b'>'))?;
    let ends_name = |c: char| c.is_whitespace() || c == '/';
    (behind == end || text[behind..end].starts_with(ends_name)).then_some(end + 1)
}

/// One blank for each run of blanks, one empty line for each run of them, none at the ends.
fn tidied(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut tidied = String::with_capacity(text.len());
    let mut empty_lines = 0;
    for line in text.split('\n') {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            empty_lines += 1;
            continue;
        }
        if !tidied.is_empty() {
            tidied.push_str(if empty_lines > 0 { "\n\n" } else { "\n" });
        }
        empty_lines = 0;
        tidied.push_str(&line);
    }
    tidied
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("  two   words \t", "two words")]
    #[case::lines("a \n  b\r\nc\rd", "a\nb\nc\nd")]
    #[case::empty_lines("a\n\n \n\nb\n", "a\n\nb")]
    #[case::parts(r#"{"content":[{"type":"text","text":"one"},{"type":"image","data":"x"},{"type":"text","text":" two"}]}"#, "one\ntwo")]
    #[case::list_of_parts(r#"[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#, "one\ntwo")]
    #[case::no_parts(r#"{"content":[]}"#, "")]
    #[case::only_pictures(r#"{"content":[{"type":"image","data":"x","mimeType":"image/png"}]}"#, "")]
    #[case::part_without_text(r#"{"content":[{"type":"text"},{"type":"text","text":7}]}"#, "")]
    #[case::other_json(r#"{"temp": 4,  "unit": "C"}"#, r#"{"temp": 4, "unit": "C"}"#)]
    #[case::other_list("[1, 2]", "[1, 2]")]
    #[case::empty_list("[]", "[]")]
    #[case::content_is_text(r#"{"content": "x"}"#, r#"{"content": "x"}"#)]
    #[case::parts_of_no_kind(r#"[{"a": 1}]"#, r#"[{"a": 1}]"#)]
    #[case::broken_json(r#"{"content":[{"type":"text""#, r#"{"content":[{"type":"text""#)]
    #[case::emphasis("a <strong>b</strong> <STRONG class='x'>c</Strong>", "a b c")]
    #[case::other_tags("<b>a</b> 1 < 2 <strongly>", "<b>a</b> 1 < 2 <strongly>")]
    #[case::open_tag("a <strong b", "a <strong b")]
    #[case::apostrophe("it&#x27;s &amp; more", "it's &amp; more")]
    #[case::emphasis_in_parts(
        r#"{"content":[{"type":"text","text":"<strong>it&#x27;s</strong>\n\nso"}]}"#,
        "it's\n\nso"
    )]
    #[case::unicode("ü\u{a0}\u{2003}é 😀<", "ü é 😀<")]
    #[case::mark_before_json("\u{feff}{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}", "x")]
    #[case::nothing("", "")]
    fn result_is_cleaned_for_the_model(#[case] raw: &str, #[case] expected: &str) {
        let cleaned = CleanResult { text: expected.into(), is_error: false, is_rate_limited: false };

        assert_eq!(clean(raw), cleaned);
    }

    #[rstest]
    #[case::flag(r#"{"content":[{"type":"text","text":"gone"}],"isError":true}"#, true, false)]
    #[case::no_flag(r#"{"content":[{"type":"text","text":"gone"}],"isError":false}"#, false, false)]
    #[case::flag_is_text(r#"{"content":[{"type":"text","text":"gone"}],"isError":"true"}"#, false, false)]
    #[case::flag_without_content(r#"{"isError":true,"message":"gone"}"#, true, false)]
    #[case::mark("Error: MCP call timed out", true, false)]
    #[case::mark_in_parts(r#"[{"type":"text","text":"Error: gone"}]"#, true, false)]
    #[case::word_inside("The word Error: is here", false, false)]
    #[case::rate_limit("Rate Limit exceeded", false, true)]
    #[case::rate_limit_and_error(
        r#"{"content":[{"type":"text","text":"You hit the\trate limit"}],"isError":true}"#,
        true,
        true
    )]
    #[case::rate_limit_within_marks("<strong>rate</strong> limit", false, true)]
    #[case::no_limit("the rate is limited by law", false, false)]
    fn failure_and_rate_limit_are_told(
        #[case] raw: &str,
        #[case] is_error: bool,
        #[case] is_rate_limited: bool,
    ) {
        let cleaned = clean(raw);

        assert_eq!((cleaned.is_error, cleaned.is_rate_limited), (is_error, is_rate_limited));
    }
}
