//! A fake tool, and a user who answers its questions.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tools::{
    Approval, ApprovalAnswer, ApprovalRequest, AuditLog, AuditedCall, Declaration, Effect, Inquiry,
    PermissionStore, Tool, ToolContext, ToolResult, ToolSource,
};
use vocabulary::Private;

/// A fake tool. Records its calls.
pub struct ScriptedTool {
    declaration: Declaration,
    results: Mutex<VecDeque<ToolRun>>,
    calls: Mutex<Vec<Map<String, Value>>>,
}

/// The behaviour of a scripted tool at a call.
pub enum ToolRun {
    /// Returns the given result.
    Returns(ToolResult),
    /// Waits, then returns this.
    Waits(Duration, ToolResult),
    /// Never returns.
    Hangs,
    /// Panics when it is called.
    Panics,
}

impl ScriptedTool {
    /// A built-in tool of this name and effect, with these arguments (a JSON schema). It returns "done" when its script is
    /// used up.
    pub fn new(name: &str, effect: Effect, parameters: Value) -> Self {
        let declaration = Declaration {
            name: name.to_owned(),
            description: format!("Does what {name} does."),
            parameters,
            keywords: Vec::new(),
            examples: Vec::new(),
            effect,
            timeout: Duration::from_secs(5),
            source: ToolSource::BuiltIn,
        };
        Self { declaration, results: Mutex::default(), calls: Mutex::default() }
    }

    /// A built-in tool that reads and has no arguments.
    pub fn reading(name: &str) -> Self {
        Self::new(name, Effect::ReadOnly, json!({"type": "object"}))
    }

    /// The same tool with another description.
    pub fn described(mut self, description: &str) -> Self {
        description.clone_into(&mut self.declaration.description);
        self
    }

    /// The same tool as one of an MCP server.
    pub fn of_server(mut self, server: &str) -> Self {
        self.declaration.source = ToolSource::Server(server.to_owned());
        self
    }

    /// The same tool with these runs, one for each call.
    pub fn runs(self, runs: impl IntoIterator<Item = ToolRun>) -> Self {
        self.results.lock().extend(runs);
        self
    }

    /// The arguments of all calls, in order.
    pub fn calls(&self) -> Vec<Map<String, Value>> {
        self.calls.lock().clone()
    }
}

#[async_trait]
impl Tool for ScriptedTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        self.calls.lock().push(arguments);
        let run = self.results.lock().pop_front();
        match run {
            Some(ToolRun::Returns(result)) => result,
            Some(ToolRun::Waits(pause, result)) => {
                tokio::time::sleep(pause).await;
                result
            }
            Some(ToolRun::Hangs) => std::future::pending().await,
            Some(ToolRun::Panics) => panic!("the script says so"),
            None => ToolResult::done("done"),
        }
    }
}

/// A user who gives scripted answers, then none. Records the questions.
#[derive(Default)]
pub struct ScriptedApproval {
    answers: VecDeque<ApprovalAnswer>,
    /// All questions, in order.
    pub asked: Vec<ApprovalRequest>,
    said: VecDeque<String>,
    /// All questions of tools, in order.
    pub inquired: Vec<Inquiry>,
    /// All lines of progress, in order.
    pub reported: Vec<String>,
    /// Leaves the questions of tools open.
    pub is_away: bool,
}

impl ScriptedApproval {
    /// A user with these answers.
    pub fn new(answers: impl IntoIterator<Item = ApprovalAnswer>) -> Self {
        Self { answers: answers.into_iter().collect(), ..Self::default() }
    }

    /// The same user, who says this when tools ask, then nothing.
    pub fn saying<'w>(mut self, words: impl IntoIterator<Item = &'w str>) -> Self {
        self.said = words.into_iter().map(str::to_owned).collect();
        self
    }
}

#[async_trait]
impl Approval for ScriptedApproval {
    async fn ask(&mut self, request: ApprovalRequest) -> ApprovalAnswer {
        self.asked.push(request);
        self.answers.pop_front().unwrap_or(ApprovalAnswer::Unanswered)
    }

    async fn inquire(&mut self, inquiry: Inquiry) -> Option<Private<String>> {
        self.inquired.push(inquiry);
        if self.is_away {
            std::future::pending::<()>().await;
        }
        self.said.pop_front().map(Private)
    }

    async fn report(&mut self, progress: Private<String>) {
        self.reported.push(progress.0);
    }
}

/// Remembers permissions in memory.
#[derive(Clone, Default)]
pub struct InMemoryPermissions(Arc<Mutex<Vec<String>>>);

impl InMemoryPermissions {
    /// The tools that are allowed for good, in order.
    pub fn allowed(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}

#[async_trait]
impl PermissionStore for InMemoryPermissions {
    async fn allow_always(&self, tool: &Declaration) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.0.lock().push(tool.name.clone());
        Ok(())
    }
}

/// Keeps the log of calls in memory.
#[derive(Clone, Default)]
pub struct InMemoryAudit(Arc<Mutex<Vec<AuditedCall>>>);

impl InMemoryAudit {
    /// All calls, in the order in which they ended.
    pub fn calls(&self) -> Vec<AuditedCall> {
        self.0.lock().clone()
    }
}

impl AuditLog for InMemoryAudit {
    fn note(&self, call: AuditedCall) {
        self.0.lock().push(call);
    }
}
