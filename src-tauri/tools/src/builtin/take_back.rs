//! Takes back what an earlier call set, by the ids in its result: timers, alarms, reminders and things on lists.

use async_trait::async_trait;
use jiff::Timestamp;
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, ItemId, Kind, Memory, Todo};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{end, open};
use super::declaring::{broken, declaration, opened, run};
use super::set_alarm::moment;
use super::wording::{id, wording};
use crate::tool_result::capitalised;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Ids as earlier results name them, such as appointment-12 or todo-3.
    items: Vec<String>,
}

/// The tool `takeBack`.
pub(super) struct TakeBack {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

/// What is still there.
enum Item {
    Appointment(Appointment),
    Todo(Todo),
}

impl TakeBack {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            crate::TAKE_BACK,
            Effect::Writes,
            "Takes back what an earlier call set or added, by the ids in its result.",
            "undo revert take back",
            &[
                ("undo that", json!({"items": ["appointment-12"]})),
                ("take both of them back", json!({"items": ["todo-3", "todo-4"]})),
            ],
        );
        Self { declaration, memory }
    }

    async fn take_back(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = opened(&self.memory)?;
        let mut ids = Vec::new();
        for text in &arguments.items {
            let id = text.trim().parse::<ItemId>().ok();
            let id = id.filter(|id| matches!(id.kind, Kind::Appointment | Kind::Todo));
            ids.push(id.ok_or_else(|| {
                ToolResult::failed(format!("{text:?} is no id of a timer, an alarm, a reminder or a to-do."))
            })?);
        }
        let found = found(&memory, &ids).await?;
        let wording = wording(context, id::TAKEN_BACK_NOTHING);
        if found.is_empty() {
            let failure =
                ToolResult::failed("Nothing of that is left: it is over, done or cancelled already.");
            return Err(match wording {
                Some(wording) => failure.answering(wording.taken_back_nothing()),
                None => failure,
            });
        }
        let (mut taken, mut said) = (Vec::new(), Vec::new());
        for (id, item) in &found {
            match item {
                Item::Appointment(appointment) => end(&memory, std::slice::from_ref(appointment)).await?,
                Item::Todo(todo) => {
                    memory.delete_todo(todo.id).await.map_err(broken)?;
                }
            }
            taken.push(*id);
            said.extend(wording.map(|wording| item.taken_back(wording, context)));
        }
        let names: Vec<String> = taken.iter().map(ToString::to_string).collect();
        let result = ToolResult::done(format!("Taken back: {}.", names.join(", "))).touching(taken);
        Ok(if said.is_empty() { result } else { result.answering(said.join(" ")) })
    }
}

/// The items that still wait, ring or are open, in the order of the ids.
async fn found(memory: &Memory, ids: &[ItemId]) -> Result<Vec<(ItemId, Item)>, ToolResult> {
    let kinds = [AppointmentKind::Timer, AppointmentKind::Alarm, AppointmentKind::Reminder];
    let appointments = open(memory, &kinds).await?;
    let todos = memory.todos(None).await.map_err(broken)?;
    let found = ids.iter().filter_map(|id| {
        let item = match id.kind {
            Kind::Appointment => Item::Appointment(appointments.iter().find(|it| it.id == id.row)?.clone()),
            _ => Item::Todo(todos.iter().find(|it| it.id == id.row)?.clone()),
        };
        Some((*id, item))
    });
    Ok(found.collect())
}

impl Item {
    /// The sentence that says that it is gone.
    fn taken_back(&self, wording: &'static Messages, context: &ToolContext) -> String {
        match self {
            Self::Todo(todo) => wording.todo_removed(&todo.list, &todo.text),
            Self::Appointment(it) if it.kind == AppointmentKind::Timer => match it.label.as_str() {
                "" => wording.timer_cancelled().to_owned(),
                label => wording.timer_cancelled_named(label),
            },
            Self::Appointment(it) => {
                let due_at = Timestamp::from_microsecond(it.due_at).unwrap_or_default();
                let time = moment(due_at, it.repeats, wording, context);
                let item = match it.label.is_empty() {
                    true => time,
                    false => capitalised(&wording.reminder_item(&it.label, &time)),
                };
                wording.reminder_cancelled(&item)
            }
        }
    }
}

#[async_trait]
impl Tool for TakeBack {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.take_back(arguments, context)).await
    }
}
