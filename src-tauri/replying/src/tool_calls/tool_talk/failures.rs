//! Tools that failed since the user last spoke: the answer to the follow-up may need them again.
//!
//! "Weather tomorrow?" fails for lack of a place; "I am in London" must still find the weather tool.
//!
//! Source: docs/behaviour/replying.md#failed-tools.

use std::collections::BTreeSet;

use llm::{Message, Role};

/// The names of the tools whose result failed after the last words of the user.
pub fn failed_tools(recent: &[Message]) -> BTreeSet<String> {
    failed_in(&recent[last_said(recent).unwrap_or(0)..])
}

/// Those of [`failed_tools`] that had not failed after the words before too: then the user has moved on.
pub(crate) fn newly_failed_tools(recent: &[Message]) -> BTreeSet<String> {
    let before = &recent[..last_said(recent).unwrap_or(0)];
    let failed_before = failed_tools(before);
    failed_tools(recent).into_iter().filter(|name| !failed_before.contains(name)).collect()
}

fn last_said(messages: &[Message]) -> Option<usize> {
    messages.iter().rposition(|message| message.role == Role::User && message.tool_name.is_none())
}

fn failed_in(messages: &[Message]) -> BTreeSet<String> {
    let calls = || messages.iter().flat_map(|message| &message.tool_calls);
    let failed = messages.iter().filter(|message| message.tool_failed);
    failed
        .filter_map(|result| match &result.tool_call_id {
            Some(id) => {
                let call = calls().find(|call| call.id == *id);
                if call.is_none() {
                    tracing::debug!("a failed tool result has no call");
                }
                call.map(|call| call.name.clone())
            }
            None => result.tool_name.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use llm::{ToolCall, ToolCallId};
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: ToolCallId(id.into()), name: "getWeather".into(), arguments: json!({}) }
    }

    fn native(id: &str, tool_failed: bool) -> Message {
        Message { tool_failed, ..Message::tool_result(&call(id), "which town?") }
    }

    fn in_text(tool_failed: bool) -> Message {
        Message { tool_name: Some("getWeather".into()), tool_failed, ..Message::user("which town?") }
    }

    fn calling(id: &str) -> Message {
        Message::assistant_calls("", vec![call(id)])
    }

    #[rstest]
    #[case::native(vec![calling("1"), native("1", true)], true)]
    #[case::in_text(vec![in_text(true)], true)]
    #[case::succeeded(vec![calling("1"), native("1", false)], false)]
    #[case::no_call_for_it(vec![native("2", true)], false)]
    #[case::user_spoke_since(vec![in_text(true), Message::user("never mind")], false)]
    #[case::we_spoke_since(vec![in_text(true), Message::assistant("Which town?")], true)]
    fn tools_that_failed_since_the_user_spoke(#[case] mut after: Vec<Message>, #[case] expected: bool) {
        let mut messages = vec![Message::user("weather?")];
        messages.append(&mut after);

        assert_eq!(failed_tools(&messages).contains("getWeather"), expected);
    }

    #[test]
    fn tool_that_failed_twice_in_a_row_is_not_kept_on() {
        let mut messages = vec![Message::user("weather?"), in_text(true), Message::assistant("Which town?")];
        messages.extend([Message::user("why is that?"), in_text(true), Message::assistant("Which town?")]);
        assert!(newly_failed_tools(&messages).is_empty() && !failed_tools(&messages).is_empty());

        messages.extend([Message::user("who found that out?"), Message::assistant("Tyndall.")]);
        messages.extend([Message::user("and the weather?"), in_text(true)]);
        assert!(newly_failed_tools(&messages).contains("getWeather"));
    }
}
