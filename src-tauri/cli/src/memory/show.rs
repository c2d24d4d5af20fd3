//! `jarvis memory show`: one record with everything known about it, or an overview.

use std::fmt::Write as _;
use std::io::Write;

use assistant::{
    EntryDetails, EntryView, FactDetails, FactStatus, FactView, ItemId, ItemView, MemoryAnswer,
    MemoryOverview, MemoryRequest, MessageDetails, NodeDetails,
};
use serde_json::{Value, json};

use super::layout::{INDENT, Layout, counted, plain};
use super::session::{Session, unexpected};

#[derive(clap::Args)]
pub(crate) struct Show {
    /// The id, as `jarvis memory search` shows it: message-12, diary-3, fact-7, node-5.
    id: Option<ItemId>,
    /// One JSON object, for programs; times are microseconds since 1970 UTC.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    session: &Session,
    show: &Show,
    layout: &Layout,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let request = show.id.map_or(MemoryRequest::Overview, |id| MemoryRequest::Show { id });
    let answer = session.answer(request).await?;
    if show.json {
        writeln!(out, "{}", as_json(&answer)?)?;
        return Ok(());
    }
    let whole = layout.whole(true);
    let text = match &answer {
        MemoryAnswer::Overview(found) => overview(found, layout),
        MemoryAnswer::Item(item) => whole.item(item),
        MemoryAnswer::Message(details) => message(details, &whole),
        MemoryAnswer::Entry(details) => entry(details, &whole),
        MemoryAnswer::Fact(details) => fact(details, &whole),
        MemoryAnswer::Node(details) => node(details, &whole),
        other => return unexpected(other),
    };
    write!(out, "{text}")?;
    Ok(())
}

fn as_json(answer: &MemoryAnswer) -> anyhow::Result<Value> {
    Ok(match answer {
        MemoryAnswer::Overview(overview) => serde_json::to_value(overview)?,
        MemoryAnswer::Item(ItemView { id, text, at_micros, context }) => {
            json!({ "id": id.to_string(), "text": text, "at": at_micros, "context": context })
        }
        MemoryAnswer::Message(details) => serde_json::to_value(details)?,
        MemoryAnswer::Entry(details) => serde_json::to_value(details)?,
        MemoryAnswer::Fact(details) => serde_json::to_value(details)?,
        MemoryAnswer::Node(details) => serde_json::to_value(details)?,
        other => return unexpected(other),
    })
}

fn message(details: &MessageDetails, layout: &Layout) -> String {
    let MessageDetails { message, before, after } = details;
    let mut text = layout.message(message);
    let channel = if message.channel.is_empty() { "unknown" } else { &message.channel };
    let _ = writeln!(text, "\nConversation {}, channel {channel}.", plain(&message.conversation.0));
    for (head, messages) in [("\nBefore it:\n", before), ("\nAfter it:\n", after)] {
        if !messages.is_empty() {
            text.push_str(head);
            text.extend(messages.iter().map(|message| layout.whole(false).message(message)));
        }
    }
    text
}

fn entry(details: &EntryDetails, layout: &Layout) -> String {
    let EntryDetails { entry, sources } = details;
    let mut text = entry_text(entry, layout);
    let written_at = layout.date_time(entry.written_at);
    let _ = writeln!(text, "\nFrom {}, written {written_at}.", plain(&entry.source));
    if !sources.is_empty() {
        text.push_str("\nWritten from:\n");
        text.extend(sources.iter().map(|message| layout.whole(false).message(message)));
    }
    text
}

fn entry_text(entry: &EntryView, layout: &Layout) -> String {
    let topics =
        if entry.topics.is_empty() { String::new() } else { format!(" ({})", entry.topics.join(", ")) };
    let head = format!("{:<12} {}{}", format!("diary-{}", entry.id), entry.day, plain(&topics));
    format!("{head}\n{}", layout.text(&entry.summary, INDENT))
}

fn fact(details: &FactDetails, layout: &Layout) -> String {
    let FactDetails { fact, path, evidence, history } = details;
    let mut text = format!(
        "{:<12} {}, {}\n{}",
        fact_name(fact),
        plain(path),
        validity(fact, layout),
        layout.text(&fact.text, INDENT)
    );
    if !evidence.is_empty() {
        text.push_str("\nKnown from:\n");
        text.extend(evidence.iter().map(|evidence| layout.evidence(evidence)));
    }
    if !history.is_empty() {
        text.push_str("\nBefore it:\n");
        for past in history {
            let head = format!("{:<12} {}", fact_name(&past.fact), validity(&past.fact, layout));
            let _ = write!(text, "{head}\n{}", layout.text(&past.fact.text, INDENT));
            text.extend(past.evidence.iter().map(|evidence| layout.evidence(evidence)));
        }
    }
    text
}

fn fact_name(fact: &FactView) -> String {
    format!("fact-{}", fact.id)
}

/// Since when, and until when, a fact holds.
fn validity(fact: &FactView, layout: &Layout) -> String {
    let from = layout.day(fact.valid_from);
    let to = fact.valid_to.map(|to| layout.day(to)).unwrap_or_default();
    match (fact.status, fact.replaced_by) {
        (FactStatus::Current, _) => format!("since {from}"),
        (FactStatus::Superseded, Some(by)) => format!("{from} to {to}, then fact-{by}"),
        (FactStatus::Superseded, None) => format!("{from} to {to}"),
        (FactStatus::Retracted, _) => format!("{from} to {to}, then taken back"),
    }
}

fn node(details: &NodeDetails, layout: &Layout) -> String {
    let NodeDetails { node, path, facts, children } = details;
    let name = format!("node-{}", node.id);
    let mut text = format!("{name:<12} {}\n{}", plain(path), layout.text(&node.description, INDENT));
    let _ = writeln!(
        text,
        "\nUsed {}, last changed {}.",
        counted(usize::try_from(node.access_count).unwrap_or_default(), "time", "times"),
        if node.updated_at > 0 { layout.date_time(node.updated_at) } else { "never".to_owned() },
    );
    if !facts.is_empty() {
        text.push_str("\nFacts:\n");
        for fact in facts {
            let _ = writeln!(text, "{:<12} {}", fact_name(fact), validity(fact, layout));
            text.push_str(&layout.text(&fact.text, INDENT));
        }
    }
    if !children.is_empty() {
        text.push_str("\nBelow it:\n");
        for child in children {
            let _ = writeln!(text, "{:<12} {}", format!("node-{}", child.id), plain(&child.name));
        }
    }
    text
}

fn overview(overview: &MemoryOverview, layout: &Layout) -> String {
    let messages: i64 = overview.conversations.iter().map(|conversation| conversation.messages).sum();
    let facts: usize = overview.tree.iter().map(|node| node.facts.len()).sum();
    let mut text = format!(
        "{}, {}, {} in {} are remembered.\n",
        counted(usize::try_from(messages).unwrap_or_default(), "message", "messages"),
        counted(overview.entries, "diary entry", "diary entries"),
        counted(facts, "fact", "facts"),
        counted(overview.tree.len(), "node", "nodes"),
    );
    if !overview.conversations.is_empty() {
        text.push_str("\nConversations:\n");
    }
    for conversation in &overview.conversations {
        let _ = writeln!(
            text,
            "{:<12} {}, {} to {}",
            plain(&conversation.id.0),
            counted(usize::try_from(conversation.messages).unwrap_or_default(), "message", "messages"),
            layout.day(conversation.first_at),
            layout.day(conversation.last_at),
        );
    }
    text.push_str("\nWhat is known:\n");
    for place in &overview.tree {
        let indent = 2 * place.depth;
        let _ = writeln!(text, "{:indent$}{}  (node-{})", "", plain(&place.node.name), place.node.id);
        for fact in &place.facts {
            text.push_str(&layout.text(&format!("- {}  ({})", fact.text, fact_name(fact)), indent + 2));
        }
    }
    if !overview.newest_entries.is_empty() {
        text.push_str("\nThe newest days of the diary:\n");
        text.extend(overview.newest_entries.iter().map(|entry| entry_text(entry, layout)));
    }
    text
}
