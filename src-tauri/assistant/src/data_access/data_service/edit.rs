//! Corrections of what is remembered, and facts that the user states.

use memory::{
    EntryId, Evidence, FactId, FactStatus, ItemId, LearnOutcome, Memory, NewFact, NodeEdit, NodeId,
    Participant, RecordKind,
};
use vocabulary::Private;

use super::failure::Failure;
use super::parts::DataService;
use super::responder::Responder;
use super::show::no_such;
use crate::data_access::requests::MemoryAnswer;

impl DataService {
    pub(super) async fn correct_fact(
        &self,
        memory: &Memory,
        row: i64,
        text: &str,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let id = ItemId::new(RecordKind::Fact, row);
        let before = memory.fact(FactId(row)).await?.ok_or_else(|| no_such(id))?;
        match (before.status, before.replaced_by) {
            (FactStatus::Current, _) => {}
            (_, Some(by)) => {
                let message = format!("{id} no longer holds: edit {}, which took its place", by.item());
                return Err(Failure::refused(message));
            }
            _ => {
                let message = format!("{id} no longer holds: tell it anew with `jarvis memory add`");
                return Err(Failure::refused(message));
            }
        }
        let fact = memory.correct(before.id, self.stated(text), self.now_micros()).await?;
        responder.memory(MemoryAnswer::FactAdded { fact: fact.0, is_new: true }).await
    }

    pub(super) async fn rewrite_entry(
        &self,
        memory: &Memory,
        row: i64,
        summary: Option<Private<String>>,
        topics: Option<Private<String>>,
    ) -> Result<(), Failure> {
        let id = ItemId::new(RecordKind::Diary, row);
        let before = memory.entry(EntryId(row)).await?.ok_or_else(|| no_such(id))?;
        let summary = summary.map_or(before.summary, |summary| redaction::scrub(&summary));
        let topics = topics.map(|topics| one_line(&topics)).map_or(before.topics, |topics| {
            topics.split(',').map(str::trim).filter(|topic| !topic.is_empty()).map(str::to_owned).collect()
        });
        memory.rewrite_entries("edit", vec![(before.id, summary, topics)], self.now_micros()).await?;
        Ok(())
    }

    pub(super) async fn edit_node(
        &self,
        memory: &Memory,
        row: i64,
        name: Option<Private<String>>,
        description: Option<Private<String>>,
        parent: Option<i64>,
    ) -> Result<(), Failure> {
        let change = NodeEdit {
            name: name.map(|name| one_line(&name)),
            description: description.map(|description| one_line(&description)),
            parent: parent.map(NodeId),
        };
        Ok(memory.edit_node(NodeId(row), change, self.now_micros()).await.map(|_| ())?)
    }

    pub(super) async fn add_fact(
        &self,
        memory: &Memory,
        node: i64,
        text: &str,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let learned = memory.learn(NodeId(node), self.stated(text), self.now_micros()).await?;
        let (fact, is_new) = match learned {
            LearnOutcome::New(id) => (id.0, true),
            LearnOutcome::Known(id) => (id.0, false),
        };
        responder.memory(MemoryAnswer::FactAdded { fact, is_new }).await
    }

    pub(super) async fn retract_fact(&self, memory: &Memory, row: i64) -> Result<(), Failure> {
        Ok(memory.retract(FactId(row), self.now_micros()).await.map(|_| ())?)
    }

    /// A fact that the user states now.
    fn stated(&self, text: &str) -> NewFact {
        let text = one_line(text);
        let evidence = Evidence {
            quote: text.clone(),
            observed_at: self.now_micros(),
            day: Some(self.today()),
            participant: Some(Participant::User),
            channel: "edited".to_owned(),
            ..Evidence::default()
        };
        NewFact { text, evidence }
    }
}

/// A text as it may be kept: on one line, without secrets.
fn one_line(text: &str) -> String {
    redaction::redact(text, redaction::MAX_CHARS)
}
