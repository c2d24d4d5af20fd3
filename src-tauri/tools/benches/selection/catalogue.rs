//! The files of tools and questions, and an index of tools that are never called.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use settings::Settings;
use tools::selection::ToolIndex;
use tools::{
    Declaration, Effect, Example, PermissionStore, Permissions, Tool, ToolContext, ToolRegistry, ToolResult,
    ToolSource, ToolsConfig,
};

/// A question, and the tools of which one answers it.
#[derive(Deserialize)]
pub struct Query {
    pub text: String,
    pub tools: Vec<String>,
    pub kind: String,
    #[serde(default = "tuning")]
    pub half: String,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    description: String,
    #[serde(default = "no_arguments")]
    parameters: Value,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    examples: Vec<String>,
}

fn tuning() -> String {
    "tuning".to_owned()
}

fn no_arguments() -> Value {
    json!({"type": "object"})
}

/// Reads the tools of a file.
pub fn tools(file: &Path) -> Vec<Declaration> {
    #[derive(Deserialize)]
    struct Catalogue {
        tools: Vec<Entry>,
    }
    let catalogue: Catalogue = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let example = |request| Example { request, arguments: json!({}) };
    let declaration = |entry: Entry| Declaration {
        source: match tools::split_tool_name(&entry.name) {
            Some((server, _)) => ToolSource::Server(server.to_owned()),
            None => ToolSource::BuiltIn,
        },
        name: entry.name,
        description: entry.description,
        parameters: entry.parameters,
        keywords: entry.keywords,
        examples: entry.examples.into_iter().map(example).collect(),
        effect: Effect::ReadOnly,
        timeout: Duration::from_secs(1),
    };
    catalogue.tools.into_iter().map(declaration).collect()
}

/// Reads the questions of a file. All tools they name are in the catalogue.
pub fn queries(file: &Path, tools: &[Declaration]) -> Vec<Query> {
    #[derive(Deserialize)]
    struct Questions {
        questions: Vec<Query>,
    }
    let questions: Questions = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    for query in &questions.questions {
        for name in &query.tools {
            assert!(tools.iter().any(|tool| tool.name == *name), "{:?} names no tool: {name}", query.text);
        }
    }
    questions.questions
}

/// An index of these tools.
pub fn index(tools: &[Declaration]) -> ToolIndex {
    let config = ToolsConfig::from(&Settings::default());
    let registry = Arc::new(ToolRegistry::new());
    registry.add(tools.iter().map(|tool| Arc::new(Declared(tool.clone())) as Arc<dyn Tool>)).unwrap();
    ToolIndex::new(registry, Arc::new(Permissions::new(config, Arc::new(Forgetful))))
}

struct Declared(Declaration);

#[async_trait]
impl Tool for Declared {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, _: Map<String, Value>, _: &ToolContext) -> ToolResult {
        ToolResult::failed("a measurement calls no tools")
    }
}

struct Forgetful;

#[async_trait]
impl PermissionStore for Forgetful {
    async fn allow_always(
        &self,
        _: &tools::Declaration,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}
