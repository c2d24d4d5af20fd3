//! The reason why there is no answer, in the words of a model.
//!
//! Source: docs/behaviour/routing.md#feedback.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vocabulary::{Language, Trouble};

use super::role_call::{ModelTask, RoleCall, RoleModels};
use crate::prompting::prompts::fill;

/// The user has waited already. Source: docs/behaviour/routing.md#feedback.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Two sentences need fewer.
const MAX_TOKENS: u32 = 120;

/// One or two sentences for the user about what went wrong; `None` if no model gives them in time.
pub async fn explain(
    models: &RoleModels,
    troubles: &[Trouble],
    language: Option<&Language>,
) -> Option<String> {
    // Only what the user may read: no addresses, no errors of programs.
    let lines = troubles.iter().map(|trouble| format!("- {} {}", trouble.message, trouble.remedy));
    let call = RoleCall {
        role: ModelTask::Explanation,
        system: fill(
            include_str!("../../prompts/explanation.md"),
            &[("language", language.map_or("en", Language::code))],
        ),
        user: lines.collect::<Vec<_>>().join("\n"),
        format: None,
        max_tokens: MAX_TOKENS,
        timeout: TIMEOUT,
        stop: &CancellationToken::new(),
    };
    let explanation = call.ask(models).await?;
    let explanation = explanation.trim();
    let is_told = !explanation.is_empty() && !crate::answer_text::malformed::is_malformed(explanation);
    is_told.then(|| explanation.to_owned())
}
