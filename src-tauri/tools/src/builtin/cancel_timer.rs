//! Cancels timers.

use async_trait::async_trait;
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{TimerChoice, end, item, left_of, no_timer, open, unknown_timer};
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
    /// Ids in earlier results. They alone count.
    items: Option<Vec<String>>,
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
        let chosen = match arguments.items.filter(|items| !items.is_empty()) {
            Some(items) => left_of(&items, &running, context)?,
            None if arguments.all => choice.of(&running, context),
            None => vec![choice.only(&running, context)?],
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
            [_, _, ..] if chosen.len() == running.len() => result.answering(wording.timers_cancelled()),
            some => {
                let said: Vec<String> = some.iter().map(|timer| said_of(timer, wording)).collect();
                result.answering(said.join(" "))
            }
        })
    }
}

/// The sentence that says that a timer is cancelled.
fn said_of(timer: &Appointment, wording: &'static Messages) -> String {
    match timer.label.as_str() {
        "" => wording.timer_cancelled().to_owned(),
        label => wording.timer_cancelled_named(label),
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
