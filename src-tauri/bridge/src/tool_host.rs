//! The tools of a prompt: those of the registry, run through the one choke point.

use std::collections::BTreeMap;

use async_trait::async_trait;
use llm::{ToolCall, ToolSpec};
use tools::{Approval, CallStatus, Catalogue, Declaration, Taint, ToolContext, ToolRunner, split_tool_name};

use crate::ports::{ToolAnswer, ToolHost, ToolOutcome};

/// The tools that a model is offered, with their names in the registry.
#[derive(Debug, Clone, Default)]
pub struct OfferedTools {
    /// The tools under the names that the model reads.
    pub specs: Vec<ToolSpec>,
    /// The name in the registry for each name that the model reads.
    registered: BTreeMap<String, String>,
}

impl OfferedTools {
    /// All tools of servers. A tool has the name that its server gives it; two servers with the same name for a tool keep
    /// their own names before it.
    pub fn of_servers(catalogue: &Catalogue) -> Self {
        let of_servers: Vec<(&Declaration, &str)> = catalogue
            .declarations()
            .filter_map(|tool| Some((tool, split_tool_name(&tool.name)?.1)))
            .collect();
        let mut offered = Self::default();
        for (tool, short) in &of_servers {
            let is_alone = of_servers.iter().filter(|(_, other)| other == short).count() == 1;
            offered.add(tool, if is_alone { short } else { &tool.name });
        }
        offered
    }

    /// Offers one more tool under a name of its own.
    pub fn add(&mut self, tool: &Declaration, name: &str) {
        self.registered.insert(name.to_owned(), tool.name.clone());
        let (description, parameters) = (tool.description.clone(), tool.parameters.clone());
        self.specs.push(ToolSpec { name: name.to_owned(), description, parameters });
    }
}

/// Runs the calls of one prompt.
pub struct RunnerHost<'h> {
    runner: &'h ToolRunner,
    offered: &'h OfferedTools,
    context: ToolContext,
    approval: &'h mut dyn Approval,
    taint: Taint,
}

impl<'h> RunnerHost<'h> {
    /// For a prompt. How sure the model is of its calls nobody knows; with `has_read_outside` text from outside is in the
    /// conversation already.
    pub fn new(
        runner: &'h ToolRunner,
        offered: &'h OfferedTools,
        context: ToolContext,
        approval: &'h mut dyn Approval,
        has_read_outside: bool,
    ) -> Self {
        let taint = if has_read_outside { Taint::AfterUntrusted } else { Taint::Unsure };
        Self { runner, offered, context, approval, taint }
    }

    /// Returns `true` if text from outside is in the conversation.
    pub fn has_read_outside(&self) -> bool {
        self.taint.is_from_outside()
    }
}

#[async_trait]
impl ToolHost for RunnerHost<'_> {
    async fn call(&mut self, call: &ToolCall) -> ToolAnswer {
        let name = self.offered.registered.get(&call.name).unwrap_or(&call.name).clone();
        let registered = ToolCall { name, ..call.clone() };
        let outcome = self.runner.run(&registered, self.taint, &self.context, self.approval).await;
        if outcome.result.is_untrusted {
            self.taint = Taint::AfterUntrusted;
        }
        let text = outcome.result.text.map(|text| text.0).unwrap_or_default();
        let outcome = match outcome.status {
            CallStatus::Done => ToolOutcome::Done,
            CallStatus::InvalidArguments => ToolOutcome::InvalidArguments,
            _ => ToolOutcome::Failed,
        };
        ToolAnswer { text, outcome }
    }
}
