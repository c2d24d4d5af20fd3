//! The built-in tools with an open memory in a temporary folder, on a Monday afternoon.

use std::sync::Arc;

use jiff::Timestamp;
use memory::{Memory, OpenedMemory};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tools::builtin::{Parts, all};
use tools::{Tool, ToolContext, ToolResult};
use vocabulary::{Language, Private};

use crate::support::context;

pub struct Fixture {
    pub tools: Vec<Arc<dyn Tool>>,
    pub memory: Memory,
    pub context: ToolContext,
    /// Lives as long as the memory in it.
    _folder: tempfile::TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        Self::with(|parts| parts)
    }

    /// A fixture with more parts than a memory.
    pub fn with(more: impl FnOnce(Parts) -> Parts) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let OpenedMemory { memory, .. } = Memory::open(folder.path().join("memory.db").as_path()).unwrap();
        let (_, receiver) = watch::channel(Some(memory.clone()));
        let context = ToolContext {
            language: Language::new("en"),
            now: "2026-11-23T15:05:00Z".parse().unwrap(),
            ..context()
        };
        Self { tools: all(more(Parts::from_memory(receiver))), memory, context, _folder: folder }
    }

    pub fn asked(mut self, query: &str) -> Self {
        self.context.query = Private(query.to_owned());
        self
    }

    /// Calls from now on belong to another request.
    pub fn next_request(&mut self) {
        self.context.now += jiff::SignedDuration::from_secs(1);
    }

    pub async fn call(&self, name: &str, arguments: Value) -> ToolResult {
        let tool = self.tools.iter().find(|tool| tool.declaration().name == name).unwrap();
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        tool.run(arguments, &self.context).await
    }

    /// Returns the words to the model.
    pub async fn told(&self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments).await;
        let text = result.text.unwrap().0;
        if result.success { text } else { format!("failed: {text}") }
    }
}

pub fn micros(time: &str) -> i64 {
    time.parse::<Timestamp>().unwrap().as_microsecond()
}
