//! What memory adds to the prompt of a reply.

use tokio_util::sync::CancellationToken;

use crate::config::ReplyingConfig;
use crate::entry::Entry;
use crate::memory_retriever::{MemoryRetriever, Search};
use crate::model_policy::MemoryDigest;
use crate::prepare::Prepared;
use crate::prompt::{memory_block, memory_digest_block};
use crate::roles::{Digest, RoleModels, digest_memory};

/// What memory adds to one prompt.
#[derive(Default)]
pub(super) struct Recalled {
    pub block: String,
    /// How many things it tells.
    pub entries: usize,
    /// The user asks for what was told, and nothing was found.
    pub is_unknown: bool,
}

/// What recalling for one reply works with.
pub(super) struct Recalling<'a> {
    pub config: &'a ReplyingConfig,
    pub entry: &'a Entry,
    pub models: &'a RoleModels,
    pub prepared: &'a Prepared,
    pub vector: Option<Vec<f32>>,
    pub digest: MemoryDigest,
    pub stop: &'a CancellationToken,
}

/// What memory adds to the prompt.
pub(super) async fn recall(retriever: &MemoryRetriever, recalling: Recalling<'_>) -> Recalled {
    let Recalling { config, entry, models, prepared, vector, digest, stop } = recalling;
    let Some(terms) = &prepared.search else { return Recalled::default() };
    let zone = config.zone();
    let search = Search { question: &entry.redacted, terms, vector, before: entry.since, zone: &zone };
    let context = retriever.recall(search, config.memory_timeout).await;
    let recalled = |block| Recalled { block, entries: context.found.len(), is_unknown: context.is_unknown };
    let is_digested = match digest {
        MemoryDigest::Never => false,
        MemoryDigest::AfterOtherCalls => prepared.asked_model,
        MemoryDigest::Always => true,
    };
    if !is_digested || context.found.is_empty() {
        return recalled(memory_block(&context));
    }
    let (diary, graph) = context.by_source();
    let timeout = config.digest_timeout;
    recalled(match digest_memory(models, &entry.redacted, &diary, &graph, timeout, stop).await {
        Digest::Raw => memory_block(&context),
        Digest::Shortened(digest) if digest.is_empty() => String::new(),
        Digest::Shortened(digest) => memory_digest_block(&digest),
    })
}
