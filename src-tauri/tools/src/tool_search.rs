//! The tool that finds tools.

use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use llm::{EmbedRole, Embedder};
use serde_json::{Map, Value, json};
use settings::SelectionStrategy;

use crate::selection::{STOP, TOOL_SEARCH, ToolIndex, first_line};
use crate::tool::{Declaration, Effect, Tool, ToolContext, ToolSource};
use crate::tool_result::{ToolResult, Transition};

/// The time that the search waits for the vector of its query; without it, words alone decide.
const EMBED_LIMIT: Duration = Duration::from_millis(500);

/// Searches all tools, when those the model was given are not enough. Source: docs/behaviour/tools.md#tool-search.
pub struct ToolSearch {
    declaration: Declaration,
    /// Weak: the index holds the catalogue, and the catalogue holds this tool.
    index: Weak<ToolIndex>,
    embedder: Option<Arc<dyn Embedder>>,
}

impl ToolSearch {
    /// A search in this index.
    pub fn new(index: &Arc<ToolIndex>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { declaration: Self::describe(), index: Arc::downgrade(index), embedder }
    }

    /// Returns the declaration.
    pub fn describe() -> Declaration {
        Declaration {
            name: TOOL_SEARCH.to_owned(),
            description: "Find further tools, when none of the tools at hand can do what the user wants."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "What the tool should do, in a few English words."}
                },
                "required": ["query"],
                "additionalProperties": false
            }),
            keywords: Vec::new(),
            examples: Vec::new(),
            effect: Effect::ReadOnly,
            timeout: Duration::from_secs(10),
            source: ToolSource::BuiltIn,
        }
    }

    async fn vector(&self, query: &str, context: &ToolContext) -> Option<Vec<f32>> {
        let embedder = self.embedder.as_ref()?;
        let texts = [query.to_owned()];
        let embedding = embedder.embed(&texts, EmbedRole::Query, context.stop.clone());
        tokio::time::timeout(EMBED_LIMIT, embedding).await.ok()?.ok()?.pop()
    }
}

#[async_trait]
impl Tool for ToolSearch {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default().trim();
        if query.is_empty() {
            return ToolResult::failed("Say in the query what the tool should do.");
        }
        let Some(index) = self.index.upgrade() else {
            return ToolResult::failed("No tools are at hand now.");
        };
        let vector = self.vector(query, context).await;
        let selection = index.select(SelectionStrategy::Hybrid, query, vector.as_deref());
        let catalogue = index.catalogue();
        let found: Vec<&Declaration> = selection
            .names
            .iter()
            .filter(|name| *name != STOP && *name != TOOL_SEARCH)
            .filter_map(|name| catalogue.get(name).map(|tool| tool.declaration()))
            .collect();
        if found.is_empty() {
            return ToolResult::done("No tool can do that. Answer without one, or say what is missing.");
        }
        let lines: Vec<String> =
            found.iter().map(|tool| format!("{}: {}", tool.name, first_line(&tool.description))).collect();
        let names = found.iter().map(|tool| tool.name.clone()).collect();
        ToolResult { transition: Some(Transition::OfferTools(names)), ..ToolResult::done(lines.join("\n")) }
    }
}
