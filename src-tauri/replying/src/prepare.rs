//! The second stage: which tools fit, which steps to take, whether memory is searched.
//!
//! It never fails: what cannot be decided is left open, and the reply goes on.
//!
//! Source: docs/behaviour/replying.md.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use settings::{Preparation, Profile};

use crate::conversations::Conversations;
use crate::memory_use::recall_gate::{MIN_COVERAGE, should_recall};
use crate::planning::compound::split_compound;
use crate::planning::plan::Plan;
use crate::prompting::profiles::is_allowed;
use crate::reply_context::ReplyContext;
use crate::roles::{CombinedAnswer, SearchTerms, extract_search_terms, make_plan, prepare_combined, route};
use crate::tool_calls::tool_talk::newly_failed_tools;
use crate::tool_calls::toolbox::{MIN_FIT, ToolCandidates};

/// The shortest query that is planned, in characters. Source: docs/behaviour/replying.md#plan.
const SHORTEST_PLANNED: usize = 4;

/// The result of preparing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PrepareOutput {
    /// The tools that may be called, without the two that are always offered.
    pub tools: Vec<String>,
    /// The way in which they were chosen: the strategy, with `+plan` and `+carryover` where those added a tool.
    pub source: String,
    /// The plan; empty if nobody planned.
    pub plan: Plan,
    /// The topic to search memory for; `None` leaves it alone.
    pub search: Option<SearchTerms>,
    /// A model was asked, so that the reply is not quick anyway.
    pub asked_model: bool,
    /// Score of the first tool for the words of the query: about 1 for a perfect match.
    pub best: f32,
    /// The tool that the words of the query ask for, if that is sure.
    pub sure_tool: Option<String>,
    /// The tool that leads the others so clearly that there is nothing to choose.
    pub leading_tool: Option<String>,
    /// The tools are guesses: others may fit better.
    pub is_unsure: bool,
    /// The tools that fit, that the plan names, or that the last reply left undone, but that belong to other profiles.
    pub of_other_profiles: Vec<String>,
    /// The tools that the last reply left undone. They stay offered, whatever the words are.
    pub undone: Vec<String>,
}

impl PrepareOutput {
    /// The preparation of a reply that begins with a call of this tool.
    pub fn for_call(tool: &str, context: &ReplyContext) -> Self {
        Self {
            tools: vec![tool.to_owned()],
            source: format!("{}+carryover", context.toolbox.strategy()),
            best: 1.0,
            undone: vec![tool.to_owned()],
            ..Self::default()
        }
    }
}

/// The inputs of preparing.
pub(crate) struct PrepareInput<'a> {
    pub context: &'a ReplyContext,
    pub conversations: &'a Conversations,
    /// The embedding of the query, if there is one.
    pub embedding: Option<&'a [f32]>,
    /// The query after the last exchange, if it goes on with that, and the embedding of both.
    pub exchange: Option<(&'a str, Option<&'a [f32]>)>,
    /// The profile that answers, if there are profiles.
    pub profile: Option<Profile>,
}

/// Prepares a reply.
pub(crate) async fn prepare(input: PrepareInput<'_>) -> PrepareOutput {
    let ReplyContext { config, policy, toolbox, entry, .. } = input.context;
    let mut narrowed = toolbox.narrow(&entry.redacted, input.embedding);
    if let Some((text, embedding)) = input.exchange.filter(|_| !narrowed.is_sure) {
        narrowed = narrowed.or(toolbox.narrow(text, embedding));
    }
    match config.preparation {
        Preparation::Local => input.local(narrowed),
        Preparation::Combined => input.combined(narrowed).await,
        Preparation::Staged => input.staged(narrowed).await,
        Preparation::Auto if toolbox.asks_a_model() => input.staged(narrowed).await,
        Preparation::Auto if narrowed.is_sure => input.local(narrowed),
        // A model that chooses by itself needs a plan only for a request of several steps, and only if it follows one.
        Preparation::Auto if policy.tools.chooses_itself && !input.needs_plan(&narrowed) => {
            input.local(narrowed)
        }
        Preparation::Auto => input.combined(narrowed).await,
    }
}

impl PrepareInput<'_> {
    /// Returns `true` for a request of two parts that a plan helps with.
    fn needs_plan(&self, narrowed: &ToolCandidates) -> bool {
        let ReplyContext { config, policy, entry, .. } = self.context;
        let has_two_parts = split_compound(&entry.redacted, entry.language.as_ref()).is_some();
        config.plans && policy.tools.follows_steps && has_two_parts && narrowed.best >= MIN_FIT
    }

    fn local(&self, narrowed: ToolCandidates) -> PrepareOutput {
        let search = self.search_without_model(&Plan::default());
        self.allow(narrowed, Plan::default(), search)
    }

    async fn combined(&self, narrowed: ToolCandidates) -> PrepareOutput {
        let ReplyContext { config, models, toolbox, entry, .. } = self.context;
        let catalogue = match narrowed.names.is_empty() || toolbox.asks_a_model() {
            true => toolbox.all_lines(),
            false => toolbox.lines(&narrowed.names),
        };
        let (recent, query, timeout) = (&entry.dialogue, &entry.redacted, config.planner_timeout);
        let combined =
            prepare_combined(models, &catalogue, recent, query, timeout, self.context.stop()).await;
        let combined = match combined {
            CombinedAnswer::Prepared(combined) => combined,
            // The plan is asked for in plain text.
            CombinedAnswer::Unreadable => return self.staged(narrowed).await,
            CombinedAnswer::None => return PrepareOutput { asked_model: true, ..self.local(narrowed) },
        };
        let chosen = combined.tools.into_iter().filter(|name| toolbox.is_known(name)).collect();
        let search = self.search_without_model(&combined.plan);
        let narrowed = ToolCandidates { names: chosen, ..narrowed };
        PrepareOutput { asked_model: true, ..self.allow(narrowed, combined.plan, search) }
    }

    async fn staged(&self, narrowed: ToolCandidates) -> PrepareOutput {
        let asks_a_model = self.context.toolbox.asks_a_model();
        if asks_a_model && !self.is_planned() && self.needs_memory(&Plan::default()) {
            // Without a plan, what to search for does not depend on the tools.
            let unplanned = Plan::default();
            let (narrowed, terms) = tokio::join!(self.route(), self.search_terms(&unplanned));
            let prepared = self.allow(narrowed, unplanned, Some(terms));
            return PrepareOutput { asked_model: true, ..prepared };
        }
        let narrowed = match asks_a_model {
            true => self.route().await,
            false => narrowed,
        };
        let plan = self.plan(&narrowed).await;
        let search = match self.needs_memory(&plan) {
            true => Some(self.search_terms(&plan).await),
            false => None,
        };
        PrepareOutput { asked_model: true, ..self.allow(narrowed, plan, search) }
    }

    /// Returns `true` if the planner is asked.
    fn is_planned(&self) -> bool {
        let ReplyContext { config, entry, .. } = self.context;
        config.plans && entry.redacted.chars().count() >= SHORTEST_PLANNED
    }

    async fn plan(&self, narrowed: &ToolCandidates) -> Plan {
        let ReplyContext { config, models, toolbox, entry, .. } = self.context;
        if !self.is_planned() {
            return Plan::default();
        }
        let mut names = narrowed.names.clone();
        add(&mut names, self.failed());
        let (catalogue, timeout) = (toolbox.lines(&names), config.planner_timeout);
        let (recent, query) = (&entry.dialogue, &entry.redacted);
        make_plan(models, &catalogue, recent, query, timeout, self.context.stop()).await
    }

    /// The tools that a model chose, from the cache if the same was asked before.
    async fn route(&self) -> ToolCandidates {
        let ReplyContext { config, models, toolbox, entry, .. } = self.context;
        let (query, timeout) = (&entry.redacted, config.router_timeout);
        let key = format!("router:{query}|{}", toolbox.signature());
        if let Some(names) = self.cached(&key) {
            return ToolCandidates { names, is_sure: true, best: 1.0, ..ToolCandidates::default() };
        }
        let (catalogue, facts) = (toolbox.all_lines(), self.facts());
        let asking = route(models, &catalogue, &facts, &entry.dialogue, query, timeout, self.context.stop());
        let names = toolbox.read_router(asking.await.as_deref(), query);
        // All tools means that nobody could choose; that must not stay for the conversation.
        if names.len() < toolbox.count() {
            self.cache(key, &names);
        }
        ToolCandidates { names, is_sure: true, best: 1.0, ..ToolCandidates::default() }
    }

    async fn search_terms(&self, plan: &Plan) -> SearchTerms {
        let ReplyContext { config, models, entry, .. } = self.context;
        let topic = plan.memory_topic();
        let (query, timeout) = (&entry.redacted, config.router_timeout);
        let key = format!("enrichment:{query}|{}", topic.as_deref().unwrap_or_default());
        if let Some(terms) = self.cached(&key) {
            return terms;
        }
        let known = self.facts();
        let asking =
            extract_search_terms(models, query, topic.as_deref(), &known, timeout, self.context.stop());
        let Some(terms) = asking.await else { return SearchTerms::default() };
        self.cache(key, &terms);
        terms
    }

    /// Time and place, in words.
    fn facts(&self) -> String {
        self.context.config.context_line(self.context.now())
    }

    fn cached<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let conversation = &self.context.query.conversation;
        let cached = self.conversations.with(conversation, |state| state.cache.get(key).cloned());
        cached.and_then(|value| serde_json::from_value(value).ok())
    }

    fn cache(&self, key: String, value: &impl Serialize) {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        self.conversations.with(&self.context.query.conversation, |state| state.cache.put(key, value));
    }

    /// The words to search for if no model is asked: the topic of the plan and the words of the query.
    fn search_without_model(&self, plan: &Plan) -> Option<SearchTerms> {
        self.needs_memory(plan).then(|| SearchTerms {
            keywords: plan.memory_topic().into_iter().collect(),
            ..SearchTerms::default()
        })
    }

    /// Returns `true` if memory is searched: the plan says so, or nobody planned and the dialogue does not cover the
    /// question.
    fn needs_memory(&self, plan: &Plan) -> bool {
        let ReplyContext { config, entry, .. } = self.context;
        let is_asked_for = plan.asks_for_memory();
        let is_covered =
            || !entry.dialogue.is_empty() && !should_recall(&entry.redacted, &entry.dialogue, MIN_COVERAGE);
        config.recalls && (is_asked_for || (plan.is_empty() && !is_covered()))
    }

    fn allow(&self, narrowed: ToolCandidates, plan: Plan, search: Option<SearchTerms>) -> PrepareOutput {
        let toolbox = &self.context.toolbox;
        let ToolCandidates { names, best, sure_tool, leading_tool, is_sure } = narrowed;
        let mut source = toolbox.strategy().to_owned();
        let is_known = |name: &str| toolbox.is_known(name);
        let mut of_other_profiles = Vec::new();
        let mut allowed = |names: Vec<String>| -> Vec<String> {
            let (own, others): (Vec<String>, Vec<String>) =
                names.into_iter().partition(|tool| is_allowed(self.profile, tool));
            add(&mut of_other_profiles, others);
            own
        };
        let mut tools = allowed(names);
        if !plan.is_under_specified(is_known) && add(&mut tools, allowed(plan.tool_names(is_known))) {
            source.push_str("+plan");
        }
        let failed = allowed(self.failed());
        if add(&mut tools, failed.clone()) {
            source.push_str("+carryover");
        }
        let undone = failed;
        tracing::debug!(source, tools = tools.len(), steps = plan.steps().len(), "a reply was prepared");
        PrepareOutput {
            tools,
            source,
            plan,
            search,
            asked_model: false,
            best,
            sure_tool,
            leading_tool,
            is_unsure: !is_sure,
            of_other_profiles,
            undone,
        }
    }

    /// The tools that failed since the user last spoke.
    fn failed(&self) -> Vec<String> {
        let ReplyContext { toolbox, entry, .. } = self.context;
        newly_failed_tools(&entry.dialogue).into_iter().filter(|name| toolbox.is_known(name)).collect()
    }
}

/// Adds the tools that are missing. Returns `true` if there were any.
pub(crate) fn add(tools: &mut Vec<String>, more: Vec<String>) -> bool {
    let before = tools.len();
    for name in more {
        if !tools.contains(&name) {
            tools.push(name);
        }
    }
    tools.len() > before
}
