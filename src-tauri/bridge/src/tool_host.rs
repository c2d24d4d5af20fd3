//! The tools of a prompt: those of the registry, run through the one choke point.

use std::collections::{BTreeMap, VecDeque};

use async_trait::async_trait;
use llm::{ToolCall, ToolSpec};
use serde_json::Value;
use tools::{
    Approval, CallStatus, Catalogue, Declaration, ReplyTexts, Taint, ToolContext, ToolRunner, WordSources,
    split_tool_name,
};
use vocabulary::Private;

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
    pub fn from_catalogue(catalogue: &Catalogue) -> Self {
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

/// Most texts that are kept of a conversation; the oldest go first.
const MAX_TEXTS: usize = 256;

/// The texts that a model has read, as far as they must not go elsewhere.
#[derive(Debug, Clone, Default)]
pub struct ReadTexts {
    /// Text from outside is among them.
    has_outside: bool,
    prompts: VecDeque<Private<String>>,
    /// The results of tools, each with its server.
    results: VecDeque<(Option<String>, Private<String>)>,
}

impl ReadTexts {
    fn add_result(&mut self, tool: &str, text: &str, is_from_outside: bool) {
        self.has_outside |= is_from_outside;
        let server = split_tool_name(tool).map(|(server, _)| server.to_owned());
        push(&mut self.results, (server, Private(text.to_owned())));
    }

    /// Returns `true` if a call would carry words out that neither the request nor its own server knows.
    fn are_carried_by(&self, call: &ToolCall, spec: Option<&ToolSpec>, request: &str) -> bool {
        let Some(arguments) = call.arguments.as_object() else { return false };
        let server = split_tool_name(&call.name).map(|(server, _)| server);
        let results = self.results.iter().filter(|(from, _)| from.as_deref() != server);
        let words = WordSources::new(&ReplyTexts {
            request,
            private: self.prompts.iter().map(|prompt| prompt.0.as_str()).collect(),
            results: results.map(|(_, text)| text.0.as_str()).collect(),
            ..ReplyTexts::default()
        });
        words.are_private_in(arguments, spec.map_or(&Value::Null, |spec| &spec.parameters))
    }
}

fn push<T>(kept: &mut VecDeque<T>, new: T) {
    if kept.len() == MAX_TEXTS {
        kept.pop_front();
    }
    kept.push_back(new);
}

/// Runs the calls of one prompt.
pub struct RunnerHost<'h> {
    runner: &'h ToolRunner,
    offered: &'h OfferedTools,
    context: ToolContext,
    approval: &'h mut dyn Approval,
    read: ReadTexts,
}

impl<'h> RunnerHost<'h> {
    /// For a prompt. `read` is what earlier prompts of the conversation have left.
    pub fn new(
        runner: &'h ToolRunner,
        offered: &'h OfferedTools,
        context: ToolContext,
        approval: &'h mut dyn Approval,
        read: ReadTexts,
    ) -> Self {
        Self { runner, offered, context, approval, read }
    }

    /// The texts of the conversation, this prompt included.
    pub fn into_read(self) -> ReadTexts {
        let mut read = self.read;
        push(&mut read.prompts, self.context.query);
        read
    }

    /// Returns the taint of a call. Nobody knows how sure the model is of it.
    fn taint(&self, call: &ToolCall, spec: Option<&ToolSpec>) -> Taint {
        match self.read.has_outside {
            false => Taint::Unsure,
            true if self.read.are_carried_by(call, spec, &self.context.query.0) => Taint::Leaking,
            true => Taint::AfterUntrusted,
        }
    }
}

#[async_trait]
impl ToolHost for RunnerHost<'_> {
    async fn call(&mut self, call: &ToolCall) -> ToolAnswer {
        let name = self.offered.registered.get(&call.name).unwrap_or(&call.name).clone();
        let registered = ToolCall { name, ..call.clone() };
        let spec = self.offered.specs.iter().find(|spec| spec.name == call.name);
        let taint = self.taint(&registered, spec);
        let outcome = self.runner.run(&registered, taint, &self.context, self.approval).await;
        let text = outcome.result.text.map(|text| text.0).unwrap_or_default();
        self.read.add_result(&registered.name, &text, outcome.result.is_untrusted);
        let outcome = match outcome.status {
            CallStatus::Done => ToolOutcome::Done,
            CallStatus::InvalidArguments => ToolOutcome::InvalidArguments,
            _ => ToolOutcome::Failed,
        };
        ToolAnswer { text, outcome }
    }
}
