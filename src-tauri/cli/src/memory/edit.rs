//! `jarvis memory edit`, `add`, `retract`: putting right what is remembered.

use std::io::Write;

use ::memory::{
    Branch, EntryId, Evidence, FactId, FactStatus, ItemId, Kind, Learned, Memory, NewFact, NodeEdit, NodeId,
    Participant,
};
use anyhow::{bail, ensure};

use super::{Desk, no_such, told};

#[derive(clap::Args)]
pub(crate) struct Edit {
    /// The fact, day of the diary or node.
    id: ItemId,
    /// What it is to say: of a fact, or a day of the diary.
    #[arg(long)]
    text: Option<String>,
    /// Topics of a day of the diary, with commas between them.
    #[arg(long)]
    topics: Option<String>,
    /// The name of a node.
    #[arg(long)]
    name: Option<String>,
    /// What belongs in a node.
    #[arg(long)]
    description: Option<String>,
    /// The node that a node is to stand below.
    #[arg(long, value_parser = node_id)]
    parent: Option<NodeId>,
}

#[derive(clap::Args)]
pub(crate) struct Add {
    /// What it is about: who you are, how you want to be served, or the rest of the world.
    #[arg(long, value_parser = branch, default_value = "user")]
    branch: Branch,
    /// The node it belongs in, instead of a branch.
    #[arg(long, value_parser = node_id)]
    node: Option<NodeId>,
    /// The fact, in one sentence.
    #[arg(required = true)]
    text: Vec<String>,
}

pub(super) async fn run(desk: &Desk, memory: &Memory, edit: Edit, out: &mut dyn Write) -> anyhow::Result<()> {
    let of_texts = edit.text.is_some();
    let of_entries = edit.topics.is_some();
    let of_nodes = edit.name.is_some() || edit.description.is_some() || edit.parent.is_some();
    match edit.id.kind {
        Kind::Message => {
            bail!("what was said stays as it was said: `jarvis memory forget {}` forgets it", edit.id)
        }
        Kind::Meal | Kind::Appointment | Kind::Todo => {
            bail!("what stands on a list is not edited: `jarvis memory forget {}` takes it off", edit.id)
        }
        Kind::Fact => {
            ensure!(of_texts && !of_entries && !of_nodes, "a fact is put right with --text \"…\"");
            correct(desk, memory, edit, out).await
        }
        Kind::Diary => {
            ensure!(
                (of_texts || of_entries) && !of_nodes,
                "a day of the diary is put right with --text \"…\", --topics \"…, …\" or both"
            );
            rewrite(desk, memory, edit, out).await
        }
        Kind::Node => {
            ensure!(
                of_nodes && !of_texts && !of_entries,
                "a node is changed with --name, --description or --parent; its facts are edited one by one"
            );
            let (name, description) = (edit.name.as_deref().map(kept), edit.description.as_deref().map(kept));
            let change = NodeEdit { name, description, parent: edit.parent };
            memory.edit_node(NodeId(edit.id.row), change, desk.now_micros).await.map_err(told)?;
            writeln!(out, "{} was changed.", edit.id)?;
            Ok(())
        }
    }
}

async fn correct(desk: &Desk, memory: &Memory, edit: Edit, out: &mut dyn Write) -> anyhow::Result<()> {
    let before = memory.fact(FactId(edit.id.row)).await.map_err(told)?.ok_or_else(|| no_such(edit.id))?;
    match (before.status, before.replaced_by) {
        (FactStatus::Current, _) => {}
        (_, Some(by)) => bail!("{} no longer holds: edit {}, which took its place", edit.id, by.item()),
        _ => bail!("{} no longer holds: tell it anew with `jarvis memory add`", edit.id),
    }
    let fact = told_here(desk, edit.text.as_deref().unwrap_or_default());
    let id = memory.correct(before.id, fact, desk.now_micros).await.map_err(told)?;
    writeln!(out, "{} took the place of {}, which is kept as its history.", id.item(), edit.id)?;
    Ok(())
}

async fn rewrite(desk: &Desk, memory: &Memory, edit: Edit, out: &mut dyn Write) -> anyhow::Result<()> {
    let before = memory.entry(EntryId(edit.id.row)).await.map_err(told)?.ok_or_else(|| no_such(edit.id))?;
    let summary = edit.text.as_deref().map_or(before.summary, redaction::scrub);
    let topics = edit.topics.as_deref().map(kept).map_or(before.topics, |topics| {
        topics.split(',').map(str::trim).filter(|topic| !topic.is_empty()).map(str::to_owned).collect()
    });
    memory
        .rewrite_entries("edit", vec![(before.id, summary, topics)], desk.now_micros)
        .await
        .map_err(told)?;
    writeln!(out, "{} was changed. `jarvis memory undo` takes that back, for ten minutes.", edit.id)?;
    Ok(())
}

pub(super) async fn add(desk: &Desk, memory: &Memory, add: Add, out: &mut dyn Write) -> anyhow::Result<()> {
    let place = add.node.unwrap_or_else(|| add.branch.node());
    let fact = told_here(desk, &add.text.join(" "));
    match memory.learn(place, fact, desk.now_micros).await.map_err(told)? {
        Learned::New(id) => writeln!(out, "{} is remembered.", id.item())?,
        Learned::Known(id) => writeln!(out, "{} says so already.", id.item())?,
    }
    Ok(())
}

pub(super) async fn retract(
    desk: &Desk,
    memory: &Memory,
    id: ItemId,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    ensure!(
        id.kind == Kind::Fact,
        "only a fact is taken back: `jarvis memory forget {id}` forgets other things"
    );
    memory.retract(FactId(id.row), desk.now_micros).await.map_err(told)?;
    writeln!(out, "{id} no longer holds; it is kept as history.")?;
    Ok(())
}

/// A fact that the user told here and now.
fn told_here(desk: &Desk, text: &str) -> NewFact {
    let text = kept(text);
    let evidence = Evidence {
        quote: text.clone(),
        observed_at: desk.now_micros,
        day: Some(desk.today()),
        speaker: Some(Participant::User),
        channel: "edited".to_owned(),
        ..Evidence::default()
    };
    NewFact { text, evidence }
}

/// A text as it may be kept: on one line, without secrets.
fn kept(text: &str) -> String {
    redaction::redact(text, redaction::MAX_CHARS)
}

fn branch(name: &str) -> Result<Branch, String> {
    match name {
        "user" => Ok(Branch::User),
        "directives" => Ok(Branch::Directives),
        "world" => Ok(Branch::World),
        _ => Err(format!("{name:?} is no branch: use user, directives or world")),
    }
}

fn node_id(text: &str) -> Result<NodeId, String> {
    match text.parse::<ItemId>() {
        Ok(ItemId { kind: Kind::Node, row }) => Ok(NodeId(row)),
        _ => Err(format!("{text:?} is no node: write its id as `jarvis memory show` does, such as node-5")),
    }
}
