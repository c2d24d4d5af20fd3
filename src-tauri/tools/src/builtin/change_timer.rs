//! Pauses and resumes a timer, and makes it longer or shorter.

use async_trait::async_trait;
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, AppointmentStatus, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{TimerChoice, item, open, seconds_left};
use super::declaration::{broken, changing, declaration, run, words};
use super::set_timer::MAX_SECONDS;
use super::wording::{id, told, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// What is to be done with the timer.
    action: Action,
    /// The name of the timer. Leave it out if only one is running.
    label: Option<String>,
    /// The seconds that it was set for, if the user calls it by that.
    set_for: Option<u32>,
    /// Its id, as a result of a tool names it, such as appointment-12.
    item: Option<String>,
    /// Hours to add or subtract.
    #[serde(default)]
    hours: f64,
    /// Minutes to add or subtract.
    #[serde(default)]
    minutes: f64,
    /// Seconds to add or subtract.
    #[serde(default)]
    seconds: f64,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Pause,
    Resume,
    Add,
    Subtract,
}

pub(super) struct ChangeTimer {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl ChangeTimer {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "changeTimer",
            Effect::Writes,
            "Pauses or resumes a running timer, or adds time to it or takes time off.",
            "timer pause resume continue hold add extend longer shorten minutes",
            &[
                ("pause the timer", json!({"action": "pause"})),
                ("add five minutes to the tea timer", json!({"action": "add", "minutes": 5, "label": "tea"})),
                ("take a minute off the timer", json!({"action": "subtract", "minutes": 1})),
            ],
        );
        Self { declaration, memory }
    }

    async fn change(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let Arguments { action, label, set_for, item: timer, hours, minutes, seconds } = arguments;
        let seconds = (hours * 3600.0 + minutes * 60.0 + seconds).round();
        let memory = changing(&self.memory, context)?;
        let mut timers = open(&memory, &[AppointmentKind::Timer]).await?;
        // What rings already is snoozed or stopped.
        timers.retain(|timer| timer.status == AppointmentStatus::Waiting);
        let timer = TimerChoice { label: words(label), seconds: set_for, item: words(timer) }
            .only(&timers, context)?;
        let now = context.now.as_microsecond();
        match action {
            Action::Pause if timer.paused_at.is_some() => return Err(paused_already(&timer, context)),
            Action::Pause => memory.pause_appointment(timer.id, now).await.map_err(broken)?,
            Action::Resume if timer.paused_at.is_none() => return Err(runs_already(&timer, context)),
            Action::Resume => memory.resume_appointment(timer.id, now).await.map_err(broken)?,
            Action::Add | Action::Subtract => {
                let by = if matches!(action, Action::Add) { seconds } else { -seconds };
                memory.shift_appointment(timer.id, shift(&timer, by, context)?).await.map_err(broken)?;
            }
        }
        let timers = open(&memory, &[AppointmentKind::Timer]).await?;
        let changed = timers.into_iter().find(|known| known.id == timer.id);
        Ok(described(&changed.unwrap_or(timer), action, context))
    }
}

/// The change in microseconds by which the timer is due later, or earlier if it is negative.
fn shift(timer: &Appointment, seconds: f64, context: &ToolContext) -> Result<i64, ToolResult> {
    if seconds == 0.0 || !seconds.is_finite() {
        let failure = ToolResult::failed("How much time to add or take off is missing. Ask for it.");
        let failure = failure.lacking("minutes");
        return Err(told(failure, context, id::TIMER_HOW_MUCH, |it| it.timer_how_much().to_owned()));
    }
    let left = seconds_left(timer, context.now);
    // A timer runs for at most a day, so that both are exact.
    let after = left as f64 + seconds;
    if after < 1.0 {
        let english = Messages::english().duration(left);
        let failure = ToolResult::failed(format!(
            "Only {english} left on it: less than is to be taken off. Nothing was changed."
        ));
        return Err(told(failure, context, id::TIMER_TOO_SHORT, |wording| {
            wording.timer_too_short(&wording.duration(left))
        }));
    }
    if after > MAX_SECONDS {
        let failure = ToolResult::failed("A timer runs for at most 24 hours. Nothing was changed.");
        return Err(told(failure, context, id::TIMER_TOO_LONG, |it| it.timer_too_long().to_owned()));
    }
    Ok(seconds as i64 * 1_000_000)
}

fn paused_already(timer: &Appointment, context: &ToolContext) -> ToolResult {
    let left = seconds_left(timer, context.now);
    let english = Messages::english().duration(left);
    let failure = ToolResult::failed(format!("It is paused already, with {english} left."));
    told(failure, context, id::TIMER_PAUSED_ALREADY, |wording| {
        wording.timer_paused_already(&wording.duration(left))
    })
}

fn runs_already(timer: &Appointment, context: &ToolContext) -> ToolResult {
    let left = seconds_left(timer, context.now);
    let english = Messages::english().duration(left);
    let failure = ToolResult::failed(format!("It is not paused: {english} left."));
    told(failure, context, id::TIMER_RUNS_ALREADY, |wording| {
        wording.timer_runs_already(&wording.duration(left))
    })
}

/// Describes the timer after the change.
fn described(timer: &Appointment, action: Action, context: &ToolContext) -> ToolResult {
    let left = seconds_left(timer, context.now);
    let state = if timer.paused_at.is_some() { "paused" } else { "running" };
    let english = Messages::english().duration(left);
    let result = ToolResult::done(format!("{} {:?} is {state}: {english} left.", item(timer), timer.label));
    let result = result.touching([item(timer)]);
    let Some(wording) = wording(context, id::TIMER_PAUSED) else { return result };
    let left = wording.duration(left);
    let label = timer.label.as_str();
    result.answering(match (action, label.is_empty()) {
        (Action::Resume, true) => wording.timer_resumed(&left),
        (Action::Resume, false) => wording.timer_resumed_named(&left, label),
        (_, true) if timer.paused_at.is_some() => wording.timer_paused(&left),
        (_, false) if timer.paused_at.is_some() => wording.timer_paused_named(&left, label),
        (_, true) => wording.timer_left(&left),
        (_, false) => wording.timer_left_named(&left, label),
    })
}

#[async_trait]
impl Tool for ChangeTimer {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.change(arguments, context)).await
    }
}
