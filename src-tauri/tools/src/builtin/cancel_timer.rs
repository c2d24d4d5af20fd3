//! Cancels timers.

use async_trait::async_trait;
use memory::{AppointmentKind, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{TimerChoice, end, item, no_timer, open, unknown_timer};
use super::declaration::{changing, declaration, run, words};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The name of the timer. Leave it out if only one is running.
    label: Option<String>,
    /// The duration that it was set for, if the user calls it by that: 600 for "the ten minute timer".
    seconds: Option<u32>,
    /// Whether all timers are to be cancelled.
    #[serde(default)]
    all: bool,
}

pub(super) struct CancelTimer {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl CancelTimer {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "cancelTimer",
            Effect::Writes,
            "Cancels a running timer, or all of them.",
            "timer stop delete remove cancel clear",
            &[
                ("cancel the timer", json!({})),
                ("stop the tea timer", json!({"label": "tea"})),
                ("cancel all timers", json!({"all": true})),
            ],
        );
        Self { declaration, memory }
    }

    async fn cancel(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let choice = TimerChoice { label: words(arguments.label), seconds: arguments.seconds, item: None };
        let running = open(&memory, &[AppointmentKind::Timer]).await?;
        let chosen = match arguments.all {
            true => choice.of(&running, context),
            false => vec![choice.only(&running, context)?],
        };
        if chosen.is_empty() {
            return Err(if running.is_empty() {
                no_timer(context)
            } else {
                unknown_timer(&running, context)
            });
        }
        end(&memory, &chosen).await?;
        let result = ToolResult::done(format!(
            "Cancelled: {}.",
            chosen.iter().map(|it| format!("{:?}", it.label)).collect::<Vec<_>>().join(", ")
        ))
        .touching(chosen.iter().map(item));
        let Some(wording) = wording(context, id::TIMER_CANCELLED) else { return Ok(result) };
        Ok(match chosen.as_slice() {
            [only] if only.label.is_empty() => result.answering(wording.timer_cancelled()),
            [only] => result.answering(wording.timer_cancelled_named(&only.label)),
            _ => result.answering(wording.timers_cancelled()),
        })
    }
}

#[async_trait]
impl Tool for CancelTimer {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.cancel(arguments, context)).await
    }
}
