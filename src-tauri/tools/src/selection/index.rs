//! The index of all tools, kept up with the registry.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use llm::{EmbedError, EmbedRole, Embedder};
use parking_lot::{Mutex, MutexGuard, RwLock};
use settings::SelectionStrategy;
use tokio_util::sync::CancellationToken;

use super::keyword::keyword_names;
use super::lexical::{Document, Lexical};
use super::strategy::{Confidence, RankedTool, STOP, Selection, TOOL_SEARCH};
use super::vectors::{Passage, VectorCache, passages, similarity};
use super::words::{code_words, query_words};
use crate::permissions::Permissions;
use crate::registry::{Catalogue, ToolRegistry};
use crate::tool::Declaration;

/// Tools that are selected at most.
const MAX_SELECTED: usize = 5;

/// A tool is selected with this share of the best score.
const SHARE_OF_BEST: f32 = 0.5;

/// The weight of meaning in a score; the rest is that of words. Source: `cargo xtask bench tools`, tuning half.
const MEANING: f32 = 0.65;

/// Scores from which a selection is sure. Source: as above.
const SURE: f32 = 0.42;

/// Similarity that the strategy `embedding` keeps, as a share of the best, and tools that it keeps in any case. Source:
/// docs/behaviour/tools.md#selection.
const SIMILAR_SHARE: f32 = 0.97;
const MIN_SIMILAR: usize = 3;

/// Passages that are embedded at a time. Each has a few texts.
const BATCH: usize = 8;

/// The time to wait after a failure before the texts are embedded again: the model may be downloaded meanwhile.
const RETRY_AFTER: Duration = Duration::from_secs(60);

/// Ranks the tools of a registry. Words are up to date with every query; vectors follow in the background.
pub struct ToolIndex {
    registry: Arc<ToolRegistry>,
    permissions: Arc<Permissions>,
    state: RwLock<Arc<State>>,
    cache: Arc<Mutex<VectorCache>>,
}

/// The index of one catalogue.
#[derive(Default)]
struct State {
    catalogue: Arc<Catalogue>,
    tools: Vec<IndexedTool>,
    lexical: Lexical,
}

/// The index entry of a tool.
struct IndexedTool {
    name: String,
    document: Arc<Document>,
    passages: Arc<[Passage]>,
    /// Of the passages, as far as they are embedded.
    vectors: Vec<Arc<[f32]>>,
}

impl ToolIndex {
    /// An index of this registry. Denied tools are never selected.
    pub fn new(registry: Arc<ToolRegistry>, permissions: Arc<Permissions>) -> Self {
        Self { registry, permissions, state: RwLock::default(), cache: Arc::default() }
    }

    /// An index of another registry that shares tools with this one, and what is known of them.
    pub fn with_registry(&self, registry: Arc<ToolRegistry>) -> Self {
        let state = RwLock::new(self.state());
        Self { registry, permissions: Arc::clone(&self.permissions), state, cache: Arc::clone(&self.cache) }
    }

    /// The tools at this moment.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.registry.catalogue()
    }

    /// The tools for a query. `vector` is that of the query, made with [`EmbedRole::Query`] by the model that
    /// [`ToolIndex::follow`] uses; without it words alone decide.
    ///
    /// [`SelectionStrategy::Llm`] selects as `keyword` does: this is for callers that ask no model. Only `hybrid` can be sure.
    pub fn select(&self, strategy: SelectionStrategy, query: &str, vector: Option<&[f32]>) -> Selection {
        let unranked = |names| Selection { names, confidence: Confidence::Low, ranked: Vec::new() };
        let mut selection = match strategy {
            SelectionStrategy::Hybrid => self.hybrid(query, vector),
            SelectionStrategy::Llm | SelectionStrategy::Keyword => unranked(self.by_keyword(query)),
            SelectionStrategy::Embedding => unranked(self.by_meaning(vector)),
            SelectionStrategy::All => unranked(self.all_names()),
        };
        selection.names.retain(|name| name != STOP);
        selection.names.push(STOP.to_owned());
        selection
    }

    /// The tools that fit a query best, the best first, without `stop` and the tool that searches tools.
    pub fn ranked(&self, query: &str, vector: Option<&[f32]>, limit: usize) -> Vec<RankedTool> {
        let state = self.state();
        let by_words = state.lexical.scores(&query_words(query), &code_words(query));
        let meanings = vector.map(|vector| state.similarities(vector));
        // Without its vectors a tool is ranked by words alone.
        let score = |number: usize| match meanings.as_ref().filter(|_| state.tools[number].has_meaning()) {
            Some(meanings) => MEANING * meanings[number].max(0.0) + (1.0 - MEANING) * by_words[number],
            None => by_words[number],
        };
        let mut numbers: Vec<(usize, f32)> =
            (0..state.tools.len()).map(|number| (number, score(number))).collect();
        numbers.sort_unstable_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
        let tools = numbers.into_iter().filter(|(number, score)| {
            let name = &*state.tools[*number].name;
            *score > 0.0 && name != STOP && name != TOOL_SEARCH && self.may_run(&state.catalogue, name)
        });
        tools
            .take(limit)
            .map(|(number, score)| RankedTool { name: state.tools[number].name.clone(), score })
            .collect()
    }

    /// Embeds the texts of all tools, and of new ones as they come, until `stop` is cancelled.
    pub async fn follow(&self, embedder: &dyn Embedder, stop: CancellationToken) {
        let mut changes = self.registry.watch();
        loop {
            changes.borrow_and_update();
            let retry_after = match self.embed_new(embedder, &stop).await {
                Ok(()) => None,
                Err(EmbedError::Cancelled) => return,
                Err(error) => {
                    tracing::debug!(%error, "the tools were not embedded");
                    Some(RETRY_AFTER)
                }
            };
            let retry = async {
                match retry_after {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                changed = changes.changed() => if changed.is_err() { return },
                () = retry => {}
            }
        }
    }

    /// Embeds the texts that have no vector yet.
    ///
    /// # Errors
    ///
    /// The model failed, or `stop` was cancelled. What was embedded until then stays.
    pub async fn embed_new(
        &self,
        embedder: &dyn Embedder,
        stop: &CancellationToken,
    ) -> Result<(), EmbedError> {
        let state = self.state();
        let mut missing: Vec<&Passage> = {
            let mut cache = self.cache();
            cache.use_model(&embedder.id());
            let passages = state.tools.iter().flat_map(|tool| tool.passages.iter());
            passages.filter(|passage| cache.get(passage.hash).is_none()).collect()
        };
        let mut seen = HashSet::new();
        missing.retain(|passage| seen.insert(passage.hash));
        for batch in missing.chunks(BATCH) {
            let texts: Vec<String> =
                batch.iter().flat_map(|passage| &passage.texts).map(|(text, _)| text.clone()).collect();
            let vectors = embedder.embed(&texts, EmbedRole::Passage, stop.clone()).await?;
            let mut vectors = &vectors[..];
            let mut cache = self.cache();
            // The name of some models is known only after the first text.
            cache.use_model(&embedder.id());
            for passage in batch {
                let (own, rest) = vectors.split_at(passage.texts.len().min(vectors.len()));
                cache.insert(passage.hash, passage.vector(own));
                vectors = rest;
            }
        }
        let needed: HashSet<u64> =
            state.tools.iter().flat_map(|tool| tool.passages.iter()).map(|passage| passage.hash).collect();
        self.cache().trim(|hash| needed.contains(&hash));
        self.rebuild(&self.registry.catalogue());
        Ok(())
    }

    /// The best tools that are about as good as the first.
    fn hybrid(&self, query: &str, vector: Option<&[f32]>) -> Selection {
        let ranked = self.ranked(query, vector, MAX_SELECTED);
        let best = ranked.first().map_or(0.0, |tool| tool.score);
        let is_sure = vector.is_some() && best >= SURE;
        let good = ranked.iter().filter(|tool| tool.score >= SHARE_OF_BEST * best);
        let names = good.map(|tool| tool.name.clone()).collect();
        let confidence = if is_sure { Confidence::High } else { Confidence::Low };
        Selection { names, confidence, ranked }
    }

    fn by_keyword(&self, query: &str) -> Vec<String> {
        let catalogue = self.registry.catalogue();
        let offered = self.offered(&catalogue);
        let lines: Vec<(&str, &str)> = offered.iter().map(|tool| (&*tool.name, &*tool.description)).collect();
        keyword_names(&lines, query).into_iter().map(str::to_owned).collect()
    }

    /// All names if there is no vector of the query or of a tool.
    fn by_meaning(&self, vector: Option<&[f32]>) -> Vec<String> {
        let state = self.state();
        let mut alike: Vec<(f32, &str)> = match vector {
            Some(vector) => {
                let names = state.tools.iter().map(|tool| &*tool.name);
                state.similarities(vector).into_iter().zip(names).collect()
            }
            None => return self.all_names(),
        };
        alike.retain(|(_, name)| *name != STOP && self.may_run(&state.catalogue, name));
        alike.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let best = alike.first().map_or(0.0, |(similarity, _)| *similarity);
        if best <= 0.0 {
            return self.all_names();
        }
        let kept = alike.into_iter().enumerate();
        let kept =
            kept.take_while(|(at, (similarity, _))| *at < MIN_SIMILAR || *similarity >= SIMILAR_SHARE * best);
        kept.map(|(_, (_, name))| name.to_owned()).collect()
    }

    fn all_names(&self) -> Vec<String> {
        let catalogue = self.registry.catalogue();
        self.offered(&catalogue).iter().map(|tool| tool.name.clone()).collect()
    }

    /// The tools of a catalogue that are not denied: only these are shown to a model that chooses.
    pub fn offered<'a>(&self, catalogue: &'a Catalogue) -> Vec<&'a Declaration> {
        catalogue.declarations().filter(|tool| !self.permissions.denies(tool)).collect()
    }

    fn may_run(&self, catalogue: &Catalogue, name: &str) -> bool {
        let tool = catalogue.get(name);
        tool.is_some_and(|tool| !self.permissions.denies(tool.declaration()))
    }

    /// The index of the catalogue as it is now.
    fn state(&self) -> Arc<State> {
        let catalogue = self.registry.catalogue();
        let state = self.state.read().clone();
        if state.catalogue.version() == catalogue.version() { state } else { self.rebuild(&catalogue) }
    }

    /// Reads the tools that are new, and takes over the rest.
    fn rebuild(&self, catalogue: &Arc<Catalogue>) -> Arc<State> {
        let before = self.state.read().clone();
        let known: HashMap<&str, &IndexedTool> =
            before.tools.iter().map(|tool| (&*tool.name, tool)).collect();
        let cache = self.cache();
        let tools: Vec<IndexedTool> = catalogue
            .declarations()
            .map(|tool| {
                let same =
                    before.catalogue.get(&tool.name).filter(|old| std::ptr::eq(old.declaration(), tool));
                let known = same.and_then(|_| known.get(&*tool.name));
                let (document, passages) = match known {
                    Some(known) => (known.document.clone(), known.passages.clone()),
                    None => (Arc::new(Document::new(tool)), passages(tool).into()),
                };
                let vectors = passages.iter().filter_map(|passage| cache.get(passage.hash)).collect();
                IndexedTool { name: tool.name.clone(), document, passages, vectors }
            })
            .collect();
        drop(cache);
        let lexical = Lexical::new(tools.iter().map(|tool| tool.document.clone()).collect());
        let state = Arc::new(State { catalogue: catalogue.clone(), tools, lexical });
        *self.state.write() = state.clone();
        state
    }

    fn cache(&self) -> MutexGuard<'_, VectorCache> {
        self.cache.lock()
    }
}

impl IndexedTool {
    fn has_meaning(&self) -> bool {
        !self.vectors.is_empty()
    }
}

impl State {
    /// Returns the similarity of the best text of each tool to a query, in order; 0 for tools without vectors.
    fn similarities(&self, vector: &[f32]) -> Vec<f32> {
        let best =
            |tool: &IndexedTool| tool.vectors.iter().map(|text| similarity(text, vector)).fold(0.0, f32::max);
        self.tools.iter().map(best).collect()
    }
}
