//! The one choke point: every call of every tool passes here.

mod call;
mod entry;
mod outcome;

use std::sync::Arc;

use futures::future::join_all;
use llm::ToolCall;
use tokio::sync::mpsc;
use tracing::Instrument;

use crate::approval::Approval;
use crate::audit::AuditLog;
use crate::inquiry::{Inquiries, ToolMessage, WaitingInquiry};
use crate::permissions::{Permissions, Taint};
use crate::registry::ToolRegistry;
use crate::stored_secrets::StoredSecrets;
use crate::tool::{Declaration, Effect, ToolContext};

pub use call::is_told_to_models;
use call::{ApprovedCall, admit};
use entry::AuditEntry;
pub use outcome::{CallOutcome, CallStatus};

/// Runs calls: finds the tool, checks the arguments, asks where it must, bounds time and output, and logs every call.
pub struct ToolRunner {
    registry: Arc<ToolRegistry>,
    permissions: Arc<Permissions>,
    log: Arc<dyn AuditLog>,
    /// `None` if none are stored: no tool that needs one runs.
    secrets: Option<Arc<dyn StoredSecrets>>,
}

impl ToolRunner {
    /// A runner for these tools with these permissions. Every call is noted in `log`.
    pub fn new(registry: Arc<ToolRegistry>, permissions: Arc<Permissions>, log: Arc<dyn AuditLog>) -> Self {
        Self { registry, permissions, log, secrets: None }
    }

    /// The same runner for tools that need secrets, as long as those are stored.
    pub fn with_secrets(self, secrets: Arc<dyn StoredSecrets>) -> Self {
        Self { secrets: Some(secrets), ..self }
    }

    /// A runner for the tools of another registry, with the same permissions, log and secrets.
    pub fn with_registry(&self, registry: Arc<ToolRegistry>) -> Self {
        let (permissions, log) = (Arc::clone(&self.permissions), Arc::clone(&self.log));
        Self { registry, permissions, log, secrets: self.secrets.clone() }
    }

    /// The registry of its tools.
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// The tools that the settings do not forbid, for a caller who chooses among them.
    pub fn callable(&self) -> Vec<Declaration> {
        let catalogue = self.registry.catalogue();
        catalogue.declarations().filter(|tool| !self.permissions.denies(tool)).cloned().collect()
    }

    /// Runs one call. Ends soon after `context.stop` is cancelled. There is always an outcome with a text for the model.
    ///
    /// A tool that computes without awaiting anything cannot be stopped before it returns.
    pub async fn run(
        &self,
        call: &ToolCall,
        taint: Taint,
        context: &ToolContext,
        approval: &mut dyn Approval,
    ) -> CallOutcome {
        let running = async {
            let admitted = self.admit(call, taint, context, approval).await;
            let (context, asked) = with_inquiries(context);
            answering(finish(admitted, &context), asked, approval).await
        };
        running.instrument(span(call)).await
    }

    /// Runs the calls of one turn; the outcomes are in their order.
    ///
    /// Neighbouring calls that only read run at the same time, all others one after the other, each after what stands
    /// before it. `taint` counts for all of them: the model asked for them before it saw any of their results.
    pub async fn run_all(
        &self,
        calls: &[ToolCall],
        taint: Taint,
        context: &ToolContext,
        approval: &mut dyn Approval,
    ) -> Vec<CallOutcome> {
        let mut outcomes = Vec::with_capacity(calls.len());
        for group in calls.chunk_by(|one, next| self.only_reads(one) && self.only_reads(next)) {
            let mut admitted = Vec::with_capacity(group.len());
            // The user is asked one question at a time.
            for call in group {
                let span = span(call);
                let call = self.admit(call, taint, context, approval).instrument(span.clone()).await;
                admitted.push((span, call));
            }
            let (context, asked) = with_inquiries(context);
            let running = admitted.into_iter().map(|(span, call)| finish(call, &context).instrument(span));
            outcomes.extend(answering(join_all(running), asked, approval).await);
        }
        outcomes
    }

    async fn admit<'c>(
        &self,
        call: &'c ToolCall,
        taint: Taint,
        context: &ToolContext,
        approval: &mut dyn Approval,
    ) -> AdmittedCall<'c> {
        let mut entry = AuditEntry::new(&self.log, call, context);
        let catalogue = self.registry.catalogue();
        let rules = (&*catalogue, &*self.permissions, self.secrets.as_deref());
        let verdict = admit(rules, call, taint, context, approval, &mut entry).await;
        AdmittedCall { verdict, entry }
    }

    /// Returns `true` if calls such as this one may run at the same time. An unknown tool changes nothing either.
    fn only_reads(&self, call: &ToolCall) -> bool {
        let catalogue = self.registry.catalogue();
        catalogue.get(&call.name).is_none_or(|tool| tool.effect_of(&call.arguments) <= Effect::Network)
    }
}

/// The same context with a way to the user, and where it leads.
fn with_inquiries(context: &ToolContext) -> (ToolContext, mpsc::Receiver<ToolMessage>) {
    let (inquiries, asked) = Inquiries::new();
    (ToolContext { inquiries, ..context.clone() }, asked)
}

/// Runs calls, puts their questions to the user, one at a time, and passes their progress on.
async fn answering<T>(
    running: impl Future<Output = T>,
    mut asked: mpsc::Receiver<ToolMessage>,
    approval: &mut dyn Approval,
) -> T {
    let mut running = std::pin::pin!(running);
    loop {
        tokio::select! {
            biased; // A call that ended needs no answer.
            done = &mut running => return done,
            Some(message) = asked.recv() => match message {
                ToolMessage::Question(WaitingInquiry { inquiry, mut answer }) => tokio::select! {
                    biased;
                    // The tool, or the server behind it, took its question back: the user is asked no longer.
                    () = answer.closed() => {}
                    said = approval.inquire(inquiry) => {
                        // A tool whose time is over waits no more.
                        let _ = answer.send(said);
                    }
                },
                ToolMessage::Progress(progress) => approval.report(progress).await,
            },
        }
    }
}

/// A call about which is decided, with its entry in the log.
struct AdmittedCall<'c> {
    verdict: Result<ApprovedCall, Box<CallOutcome>>,
    entry: AuditEntry<'c>,
}

/// Runs an admitted call, and notes how it ended.
async fn finish(call: AdmittedCall<'_>, context: &ToolContext) -> CallOutcome {
    let AdmittedCall { verdict, mut entry } = call;
    let outcome = match verdict {
        Ok(approved) => {
            entry.begin();
            approved.run(context).await
        }
        Err(refused) => *refused,
    };
    outcome.record();
    entry.end(&outcome);
    outcome
}

/// The span of a call. Has the names of tools alone: arguments and results are the user's.
fn span(call: &ToolCall) -> tracing::Span {
    // A model may invent a name out of what the user said, so names that no tool can have are not logged.
    let is_name =
        call.name.len() <= 64 && call.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let tool = if is_name { &*call.name } else { "(no name of a tool)" };
    tracing::info_span!("tool call", tool, outcome = tracing::field::Empty)
}
