//! `jarvis memory search`.

use std::io::{self, Write};
use std::time::Duration;

use ::memory::{Kind, Memory, MemoryError, Recall, SearchHit, newest_first};
use llm::{EmbedRole, Embedder};
use replying::MIN_SIMILARITY;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::page::Look;
use super::{Desk, Since, kind, told};

/// So long a model of meaning may take, loading included: half a second with the local one, longer with a server that loads
/// a large one.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(clap::Args)]
pub(crate) struct Search {
    /// What to look for; without words the newest is listed.
    words: Vec<String>,
    /// Only things of this kind, which may be given more than once: message, diary, fact or node.
    #[arg(long, value_parser = kind)]
    kind: Vec<Kind>,
    #[command(flatten)]
    since: Since,
    /// At most so many.
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// Show long texts whole.
    #[arg(long)]
    whole: bool,
    /// One JSON object a line, for programs; times are microseconds since 1970 UTC.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    desk: &Desk,
    memory: &Memory,
    search: &Search,
    look: &Look,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let words = search.words.join(" ");
    let vector = match vector_of(&words, desk.meaning.as_deref(), memory).await {
        Ok(vector) => vector,
        Err(why) => {
            writeln!(io::stderr(), "jarvis: Words alone decide what is found: {why}")?;
            None
        }
    };
    let named = replying::time_named(&words, desk.now(), &desk.zone);
    let recall = Recall {
        vector,
        preferred: named.clone(),
        span: search.since.days(desk.today()).span(&desk.zone),
        kinds: search.kind.clone(),
        limit: search.limit,
        words,
    };
    let mut found = memory.recall(recall).await.map_err(told)?;
    // By meaning everything is a little alike.
    found.retain(|hit| hit.shares_words || hit.likeness.is_none_or(|likeness| likeness >= MIN_SIMILARITY));
    // Where two disagree, the newer one is read first; what is of the time that was named, before both.
    newest_first(&mut found);
    found.sort_by_key(|hit| !named.as_ref().is_some_and(|named| named.contains(&hit.item.at_micros)));
    if search.json {
        for hit in &found {
            writeln!(out, "{}", as_json(hit))?;
        }
        return Ok(());
    }
    let look = look.whole(search.whole);
    for hit in &found {
        write!(out, "{}", look.remembered(&hit.item))?;
    }
    if found.is_empty() {
        writeln!(out, "Nothing was found.")?;
    }
    Ok(())
}

/// The vector of what is looked for; `None` when nobody wants one.
///
/// # Errors
///
/// Why there is none, and what can be done about it.
async fn vector_of(
    words: &str,
    embedder: Option<&dyn Embedder>,
    memory: &Memory,
) -> Result<Option<Vec<f32>>, String> {
    let Some(embedder) = embedder.filter(|_| !words.trim().is_empty()) else { return Ok(None) };
    let failed = |error: MemoryError| error.to_string();
    // Without vectors to compare with no model needs to be loaded.
    let Some(model) = memory.embedding_model().await.map_err(failed)? else {
        return Err(
            "no model of meaning was used so far. A running Jarvis does that, once one is installed.".into(),
        );
    };
    // Nor where the vectors are of another one.
    if embedder.id().0 != model {
        return Err(
            "the memory was read with another model of meaning than is set or installed. A running Jarvis reads it anew.".into()
        );
    }
    let words = [words.to_owned()];
    let embedding = embedder.embed(&words, EmbedRole::Query, CancellationToken::new());
    let Ok(vectors) = tokio::time::timeout(PATIENCE, embedding).await else {
        return Err(format!(
            "the model of meaning took longer than {PATIENCE:?}. `jarvis doctor` tells more."
        ));
    };
    let mut vectors = vectors.map_err(|error| format!("{error}. {}", error.remedy()))?;
    Ok(vectors.pop())
}

fn as_json(hit: &SearchHit) -> Value {
    let item = &hit.item;
    json!({
        "id": item.id.to_string(),
        "at_micros": item.at_micros,
        "context": *item.context,
        "text": *item.text,
        "score": hit.score,
        "likeness": hit.likeness,
        "shares_words": hit.shares_words,
    })
}

#[cfg(test)]
mod tests;
