//! Which tools fit a request.
//!
//! Source: docs/behaviour/tools.md#selection, strategy `llm`.

use std::time::Duration;

use llm::Message;
use tokio_util::sync::CancellationToken;

use super::role_call::{ModelTask, RoleCall, RoleModels, dialogue_lines};
use crate::prompting::prompts::fill;

/// Names of five tools need fewer.
const MAX_TOKENS: u32 = 80;

/// Asks which tools of `catalogue`, a line each, the request needs. The answer is read by `tools::selection`. `None` when
/// there is none.
pub async fn route(
    models: &RoleModels,
    catalogue: &str,
    facts: &str,
    recent: &[Message],
    query: &str,
    timeout: Duration,
    stop: &CancellationToken,
) -> Option<String> {
    let system = fill(include_str!("../../prompts/router.md"), &[]);
    let mut user = format!("TOOLS\n{catalogue}\n\nKNOWN FACTS\n{facts}\n");
    let dialogue = dialogue_lines(recent);
    if !dialogue.is_empty() {
        user.push_str(&format!("\nRECENT DIALOGUE\n{dialogue}\n"));
    }
    user.push_str(&format!("\nREQUEST\n{query}"));
    let call = RoleCall {
        role: ModelTask::Router,
        system,
        user,
        format: None,
        max_tokens: MAX_TOKENS,
        timeout,
        stop,
    };
    call.ask(models).await
}
