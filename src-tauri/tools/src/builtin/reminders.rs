//! The alarms and reminders that are set: listing and cancelling them.

use async_trait::async_trait;
use jiff::Timestamp;
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{end, item, labelled, open};
use super::declaration::{changing, declaration, run, words};
use super::set_alarm::moment;
use super::wording::{id, wording};
use crate::tool_result::capitalised;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Words of the reminder. Leave it out for all of them.
    label: Option<String>,
}

/// The tool `listReminders` or `cancelReminder`.
pub(super) struct Reminders {
    declaration: Declaration,
    cancels: bool,
    memory: watch::Receiver<Option<Memory>>,
}

impl Reminders {
    pub fn listing(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "listReminders",
            Effect::ReadOnly,
            "The alarms and reminders that are set, with their times.",
            "alarm reminder list upcoming set when",
            &[
                ("which alarms are set?", json!({})),
                ("when do you remind me of Ann?", json!({"label": "Ann"})),
            ],
        );
        Self { declaration, cancels: false, memory }
    }

    pub fn cancelling(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "cancelReminder",
            Effect::Writes,
            "Cancels an alarm or a reminder that is set.",
            "alarm reminder cancel delete remove off",
            &[("cancel my alarm", json!({})), ("forget the reminder about Ann", json!({"label": "Ann"}))],
        );
        Self { declaration, cancels: true, memory }
    }

    async fn run_with(&self, label: Option<String>, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let set = open(&memory, &[AppointmentKind::Alarm, AppointmentKind::Reminder]).await?;
        let chosen = labelled(&set, label.as_deref());
        let wording = wording(context, id::REMINDER_ITEM);
        let shown = |wording: &'static Messages, it: &Appointment| {
            let due_at = Timestamp::from_microsecond(it.due_at).unwrap_or_default();
            let time = moment(due_at, it.repeats, wording, context);
            if it.label.is_empty() {
                return time;
            }
            capitalised(&wording.reminder_item(&it.label, &time))
        };
        let lines = |wording: &'static Messages, all: &[Appointment]| {
            all.iter().map(|it| shown(wording, it)).collect::<Vec<_>>().join("; ")
        };
        if chosen.is_empty() {
            let none = "No alarm and no reminder fits.";
            let all = lines(Messages::english(), &set);
            let text = if all.is_empty() { none.to_owned() } else { format!("{none} Set: {all}.") };
            let failure = ToolResult::failed(text);
            return Err(match wording {
                Some(wording) if set.is_empty() => failure.answering(wording.reminders_none()),
                _ => failure,
            });
        }
        let listed = lines(Messages::english(), &chosen);
        if !self.cancels {
            let result = ToolResult::done(format!("{listed}.")).touching(chosen.iter().map(item));
            return Ok(match wording {
                Some(wording) => result.answering(format!("{}.", lines(wording, &chosen))),
                None => result,
            });
        }
        let [only] = chosen.as_slice() else {
            return Err(ToolResult::failed(format!("Several fit: {listed}. Ask which one.")));
        };
        end(&memory, std::slice::from_ref(only)).await?;
        let result = ToolResult::done(format!("Cancelled: {listed}.")).touching([item(only)]);
        Ok(match wording {
            Some(wording) => result.answering(wording.reminder_cancelled(&shown(wording, only))),
            None => result,
        })
    }
}

#[async_trait]
impl Tool for Reminders {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments: Arguments| self.run_with(words(arguments.label), context)).await
    }
}
