//! Lets what rings ring again later.

use async_trait::async_trait;
use jiff::SignedDuration;
use languages::messages::Messages;
use memory::{Appointment, AppointmentStatus, ItemId, Kind, Memory, Repeats};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::end;
use super::declaring::{broken, declaration, opened, run};
use super::stop_ringing::{nothing_rings, ringing};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// When the user names no time, in minutes: what alarm clocks do.
const USUAL_MINUTES: u32 = 10;

/// A day.
const MAX_MINUTES: u32 = 1_440;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// After how many minutes it rings again.
    #[serde(default = "usual_minutes")]
    minutes: u32,
}

fn usual_minutes() -> u32 {
    USUAL_MINUTES
}

pub(super) struct Snooze {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl Snooze {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "snooze",
            Effect::Writes,
            "Lets what is ringing now ring again later: timer, alarm or reminder.",
            "snooze later again alarm more minutes sleep",
            &[("snooze", json!({})), ("five more minutes", json!({"minutes": 5}))],
        );
        Self { declaration, memory }
    }

    async fn snooze(&self, minutes: u32, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        if !(1..=MAX_MINUTES).contains(&minutes) {
            return Err(ToolResult::failed("It can ring again after 1 to 1440 minutes."));
        }
        let memory = opened(&self.memory)?;
        let wording = wording(context, id::RING_AGAIN);
        let ringing = ringing(&memory).await?;
        if ringing.is_empty() {
            return Err(nothing_rings(wording));
        }
        let seconds = i64::from(minutes) * 60;
        let due_at = context
            .now
            .checked_add(SignedDuration::from_secs(seconds))
            .map_err(|_| ToolResult::failed("The clock of this computer is wrong, so nothing can be set."))?;
        let mut touched = Vec::new();
        for appointment in &ringing {
            let again = Appointment {
                due_at: due_at.as_microsecond(),
                first_at: None,
                repeats: Repeats::Once,
                status: AppointmentStatus::Waiting,
                paused_at: None,
                ..appointment.clone()
            };
            let id = memory.appoint(again, context.now.as_microsecond()).await.map_err(broken)?;
            touched.push(ItemId::new(Kind::Appointment, id));
            // Later than the new one: when it is cut short, it rings too often rather than never.
            end(&memory, std::slice::from_ref(appointment)).await?;
        }
        let text = format!("It rings again in {}.", Messages::english().duration(seconds));
        let result = ToolResult::done(text).touching(touched);
        Ok(match wording {
            Some(wording) => result.answering(wording.ring_again(&wording.duration(seconds))),
            None => result,
        })
    }
}

#[async_trait]
impl Tool for Snooze {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments: Arguments| self.snooze(arguments.minutes, context)).await
    }
}
