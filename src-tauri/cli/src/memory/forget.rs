//! `jarvis memory forget`, `undo`.

use std::io::Write;

use anyhow::{Context, ensure};
use assistant::{
    CopyOutcomeView, CopyView, ForgetScope, ForgottenView, ItemId, ItemView, MemoryAnswer, MemoryRequest,
    RecordKind,
};
use vocabulary::Private;

use super::days::Days;
use super::layout::{Layout, counted};
use super::session::{Session, unexpected};

#[derive(clap::Args, Default)]
pub(crate) struct Forget {
    /// The records, such as `message-12` or `fact-7`.
    ids: Vec<ItemId>,
    /// Everything that contains this phrase; if nothing does, everything that contains all of its words.
    #[arg(long)]
    words: Option<String>,
    /// The last words that you said, and the answer.
    #[arg(long)]
    last: bool,
    #[command(flatten)]
    days: Days,
    /// Everything said in a conversation, such as `main`.
    #[arg(long, value_name = "NAME")]
    conversation: Option<String>,
    /// Forget at once and for ever: it cannot be undone.
    #[arg(long)]
    for_good: bool,
    /// Only show what would be forgotten.
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
}

pub(super) async fn run(
    session: &Session,
    forget: &Forget,
    layout: &Layout,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let scope = scope(forget)?;
    let answer = session.answer(MemoryRequest::PreviewForget { scope: scope.clone() }).await?;
    let MemoryAnswer::ForgetPreview(preview) = answer else { return unexpected(&answer) };
    // Named records exist or not; words, days and conversations may be found in copies alone.
    let may_be_in_copies =
        matches!(scope, ForgetScope::Words(_) | ForgetScope::Days(_) | ForgetScope::Conversation(_));
    let is_empty = preview.items.is_empty() && preview.calls == 0;
    if is_empty && !(may_be_in_copies && preview.has_copies) {
        writeln!(out, "There is nothing of that to forget.")?;
        return Ok(());
    }
    list(&preview.items, layout, out)?;
    let things = things(preview.items.len(), preview.calls);
    for copy in &preview.unreadable_copies {
        writeln!(out, "\n{} is damaged: it cannot be searched, so forgetting deletes it.", copy.display())?;
    }
    if forget.dry_run {
        writeln!(out, "\n{things} would be forgotten; nothing was changed.")?;
        return Ok(());
    }
    let for_good = if forget.for_good { " for good" } else { "" };
    writeln!(out)?;
    let question = match is_empty {
        true => format!(
            "Nothing of that is in use. Forget{for_good} what backups and quarantined files hold of it?"
        ),
        false => format!("Forget {things}{for_good}?"),
    };
    if !session.confirm(&question, forget.yes, out)? {
        writeln!(out, "Nothing was changed.")?;
        return Ok(());
    }
    // Something may have been said since the preview: only what was shown is forgotten.
    let scope = match scope {
        ForgetScope::LastThing => {
            ForgetScope::Items(preview.items.iter().map(|item| item.id).filter(is_source).collect())
        }
        scope => scope,
    };
    let answer = session.answer(MemoryRequest::Forget { scope, is_for_good: forget.for_good }).await?;
    let MemoryAnswer::Forgotten(forgotten) = answer else { return unexpected(&answer) };
    report(&forgotten, layout, out)
}

/// Number of things, with the calls of tools that leave the log.
fn things(items: usize, calls: usize) -> String {
    let things = counted(items, "thing", "things");
    let calls_in_words = counted(calls, "tool call in the log", "tool calls in the log");
    match (items, calls) {
        (_, 0) => things,
        (0, _) => calls_in_words,
        _ => format!("{things} and {calls_in_words}"),
    }
}

/// Returns `true` if a record was said or entered, not derived from something said.
fn is_source(id: &ItemId) -> bool {
    matches!(id.kind, RecordKind::Message | RecordKind::Meal | RecordKind::Appointment | RecordKind::Todo)
}

fn report(forgotten: &ForgottenView, layout: &Layout, out: &mut dyn Write) -> anyhow::Result<()> {
    let things = things(forgotten.items.len(), forgotten.calls);
    let is_empty = forgotten.items.is_empty() && forgotten.calls == 0;
    let is_left =
        |copy: &CopyView| matches!(copy.outcome, CopyOutcomeView::LacksKey | CopyOutcomeView::Unwritable);
    let is_everywhere = forgotten.are_copies_done && !forgotten.copies.iter().any(is_left);
    let backups_too = if is_everywhere { ", in the backups too" } else { "" };
    if forgotten.can_be_undone {
        writeln!(
            out,
            "{things} forgotten{backups_too}. `jarvis memory undo` brings it back, for ten minutes."
        )?;
    } else if !is_empty {
        writeln!(out, "{things} forgotten for good{backups_too}.")?;
    }
    if !forgotten.are_copies_done {
        writeln!(
            out,
            "The backups and quarantined files could not be searched yet and may still hold it: maintenance removes it \
             ten minutes from now."
        )?;
    }
    if !forgotten.reworded.is_empty() {
        writeln!(out, "\nWhat was known from other words as well now reads:")?;
        list(&forgotten.reworded, layout, out)?;
    }
    for copy in &forgotten.copies {
        writeln!(out, "{}", copy_in_words(copy))?;
    }
    if is_empty && forgotten.copies.is_empty() && forgotten.are_copies_done {
        writeln!(out, "No copy held anything of that either.")?;
    }
    Ok(())
}

fn copy_in_words(copy: &CopyView) -> String {
    let path = copy.path.display();
    match copy.outcome {
        CopyOutcomeView::Forgot(records) => {
            format!("{path}: {} forgotten for good.", counted(records, "thing", "things"))
        }
        CopyOutcomeView::Deleted => format!(
            "{path} could not be searched, so it was deleted: it may have held what you wanted forgotten."
        ),
        CopyOutcomeView::LacksKey => format!(
            "{path} is encrypted and its key is not available, so it was left and may hold what you wanted forgotten. \
             Unlock the keychain, and maintenance removes it; if the key is lost, delete the file yourself."
        ),
        CopyOutcomeView::Unwritable => format!(
            "{path} is in use or cannot be written, so it was left and may hold what you wanted forgotten. Close what \
             uses it, or free some space, and maintenance removes it."
        ),
    }
}

/// Reads the scope, which must be named in exactly one way.
fn scope(forget: &Forget) -> anyhow::Result<ForgetScope> {
    let mut scopes = Vec::new();
    if !forget.ids.is_empty() {
        scopes.push(ForgetScope::Items(forget.ids.clone()));
    }
    scopes.extend(forget.words.clone().map(|words| ForgetScope::Words(Private(words))));
    scopes.extend(forget.last.then_some(ForgetScope::LastThing));
    scopes.extend((!forget.days.is_empty()).then(|| ForgetScope::Days(forget.days.range())));
    scopes.extend(forget.conversation.clone().map(ForgetScope::Conversation));
    ensure!(scopes.len() < 2, "say what to forget in one way: ids, --words, --last, days or --conversation");
    scopes.pop().context(
        "say what to forget: ids as `jarvis memory search` shows them, --words \"…\", --last, --from and --to, or \
         --conversation NAME",
    )
}

pub(super) async fn undo(session: &Session, layout: &Layout, out: &mut dyn Write) -> anyhow::Result<()> {
    let answer = session.answer(MemoryRequest::Undo).await?;
    let MemoryAnswer::Undone(items) = answer else { return unexpected(&answer) };
    list(&items, layout, out)?;
    writeln!(out, "\n{} as before.", counted(items.len(), "thing is", "things are"))?;
    Ok(())
}

fn list(items: &[ItemView], layout: &Layout, out: &mut dyn Write) -> std::io::Result<()> {
    items.iter().try_for_each(|item| write!(out, "{}", layout.item(item)))
}
