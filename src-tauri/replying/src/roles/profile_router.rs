//! Which profile answers.
//!
//! Source: docs/behaviour/replying.md#profiles.

use std::time::Duration;

use llm::Message;
use settings::Profile;
use tokio_util::sync::CancellationToken;

use super::role_call::{ModelTask, RoleCall, RoleModels, dialogue_lines};
use crate::prompting::profiles::profile_in_answer;
use crate::prompting::prompts::fill;

/// A name needs fewer.
const MAX_TOKENS: u32 = 16;

/// Asks which of the active profiles fits the request. `previous` is the one of the reply before. `None` if no answer
/// names one.
pub async fn choose_profile(
    models: &RoleModels,
    active: &[Profile],
    previous: Option<Profile>,
    recent: &[Message],
    query: &str,
    timeout: Duration,
    stop: &CancellationToken,
) -> Option<Profile> {
    let names: Vec<&str> = active.iter().map(|profile| profile.value()).collect();
    let system = fill(include_str!("../../prompts/profile_router.md"), &[("names", &names.join(", "))]);
    let mut user = String::new();
    if let Some(previous) = previous {
        user.push_str(&format!("LAST ANSWER\n{}\n\n", previous.value()));
    }
    let dialogue = dialogue_lines(recent);
    if !dialogue.is_empty() {
        user.push_str(&format!("RECENT DIALOGUE\n{dialogue}\n\n"));
    }
    user.push_str(&format!("REQUEST\n{query}"));
    let call = RoleCall {
        role: ModelTask::Profile,
        system,
        user,
        format: None,
        max_tokens: MAX_TOKENS,
        timeout,
        stop,
    };
    profile_in_answer(&call.ask(models).await?, active)
}
