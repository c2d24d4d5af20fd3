//! Starts a timer.

use async_trait::async_trait;
use jiff::SignedDuration;
use languages::messages::Messages;
use memory::{AppointmentKind, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{appoint, new};
use super::declaration::{changing, declaration, run, words};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The longest timer, in seconds: what takes longer is an alarm.
pub(super) const MAX_SECONDS: f64 = 86_400.0;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Hours of the duration.
    #[serde(default)]
    hours: f64,
    /// Minutes of the duration.
    #[serde(default)]
    minutes: f64,
    /// Seconds of the duration.
    #[serde(default)]
    seconds: f64,
    /// What it is for, such as "tea". Leave it out if the user gives it no name.
    label: Option<String>,
}

pub(super) struct SetTimer {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl SetTimer {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "setTimer",
            Effect::Writes,
            "Starts a timer that rings after a duration of at most 24 hours. Call it once for each timer.",
            "countdown timer minutes seconds hours start egg tea oven",
            &[
                ("set a timer for ten minutes", json!({"minutes": 10})),
                ("tea timer, four minutes", json!({"minutes": 4, "label": "tea"})),
                ("set a timer for an hour and a half", json!({"hours": 1, "minutes": 30})),
            ],
        );
        Self { declaration, memory }
    }

    async fn set(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let Arguments { hours, minutes, seconds, label } = arguments;
        let seconds = (hours * 3600.0 + minutes * 60.0 + seconds).round();
        if [hours, minutes].iter().any(|part| *part < 0.0) || !(1.0..=MAX_SECONDS).contains(&seconds) {
            let failure = ToolResult::failed(
                "A timer runs for one second to 24 hours. Ask for how long, or set an alarm for a time of day.",
            );
            return Err(match wording(context, id::TIMER_TOO_LONG) {
                Some(wording) if seconds > MAX_SECONDS => failure.answering(wording.timer_too_long()),
                _ => failure,
            });
        }
        // At most 86,400.
        let seconds = seconds as i64;
        let label = words(label);
        let memory = changing(&self.memory, context)?;
        let due_at = context.now.checked_add(SignedDuration::from_secs(seconds)).map_err(|_| {
            ToolResult::failed("The clock of this computer is wrong, so no timer can be set.")
        })?;
        let id = appoint(&memory, new(AppointmentKind::Timer, label.clone(), due_at), context).await?;
        let english = Messages::english();
        let named = label.as_ref().map_or_else(String::new, |label| format!(" {label:?}"));
        let text = format!("The timer{named} ({id}) rings in {}.", english.duration(seconds));
        let result = ToolResult::done(text).touching([id]);
        let Some(wording) = wording(context, id::TIMER_SET) else { return Ok(result) };
        let duration = wording.duration(seconds);
        Ok(result.answering(match label {
            Some(label) => wording.timer_set_named(&duration, &label),
            None => wording.timer_set(&duration),
        }))
    }
}

#[async_trait]
impl Tool for SetTimer {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.set(arguments, context)).await
    }
}
