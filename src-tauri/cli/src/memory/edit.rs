//! `jarvis memory edit`, `add`, `retract`: corrections.

use std::io::Write;

use anyhow::{bail, ensure};
use assistant::{Branch, ItemId, MemoryAnswer, MemoryRequest, RecordKind};
use vocabulary::Private;

use super::session::{Session, unexpected};

#[derive(clap::Args)]
pub(crate) struct Edit {
    /// The fact, day of the diary or node.
    id: ItemId,
    /// The new text of a fact or a day of the diary.
    #[arg(long)]
    text: Option<String>,
    /// The new topics of a day of the diary, with commas between them.
    #[arg(long)]
    topics: Option<String>,
    /// The new name of a node.
    #[arg(long)]
    name: Option<String>,
    /// The new description of a node: what belongs in it.
    #[arg(long)]
    description: Option<String>,
    /// The node to move a node below.
    #[arg(long, value_parser = node)]
    parent: Option<i64>,
}

#[derive(clap::Args)]
pub(crate) struct Add {
    /// The branch: user (who you are), directives (how you want to be served) or world (anything else).
    #[arg(long, value_parser = branch, default_value = "user")]
    branch: i64,
    /// The node it belongs in, instead of a branch.
    #[arg(long, value_parser = node)]
    node: Option<i64>,
    /// The fact, in one sentence.
    #[arg(required = true)]
    text: Vec<String>,
}

pub(super) async fn run(session: &Session, edit: Edit, out: &mut dyn Write) -> anyhow::Result<()> {
    let of_texts = edit.text.is_some();
    let of_entries = edit.topics.is_some();
    let of_nodes = edit.name.is_some() || edit.description.is_some() || edit.parent.is_some();
    let (id, row) = (edit.id, edit.id.row);
    match id.kind {
        RecordKind::Message => {
            bail!("what was said stays as it was said: `jarvis memory forget {id}` forgets it")
        }
        RecordKind::Meal | RecordKind::Appointment | RecordKind::Todo => {
            bail!("entries of lists cannot be edited: `jarvis memory forget {id}` removes this one")
        }
        RecordKind::Fact => {
            ensure!(of_texts && !of_entries && !of_nodes, "a fact is corrected with --text \"…\"");
            let text = Private(edit.text.unwrap_or_default());
            let answer = session.answer(MemoryRequest::CorrectFact { fact: row, text }).await?;
            let MemoryAnswer::FactAdded { fact, .. } = answer else { return unexpected(&answer) };
            writeln!(out, "fact-{fact} took the place of {id}, which is kept as its history.")?;
        }
        RecordKind::Diary => {
            ensure!(
                (of_texts || of_entries) && !of_nodes,
                "a day of the diary is corrected with --text \"…\", --topics \"…, …\" or both"
            );
            let (summary, topics) = (edit.text.map(Private), edit.topics.map(Private));
            session.tell(MemoryRequest::RewriteEntry { entry: row, summary, topics }).await?;
            writeln!(out, "{id} was changed. `jarvis memory undo` takes that back, for ten minutes.")?;
        }
        RecordKind::Node => {
            ensure!(
                of_nodes && !of_texts && !of_entries,
                "a node is changed with --name, --description or --parent; its facts are edited one by one"
            );
            let (name, description) = (edit.name.map(Private), edit.description.map(Private));
            let request = MemoryRequest::EditNode { node: row, name, description, parent: edit.parent };
            session.tell(request).await?;
            writeln!(out, "{id} was changed.")?;
        }
    }
    Ok(())
}

pub(super) async fn add(session: &Session, add: &Add, out: &mut dyn Write) -> anyhow::Result<()> {
    let node = add.node.unwrap_or(add.branch);
    let text = Private(add.text.join(" "));
    let answer = session.answer(MemoryRequest::AddFact { node, text }).await?;
    match answer {
        MemoryAnswer::FactAdded { fact, is_new: true } => writeln!(out, "fact-{fact} is remembered.")?,
        MemoryAnswer::FactAdded { fact, is_new: false } => writeln!(out, "fact-{fact} says so already.")?,
        other => return unexpected(&other),
    }
    Ok(())
}

pub(super) async fn retract(session: &Session, id: ItemId, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(
        id.kind == RecordKind::Fact,
        "only a fact can be retracted: `jarvis memory forget {id}` forgets other records"
    );
    session.tell(MemoryRequest::RetractFact { fact: id.row }).await?;
    writeln!(out, "{id} no longer holds; it is kept as history.")?;
    Ok(())
}

/// The row of the node of a branch.
fn branch(name: &str) -> Result<i64, String> {
    let branch = match name {
        "user" => Branch::User,
        "directives" => Branch::Directives,
        "world" => Branch::World,
        _ => return Err(format!("{name:?} is not a branch: use user, directives or world")),
    };
    Ok(branch.node().0)
}

/// The row of a node.
fn node(text: &str) -> Result<i64, String> {
    match text.parse::<ItemId>() {
        Ok(ItemId { kind: RecordKind::Node, row }) => Ok(row),
        _ => {
            Err(format!("{text:?} is not a node: write its id as `jarvis memory show` does, such as node-5"))
        }
    }
}
