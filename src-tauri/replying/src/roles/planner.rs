//! Which steps a request takes.
//!
//! Source: docs/behaviour/replying.md#plan.

use std::time::Duration;

use llm::Message;
use tokio_util::sync::CancellationToken;

use super::role_call::{ModelTask, RoleCall, RoleModels, dialogue_lines};
use crate::planning::plan::Plan;
use crate::prompting::prompts::fill;

/// Five short steps need fewer.
const MAX_TOKENS: u32 = 250;

/// The plan for a request with the tools of `catalogue`, a line each. Empty when the planner failed.
pub async fn make_plan(
    models: &RoleModels,
    catalogue: &str,
    recent: &[Message],
    query: &str,
    timeout: Duration,
    stop: &CancellationToken,
) -> Plan {
    let system = fill(include_str!("../../prompts/planner.md"), &[]);
    let dialogue = dialogue_lines(recent);
    let user = match dialogue.is_empty() {
        true => format!("TOOLS\n{catalogue}\n\nREQUEST\n{query}"),
        false => format!("TOOLS\n{catalogue}\n\nDIALOGUE\n{dialogue}\n\nREQUEST\n{query}"),
    };
    let call = RoleCall {
        role: ModelTask::Planner,
        system,
        user,
        format: None,
        max_tokens: MAX_TOKENS,
        timeout,
        stop,
    };
    call.ask(models).await.map(|answer| Plan::parse(&answer)).unwrap_or_default()
}
