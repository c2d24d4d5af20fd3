//! Ends what rings.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use languages::messages::Messages;
use memory::{ItemId, RecordKind};
use serde_json::{Map, Value, json};

use super::declaration::{NoArguments, declaration};
use super::wording::{id, wording};
use crate::ring_control::RingControl;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

pub(super) struct StopRinging {
    declaration: Declaration,
    rings: Arc<dyn RingControl>,
}

impl StopRinging {
    pub fn new(rings: Arc<dyn RingControl>) -> Self {
        let declaration = declaration::<NoArguments>(
            "stopRinging",
            Effect::Writes,
            "Turns off the timers, alarms and reminders that are ringing now.",
            "alarm ring ringing off stop silence awake",
            &[("stop the alarm", json!({})), ("I'm awake, turn it off", json!({}))],
        );
        Self { declaration, rings }
    }

    async fn stop(&self, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let ringing = self.rings.ringing();
        if ringing.is_empty() {
            return Err(nothing_rings(wording(context, id::RING_STOPPED)));
        }
        stopped(&*self.rings, ringing, context).await
    }
}

/// Ends these rings.
pub(super) async fn stopped(
    rings: &dyn RingControl,
    ringing: Vec<i64>,
    context: &ToolContext,
) -> Result<ToolResult, ToolResult> {
    for appointment in &ringing {
        rings.stop(*appointment).await.map_err(unsettled)?;
    }
    let touched = ringing.into_iter().map(|row| ItemId::new(RecordKind::Appointment, row));
    let result = ToolResult::done("It no longer rings.").touching(touched);
    Ok(match wording(context, id::RING_STOPPED) {
        Some(wording) => result.answering(wording.ring_stopped()),
        None => result,
    })
}

pub(super) fn nothing_rings(wording: Option<&'static Messages>) -> ToolResult {
    let failure = ToolResult::failed("Nothing is ringing. Waiting timers and alarms are cancelled by name.");
    match wording {
        Some(wording) => failure.answering(wording.ring_none()),
        None => failure,
    }
}

/// The failure to return if something goes on ringing.
pub(super) fn unsettled(error: Box<dyn Error + Send + Sync>) -> ToolResult {
    tracing::warn!(%error, "an appointment was not settled");
    ToolResult::failed(format!("It could not be turned off: {error}."))
}

#[async_trait]
impl Tool for StopRinging {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, _: Map<String, Value>, context: &ToolContext) -> ToolResult {
        self.stop(context).await.unwrap_or_else(|failure| failure)
    }
}
