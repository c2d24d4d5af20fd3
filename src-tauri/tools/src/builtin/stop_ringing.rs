//! Ends what rings.

use async_trait::async_trait;
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, AppointmentStatus, Memory};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{end, item, open};
use super::declaring::{NoArguments, declaration, opened};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

pub(super) struct StopRinging {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl StopRinging {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<NoArguments>(
            "stopRinging",
            Effect::Writes,
            "Turns off the timers, alarms and reminders that are ringing now.",
            "alarm ring ringing off stop silence awake",
            &[("stop the alarm", json!({})), ("I'm awake, turn it off", json!({}))],
        );
        Self { declaration, memory }
    }

    async fn stop(&self, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = opened(&self.memory)?;
        let ringing = ringing(&memory).await?;
        let wording = wording(context, id::RING_STOPPED);
        if ringing.is_empty() {
            return Err(nothing_rings(wording));
        }
        end(&memory, &ringing).await?;
        let result = ToolResult::done("It no longer rings.").touching(ringing.iter().map(item));
        Ok(match wording {
            Some(wording) => result.answering(wording.ring_stopped()),
            None => result,
        })
    }
}

/// What rings now.
pub(super) async fn ringing(memory: &Memory) -> Result<Vec<Appointment>, ToolResult> {
    let all = [AppointmentKind::Timer, AppointmentKind::Alarm, AppointmentKind::Reminder];
    let mut ringing = open(memory, &all).await?;
    ringing.retain(|appointment| appointment.status == AppointmentStatus::Rung);
    Ok(ringing)
}

pub(super) fn nothing_rings(wording: Option<&'static Messages>) -> ToolResult {
    let failure = ToolResult::failed("Nothing is ringing. Waiting timers and alarms are cancelled by name.");
    match wording {
        Some(wording) => failure.answering(wording.ring_none()),
        None => failure,
    }
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
