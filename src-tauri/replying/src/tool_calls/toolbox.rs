//! The tools as a reply sees them.

use std::cmp::Reverse;
use std::sync::Arc;

use languages::{LanguageData, LiveTopic, WorldAction, folded_words};
use llm::{ToolCall, ToolSpec};
use serde_json::Value;
use settings::SelectionStrategy;
use tokio::sync::watch;
use tools::selection::{
    Confidence, RankedTool, ToolIndex, catalogue_lines, first_line, is_named, names_in_reply,
};
use tools::{
    Catalogue, Declaration, Effect, TAKE_BACK, Taint, ToolContext, ToolRunner, ToolSource, ToolsConfig,
};
use vocabulary::Caller;

use crate::answer_text::answer_guard::DoneCall;
use crate::model_policy::ToolPolicy;
use crate::plain_requests::missing_argument::kind_of;
use crate::planning::plan::DeclaredTools;
use crate::prompting::prompt::{Example, OfferedTool, arguments_summary};
use crate::tool_calls::approval::QuestionToUser;
use crate::tool_calls::caller_tools::{may_use, tools_of};
use crate::tool_calls::figures::{Figure, figures};
use crate::tool_calls::tool_purpose::{
    breadth_of_source, is_for, may_be_for, may_be_source, reads_from_outside, shared_words,
};
use crate::tool_calls::tool_run_result::ToolRunResult;
use crate::turn_loop::{SEARCH, STOP};

/// The tool that searches the memory, which preparation does as well.
pub(crate) const SEARCH_MEMORY: &str = "searchMemory";

/// The lowest score of a tool for which a small model is asked to choose.
pub(crate) const MIN_FIT: f32 = 0.35;

/// The highest score of the other tools as a share of the leader's. Source: `cargo xtask eval replies`, tuning half: a tool that
/// was meant had the second at 0.38 to 0.80, and one built in, which none of them is, was not meant at 0.98.
const MAX_SHARE_OF_LEADER: f32 = 0.85;

/// Most tools that are offered because they can do what is asked for. Source: a small model chooses among few.
const MAX_PERFORMERS: usize = 3;

/// The tools that fit a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ToolCandidates {
    /// Their names, the best first.
    pub names: Vec<String>,
    /// `true` if no model needs to look at them.
    pub is_sure: bool,
    /// The tool that the words of the query ask for, if that is sure.
    pub sure_tool: Option<String>,
    /// The tool of a server that only reads and leads the others clearly: there is nothing to choose.
    pub leading_tool: Option<String>,
    /// The score of the best tool, without the search of the memory: about 1 for a perfect match, near 0 if no
    /// tool has to do with the query.
    pub best: f32,
}

impl ToolCandidates {
    /// These tools before those that the last exchange suggests.
    pub fn or(mut self, exchange: Self) -> Self {
        let more = exchange.names.into_iter().filter(|name| !self.names.contains(name));
        let more: Vec<String> = more.collect();
        self.names.extend(more);
        Self { best: self.best.max(exchange.best), ..self }
    }
}

/// The arguments and the effect of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolFacts {
    /// The names of its arguments.
    pub properties: Vec<String>,
    /// It can do more than read, whatever its last call did: only calls that cannot are made again unasked.
    pub changes: bool,
}

impl ToolFacts {
    /// Returns `true` if the tool has an argument of this name.
    pub fn has(&self, name: &str) -> bool {
        self.properties.iter().any(|property| property == name)
    }
}

/// The tools of replies. Clones share them.
#[derive(Clone)]
pub struct Toolbox {
    index: Arc<ToolIndex>,
    runner: Arc<ToolRunner>,
    config: watch::Receiver<ToolsConfig>,
}

impl Toolbox {
    /// The tools of `index`, run by `runner`.
    pub fn new(index: Arc<ToolIndex>, runner: Arc<ToolRunner>, config: watch::Receiver<ToolsConfig>) -> Self {
        Self { index, runner, config }
    }

    /// The tools of a reply to this caller.
    pub(crate) fn for_caller(&self, caller: &Caller) -> Self {
        if caller.may_use_tools && caller.may_use_memory && caller.tools.list().is_empty() {
            return self.clone();
        }
        let registry = self.runner.registry().scoped(|tool| may_use(caller, tool), tools_of(caller));
        let registry = Arc::new(registry);
        Self {
            index: Arc::new(self.index.with_registry(Arc::clone(&registry))),
            runner: Arc::new(self.runner.with_registry(registry)),
            config: self.config.clone(),
        }
    }

    /// The tools that fit a query, by the strategy of the settings and without a model.
    pub(crate) fn narrow(&self, query: &str, vector: Option<&[f32]>) -> ToolCandidates {
        let strategy = self.config.borrow().strategy;
        let selection = self.index.select(strategy, query, vector);
        // Only the hybrid strategy tells tools that fit from those that do not.
        let best = match strategy {
            SelectionStrategy::Hybrid => {
                let mut ranked = selection.ranked.iter();
                ranked.find(|tool| tool.name != SEARCH_MEMORY).map_or(0.0, |tool| tool.score)
            }
            _ => 1.0,
        };
        let names: Vec<String> = selection.names.into_iter().filter(|name| is_selected(name)).collect();
        let is_hybrid = strategy == SelectionStrategy::Hybrid;
        let is_high = selection.confidence == Confidence::High;
        let sure_tool = names.first().filter(|_| is_hybrid && is_high).cloned();
        let leading_tool =
            leading(&selection.ranked, query).filter(|name| is_hybrid && self.reads_for_server(name));
        ToolCandidates {
            names,
            is_sure: is_high || !is_hybrid,
            sure_tool,
            leading_tool: leading_tool.cloned(),
            best,
        }
    }

    /// Returns `true` if a tool comes from a server and only reads.
    fn reads_for_server(&self, name: &str) -> bool {
        self.catalogue().get(name).is_some_and(|tool| {
            let tool = tool.declaration();
            matches!(tool.source, ToolSource::Server(_)) && tool.effect <= Effect::Network
        })
    }

    /// Returns `true` if the strategy of the settings asks a model.
    pub(crate) fn asks_a_model(&self) -> bool {
        self.config.borrow().strategy == SelectionStrategy::Llm
    }

    /// The strategy of the settings by its name.
    pub(crate) fn strategy(&self) -> &'static str {
        self.config.borrow().strategy.value()
    }

    /// The number of times that a reply may search for more tools.
    pub(crate) fn searches(&self) -> usize {
        self.config.borrow().search_max_calls
    }

    /// Returns a text that differs between catalogues.
    pub(crate) fn signature(&self) -> String {
        let catalogue = self.catalogue();
        let names: Vec<&str> = self.choosable(&catalogue).map(|tool| tool.name.as_str()).collect();
        format!("{}|{}", self.strategy(), names.join(","))
    }

    /// The number of tools that a model can choose from.
    pub(crate) fn count(&self) -> usize {
        self.choosable(&self.catalogue()).count()
    }

    /// Returns `true` if there is a tool of this name besides the two that are always offered.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        is_selected(name) && self.has(name)
    }

    /// Returns `true` if there is a tool of this name that is not the caller's own: rules know the arguments of ours.
    pub(crate) fn is_ours(&self, name: &str) -> bool {
        let catalogue = self.catalogue();
        catalogue.get(name).is_some_and(|tool| tool.declaration().source != ToolSource::Caller)
    }

    /// Returns `true` if there is a tool of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.catalogue().get(name).is_some()
    }

    /// Name and purpose of these tools, a line each.
    pub(crate) fn lines(&self, names: &[String]) -> String {
        let catalogue = self.catalogue();
        let tools = names.iter().filter_map(|name| catalogue.get(name));
        catalogue_lines(tools.map(|tool| name_and_purpose(tool.declaration())))
    }

    /// The same of all tools that a model can choose from.
    pub(crate) fn all_lines(&self) -> String {
        catalogue_lines(self.choosable(&self.catalogue()).map(name_and_purpose))
    }

    /// The same of these tools, with the names of the arguments.
    pub(crate) fn lines_with_arguments(&self, names: &[String]) -> String {
        let catalogue = self.catalogue();
        let tools = names.iter().filter_map(|name| catalogue.get(name)).map(|tool| {
            let declaration = tool.declaration();
            let arguments = arguments_summary(&declaration.parameters);
            format!("{} ({arguments}): {}", declaration.name, first_line(&declaration.description))
        });
        tools.collect::<Vec<_>>().join("\n")
    }

    /// A tool as a model is told about it.
    pub(crate) fn spec(&self, name: &str) -> Option<ToolSpec> {
        self.catalogue().get(name).map(|tool| offered(tool.declaration()).spec)
    }

    /// Returns `true` if a tool from outside takes a place: ours know where the computer is.
    pub(crate) fn asks_for_place(&self, name: &str) -> bool {
        let catalogue = self.catalogue();
        let Some(tool) = catalogue.get(name).map(|tool| tool.declaration()) else { return false };
        let mut arguments = tool.parameters["properties"].as_object().into_iter().flatten();
        tool.source != ToolSource::BuiltIn && arguments.any(|(name, _)| kind_of(name) == Some("place"))
    }

    /// The schema of a tool's arguments.
    pub(crate) fn schema(&self, name: &str) -> Option<Value> {
        self.catalogue().get(name).map(|tool| tool.declaration().parameters.clone())
    }

    /// Returns `true` if a call does more than read.
    pub(crate) fn changes_something(&self, call: &ToolCall) -> bool {
        self.changes(&call.name, &call.arguments)
    }

    /// Returns `true` if a tool does more than read when it gets these arguments.
    pub(crate) fn changes(&self, tool: &str, arguments: &Value) -> bool {
        let catalogue = self.catalogue();
        catalogue.get(tool).is_some_and(|tool| tool.effect_of(arguments) > Effect::Network)
    }

    /// Returns `true` if a tool reads from the network, whatever it is called with.
    pub(crate) fn only_fetches(&self, name: &str) -> bool {
        self.catalogue().get(name).is_some_and(|tool| tool.declaration().effect == Effect::Network)
    }

    /// The arguments and the effect of a tool; `None` if there is no such tool.
    pub(crate) fn facts(&self, name: &str) -> Option<ToolFacts> {
        let catalogue = self.catalogue();
        let declaration = catalogue.get(name)?.declaration();
        let properties = declaration.parameters["properties"].as_object();
        Some(ToolFacts {
            properties: properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default(),
            changes: declaration.effect > Effect::Network,
        })
    }

    /// `true` if a tool can do this in the world, or one from outside may do it by what it says. What the settings forbid
    /// can do nothing.
    pub(crate) fn can_do(&self, action: WorldAction) -> bool {
        self.choosable(&self.catalogue()).any(|tool| is_for(tool, action) || may_be_for(tool, action))
    }

    /// The names of the tools that can do this in the world: those that are for it, then those from outside that may be by what
    /// they say. A tool for messages is called whatever the message says, so the words of the request only order them: the tool
    /// that names playlists comes before the keys of a player.
    pub(crate) fn performers(
        &self,
        action: WorldAction,
        request: &str,
        is_allowed: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let catalogue = self.catalogue();
        let words = folded_words(request);
        let tools = |fits: fn(&Declaration, WorldAction) -> bool| {
            let mut tools: Vec<&Declaration> = self
                .choosable(&catalogue)
                .filter(|tool| fits(tool, action) && is_allowed(&tool.name))
                .collect();
            tools.sort_by_key(|tool| {
                (Reverse(shared_words(tool, &words)), tool.source == ToolSource::BuiltIn)
            });
            tools
        };
        let may_be = tools(|tool, action| !is_for(tool, action) && may_be_for(tool, action));
        let all = tools(is_for).into_iter().chain(may_be);
        all.take(MAX_PERFORMERS).map(|tool| tool.name.to_string()).collect()
    }

    /// The names of the tools that are sources of a topic, for this query: those that say so, and those from outside that
    /// fit or name the topic. The one for the narrowest topic comes first: a forecast before a search of the web.
    pub(crate) fn sources(
        &self,
        topic: LiveTopic,
        query: &str,
        asked_in: &'static LanguageData,
    ) -> Vec<String> {
        let fitting = self.narrow(query, None);
        let place = |tool: &Declaration| fitting.names.iter().position(|name| *name == tool.name);
        let catalogue = self.catalogue();
        let mut sources: Vec<(usize, usize, &str)> = self
            .choosable(&catalogue)
            .filter_map(|tool| {
                let fits = reads_from_outside(tool) && fitting.best >= MIN_FIT && place(tool).is_some();
                let named = may_be_source(tool, topic, asked_in).then_some(0);
                let breadth = named.or_else(|| breadth_of_source(tool, topic));
                let breadth = breadth.or(fits.then_some(usize::MAX))?;
                Some((breadth, place(tool).unwrap_or(usize::MAX), &*tool.name))
            })
            .collect();
        sources.sort_unstable();
        sources.into_iter().map(|(_, _, name)| name.to_owned()).collect()
    }

    /// The part of a successful call that answers may rely on.
    pub(crate) fn done_call(&self, name: &str, arguments: &Value, topic: Option<LiveTopic>) -> DoneCall {
        let catalogue = self.catalogue();
        let Some(registered) = catalogue.get(name) else { return DoneCall::default() };
        let tool = registered.declaration();
        let changed = registered.effect_of(arguments) > Effect::Network;
        let all = || WorldAction::ALL.iter().map(|(_, action)| *action);
        let known: Vec<WorldAction> = all().filter(|action| is_for(tool, *action)).collect();
        // Servers and callers name their tools as they like: one whose purpose is not known may have done anything.
        let is_of_server = tool.source != ToolSource::BuiltIn;
        DoneCall {
            tool: name.to_owned(),
            changed,
            actions: if changed && is_of_server && known.is_empty() { all().collect() } else { known },
            quotable: None,
            is_source: reads_from_outside(tool)
                || topic.is_some_and(|topic| breadth_of_source(tool, topic).is_some()),
        }
    }

    /// The names of the arguments of these tools.
    pub(crate) fn declared(&self, names: &[String]) -> DeclaredTools {
        let catalogue = self.catalogue();
        let tools = names.iter().filter_map(|name| catalogue.get(name)).map(|tool| {
            let declaration = tool.declaration();
            let properties = declaration.parameters["properties"].as_object();
            let keys = properties.map(|properties| properties.keys().cloned().collect());
            (declaration.name.clone(), keys.unwrap_or_default())
        });
        tools.collect()
    }

    /// These tools and those that are always offered, as the model is told about them. A model that is offered the best
    /// tools alone `may_search` for others if they are guesses.
    pub(crate) fn offered(&self, names: &[String], policy: ToolPolicy, may_search: bool) -> Vec<OfferedTool> {
        let catalogue = self.catalogue();
        let core: &[&str] = match policy.offers_core_tools {
            // Without a search left, offering one would only waste a turn.
            true if self.searches() == 0 => &[STOP],
            true => &[STOP, SEARCH],
            false if may_search && self.searches() > 0 => &[SEARCH],
            false => &[],
        };
        let names = core.iter().copied().chain(names.iter().map(String::as_str));
        names.filter_map(|name| catalogue.get(name)).map(|tool| offered(tool.declaration())).collect()
    }

    /// The tools that a model may know before it is asked, as it is told about them: all that are built in and may be offered.
    pub(crate) fn built_in(&self) -> Vec<OfferedTool> {
        let catalogue = self.catalogue();
        let tools = catalogue.declarations().filter(|tool| tool.source == ToolSource::BuiltIn);
        tools.filter(|tool| tool.name == SEARCH || is_selected(&tool.name)).map(offered).collect()
    }

    /// The tools that a model's choice names.
    pub(crate) fn read_router(&self, answer: Option<&str>, query: &str) -> Vec<String> {
        let catalogue = self.catalogue();
        let tools: Vec<(&str, &str)> = self.choosable(&catalogue).map(name_and_purpose).collect();
        let names = names_in_reply(&tools, query, answer);
        names.into_iter().filter(|name| *name != STOP).map(str::to_owned).collect()
    }

    /// Runs the calls. The results come in the order of the calls.
    pub(crate) async fn run(
        &self,
        calls: &[ToolCall],
        context: &ToolContext,
        user: &mut QuestionToUser,
        taint: Taint,
    ) -> Vec<ToolRunResult> {
        let outcomes = self.runner.run_all(calls, taint, context, user).await;
        outcomes.into_iter().map(ToolRunResult::from).collect()
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        self.index.catalogue()
    }

    /// The tools without those that are always offered, and without denied ones.
    fn choosable<'a>(&self, catalogue: &'a Catalogue) -> impl Iterator<Item = &'a Declaration> + use<'a> {
        self.index.offered(catalogue).into_iter().filter(|tool| is_selected(&tool.name))
    }
}

/// The first tool, if it fits and the others fit far worse, or if the request names a thing by its number or code and no other
/// tool has a word of it in its name.
fn leading<'r>(ranked: &'r [RankedTool], query: &str) -> Option<&'r String> {
    let (first, others) = ranked.split_first()?;
    let is_ahead = others.iter().all(|other| other.score <= MAX_SHARE_OF_LEADER * first.score);
    let names_thing = || figures(query).iter().any(Figure::is_identifier);
    let is_named_alone =
        || is_named(query, &first.name) && !others.iter().any(|other| is_named(query, &other.name));
    (first.score >= MIN_FIT && (is_ahead || (names_thing() && is_named_alone()))).then_some(&first.name)
}

/// Returns `false` for the two tools that are always offered, and for the one that takes ids: who says "cancel that" names
/// nothing that it could be found by.
fn is_selected(name: &str) -> bool {
    ![STOP, SEARCH, TAKE_BACK].contains(&name)
}

fn name_and_purpose(tool: &Declaration) -> (&str, &str) {
    (&tool.name, &tool.description)
}

fn offered(tool: &Declaration) -> OfferedTool {
    OfferedTool {
        spec: ToolSpec {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
        },
        example: tool.examples.first().map(|example| Example {
            request: example.request.clone(),
            arguments: example.arguments.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::far_ahead("anything for me?", &[("post__inbox", 0.5), ("getTime", 0.4)], true)]
    #[case::close("anything for me?", &[("post__inbox", 0.5), ("getTime", 0.45)], false)]
    #[case::close_but_named_with_a_number("Where is parcel 7731?", &[("post__track_parcel", 0.5), ("getTime", 0.49)], true)]
    #[case::named_without_a_number("Where is my parcel?", &[("post__track_parcel", 0.5), ("getTime", 0.49)], false)]
    #[case::two_are_named("Where is parcel 7731?", &[("post__track_parcel", 0.5), ("post__send_parcel", 0.49)], false)]
    #[case::another_is_named("Where is parcel 7731?", &[("getTime", 0.5), ("post__track_parcel", 0.49)], false)]
    #[case::does_not_fit("Where is parcel 7731?", &[("post__track_parcel", 0.3)], false)]
    #[case::none("Where is parcel 7731?", &[], false)]
    fn tool_leads_if_it_is_far_ahead_or_named_alone(
        #[case] query: &str,
        #[case] ranked: &[(&str, f32)],
        #[case] expected: bool,
    ) {
        let ranked: Vec<RankedTool> = ranked
            .iter()
            .map(|(name, score)| RankedTool { name: (*name).to_owned(), score: *score })
            .collect();

        assert_eq!(leading(&ranked, query).is_some(), expected);
    }
}
