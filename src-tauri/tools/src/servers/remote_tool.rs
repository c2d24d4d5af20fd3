//! A tool of a server, as the registry knows it.

use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::Tool as Described;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use super::claimed_effect::{Hints, claimed_effect};
use super::content::told;
use super::elicitation::Asker;
use super::request::{AskedOperation, ServerRequest};
use super::session::LONGEST_CALL;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult, ToolSource};

/// The longest description that the model reads, in characters. Longer ones fill its context, and may hide orders.
const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// The longest schema of arguments, in bytes of JSON. A tool with a longer one is left out.
const MAX_SCHEMA_BYTES: usize = 64 * 1024;
/// Longest name of a tool with that of its server, as the providers of models accept it.
const MAX_NAME_CHARS: usize = 128;
/// A call waits for others of its server, and for the server to start, besides its own time.
const WAIT_LIMIT: Duration = Duration::from_secs(60);
/// The name of the tool that reads the resources of a server, behind that of the server.
const READ_RESOURCE: &str = "readServerResource";
/// The name of the tool that fills in the prompts of a server, behind that of the server.
const USE_PROMPT: &str = "useServerPrompt";

/// A tool of a server, or one that reads its resources or its prompts.
pub(super) struct ServerTool {
    declaration: Declaration,
    target: Target,
    requests: mpsc::Sender<ServerRequest>,
}

/// The request of a call to the server.
pub(super) enum Target {
    /// The tool of this name at the server.
    Tool {
        /// Its name there.
        name: String,
        /// The claims of the server about it.
        hints: Hints,
    },
    /// The tool that reads resources.
    Resources,
    /// The tool that uses prompts.
    Prompts,
}

impl ServerTool {
    pub fn new(declaration: Declaration, target: Target, requests: mpsc::Sender<ServerRequest>) -> Self {
        Self { declaration, target, requests }
    }

    fn asked(&self, mut arguments: Map<String, Value>) -> AskedOperation {
        let text = |name: &str| {
            let text = arguments.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
            (!text.is_empty()).then(|| text.to_owned())
        };
        match &self.target {
            Target::Tool { name, .. } => AskedOperation::Tool { name: name.clone(), arguments },
            Target::Resources => {
                text("uri").map_or(AskedOperation::Resources, |uri| AskedOperation::Resource { uri })
            }
            Target::Prompts => match text("name") {
                Some(name) => {
                    let arguments = arguments.remove("arguments").and_then(|all| all.as_object().cloned());
                    AskedOperation::Prompt { name, arguments: arguments.unwrap_or_default() }
                }
                None => AskedOperation::Prompts,
            },
        }
    }
}

#[async_trait]
impl Tool for ServerTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        let gone = || ToolResult::failed("The server of this tool is switched off.");
        let (answer, answered) = oneshot::channel();
        let can_repeat = self.declaration.effect <= Effect::Network;
        let ToolSource::Server(server) = self.declaration.source.clone() else { return gone() };
        let (language, inquiries) = (context.language.clone(), context.inquiries.clone());
        let asker = Asker { server, language, inquiries };
        let request = ServerRequest::Call { asked: self.asked(arguments), asker, can_repeat, answer };
        if self.requests.send(request).await.is_err() {
            return gone();
        }
        answered.await.map_or_else(|_| gone(), told)
    }
}

/// Returns the declaration of a tool of a server; `None` if the tool cannot be offered.
pub(super) fn declaration_of(server: &str, tool: &Described) -> Option<Declaration> {
    let name = format!("{server}__{}", callable(&tool.name)?);
    let parameters = Value::Object(tool.input_schema.as_ref().clone());
    let is_short = name.len() <= MAX_NAME_CHARS;
    if !is_short || parameters.to_string().len() > MAX_SCHEMA_BYTES {
        return None;
    }
    let description = tool.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let description = description.map_or_else(|| format!("Tool from {server}"), str::to_owned);
    let parameters = match parameters {
        Value::Object(fields) if fields.is_empty() => json!({ "type": "object", "properties": {} }),
        other => other,
    };
    let effect = claimed_effect(&tool.name, Hints::from(tool));
    Some(declaration(server, name, &description, parameters, effect))
}

/// The declaration of the tool that reads the resources of a server. It belongs to the server, so that it may run when
/// the tools of the server may.
pub(super) fn resources_declaration(server: &str) -> Declaration {
    let description = format!(
        "Reads a resource (file, record, document) of the tool server {server}. Without uri: lists its resources."
    );
    let parameters = json!({
        "type": "object",
        "properties": { "uri": { "type": "string", "description": "The address from the list." } },
    });
    let name = format!("{server}__{READ_RESOURCE}");
    declaration(server, name, &description, parameters, Effect::Network)
}

/// The declaration of the tool that fills in the prompts of a server. Their texts are a stranger's: they come as a result
/// like any other, and never as orders.
pub(super) fn prompts_declaration(server: &str) -> Declaration {
    let description = format!(
        "Fills in a prompt (ready-made text for a task) of the tool server {server}, when the user asks for it, such as \
         /{server}:name. Without name: lists its prompts and their arguments."
    );
    let parameters = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The name from the list." },
            "arguments": { "type": "object", "description": "The arguments of the prompt." },
        },
    });
    declaration(server, format!("{server}__{USE_PROMPT}"), &description, parameters, Effect::Network)
}

fn declaration(
    server: &str,
    name: String,
    description: &str,
    parameters: Value,
    effect: Effect,
) -> Declaration {
    Declaration {
        name,
        description: description.chars().take(MAX_DESCRIPTION_CHARS).collect(),
        parameters,
        keywords: Vec::new(),
        examples: Vec::new(),
        effect,
        timeout: LONGEST_CALL + WAIT_LIMIT,
        source: ToolSource::Server(server.to_owned()),
    }
}

/// The name of a tool as a model can write it: each other sign is `_`. `None` for a name without letters and digits.
fn callable(name: &str) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    name.chars()
        .any(|c| c.is_ascii_alphanumeric())
        .then(|| name.chars().map(|c| if fits(c) { c } else { '_' }).collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn described(json: Value) -> Described {
        serde_json::from_value(json).unwrap()
    }

    #[rstest]
    #[case::plain("read_file", Some("files__read_file"))]
    #[case::dots_of_the_specification("admin.tools.list", Some("files__admin_tools_list"))]
    #[case::spaces_and_signs("do it; now", Some("files__do_it__now"))]
    #[case::other_letters("größe", Some("files__gr__e"))]
    #[case::no_letter("日本語", None)]
    #[case::empty("", None)]
    #[case::too_long("x".repeat(200), None)]
    fn name_of_a_tool_is_made_callable(#[case] name: impl Into<String>, #[case] expected: Option<&str>) {
        let tool = described(json!({ "name": name.into(), "inputSchema": { "type": "object" } }));

        let declared = declaration_of("files", &tool);

        assert_eq!(declared.map(|tool| tool.name).as_deref(), expected);
    }

    #[test]
    fn long_descriptions_are_cut_and_huge_schemas_left_out() {
        let long = described(json!({
            "name": "read", "description": "x".repeat(1_000_000), "inputSchema": { "type": "object" }
        }));
        let huge = described(json!({
            "name": "write", "inputSchema": { "type": "object", "description": "x".repeat(1_000_000) }
        }));

        let kept = declaration_of("files", &long).unwrap();
        assert_eq!((kept.name.as_str(), kept.description.len()), ("files__read", MAX_DESCRIPTION_CHARS));
        assert_eq!(declaration_of("files", &huge), None);
    }
}
