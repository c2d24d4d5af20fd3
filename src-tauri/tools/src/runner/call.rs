//! One call: whether it may run, and running it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use llm::ToolCall;
use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use vocabulary::Private;

use super::entry::AuditEntry;
use super::outcome::{CallOutcome, CallStatus};
use crate::approval::{Approval, ApprovalAnswer, ApprovalRequest};
use crate::arguments::UnknownKeys;
use crate::audit::Decision;
use crate::name::squashed;
use crate::output::capped;
use crate::permissions::{Grounds, Permission, Permissions, Taint};
use crate::registry::{Catalogue, RegisteredTool};
use crate::stored_secrets::StoredSecrets;
use crate::tool::{Effect, ToolContext};
use crate::tool_result::ToolResult;

/// A call that may run.
pub(super) struct ApprovedCall {
    call: ToolCall,
    tool: Arc<RegisteredTool>,
    arguments: Map<String, Value>,
}

/// Decides whether a call may run; asks where the permissions say so. Writes the decision to the entry of the call.
pub(super) async fn admit(
    (catalogue, permissions, secrets): (&Catalogue, &Permissions, Option<&dyn StoredSecrets>),
    call: &ToolCall,
    taint: Taint,
    context: &ToolContext,
    approval: &mut dyn Approval,
    entry: &mut AuditEntry<'_>,
) -> Result<ApprovedCall, Box<CallOutcome>> {
    let raw = call.arguments.as_object().cloned().unwrap_or_default();
    let refuse = |status, text| Err(Box::new(CallOutcome::without_result(call, raw.clone(), status, text)));
    let Some(tool) = catalogue.get(&call.name) else {
        return refuse(CallStatus::UnknownTool, unknown_tool(catalogue, &call.name));
    };
    let declaration = tool.declaration();
    let effect = tool.effect_of(&call.arguments);
    entry.effect = Some(effect);
    // Taken before the question: what the server says during it is another change.
    let new_description = permissions.new_description(&call.name);
    let (permission, grounds) = permissions.with_grounds(declaration, effect, taint);
    if permission == Permission::Deny {
        (entry.decision, entry.grounds) = (Decision::Denied, Some(grounds));
        let text = format!("The user's settings forbid {}. Do not call it again; say so.", call.name);
        return refuse(CallStatus::Denied, text);
    }
    let arguments = match usable_arguments(tool, call, effect, secrets).await {
        Ok(arguments) => arguments,
        Err((status, text)) => return refuse(status, text),
    };
    (entry.decision, entry.grounds) = (Decision::Allowed, Some(grounds));
    if let Permission::Ask { can_remember } = permission {
        entry.decision = Decision::Unanswered;
        let (asker, language) = (permissions.asker(), context.language.as_ref());
        let request =
            ApprovalRequest::from_call(&asker, declaration, effect, &arguments, can_remember, language)
                .on_grounds(grounds);
        let Some(answer) = ask_until_stopped(approval, request, &context.stop).await else {
            return refuse(CallStatus::Stopped, stopped(&call.name));
        };
        entry.decision = decision(answer, can_remember).unwrap_or(entry.decision);
        if let Some((status, text)) = refused_by_user(answer, &call.name) {
            return refuse(status, text);
        }
        if entry.decision == Decision::ApprovedForGood {
            let agreed_to = new_description.filter(|_| grounds == Grounds::ChangedDescription);
            permissions.allow_always(declaration, agreed_to.as_ref()).await;
        }
    }
    Ok(ApprovedCall { call: call.clone(), tool: tool.clone(), arguments })
}

/// The arguments as the tool takes them, or the end of a call that cannot work, with the words for the model: a secret is not
/// stored, the arguments do not fit the schema, or mean nothing to the tool.
async fn usable_arguments(
    tool: &RegisteredTool,
    call: &ToolCall,
    effect: Effect,
    secrets: Option<&dyn StoredSecrets>,
) -> Result<Map<String, Value>, (CallStatus, String)> {
    if let Some(secret) = missing_secret(tool, secrets).await {
        let text = format!(
            "{} needs the secret {secret}, which is not stored. Nothing was done. Tell the user to store it with `jarvis settings \
             secret {secret}`.",
            call.name
        );
        return Err((CallStatus::Failed, text));
    }
    let wrong = |text| (CallStatus::InvalidArguments, text);
    let unknown_keys = if effect <= Effect::Network { UnknownKeys::Drop } else { UnknownKeys::Refuse };
    let fitted = tool.schema().fit(&call.arguments, unknown_keys);
    let fitted = fitted.map_err(|error| wrong(format!("{} was not called: {error}", call.name)))?;
    tool.tool().validate(&fitted).map_err(wrong)?;
    Ok(fitted)
}

/// The first secret that the tool needs and the user has not stored. Where nothing is stored, that is the first one.
async fn missing_secret(tool: &RegisteredTool, secrets: Option<&dyn StoredSecrets>) -> Option<&'static str> {
    for &name in tool.tool().required_secrets() {
        let is_stored = match secrets {
            Some(secrets) => secrets.is_stored(name).await,
            None => false,
        };
        if !is_stored {
            return Some(name);
        }
    }
    None
}

/// The user's answer; `None` if the reply was stopped. A stop outranks an answer that comes at the same moment.
async fn ask_until_stopped(
    approval: &mut dyn Approval,
    request: ApprovalRequest,
    stop: &CancellationToken,
) -> Option<ApprovalAnswer> {
    tokio::select! {
        biased;
        () = stop.cancelled() => None,
        answer = approval.ask(request) => Some(answer),
    }
}

/// The decision that an answer stands for; `None` if nobody decided.
fn decision(answer: ApprovalAnswer, can_remember: bool) -> Option<Decision> {
    match answer {
        ApprovalAnswer::Always if can_remember => Some(Decision::ApprovedForGood),
        ApprovalAnswer::Once | ApprovalAnswer::Always => Some(Decision::Approved),
        ApprovalAnswer::No => Some(Decision::Declined),
        ApprovalAnswer::Unanswered | ApprovalAnswer::NeedsClick => None,
    }
}

/// Returns `true` for a sentence that tells a model why a call did not run. It is not meant for the user.
pub fn is_told_to_models(sentence: &str) -> bool {
    const BEGINNINGS: [&str; 8] = [
        "The user did not allow ",
        "The user's settings forbid ",
        "Do not call it again",
        "Ask the user what ",
        "Ask the user which file ",
        "Ask the user for which town",
        "Ask the user for a larger town",
        "Ask for a larger town nearby",
    ];
    const PARTS: [&str; 2] =
        [" needs the user's permission, and nobody answered", " needs a key or a click at the computer"];
    BEGINNINGS.iter().any(|beginning| sentence.starts_with(beginning))
        || PARTS.iter().any(|part| sentence.contains(part))
}

/// The end of a call to which the user did not agree, with the words for the model; `None` for one to which they did.
fn refused_by_user(answer: ApprovalAnswer, tool: &str) -> Option<(CallStatus, String)> {
    match answer {
        ApprovalAnswer::Once | ApprovalAnswer::Always => None,
        ApprovalAnswer::No => Some((
            CallStatus::Declined,
            format!("The user did not allow {tool}. Nothing was done. Do not call it again."),
        )),
        ApprovalAnswer::Unanswered => Some((
            CallStatus::Unanswered,
            format!("{tool} needs the user's permission, and nobody answered. Nothing was done."),
        )),
        ApprovalAnswer::NeedsClick => Some((
            CallStatus::Unanswered,
            format!(
                "{tool} needs a key or a click at the computer, and the user speaks in another room and was told so. \
                 Nothing was done. Do not call it again."
            ),
        )),
    }
}

impl ApprovedCall {
    /// Runs it within the time of the tool.
    pub(super) async fn run(self, context: &ToolContext) -> CallOutcome {
        let Self { call, tool, arguments } = self;
        let limit = tool.declaration().timeout;
        let started = Instant::now();
        let running = AssertUnwindSafe(tool.tool().run(arguments.clone(), context)).catch_unwind();
        let ended = tokio::select! {
            biased;
            () = context.stop.cancelled() => Err((CallStatus::Stopped, stopped(&call.name))),
            ended = tokio::time::timeout(limit, running) => match ended {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(_)) => Err((CallStatus::Panicked, format!("{} failed with a bug of its own. Do not call it again.", call.name))),
                Err(_) => Err((CallStatus::TimedOut, timed_out(&call.name, limit))),
            },
        };
        let (status, result) = match ended {
            Ok(result) if result.success => (CallStatus::Done, result),
            Ok(result) => (CallStatus::Failed, explained(result, &call.name)),
            Err((status, text)) => (status, ToolResult::failed(text)),
        };
        let elapsed = started.elapsed();
        let (tool, arguments) = (call.name, Private(arguments));
        CallOutcome { call: call.id, tool, arguments, status, result: capped(result), elapsed }
    }
}

/// A failure with a text in any case: the model must not take silence for success.
fn explained(mut result: ToolResult, tool: &str) -> ToolResult {
    if result.text.as_ref().is_none_or(|text| text.trim().is_empty()) {
        result.text = Some(Private(format!("{tool} failed and did not say why.")));
    }
    result
}

fn stopped(tool: &str) -> String {
    format!("{tool} was stopped by the user.")
}

fn timed_out(tool: &str, limit: Duration) -> String {
    format!("{tool} did not answer within {} seconds.", limit.as_secs_f64())
}

/// Names the tool that was perhaps meant.
fn unknown_tool(catalogue: &Catalogue, name: &str) -> String {
    let short: String = name.chars().take(80).collect();
    let wanted = squashed(name);
    let meant = catalogue.declarations().find(|tool| squashed(&tool.name) == wanted);
    match meant {
        Some(tool) => format!("There is no tool named {short}. Its name is {}.", tool.name),
        None => {
            format!("There is no tool named {short}. Use the tools you were given, or answer without one.")
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(ApprovalAnswer::No)]
    #[case(ApprovalAnswer::Unanswered)]
    #[case(ApprovalAnswer::NeedsClick)]
    fn sentence_that_names_the_refused_tool_is_known_as_told_to_models(#[case] answer: ApprovalAnswer) {
        let (_, text) = refused_by_user(answer, "setTimer").unwrap();

        let named = text.split_inclusive(". ").find(|sentence| sentence.contains("setTimer")).unwrap();
        assert!(is_told_to_models(named), "{named}");
    }
}
