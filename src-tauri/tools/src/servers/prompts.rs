//! The prompts of a server: texts that it offers to users, as a list, and one of them filled in.

use rmcp::RoleClient;
use rmcp::model::{GetPromptRequestParams, PaginatedRequestParams, Prompt, PromptArgument};
use rmcp::service::{Peer, ServiceError};
use serde_json::{Map, Value, json};

use super::plain_line::plain_line;

/// Prompts that are named; a model reads no longer list.
const MAX_PROMPTS: usize = 100;
/// The most pages that are asked for.
const MAX_PAGES: usize = 20;

/// The prompts of a server with their arguments, a line each.
pub(super) async fn listed(peer: &Peer<RoleClient>) -> Result<String, ServiceError> {
    let (mut lines, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let listed = peer.list_prompts(Some(page)).await?;
        lines.extend(listed.prompts.iter().map(line));
        cursor = listed.next_cursor;
        if cursor.is_none() || lines.len() > MAX_PROMPTS {
            break;
        }
    }
    if lines.is_empty() {
        return Ok("The server has no prompts now.".to_owned());
    }
    if lines.len() > MAX_PROMPTS {
        lines.truncate(MAX_PROMPTS);
        lines.push("There are more.".to_owned());
    }
    Ok(lines.join("\n"))
}

/// A prompt with its arguments filled in, as the result of a tool: the messages one after the other.
pub(super) async fn filled(
    peer: &Peer<RoleClient>,
    name: String,
    arguments: Map<String, Value>,
) -> Result<Value, ServiceError> {
    // The protocol has texts only, and models write numbers as numbers.
    let text = |value: Value| match value {
        Value::String(text) => Value::String(text),
        other => Value::String(other.to_string()),
    };
    let arguments = arguments.into_iter().map(|(name, value)| (name, text(value))).collect();
    let filled = peer.get_prompt(GetPromptRequestParams::new(name).with_arguments(arguments)).await?;
    let parts = filled.messages.into_iter().map(|message| json!(message.content));
    Ok(json!({ "content": parts.collect::<Vec<_>>() }))
}

fn line(prompt: &Prompt) -> String {
    let arguments: Vec<String> = prompt.arguments.iter().flatten().map(argument).collect();
    let description = prompt.description.as_deref().map(plain_line).filter(|text| !text.is_empty());
    let words = description.map(|text| format!(": {text}")).unwrap_or_default();
    match arguments.is_empty() {
        true => format!("{}{words}", prompt.name),
        false => format!("{}{words} [{}]", prompt.name, arguments.join(", ")),
    }
}

fn argument(argument: &PromptArgument) -> String {
    let optional = if argument.required == Some(true) { "" } else { ", optional" };
    match argument.description.as_deref().map(plain_line).filter(|text| !text.is_empty()) {
        Some(text) => format!("{} ({text}{optional})", argument.name),
        None => format!("{}{}", argument.name, optional.replace(", ", " ")),
    }
}
