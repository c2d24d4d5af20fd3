//! The alarms and reminders that are set.

use async_trait::async_trait;
use jiff::Timestamp;
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{item, labelled, open};
use super::declaration::{declaration, opened, run, words};
use super::set_alarm::moment;
use super::wording::{id, wording};
use crate::tool_result::capitalised;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Words of the reminder. Leave it out for all of them.
    label: Option<String>,
    /// Ids as earlier results name them, such as appointment-12. One of a timer is shown too.
    items: Option<Vec<String>>,
}

/// The tool `listReminders`.
pub(super) struct ListReminders {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl ListReminders {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
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
        Self { declaration, memory }
    }

    async fn list(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = opened(&self.memory)?;
        let set = open(&memory, &ALARMS_AND_REMINDERS).await?;
        let mut chosen = labelled(&set, words(arguments.label).as_deref());
        if let Some(items) = arguments.items.filter(|items| !items.is_empty()) {
            chosen = open(&memory, &ALL_KINDS).await?;
            chosen.retain(|it| items.contains(&item(it).to_string()));
        }
        let english = Messages::english();
        if chosen.is_empty() {
            let all = lines(&set, english, context);
            let none = "No alarm and no reminder fits.";
            let text = if all.is_empty() { none.to_owned() } else { format!("{none} Set: {all}.") };
            let failure = ToolResult::failed(text);
            return Err(match wording(context, id::REMINDERS_NO_FIT) {
                Some(wording) if set.is_empty() => failure.answering(wording.reminders_none()),
                Some(wording) => {
                    failure.answering(wording.reminders_no_fit(&lines(&set, wording, context), "any"))
                }
                None => failure,
            });
        }
        let result = ToolResult::done(format!("{}.", lines(&chosen, english, context)))
            .touching(chosen.iter().map(item));
        Ok(match wording(context, id::REMINDER_ITEM) {
            Some(wording) => result.answering(format!("{}.", lines(&chosen, wording, context))),
            None => result,
        })
    }
}

/// All appointments.
pub(super) const ALL_KINDS: [AppointmentKind; 3] =
    [AppointmentKind::Timer, AppointmentKind::Alarm, AppointmentKind::Reminder];

/// The appointments that are no timers.
pub(super) const ALARMS_AND_REMINDERS: [AppointmentKind; 2] =
    [AppointmentKind::Alarm, AppointmentKind::Reminder];

/// An alarm or a reminder with its time.
pub(super) fn shown(it: &Appointment, wording: &'static Messages, context: &ToolContext) -> String {
    let due_at = Timestamp::from_microsecond(it.due_at).unwrap_or_default();
    let time = moment(due_at, it.repeats, wording, context);
    if it.label.is_empty() {
        return time;
    }
    capitalised(&wording.reminder_item(&it.label, &time))
}

/// All of them in one line.
pub(super) fn lines(all: &[Appointment], wording: &'static Messages, context: &ToolContext) -> String {
    all.iter().map(|it| shown(it, wording, context)).collect::<Vec<_>>().join("; ")
}

#[async_trait]
impl Tool for ListReminders {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.list(arguments, context)).await
    }
}
