//! Lets what rings ring again later.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::SignedDuration;
use languages::messages::Messages;
use memory::{ItemId, RecordKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::declaration::{declaration, run};
use super::stop_ringing::{nothing_rings, unsettled};
use super::wording::{id, told, wording};
use crate::ring_control::{RingControl, SNOOZE};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// A day.
const MAX_MINUTES: u32 = 1_440;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// After how many minutes it rings again. Leave it out if the user does not say.
    minutes: Option<u32>,
}

pub(super) struct Snooze {
    declaration: Declaration,
    rings: Arc<dyn RingControl>,
}

impl Snooze {
    pub fn new(rings: Arc<dyn RingControl>) -> Self {
        let declaration = declaration::<Arguments>(
            "snooze",
            Effect::Writes,
            "Lets what is ringing now ring again later: timer, alarm or reminder.",
            "snooze later again alarm more minutes sleep",
            &[("snooze", json!({})), ("five more minutes", json!({"minutes": 5}))],
        );
        Self { declaration, rings }
    }

    async fn snooze(&self, minutes: Option<u32>, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        if minutes.is_some_and(|minutes| !(1..=MAX_MINUTES).contains(&minutes)) {
            let failure = ToolResult::failed("It can ring again after 1 to 1440 minutes.");
            return Err(told(failure, context, id::SNOOZE_RANGE, |it| it.snooze_range().to_owned()));
        }
        let after = minutes.map_or(SNOOZE, |minutes| SignedDuration::from_mins(i64::from(minutes)));
        let wording = wording(context, id::RING_AGAIN);
        let ringing = self.rings.ringing();
        if ringing.is_empty() {
            return Err(nothing_rings(wording));
        }
        for appointment in &ringing {
            self.rings.snooze(*appointment, after, context).await.map_err(unsettled)?;
        }
        let touched = ringing.into_iter().map(|row| ItemId::new(RecordKind::Appointment, row));
        let text = format!("It rings again in {}.", Messages::english().duration(after.as_secs()));
        let result = ToolResult::done(text).touching(touched);
        Ok(match wording {
            Some(wording) => result.answering(wording.ring_again(&wording.duration(after.as_secs()))),
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
