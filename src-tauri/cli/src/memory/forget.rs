//! `jarvis memory forget`, `undo`.

use std::io::Write;

use ::memory::{
    Copied, CopyOutcome, Forget as What, Forgotten, ItemId, Kind, Memory, MemoryItem, Undo, quarantined,
};
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
    let would_go = memory.would_forget(what.clone(), desk.now_micros).await.map_err(told)?;
    // What is named is there, or it is not; words and days may be found in copies alone.
    let may_be_in_copies = matches!(what, What::Words(_) | What::Span(_) | What::Conversation(_));
    if would_go.is_empty() && !(may_be_in_copies && has_copies(memory)) {
        writeln!(out, "There is nothing of that to forget.")?;
        return Ok(());
    }
    list(&would_go, look, out)?;
    let things = counted(would_go.len(), "thing", "things");
    let unreadable = unreadable_copies(memory).await?;
    for copy in &unreadable {
        writeln!(out, "\n{copy} is damaged: it cannot be searched, so forgetting deletes it.")?;
    }
    if wish.dry_run {
        writeln!(out, "\n{things} would be forgotten; nothing was changed.")?;
        return Ok(());
    }
    let for_good = if wish.for_good { " for good" } else { "" };
    writeln!(out)?;
    let question = match would_go.is_empty() {
        true => format!(
            "Nothing of that is in use. Forget{for_good} what backups and files set aside hold of it?"
        ),
        false => format!("Forget {things}{for_good}?"),
    };
    if !desk.is_agreed(&question, wish.yes, out)? {
        writeln!(out, "Nothing was changed.")?;
        return Ok(());
    }
    // Somebody may have said something since it was shown: only what was shown is forgotten.
    let what = match what {
        What::LastThing => What::Items(would_go.iter().map(|item| item.id).filter(is_told).collect()),
        what => what,
    };
    let undo = if wish.for_good { Undo::Never } else { Undo::Possible };
    let forgotten = memory.forget(what, undo, desk.now_micros).await.map_err(told)?;
    answer(&forgotten, look, out)
}

/// Was it said or entered, and not made of what was said?
fn is_told(id: &ItemId) -> bool {
    matches!(id.kind, Kind::Message | Kind::Meal | Kind::Appointment | Kind::Todo)
}

fn has_copies(memory: &Memory) -> bool {
    !memory.backups().is_empty() || !quarantined(memory.store().location().clone()).is_empty()
}

/// Files set aside that cannot be searched.
async fn unreadable_copies(memory: &Memory) -> anyhow::Result<Vec<String>> {
    let location = memory.store().location().clone();
    let asides = tokio::task::spawn_blocking(move || quarantined(location)).await?;
    Ok(asides
        .into_iter()
        .filter(|aside| !aside.is_sound)
        .map(|aside| aside.path.display().to_string())
        .collect())
}

fn answer(forgotten: &Forgotten, look: &Look, out: &mut dyn Write) -> anyhow::Result<()> {
    let things = counted(forgotten.items.len(), "thing", "things");
    let is_left = |copy: &Copied| matches!(copy.outcome, CopyOutcome::OutOfReach { .. });
    let is_everywhere = forgotten.are_copies_done && !forgotten.copies.iter().any(is_left);
    let backups_too = if is_everywhere { ", in the backups too" } else { "" };
    match forgotten.undo {
        Some(_) => writeln!(
            out,
            "{things} forgotten{backups_too}. `jarvis memory undo` brings it back, for ten minutes."
        )?,
        None if forgotten.items.is_empty() => {}
        None => writeln!(out, "{things} forgotten for good{backups_too}.")?,
    }
    if !forgotten.are_copies_done {
        writeln!(
            out,
            "The backups and the files set aside could not forget yet and may hold it still: upkeep removes them, \
             ten minutes from now."
        )?;
    }
    if !forgotten.instead.is_empty() {
        writeln!(out, "\nWhat was known from other words as well now reads:")?;
        list(&forgotten.instead, look, out)?;
    }
    for copy in &forgotten.copies {
        let path = copy.path.display();
        match copy.outcome {
            CopyOutcome::Forgot(things) => {
                writeln!(out, "{path}: {} forgotten for good.", counted(things, "thing", "things"))?;
            }
            CopyOutcome::Deleted => {
                writeln!(
                    out,
                    "{path} could not be searched, so it was deleted: it may have held what you wanted forgotten."
                )?;
            }
            CopyOutcome::OutOfReach { lacks_key: true } => {
                writeln!(
                    out,
                    "{path} is encrypted and its key cannot be had, so it was left and may hold what you wanted \
                     forgotten. Unlock the keychain, and upkeep removes it; where the key is lost, delete it yourself."
                )?;
            }
            CopyOutcome::OutOfReach { lacks_key: false } => {
                writeln!(
                    out,
                    "{path} is in use or cannot be written, so it was left and may hold what you wanted forgotten. \
                     Close what uses it, or free some space, and upkeep removes it."
                )?;
            }
        }
    }
    if forgotten.items.is_empty() && forgotten.copies.is_empty() && forgotten.are_copies_done {
        writeln!(out, "No copy held anything of that either.")?;
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

fn list(items: &[MemoryItem], look: &Look, out: &mut dyn Write) -> std::io::Result<()> {
    items.iter().try_for_each(|item| write!(out, "{}", look.remembered(item)))
}
