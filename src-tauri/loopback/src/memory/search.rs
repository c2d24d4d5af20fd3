//! `jarvis memory search`.

use std::io::Write;

use ::memory::{Kind, Memory, Recall, Recalled};
use serde_json::{Value, json};

use super::page::Look;
use super::{Desk, Since, kind, told};

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
    let recall = Recall {
        words: search.words.join(" "),
        // No model is loaded for one search: words decide.
        vector: None,
        preferred: None,
        span: search.since.days(desk.today()).span(&desk.zone),
        kinds: search.kind.clone(),
        limit: search.limit,
    };
    let found = memory.recall(recall).await.map_err(told)?;
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

fn as_json(hit: &Recalled) -> Value {
    let item = &hit.item;
    json!({
        "id": item.id.to_string(),
        "at_micros": item.at_micros,
        "context": *item.context,
        "text": *item.text,
        "score": hit.score,
        "shares_words": hit.shares_words,
    })
}
