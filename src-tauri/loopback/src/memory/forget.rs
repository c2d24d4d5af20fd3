//! `jarvis memory forget`, `undo`.

use std::io::Write;

use ::memory::{Forget as What, ItemId, Kind, Memory, Remembered, Undo};
use anyhow::{Context, ensure};
use vocabulary::Private;

use super::page::{Look, counted};
use super::{Desk, Since, no_such, told};

#[derive(clap::Args, Default)]
pub(crate) struct Forget {
    /// The things, such as `message-12` or `fact-7`.
    ids: Vec<ItemId>,
    /// Everything in which these words stand one after the other; where nothing has them so, everything that has all.
    #[arg(long)]
    words: Option<String>,
    /// What you said last, and the answer.
    #[arg(long)]
    last: bool,
    #[command(flatten)]
    since: Since,
    /// Everything said in a conversation, such as `main`.
    #[arg(long, value_name = "NAME")]
    conversation: Option<String>,
    /// Forget at once and for ever: it cannot be undone.
    #[arg(long)]
    for_good: bool,
    /// Only show what would be forgotten.
    #[arg(long)]
    dry_run: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

pub(super) async fn run(
    desk: &Desk,
    memory: &Memory,
    wish: Forget,
    look: &Look,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let what = what(desk, &wish)?;
    if let What::Items(ids) = &what {
        for id in ids {
            memory.item(*id).await.map_err(told)?.ok_or_else(|| no_such(*id))?;
        }
    }
    let would_go = memory.would_forget(what.clone()).await.map_err(told)?;
    if would_go.is_empty() {
        writeln!(out, "There is nothing of that to forget.")?;
        return Ok(());
    }
    list(&would_go, look, out)?;
    let things = counted(would_go.len(), "thing", "things");
    if wish.dry_run {
        writeln!(out, "\n{things} would be forgotten; nothing was changed.")?;
        return Ok(());
    }
    let for_good = if wish.for_good { " for good" } else { "" };
    writeln!(out)?;
    if !desk.is_agreed(&format!("Forget {things}{for_good}?"), wish.yes, out)? {
        writeln!(out, "Nothing was changed.")?;
        return Ok(());
    }
    // Somebody may have said something since it was shown: only what was shown is forgotten.
    let what = match what {
        What::LastThing => {
            What::Items(would_go.iter().map(|item| item.id).filter(|id| id.kind == Kind::Message).collect())
        }
        what => what,
    };
    let undo = if wish.for_good { Undo::Never } else { Undo::Possible };
    let forgotten = memory.forget(what, undo, desk.now_micros).await.map_err(told)?;
    let things = counted(forgotten.items.len(), "thing", "things");
    match forgotten.undo {
        Some(_) => writeln!(
            out,
            "{things} forgotten, in the backups too. `jarvis memory undo` brings it back, for ten minutes."
        )?,
        None => writeln!(out, "{things} forgotten for good, in the backups too.")?,
    }
    Ok(())
}

/// What is to be forgotten: exactly one way of saying it.
fn what(desk: &Desk, wish: &Forget) -> anyhow::Result<What> {
    let span = wish.since.days(desk.today()).span(&desk.zone);
    let mut wishes = Vec::new();
    if !wish.ids.is_empty() {
        wishes.push(What::Items(wish.ids.clone()));
    }
    wishes.extend(wish.words.clone().map(|words| What::Words(Private(words))));
    wishes.extend(wish.last.then_some(What::LastThing));
    wishes.extend(span.map(What::Span));
    wishes.extend(wish.conversation.clone().map(What::Conversation));
    ensure!(wishes.len() < 2, "say what to forget in one way: ids, --words, --last, days or --conversation");
    wishes.pop().context(
        "say what to forget: ids as `jarvis memory search` shows them, --words \"…\", --last, --from and --to, or \
         --conversation NAME",
    )
}

pub(super) async fn undo(
    desk: &Desk,
    memory: &Memory,
    look: &Look,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let ids = memory.undo(None, desk.now_micros).await.map_err(told)?;
    let mut items = Vec::new();
    for id in ids {
        items.extend(memory.item(id).await.map_err(told)?);
    }
    list(&items, look, out)?;
    writeln!(out, "\n{} as before.", counted(items.len(), "thing is", "things are"))?;
    Ok(())
}

fn list(items: &[Remembered], look: &Look, out: &mut dyn Write) -> std::io::Result<()> {
    items.iter().try_for_each(|item| write!(out, "{}", look.remembered(item)))
}
