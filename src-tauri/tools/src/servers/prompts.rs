//! The prompts of a server: texts that it offers to users, as a list, and one of them filled in.

use rmcp::RoleClient;
use rmcp::model::{GetPromptRequestParams, PaginatedRequestParams, Prompt, PromptArgument};
use rmcp::service::{Peer, ServiceError};
use serde_json::{Map, Value, json};

use super::plain_line::plain_line;
use super::secrets::Secrets;

/// Prompts of a server that are named; neither a model nor a person reads a longer list.
const MAX_PROMPTS: usize = 100;
/// The most pages that are asked for.
const MAX_PAGES: usize = 20;
/// The longest name of a prompt, in characters. A name cannot be cut, since the server is asked by it.
const MAX_NAME_CHARS: usize = 128;
/// Arguments of a prompt that are named.
const MAX_ARGUMENTS: usize = 20;

/// A ready-made text for a task that a server offers to its user. All texts are plain, on one line and bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPrompt {
    /// The server, by its name in the settings.
    pub server: String,
    /// The name by which the server knows it.
    pub name: String,
    /// The purpose, in the words of the server.
    pub description: Option<String>,
    /// The values that it is filled in with.
    pub arguments: Vec<ServerPromptArgument>,
}

/// A value that a prompt is filled in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPromptArgument {
    /// The name by which the server takes it.
    pub name: String,
    /// Its meaning, in the words of the server.
    pub description: Option<String>,
    /// The prompt cannot be filled in without it.
    pub is_required: bool,
}

/// The prompts of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PromptList {
    /// The first ones, in the order of the server.
    pub prompts: Vec<ServerPrompt>,
    /// The server has more.
    pub has_more: bool,
}

/// Asks a server for its prompts, page by page.
pub(super) async fn listed(
    server: &str,
    peer: &Peer<RoleClient>,
    secrets: &Secrets,
) -> Result<PromptList, ServiceError> {
    let (mut prompts, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let listed = peer.list_prompts(Some(page)).await?;
        for prompt in &listed.prompts {
            // A page may name a million, and one more than fits says that there are more.
            if prompts.len() > MAX_PROMPTS {
                break;
            }
            // Of two prompts with one name the first counts, as with tools.
            let is_known = |known: &ServerPrompt| known.name == prompt.name;
            if !prompts.iter().any(is_known) {
                prompts.extend(prompt_of(server, prompt, secrets));
            }
        }
        cursor = listed.next_cursor;
        if cursor.is_none() || prompts.len() > MAX_PROMPTS {
            break;
        }
    }
    let has_more = cursor.is_some() || prompts.len() > MAX_PROMPTS;
    prompts.truncate(MAX_PROMPTS);
    Ok(PromptList { prompts, has_more })
}

impl PromptList {
    /// The list for a model, a line for each prompt.
    pub fn text(&self) -> String {
        let mut lines: Vec<String> = self.prompts.iter().map(line).collect();
        if lines.is_empty() {
            return "The server has no prompts now.".to_owned();
        }
        if self.has_more {
            lines.push("There are more.".to_owned());
        }
        lines.join("\n")
    }
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

/// The prompt of a server; `None` if its name could not be typed, or would be another one on the screen.
fn prompt_of(server: &str, prompt: &Prompt, secrets: &Secrets) -> Option<ServerPrompt> {
    let shown = |text: &str| plain_line(&secrets.hidden_in(text));
    let name = &prompt.name;
    let fits = !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS && shown(name) == *name;
    let described = |text: &Option<String>| text.as_deref().map(shown).filter(|text| !text.is_empty());
    let argument = |argument: &PromptArgument| ServerPromptArgument {
        name: shown(&argument.name).chars().take(MAX_NAME_CHARS).collect(),
        description: described(&argument.description),
        is_required: argument.required == Some(true),
    };
    fits.then(|| ServerPrompt {
        server: server.to_owned(),
        name: name.clone(),
        description: described(&prompt.description),
        arguments: prompt.arguments.iter().flatten().take(MAX_ARGUMENTS).map(argument).collect(),
    })
}

fn line(prompt: &ServerPrompt) -> String {
    let arguments: Vec<String> = prompt.arguments.iter().map(argument_words).collect();
    let words = prompt.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    match arguments.is_empty() {
        true => format!("{}{words}", prompt.name),
        false => format!("{}{words} [{}]", prompt.name, arguments.join(", ")),
    }
}

fn argument_words(argument: &ServerPromptArgument) -> String {
    let optional = if argument.is_required { "" } else { ", optional" };
    match &argument.description {
        Some(text) => format!("{} ({text}{optional})", argument.name),
        None => format!("{}{}", argument.name, optional.replace(", ", " ")),
    }
}
