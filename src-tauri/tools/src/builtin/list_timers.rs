//! The timers that run, and what is left on them.

use async_trait::async_trait;
use languages::messages::Messages;
use memory::{AppointmentKind, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{TimerChoice, item, open, seconds_left};
use super::declaration::{declaration, opened, run, words};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The name of the timer that is asked for. Leave it out for all timers.
    label: Option<String>,
    /// The duration that it was set for, if the user calls it by that.
    seconds: Option<u32>,
}

pub(super) struct ListTimers {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl ListTimers {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "listTimers",
            Effect::ReadOnly,
            "The running timers, and how long is left on each.",
            "timer remaining left running countdown list how long",
            &[
                ("how long is left on the tea timer?", json!({"label": "tea"})),
                ("which timers are running?", json!({})),
            ],
        );
        Self { declaration, memory }
    }

    async fn list(&self, choice: TimerChoice, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = opened(&self.memory)?;
        let running = open(&memory, &[AppointmentKind::Timer]).await?;
        let asked = choice.of(&running, context);
        // Who asks for a name that no timer has wants to know which ones there are.
        let shown = if asked.is_empty() { &running } else { &asked };
        let english = Messages::english();
        let lines: Vec<String> = shown
            .iter()
            .map(|timer| {
                let left = english.duration(seconds_left(timer, context.now));
                let paused = if timer.paused_at.is_some() { ", paused" } else { "" };
                format!("{} {:?}: {left} left{paused}", item(timer), timer.label)
            })
            .collect();
        let text = match (&choice.label, asked.is_empty(), lines.is_empty()) {
            (_, _, true) => "No timer is running.".to_owned(),
            (Some(label), true, false) => {
                format!("No timer is called {label:?}. Running: {}.", lines.join("; "))
            }
            _ => format!("{}.", lines.join("; ")),
        };
        let result = ToolResult::done(text).touching(shown.iter().map(item));
        let Some(wording) = wording(context, id::TIMER_LEFT) else { return Ok(result) };
        if shown.is_empty() {
            return Ok(result.answering(wording.timer_none()));
        }
        let sentences: Vec<String> = shown
            .iter()
            .map(|timer| {
                let left = wording.duration(seconds_left(timer, context.now));
                match (timer.label.is_empty(), timer.paused_at.is_some()) {
                    (true, false) => wording.timer_left(&left),
                    (false, false) => wording.timer_left_named(&left, &timer.label),
                    (true, true) => wording.timer_paused(&left),
                    (false, true) => wording.timer_paused_named(&left, &timer.label),
                }
            })
            .collect();
        Ok(result.answering(sentences.join(" ")))
    }
}

#[async_trait]
impl Tool for ListTimers {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |Arguments { label, seconds }| {
            self.list(TimerChoice { label: words(label), seconds, item: None }, context)
        })
        .await
    }
}
