//! `jarvis memory search`.

use std::io::Write;

use assistant::{MemoryAnswer, MemoryRequest, RecordKind, SearchHitView};
use serde_json::{Value, json};
use vocabulary::Private;

use super::days::Days;
use super::layout::Layout;
use super::session::{Session, unexpected};

#[derive(clap::Args)]
pub(crate) struct Search {
    /// The words to search for; without words, the newest records are listed.
    words: Vec<String>,
    /// Only records of this kind: message, diary, fact or node. May be given more than once.
    #[arg(long, value_parser = kind)]
    kind: Vec<RecordKind>,
    #[command(flatten)]
    days: Days,
    /// The largest number of hits.
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
    session: &Session,
    search: Search,
    layout: &Layout,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let request = MemoryRequest::Search {
        words: Private(search.words.join(" ")),
        days: search.days.range(),
        kinds: search.kind,
        limit: search.limit,
    };
    let layout = layout.whole(search.whole);
    let mut hits = 0;
    let print = |answer| {
        let MemoryAnswer::Hit(hit) = answer else { return unexpected(&answer) };
        hits += 1;
        match search.json {
            true => writeln!(out, "{}", as_json(&hit))?,
            false => write!(out, "{}", layout.item(&hit.item))?,
        }
        Ok(())
    };
    session.answers(request, print).await?;
    if hits == 0 && !search.json {
        writeln!(out, "Nothing was found.")?;
    }
    Ok(())
}

fn as_json(hit: &SearchHitView) -> Value {
    let item = &hit.item;
    json!({
        "id": item.id.to_string(),
        "at_micros": item.at_micros,
        "context": *item.context,
        "text": *item.text,
        "score": hit.score,
        "similarity": hit.similarity,
        "shares_words": hit.shares_words,
    })
}

fn kind(name: &str) -> Result<RecordKind, String> {
    RecordKind::SEARCHABLE
        .into_iter()
        .find(|kind| kind.name() == name)
        .ok_or_else(|| format!("{name:?} is not a kind: use message, diary, fact or node"))
}

#[cfg(test)]
mod tests;
