//! The second stage: which tools fit, which steps to take, whether memory is searched.
//!
//! It never fails: what cannot be decided is left open, and the reply goes on.
//!
//! Source: behaviour reference, sections 2.4 to 2.8 and 4.11.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use vocabulary::ConversationId;

use crate::config::{Preparation, ReplyingConfig};
use crate::conversations::Conversations;
use crate::entry::Entry;
use crate::model_policy::ModelPolicy;
use crate::plan::Plan;
use crate::profiles::{Profile, is_allowed};
use crate::recall_gate::{MIN_COVERAGE, should_recall};
use crate::roles::{RoleModels, SearchTerms, extract_search_terms, make_plan, prepare_combined, route};
use crate::tool_talk::failed_tools;
use crate::toolbox::{Narrowed, Toolbox};

/// The shortest query that is planned, in characters. Source: behaviour reference, section 2.5.
const SHORTEST_PLANNED: usize = 4;

/// What was prepared.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Prepared {
    /// The tools that may be called, without the two that are always offered.
    pub tools: Vec<String>,
    /// Who chose them: the strategy, with `+plan` and `+carryover`.
    pub source: String,
    /// The plan; empty where nobody planned.
    pub plan: Plan,
    /// What to search memory for; `None` leaves it alone.
    pub search: Option<SearchTerms>,
    /// Whether a model was asked, so that the reply is not quick anyway.
    pub asked_model: bool,
    /// How well the first tool fits the words of the query: about 1 for a perfect match.
    pub best: f32,
}

/// What preparing works with.
pub(crate) struct Preparing<'a> {
    pub config: &'a ReplyingConfig,
    pub models: &'a RoleModels,
    pub toolbox: &'a Toolbox,
    pub conversations: &'a Conversations,
    pub conversation: &'a ConversationId,
    pub policy: ModelPolicy,
    /// Time and place, in words.
    pub facts: &'a str,
    /// The embedding of the query, where there is one.
    pub vector: Option<&'a [f32]>,
    /// Who answers, where there are profiles.
    pub profile: Option<Profile>,
    pub stop: &'a CancellationToken,
}

impl Preparing<'_> {
    /// Prepares the reply to `entry`.
    pub async fn prepare(&self, entry: &Entry) -> Prepared {
        let narrowed = self.toolbox.narrow(&entry.redacted, self.vector);
        match self.config.preparation {
            Preparation::Local => self.local(entry, narrowed),
            Preparation::Combined => self.combined(entry, narrowed).await,
            Preparation::Staged => self.staged(entry, narrowed).await,
            Preparation::Auto if self.toolbox.asks_a_model() => self.staged(entry, narrowed).await,
            Preparation::Auto if narrowed.is_sure || self.policy.tools.chooses_itself => {
                self.local(entry, narrowed)
            }
            Preparation::Auto => self.combined(entry, narrowed).await,
        }
    }

    fn local(&self, entry: &Entry, narrowed: Narrowed) -> Prepared {
        let search = self.search_without_model(entry, &Plan::default());
        self.allow(entry, narrowed, Plan::default(), search)
    }

    async fn combined(&self, entry: &Entry, narrowed: Narrowed) -> Prepared {
        let catalogue = match narrowed.names.is_empty() {
            true => self.toolbox.all_lines(),
            false => self.toolbox.lines(&narrowed.names),
        };
        let combined = prepare_combined(
            self.models,
            &catalogue,
            &entry.dialogue,
            &entry.redacted,
            self.config.planner_timeout,
            self.stop,
        );
        let Some(combined) = combined.await else {
            return Prepared { asked_model: true, ..self.local(entry, narrowed) };
        };
        let chosen = combined.tools.into_iter().filter(|name| self.toolbox.is_known(name)).collect();
        let search = self.search_without_model(entry, &combined.plan);
        let narrowed = Narrowed { names: chosen, ..narrowed };
        Prepared { asked_model: true, ..self.allow(entry, narrowed, combined.plan, search) }
    }

    async fn staged(&self, entry: &Entry, narrowed: Narrowed) -> Prepared {
        let narrowed = match self.toolbox.asks_a_model() {
            true => self.route(entry).await,
            false => narrowed,
        };
        let mut names = narrowed.names.clone();
        names.extend(self.failed(entry).into_iter().filter(|name| !narrowed.names.contains(name)));
        let is_planned = self.config.plans && entry.redacted.chars().count() >= SHORTEST_PLANNED;
        let plan = match is_planned {
            true => {
                let catalogue = self.toolbox.lines(&names);
                let (query, timeout) = (&entry.redacted, self.config.planner_timeout);
                make_plan(self.models, &catalogue, &entry.dialogue, query, timeout, self.stop).await
            }
            false => Plan::default(),
        };
        let search = match self.needs_memory(entry, &plan) {
            true => Some(self.search_terms(entry, &plan).await),
            false => None,
        };
        Prepared { asked_model: true, ..self.allow(entry, narrowed, plan, search) }
    }

    /// The tools that a model chose, from the cache where the same was asked before.
    async fn route(&self, entry: &Entry) -> Narrowed {
        let key = format!("router:{}|{}", entry.redacted, self.toolbox.signature());
        let cached = self.conversations.with(self.conversation, |state| state.scratch.get(&key).cloned());
        if let Some(names) = cached.and_then(|names| serde_json::from_value(names).ok()) {
            return Narrowed { names, is_sure: true, best: 1.0 };
        }
        let catalogue = self.toolbox.all_lines();
        let (query, timeout) = (&entry.redacted, self.config.router_timeout);
        let asking = route(self.models, &catalogue, self.facts, &entry.dialogue, query, timeout, self.stop);
        let names = self.toolbox.read_router(asking.await.as_deref(), query);
        // All tools means that nobody could choose; that must not stay for the conversation.
        if names.len() < self.toolbox.count() {
            self.conversations.with(self.conversation, |state| state.scratch.put(key, json!(names)));
        }
        Narrowed { names, is_sure: true, best: 1.0 }
    }

    async fn search_terms(&self, entry: &Entry, plan: &Plan) -> SearchTerms {
        let topic = plan.memory_topic();
        let key = format!("enrichment:{}|{}", entry.redacted, topic.as_deref().unwrap_or_default());
        let cached = self.conversations.with(self.conversation, |state| state.scratch.get(&key).cloned());
        if let Some(terms) = cached.and_then(|terms| serde_json::from_value(terms).ok()) {
            return terms;
        }
        let known = self.facts;
        let timeout = self.config.router_timeout;
        let asking =
            extract_search_terms(self.models, &entry.redacted, topic.as_deref(), known, timeout, self.stop);
        let Some(terms) = asking.await else { return SearchTerms::default() };
        let value = serde_json::to_value(&terms).unwrap_or(Value::Null);
        self.conversations.with(self.conversation, |state| state.scratch.put(key, value));
        terms
    }

    /// What to search for where no model is asked: the topic of the plan and the words of the query.
    fn search_without_model(&self, entry: &Entry, plan: &Plan) -> Option<SearchTerms> {
        self.needs_memory(entry, plan).then(|| SearchTerms {
            keywords: plan.memory_topic().into_iter().collect(),
            ..SearchTerms::default()
        })
    }

    /// Whether memory is searched: the plan says so, or nobody planned and the dialogue does not cover the question.
    fn needs_memory(&self, entry: &Entry, plan: &Plan) -> bool {
        let is_asked_for = plan.asks_for_memory();
        let is_covered =
            || !entry.dialogue.is_empty() && !should_recall(&entry.redacted, &entry.dialogue, MIN_COVERAGE);
        self.config.recalls && (is_asked_for || (plan.is_empty() && !is_covered()))
    }

    fn allow(&self, entry: &Entry, narrowed: Narrowed, plan: Plan, search: Option<SearchTerms>) -> Prepared {
        let Narrowed { names: mut tools, best, .. } = narrowed;
        let mut source = self.toolbox.strategy().to_owned();
        let is_known = |name: &str| self.toolbox.is_known(name);
        if !plan.is_under_specified(is_known) {
            let named = plan.tool_names(is_known);
            if !named.is_empty() {
                source.push_str("+plan");
            }
            add(&mut tools, named);
        }
        let failed = self.failed(entry);
        if !failed.is_empty() {
            source.push_str("+carryover");
        }
        add(&mut tools, failed);
        tools.retain(|tool| is_allowed(self.profile, tool));
        tracing::debug!(source, tools = tools.len(), steps = plan.steps().len(), "a reply was prepared");
        Prepared { tools, source, plan, search, asked_model: false, best }
    }

    /// The tools that failed since the user last spoke.
    fn failed(&self, entry: &Entry) -> Vec<String> {
        failed_tools(&entry.dialogue).into_iter().filter(|name| self.toolbox.is_known(name)).collect()
    }
}

fn add(tools: &mut Vec<String>, more: Vec<String>) {
    for name in more {
        if !tools.contains(&name) {
            tools.push(name);
        }
    }
}
