//! The timers that run, and what is left on them.

use async_trait::async_trait;
use languages::messages::Messages;
use memory::{AppointmentKind, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{item, labelled, open, seconds_left};
use super::declaring::{declaration, opened, run, words};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The name of the timer that is asked for. Leave it out for all timers.
    label: Option<String>,
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

    async fn list(&self, label: Option<String>, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = opened(&self.memory)?;
        let running = open(&memory, &[AppointmentKind::Timer]).await?;
        let asked = labelled(&running, label.as_deref());
        // Who asks for a name that no timer has wants to know which ones there are.
        let shown = if asked.is_empty() { &running } else { &asked };
        let english = Messages::english();
        let lines: Vec<String> = shown
            .iter()
            .map(|timer| {
                let left = english.duration(seconds_left(timer, context.now));
                format!("{} {:?}: {left} left", item(timer), timer.label)
            })
            .collect();
        let text = match (&label, asked.is_empty(), lines.is_empty()) {
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
                match timer.label.is_empty() {
                    true => wording.timer_left(&left),
                    false => wording.timer_left_named(&left, &timer.label),
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
        run(arguments, |arguments: Arguments| self.list(words(arguments.label), context)).await
    }
}
