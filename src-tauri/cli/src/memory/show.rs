//! `jarvis memory show`: one thing with all that is known about it, or everything in short.

use std::fmt::Write as _;
use std::io::Write;

use ::memory::{
    Conversation, DiaryFilter, Entry, EntryId, Evidence, Fact, FactId, FactStatus, ItemId, Kind, Memory,
    Message, Node, NodeId,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::page::{INDENT, Look, counted, plain};
use super::{Desk, no_such, told};

/// Days of the diary in the overview.
const NEWEST_DAYS: usize = 5;
/// Messages shown before and after one.
const AROUND: usize = 3;
/// Messages shown of those that an entry was written from.
const SOURCES: usize = 200;
/// A fact was corrected so often at most, as far as is shown.
const HISTORY: usize = 50;

#[derive(clap::Args)]
pub(crate) struct Show {
    /// Its id, as `jarvis memory search` shows it: message-12, diary-3, fact-7, node-5.
    id: Option<ItemId>,
    /// One JSON object, for programs; times are microseconds since 1970 UTC.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    desk: &Desk,
    memory: &Memory,
    show: &Show,
    look: &Look,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (shown, text) = match show.id {
        None => {
            let overview = Overview::of(memory, desk.now_micros).await?;
            (serde_json::to_value(&overview)?, overview.render(look))
        }
        Some(id) => thing(desk, memory, id, &look.whole(true)).await?,
    };
    match show.json {
        true => writeln!(out, "{shown}")?,
        false => write!(out, "{text}")?,
    }
    Ok(())
}

/// One thing, for programs and for people.
async fn thing(desk: &Desk, memory: &Memory, id: ItemId, look: &Look) -> anyhow::Result<(Value, String)> {
    match id.kind {
        Kind::Message => message(memory, id, look).await,
        Kind::Diary => entry(memory, id, look).await,
        Kind::Fact => fact(memory, id, look).await,
        Kind::Node => node(desk, memory, id, look).await,
        Kind::Meal | Kind::Appointment | Kind::Todo => on_a_list(memory, id, look).await,
    }
}

async fn on_a_list(memory: &Memory, id: ItemId, look: &Look) -> anyhow::Result<(Value, String)> {
    let item = memory.item(id).await.map_err(told)?.ok_or_else(|| no_such(id))?;
    let shown = json!({
        "id": id.to_string(),
        "text": item.text,
        "at": item.at_micros,
        "context": item.context,
    });
    Ok((shown, look.remembered(&item)))
}

async fn message(memory: &Memory, id: ItemId, look: &Look) -> anyhow::Result<(Value, String)> {
    let around = memory.messages_around(id.row, AROUND).await.map_err(told)?;
    let at = around.iter().position(|message| message.id == id).ok_or_else(|| no_such(id))?;
    let message = &around[at];
    let mut text = look.message(message);
    let channel = if message.channel.is_empty() { "unknown" } else { &message.channel };
    let _ = writeln!(text, "\nConversation {}, channel {channel}.", plain(&message.conversation.0));
    for (head, messages) in [("\nBefore it:\n", &around[..at]), ("\nAfter it:\n", &around[at + 1..])] {
        if !messages.is_empty() {
            text.push_str(head);
            text.extend(messages.iter().map(|message| look.whole(false).message(message)));
        }
    }
    let shown = json!({
        "message": message_json(message),
        "before": around[..at].iter().map(message_json).collect::<Vec<_>>(),
        "after": around[at + 1..].iter().map(message_json).collect::<Vec<_>>(),
    });
    Ok((shown, text))
}

fn message_json(message: &Message) -> Value {
    json!({
        "id": message.id.to_string(),
        "conversation": message.conversation.0,
        "channel": message.channel,
        "speaker": message.said.speaker,
        "at_micros": message.said.at_micros,
        "text": *message.said.text,
    })
}

async fn entry(memory: &Memory, id: ItemId, look: &Look) -> anyhow::Result<(Value, String)> {
    let entry = memory.entry(EntryId(id.row)).await.map_err(told)?.ok_or_else(|| no_such(id))?;
    let sources = memory.sources_of(entry.id, SOURCES).await.map_err(told)?;
    let mut text = entry_text(&entry, look);
    let _ = writeln!(text, "\nFrom {}, written {}.", plain(&entry.source), look.moment(entry.written_at));
    if !sources.is_empty() {
        text.push_str("\nWritten from:\n");
        text.extend(sources.iter().map(|message| look.whole(false).message(message)));
    }
    let shown = json!({ "entry": entry, "sources": sources.iter().map(message_json).collect::<Vec<_>>() });
    Ok((shown, text))
}

fn entry_text(entry: &Entry, look: &Look) -> String {
    let topics =
        if entry.topics.is_empty() { String::new() } else { format!(" ({})", entry.topics.join(", ")) };
    let head = format!("{:<12} {}{}", entry.id.item().to_string(), entry.day, plain(&topics));
    format!("{head}\n{}", look.text(&entry.summary, INDENT))
}

async fn fact(memory: &Memory, id: ItemId, look: &Look) -> anyhow::Result<(Value, String)> {
    let fact = memory.fact(FactId(id.row)).await.map_err(told)?.ok_or_else(|| no_such(id))?;
    let path = memory.path_of(fact.node).await.map_err(told)?;
    let evidence = memory.evidence(fact.id).await.map_err(told)?;
    let history = history(memory, fact.id).await?;
    let mut text = format!(
        "{:<12} {}, {}\n{}",
        id.to_string(),
        plain(&path),
        standing(&fact, look),
        look.text(&fact.text, INDENT)
    );
    if !evidence.is_empty() {
        text.push_str("\nKnown from:\n");
        text.extend(evidence.iter().map(|evidence| look.evidence(evidence)));
    }
    if !history.is_empty() {
        text.push_str("\nBefore it:\n");
        for (past, evidence) in &history {
            let head = format!("{:<12} {}", past.id.item().to_string(), standing(past, look));
            let _ = write!(text, "{head}\n{}", look.text(&past.text, INDENT));
            text.extend(evidence.iter().map(|evidence| look.evidence(evidence)));
        }
    }
    let past = history.iter().map(|(fact, evidence)| json!({ "fact": fact, "evidence": evidence }));
    let shown = json!({
        "fact": fact, "path": path, "evidence": evidence, "history": past.collect::<Vec<_>>(),
    });
    Ok((shown, text))
}

/// All that a fact took the place of, the nearest first.
async fn history(memory: &Memory, id: FactId) -> anyhow::Result<Vec<(Fact, Vec<Evidence>)>> {
    let mut past = Vec::new();
    let mut waiting = vec![id];
    while let Some(id) = waiting.pop() {
        for older in memory.history_of(id).await.map_err(told)? {
            if past.len() == HISTORY {
                return Ok(past);
            }
            waiting.insert(0, older.id);
            let evidence = memory.evidence(older.id).await.map_err(told)?;
            past.push((older, evidence));
        }
    }
    Ok(past)
}

/// Since when, and until when, a fact holds.
fn standing(fact: &Fact, look: &Look) -> String {
    let from = look.day(fact.valid_from);
    let to = fact.valid_to.map(|to| look.day(to)).unwrap_or_default();
    match (fact.status, fact.replaced_by) {
        (FactStatus::Current, _) => format!("since {from}"),
        (FactStatus::Superseded, Some(by)) => format!("{from} to {to}, then {}", by.item()),
        (FactStatus::Superseded, None) => format!("{from} to {to}"),
        (FactStatus::Retracted, _) => format!("{from} to {to}, then taken back"),
    }
}

async fn node(desk: &Desk, memory: &Memory, id: ItemId, look: &Look) -> anyhow::Result<(Value, String)> {
    let node = memory.node(NodeId(id.row)).await.map_err(told)?.ok_or_else(|| no_such(id))?;
    let path = memory.path_of(node.id).await.map_err(told)?;
    let facts = memory.facts(node.id).await.map_err(told)?;
    let children = memory.children(node.id, desk.now_micros).await.map_err(told)?;
    let mut text =
        format!("{:<12} {}\n{}", id.to_string(), plain(&path), look.text(&node.description, INDENT));
    let _ = writeln!(
        text,
        "\nOf use {}, last changed {}.",
        counted(usize::try_from(node.access_count).unwrap_or_default(), "time", "times"),
        if node.updated_at > 0 { look.moment(node.updated_at) } else { "never".to_owned() },
    );
    if !facts.is_empty() {
        text.push_str("\nFacts:\n");
        for fact in &facts {
            let _ = writeln!(text, "{:<12} {}", fact.id.item().to_string(), standing(fact, look));
            text.push_str(&look.text(&fact.text, INDENT));
        }
    }
    if !children.is_empty() {
        text.push_str("\nBelow it:\n");
        for child in &children {
            let _ = writeln!(text, "{:<12} {}", child.id.item().to_string(), plain(&child.name));
        }
    }
    Ok((json!({ "node": node, "path": path, "facts": facts, "children": children }), text))
}

/// Everything in short.
#[derive(Serialize)]
struct Overview {
    conversations: Vec<Conversation>,
    entries: usize,
    tree: Vec<Place>,
    newest_entries: Vec<Entry>,
}

/// A node of the tree with its facts.
#[derive(Serialize)]
struct Place {
    depth: usize,
    node: Node,
    facts: Vec<Fact>,
}

impl Overview {
    async fn of(memory: &Memory, now_micros: i64) -> anyhow::Result<Self> {
        let mut tree = Vec::new();
        for (depth, node) in memory.tree(now_micros).await.map_err(told)? {
            if node.id != NodeId::ROOT {
                let facts = memory.facts(node.id).await.map_err(told)?;
                tree.push(Place { depth: depth - 1, node, facts });
            }
        }
        let mut newest_entries = memory.entries(DiaryFilter::default()).await.map_err(told)?;
        let entries = newest_entries.len();
        newest_entries.truncate(NEWEST_DAYS);
        let conversations = memory.conversations().await.map_err(told)?;
        Ok(Self { conversations, entries, tree, newest_entries })
    }

    fn render(&self, look: &Look) -> String {
        let messages: i64 = self.conversations.iter().map(|conversation| conversation.messages).sum();
        let facts: usize = self.tree.iter().map(|place| place.facts.len()).sum();
        let mut text = format!(
            "{}, {}, {} in {} are remembered.\n",
            counted(usize::try_from(messages).unwrap_or_default(), "message", "messages"),
            counted(self.entries, "diary entry", "diary entries"),
            counted(facts, "fact", "facts"),
            counted(self.tree.len(), "node", "nodes"),
        );
        if !self.conversations.is_empty() {
            text.push_str("\nConversations:\n");
        }
        for conversation in &self.conversations {
            let _ = writeln!(
                text,
                "{:<12} {}, {} to {}",
                plain(&conversation.id.0),
                counted(usize::try_from(conversation.messages).unwrap_or_default(), "message", "messages"),
                look.day(conversation.first_at),
                look.day(conversation.last_at),
            );
        }
        text.push_str("\nWhat is known:\n");
        for place in &self.tree {
            let indent = 2 * place.depth;
            let _ = writeln!(text, "{:indent$}{}  ({})", "", plain(&place.node.name), place.node.id.item(),);
            for fact in &place.facts {
                text.push_str(&look.text(&format!("- {}  ({})", fact.text, fact.id.item()), indent + 2));
            }
        }
        if !self.newest_entries.is_empty() {
            text.push_str("\nThe newest days of the diary:\n");
            text.extend(self.newest_entries.iter().map(|entry| entry_text(entry, look)));
        }
        text
    }
}
