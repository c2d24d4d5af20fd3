//! Takes back what an earlier call set, by the ids in its result: timers, alarms, reminders and things on lists. Without ids,
//! undoes the newest changes in the conversation, whatever they are.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, ItemId, Memory, RecordKind, Todo, UNDO_MICROS, UndoneItem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{end, nothing_left, open};
use super::declaration::{broken, changing, declaration, opened, run};
use super::set_alarm::moment;
use super::wording::{id, list_phrase, wording};
use crate::files::{FileRefusal, FileStore, UndoneChange};
use crate::tool_result::capitalised;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Ids as earlier results name them, such as appointment-12 or todo-3. Leave it out to undo the newest change in this
    /// conversation, also one of a file or a meal.
    items: Option<Vec<String>>,
}

/// The tool `takeBack`.
pub(super) struct TakeBack {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
    /// Without them, no changes of files are undone.
    files: Option<Arc<FileStore>>,
}

/// The item that is still there.
enum Item {
    Appointment(Appointment),
    Todo(Todo),
}

impl TakeBack {
    pub fn new(memory: watch::Receiver<Option<Memory>>, files: Option<Arc<FileStore>>) -> Self {
        let declaration = declaration::<Arguments>(
            crate::TAKE_BACK,
            Effect::Writes,
            "Takes back what an earlier call set or added, by the ids in its result; without ids it undoes the newest change in \
             this conversation.",
            "undo revert take back",
            &[
                ("undo that", json!({})),
                ("cancel that timer again", json!({"items": ["appointment-12"]})),
                ("take both of them back", json!({"items": ["todo-3", "todo-4"]})),
            ],
        );
        Self { declaration, memory, files }
    }

    async fn run_with(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        match arguments.items.filter(|items| !items.is_empty()) {
            Some(items) => self.take_back(&items, context).await,
            None => self.undo(context).await,
        }
    }

    /// Undoes everything that the newest request of this conversation changed.
    async fn undo(&self, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let (conversation, now) = (&context.conversation, context.now.as_microsecond());
        let memory = opened(&self.memory)?;
        let of_lists = memory.newest_change(conversation, now).await.map_err(broken)?;
        let since = context.now - SignedDuration::from_micros(UNDO_MICROS);
        let of_files =
            self.files.as_ref().and_then(|files| Some((files, files.newest_change(conversation, since)?)));
        let at_of_files = of_files.as_ref().map(|(_, (request, _))| request.at.as_microsecond());
        let newest = of_lists.max(at_of_files);
        let wording = wording(context, id::UNDONE_NOTHING);
        let mut undone = Undone::default();
        if let Some((files, (request, shown))) = of_files.filter(|_| at_of_files == newest) {
            undone.add_file(files.undo_change(request, &context.stop).await, &shown, wording)?;
        }
        if let Some(asked_at) = of_lists.filter(|_| of_lists == newest) {
            for item in memory.undo_changes(conversation, asked_at).await.map_err(broken)? {
                undone.add_item(&item, wording);
            }
        }
        let Undone { texts, said } = undone;
        if texts.is_empty() {
            let failure = ToolResult::failed(
                "There is nothing to undo: nothing was changed in this conversation in the last ten minutes. Say so.",
            );
            return Err(match wording {
                Some(wording) => failure.answering(wording.undone_nothing()),
                None => failure,
            });
        }
        let result = ToolResult::done(texts.join(" "));
        Ok(if said.is_empty() { result } else { result.answering(said.join(" ")) })
    }

    async fn take_back(&self, items: &[String], context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let mut ids = Vec::new();
        for text in items {
            let id = text.trim().parse::<ItemId>().ok();
            let id = id.filter(|id| matches!(id.kind, RecordKind::Appointment | RecordKind::Todo));
            ids.push(id.ok_or_else(|| {
                ToolResult::failed(format!("{text:?} is no id of a timer, an alarm, a reminder or a to-do."))
            })?);
        }
        let found = found(&memory, &ids).await?;
        if found.is_empty() {
            return Err(nothing_left(context));
        }
        let wording = wording(context, id::TAKEN_BACK_NOTHING);
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

/// The undone changes, for the model and for the user.
#[derive(Default)]
struct Undone {
    texts: Vec<String>,
    said: Vec<String>,
}

impl Undone {
    /// The change of a file, or the failure to return if it cannot be undone.
    fn add_file(
        &mut self,
        change: Result<UndoneChange, FileRefusal>,
        shown: &str,
        wording: Option<&'static Messages>,
    ) -> Result<(), ToolResult> {
        let undone = match change {
            Ok(undone) => undone,
            Err(refusal) => {
                let failure = ToolResult::failed(refusal.to_string());
                return Err(match wording {
                    Some(wording) => failure.answering(wording.undone_impossible(shown)),
                    None => failure,
                });
            }
        };
        self.texts.push(match undone.was_new {
            true => format!("{} was new, so it is in the trash now.", undone.shown),
            false => format!("{} is as it was before.", undone.shown),
        });
        self.said.extend(wording.map(|wording| undone_words(wording, &undone.shown, undone.was_new)));
        Ok(())
    }

    /// The change of something on a list.
    fn add_item(&mut self, item: &UndoneItem, wording: Option<&'static Messages>) {
        let (kind, name) = (item.kind.name(), &item.name);
        self.texts.push(match item.was_added {
            true => format!("The {kind} {name:?} is gone again."),
            false => format!("The {kind} {name:?} is as it was before."),
        });
        self.said.extend(wording.map(|wording| undone_words(wording, name, item.was_added)));
    }
}

/// The sentence that says that a change is undone.
fn undone_words(wording: &'static Messages, name: &str, was_added: bool) -> String {
    match (name.is_empty(), was_added) {
        (true, true) => wording.undone_removed_unnamed().to_owned(),
        (true, false) => wording.undone_restored_unnamed().to_owned(),
        (false, true) => wording.undone_removed(name),
        (false, false) => wording.undone_restored(name),
    }
}

/// The items that still wait, ring or are open, in the order of the ids.
async fn found(memory: &Memory, ids: &[ItemId]) -> Result<Vec<(ItemId, Item)>, ToolResult> {
    let kinds = [AppointmentKind::Timer, AppointmentKind::Alarm, AppointmentKind::Reminder];
    let appointments = open(memory, &kinds).await?;
    let todos = memory.todos(None).await.map_err(broken)?;
    let found = ids.iter().filter_map(|id| {
        let item = match id.kind {
            RecordKind::Appointment => {
                Item::Appointment(appointments.iter().find(|it| it.id == id.row)?.clone())
            }
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
            Self::Todo(todo) => wording.todo_removed(&list_phrase(wording, &todo.list), &todo.text),
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
        run(arguments, |arguments| self.run_with(arguments, context)).await
    }
}
