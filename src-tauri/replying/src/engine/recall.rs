//! The notes that memory adds to the prompt of a reply.

use crate::memory_use::memory_retriever::{MemoryRetriever, Search};
use crate::model_policy::MemoryDigest;
use crate::prepare::PrepareOutput;
use crate::prompting::prompt::{memory_block, memory_digest_block};
use crate::reply_context::ReplyContext;
use crate::roles::{Digest, digest_memory};

/// The notes that memory adds to one prompt.
#[derive(Default)]
pub(super) struct Enrichment {
    pub block: String,
    /// Number of things that it tells.
    pub entries: usize,
    /// The user asks for what was told, and nothing was found.
    pub is_unknown: bool,
}

/// Searches memory for what was prepared. `vector` is the embedding of the query.
pub(super) async fn recall(
    retriever: &MemoryRetriever,
    context: &ReplyContext,
    prepared: &PrepareOutput,
    vector: Option<Vec<f32>>,
) -> Enrichment {
    let ReplyContext { config, policy, models, entry, .. } = context;
    let Some(terms) = &prepared.search else { return Enrichment::default() };
    let zone = config.zone();
    let search = Search { question: &entry.redacted, terms, vector, before: entry.since, zone: &zone };
    let found = retriever.recall(search, config.memory_timeout).await;
    let enrichment = |block| Enrichment { block, entries: found.found.len(), is_unknown: found.is_unknown };
    let is_digested = match policy.memory_digest {
        MemoryDigest::Never => false,
        MemoryDigest::AfterOtherCalls => prepared.asked_model,
        MemoryDigest::Always => true,
    };
    if !is_digested || found.found.is_empty() {
        return enrichment(memory_block(&found));
    }
    let (diary, graph) = found.by_source();
    let (timeout, stop) = (config.digest_timeout, context.stop());
    enrichment(match digest_memory(models, &entry.redacted, &diary, &graph, timeout, stop).await {
        Digest::Raw => memory_block(&found),
        Digest::Shortened(digest) if digest.is_empty() => String::new(),
        Digest::Shortened(digest) => memory_digest_block(&digest),
    })
}
