//! The tool that lists the tools of all servers anew.

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::manager::ToolServers;
use super::server_task::FIRST_LIST_LIMIT;
use super::status::{ServerPhase, ServerStatus};
use crate::builtin::declaration::{NoArguments, declaration};
use crate::fence::fenced;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// Tools of a server that are named. Source: docs/behaviour/tools.md#servers.
const NAMED_TOOLS: usize = 5;

/// The tool `refreshMCPTools`.
pub struct RefreshServers {
    declaration: Declaration,
    servers: ToolServers,
}

impl RefreshServers {
    /// The tool for these servers.
    pub fn new(servers: ToolServers) -> Self {
        Self { declaration: Self::describe(), servers }
    }

    /// The declaration of the tool.
    pub fn describe() -> Declaration {
        let mut declaration = declaration::<NoArguments>(
            "refreshMCPTools",
            Effect::Network,
            "Looks anew which tools the tool servers (MCP) offer.",
            "mcp server servers reload refresh rescan connect plugins extensions available",
            &[("reload the tool servers", json!({})), ("which MCP tools are there?", json!({}))],
        );
        declaration.timeout = FIRST_LIST_LIMIT * 2;
        declaration
    }
}

#[async_trait]
impl Tool for RefreshServers {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, _: Map<String, Value>, _: &ToolContext) -> ToolResult {
        let statuses = self.servers.refresh().await;
        if statuses.is_empty() {
            return ToolResult::done(
                "No tool servers are set up. The user can add them in the settings (mcp.servers).",
            );
        }
        let lines: Vec<String> = statuses.iter().map(line).collect();
        // Names of tools, and reasons of failures, come from the servers.
        ToolResult::done(fenced("TOOL SERVERS", &lines.join("\n"))).untrusted()
    }
}

fn line(status: &ServerStatus) -> String {
    if let ServerPhase::Failed(reason) = &status.phase {
        return format!("{}: does not work: {reason}", status.name);
    }
    if status.phase == ServerPhase::SignInNeeded {
        return format!("{}: the user has to sign in, on the page Tool servers of the settings", status.name);
    }
    let named: Vec<&str> = status.tools.iter().take(NAMED_TOOLS).map(String::as_str).collect();
    let more = if status.tools.len() > NAMED_TOOLS { ", …" } else { "" };
    format!("{}: {} tools: {}{more}", status.name, status.tools.len(), named.join(", "))
}
