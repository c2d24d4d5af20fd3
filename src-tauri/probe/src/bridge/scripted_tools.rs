//! Tools with scripted results behind the real choke point.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ::bridge::OfferedTools;
use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::{CancellationToken, ToolSpec};
use serde_json::{Map, Value};
use settings::Settings;
use tools::{
    Approval, ApprovalAnswer, ApprovalRequest, AuditLog, AuditedCall, Declaration, Effect, Inquiries,
    Inquiry, PermissionStore, Permissions, Tool, ToolContext, ToolRegistry, ToolResult, ToolRunner,
    ToolSource, ToolsConfig,
};
use vocabulary::{ConversationId, Origin, Private};

/// The tools of a request.
pub(super) struct ScriptedTools {
    pub offered: OfferedTools,
    pub runner: ToolRunner,
}

impl ScriptedTools {
    /// Tools that return these results. Of two tools with one name the first counts.
    pub fn new(specs: Vec<ToolSpec>, results: &HashMap<String, String>) -> Result<Self, String> {
        let registry = Arc::new(ToolRegistry::new());
        let mut offered = OfferedTools::default();
        let mut names: Vec<String> = Vec::new();
        for (at, spec) in specs.into_iter().enumerate() {
            if names.contains(&spec.name) {
                continue;
            }
            names.push(spec.name.clone());
            // The registry takes fewer names than a server may give.
            let is_callable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            let is_usual =
                !spec.name.is_empty() && spec.name.len() <= 100 && spec.name.chars().all(is_callable);
            let registered = if is_usual { spec.name.clone() } else { format!("tool-{at}") };
            let tool = ScriptedTool {
                result: results.get(&spec.name).cloned(),
                declaration: declaration(registered, spec.description, spec.parameters),
            };
            offered.add(&tool.declaration, &spec.name);
            registry.add([Arc::new(tool) as Arc<dyn Tool>]).map_err(|error| error.to_string())?;
        }
        let permissions = Permissions::new(ToolsConfig::from(&Settings::default()), Arc::new(NoStore));
        Ok(Self { offered, runner: ToolRunner::new(registry, Arc::new(permissions), Arc::new(NoStore)) })
    }
}

/// The context of a call. No answer depends on it.
pub(super) fn context() -> ToolContext {
    ToolContext {
        query: Private(String::new()),
        language: None,
        conversation: ConversationId::main(),
        origin: Origin::Program,
        now: Timestamp::UNIX_EPOCH,
        zone: TimeZone::UTC,
        stop: CancellationToken::new(),
        inquiries: Inquiries::default(),
    }
}

fn declaration(name: String, description: String, parameters: Value) -> Declaration {
    Declaration {
        name,
        description,
        parameters,
        keywords: Vec::new(),
        examples: Vec::new(),
        effect: Effect::ReadOnly,
        timeout: Duration::from_secs(5),
        source: ToolSource::BuiltIn,
    }
}

struct ScriptedTool {
    declaration: Declaration,
    /// `None` fails.
    result: Option<String>,
}

#[async_trait]
impl Tool for ScriptedTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, _: Map<String, Value>, _: &ToolContext) -> ToolResult {
        match &self.result {
            Some(text) => ToolResult::done(text.as_str()).untrusted(),
            None => ToolResult::failed("the script has no result for this tool"),
        }
    }
}

/// Stores nothing: there is nobody to ask.
struct NoStore;

impl AuditLog for NoStore {
    fn note(&self, _: AuditedCall) {}
}

#[async_trait]
impl PermissionStore for NoStore {
    async fn allow_always(&self, _: &Declaration) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

/// Answers no question: scripted tools only read.
pub(super) struct Nobody;

#[async_trait]
impl Approval for Nobody {
    async fn ask(&mut self, _: ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::Unanswered
    }

    async fn inquire(&mut self, _: Inquiry) -> Option<Private<String>> {
        None
    }
}
