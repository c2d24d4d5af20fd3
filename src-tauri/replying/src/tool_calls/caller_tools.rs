//! The tools of a reply to a calling program: those of Jarvis that it may use, and those that it runs itself.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tools::desktop::SCREENSHOT;
use tools::{Declaration, Effect, Tool, ToolContext, ToolResult, ToolSource};
use vocabulary::{CALLER_PATIENCE, Caller, CallerTool, CallerTools};

use crate::turn_loop::STOP;

/// Returns `true` if a reply to this caller may use a tool of Jarvis. A tool of the caller takes the place of one of ours
/// with the same words in its name: a timer is to ring where it was asked for.
pub(crate) fn may_use(caller: &Caller, tool: &Declaration) -> bool {
    let is_permitted = match tool.name.as_str() {
        STOP => true,
        // The user sees the screen; a program that only talks to Jarvis does not.
        SCREENSHOT => caller.program.is_none() && caller.may_use_tools,
        name if tools::builtin::MEMORY_TOOLS.contains(&name) => caller.may_use_memory,
        _ => caller.may_use_tools,
    };
    is_permitted && !caller.tools.list().iter().any(|own| squashed(&own.name) == squashed(&tool.name))
}

/// The tools that the caller runs, as tools of a reply.
pub(crate) fn tools_of(caller: &Caller) -> impl Iterator<Item = Arc<dyn Tool>> {
    let tools = &caller.tools;
    tools.list().iter().map(|tool| {
        let tool: Arc<dyn Tool> =
            Arc::new(ToolOfCaller { declaration: declaration(tool), calls: tools.clone() });
        tool
    })
}

/// A tool that the caller runs.
struct ToolOfCaller {
    declaration: Declaration,
    calls: CallerTools,
}

#[async_trait]
impl Tool for ToolOfCaller {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        match self.calls.call(&self.declaration.name, arguments).await {
            Some(result) => {
                let outcome = match result.success {
                    true => ToolResult { answer: result.answer, ..ToolResult::done(result.text.0) },
                    false => ToolResult::failed(result.text.0),
                };
                outcome.untrusted()
            }
            None => ToolResult::failed(format!(
                "{} was not run: the program that offers it is gone.",
                self.declaration.name
            )),
        }
    }
}

fn declaration(tool: &CallerTool) -> Declaration {
    Declaration {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.clone(),
        keywords: Vec::new(),
        examples: Vec::new(),
        // Nobody says what the tools of a caller do: it decides itself whether they run.
        effect: Effect::Writes,
        timeout: CALLER_PATIENCE,
        source: ToolSource::Caller,
    }
}

/// The letters and digits of a name, lower case.
fn squashed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect()
}
