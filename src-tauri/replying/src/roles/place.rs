//! The place that a request is about.
//!
//! Source: docs/behaviour/tools.md#weather.

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tools::web::weather::PlaceReader;

use super::role_call::{ModelTask, RoleCall, RoleModels};
use crate::prompting::prompts::fill;

/// A few words take a slow model less. Without the place the user is asked.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A name of five words needs fewer.
const MAX_TOKENS: u32 = 24;

/// Reads places with the faster model.
pub struct ModelPlaceReader(pub RoleModels);

#[async_trait]
impl PlaceReader for ModelPlaceReader {
    async fn place_in(
        &self,
        text: &str,
        stop: &CancellationToken,
    ) -> Result<String, Box<dyn Error + Send + Sync>> {
        let call = RoleCall {
            role: ModelTask::Place,
            system: fill(include_str!("../../prompts/place.md"), &[]),
            user: format!("Request: {text}"),
            format: None,
            max_tokens: MAX_TOKENS,
            timeout: TIMEOUT,
            stop,
        };
        call.ask(&self.0).await.ok_or_else(|| "the model named no place".into())
    }
}
