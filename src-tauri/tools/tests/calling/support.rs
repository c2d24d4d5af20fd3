//! A runner with scripted tools.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::{CancellationToken, ToolCall};
use serde_json::Value;
use settings::Settings;
use testkit::{InMemoryAudit, InMemoryPermissions, ScriptedTool};
use tools::{Permissions, Tool, ToolContext, ToolRegistry, ToolRunner, ToolsConfig};
use vocabulary::{ConversationId, Origin, Private, ToolCallId};

pub struct Setup {
    pub runner: ToolRunner,
    pub registry: Arc<ToolRegistry>,
    pub permissions: Arc<Permissions>,
    pub remembered: InMemoryPermissions,
    pub log: InMemoryAudit,
}

pub fn setup(tools: &[&Arc<ScriptedTool>]) -> Setup {
    setup_with(tools, |_| {})
}

pub fn setup_with(tools: &[&Arc<ScriptedTool>], change: impl FnOnce(&mut Settings)) -> Setup {
    let remembered = InMemoryPermissions::default();
    let permissions = Arc::new(Permissions::new(config(change), Arc::new(remembered.clone())));
    let registry = Arc::new(ToolRegistry::new());
    registry.add(tools.iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>)).unwrap();
    let log = InMemoryAudit::default();
    Setup {
        runner: ToolRunner::new(registry.clone(), permissions.clone(), Arc::new(log.clone())),
        log,
        registry,
        permissions,
        remembered,
    }
}

pub fn config(change: impl FnOnce(&mut Settings)) -> ToolsConfig {
    let mut settings = Settings::default();
    change(&mut settings);
    ToolsConfig::from(&settings)
}

pub fn call(tool: &str, arguments: Value) -> ToolCall {
    ToolCall { id: ToolCallId(format!("call of {tool}")), name: tool.to_owned(), arguments }
}

pub fn context() -> ToolContext {
    ToolContext {
        query: Private("a question".into()),
        language: None,
        conversation: ConversationId::main(),
        origin: Origin::Typed,
        now: Timestamp::UNIX_EPOCH,
        zone: TimeZone::UTC,
        stop: CancellationToken::new(),
        inquiries: tools::Inquiries::default(),
    }
}
