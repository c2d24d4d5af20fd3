//! Cancels alarms and reminders, chosen by their kind, words, time and day.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::SignedDuration;
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, Memory, Repeats};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{end, item, labelled, left_of, open, time_of, times};
use super::days::{micros, resolved};
use super::declaration::{changing, declaration, run, words};
use super::reminders::{ALARMS_AND_REMINDERS, lines, shown};
use super::stop_ringing::{nothing_rings, stopped};
use super::wording::{id, told, wording};
use crate::ring_control::RingControl;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Words of the reminder.
    label: Option<String>,
    /// If the user says which.
    kind: Option<Kind>,
    /// Time of day as HH:MM.
    time: Option<String>,
    /// The day in the user's words.
    date: Option<String>,
    /// If anything rings, that is meant.
    #[serde(default)]
    stops_ringing: bool,
    /// All that fit are meant.
    #[serde(default)]
    all: bool,
    /// Ids in earlier results. They alone count.
    items: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Alarm,
    Reminder,
}

impl Kind {
    fn is_of(self, appointment: &Appointment) -> bool {
        match self {
            Self::Alarm => appointment.kind == AppointmentKind::Alarm,
            Self::Reminder => appointment.kind == AppointmentKind::Reminder,
        }
    }

    /// Its name in messages.
    fn name(kind: Option<Self>) -> &'static str {
        match kind {
            Some(Self::Alarm) => "alarm",
            Some(Self::Reminder) => "reminder",
            None => "any",
        }
    }
}

/// The longest time that an unanswered ring still counts as one: nobody hears it any more after it.
const LONGEST_RING: SignedDuration = SignedDuration::from_hours(1);

/// The tool `cancelReminder`.
pub(super) struct CancelReminder {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
    rings: Option<Arc<dyn RingControl>>,
}

impl CancelReminder {
    pub fn new(memory: watch::Receiver<Option<Memory>>, rings: Option<Arc<dyn RingControl>>) -> Self {
        let declaration = declaration::<Arguments>(
            "cancelReminder",
            Effect::Writes,
            "Cancels an alarm or a reminder that is set.",
            "alarm reminder cancel delete remove off",
            &[
                ("cancel my seven o'clock alarm", json!({"kind": "alarm", "time": "07:00"})),
                ("forget the reminder about Ann", json!({"label": "Ann"})),
            ],
        );
        Self { declaration, memory, rings }
    }

    async fn cancel(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let Arguments { label, kind, time, date, stops_ringing, all, items } = arguments;
        let times = words(time).map(|time| times(&time)).transpose()?.unwrap_or_default();
        let memory = changing(&self.memory, context)?;
        let date = words(date);
        if let Some(items) = items.filter(|items| !items.is_empty()) {
            return cancel_items(&memory, &items, date.is_some(), context).await;
        }
        let wants_quiet = stops_ringing && !all && label.is_none() && times.is_empty() && date.is_none();
        if let Some(rings) = self.rings.as_ref().filter(|_| wants_quiet) {
            let ringing = rings.ringing();
            if !ringing.is_empty() {
                return stopped(&**rings, ringing, context).await;
            }
        }
        let mut set = open(&memory, &ALARMS_AND_REMINDERS).await?;
        set.retain(|it| kind.is_none_or(|kind| kind.is_of(it)));
        if set.is_empty() {
            return Err(none_set(kind, context));
        }
        let mut chosen = labelled(&set, words(label).as_deref());
        chosen.retain(|it| times.is_empty() || times.contains(&time_of(it, context)));
        let is_plain = chosen.len() == set.len() && times.is_empty();
        if let Some(date) = &date {
            chosen.retain(falls_on(date, context)?);
        }
        let ringing = self.ringing_among(&chosen, context);
        if let Some(rings) = &self.rings
            && is_plain
            && date.is_none()
            && !ringing.is_empty()
        {
            return stopped(&**rings, ringing, context).await;
        }
        let repeats = |it: &&Appointment| it.repeats != Repeats::Once;
        // A user who wants quiet, perhaps a moment too late, still wants to be woken on the days to come.
        if wants_quiet && chosen.len() == 1 && chosen.iter().any(|it| repeats(&it)) {
            return Err(nothing_rings(wording(context, id::RING_STOPPED)));
        }
        match (chosen.as_slice(), chosen.iter().find(repeats).filter(|_| date.is_some())) {
            ([], _) => return Err(no_fit(kind, date.as_deref(), &set, context)),
            ([_], Some(of_many_days)) => return Err(repeating(of_many_days, context)),
            (_, Some(of_many_days)) if all => return Err(repeating(of_many_days, context)),
            ([_], None) => {}
            (several, _) if !all => return Err(several_fit(kind, several, context)),
            _ => {}
        }
        end(&memory, &chosen).await?;
        Ok(cancelled(&chosen, context))
    }

    /// Those that ring. Who says no more than "turn off my alarm" meanwhile wants quiet: one that repeats stays set. What rang
    /// long ago without an answer is not meant.
    fn ringing_among(&self, appointments: &[Appointment], context: &ToolContext) -> Vec<i64> {
        let ringing = self.rings.as_ref().map(|rings| rings.ringing()).unwrap_or_default();
        let oldest = (context.now - LONGEST_RING).as_microsecond();
        let is_ringing = |it: &&Appointment| {
            ringing.contains(&it.id) && (it.repeats != Repeats::Once || it.due_at >= oldest)
        };
        appointments.iter().filter(is_ringing).map(|it| it.id).collect()
    }
}

/// Cancels those of these ids that are left. `is_for_a_day` means that the user named a day: what repeats stays set.
async fn cancel_items(
    memory: &Memory,
    items: &[String],
    is_for_a_day: bool,
    context: &ToolContext,
) -> Result<ToolResult, ToolResult> {
    let chosen = left_of(items, &open(memory, &ALARMS_AND_REMINDERS).await?, context)?;
    if let Some(of_many_days) = chosen.iter().find(|it| is_for_a_day && it.repeats != Repeats::Once) {
        return Err(repeating(of_many_days, context));
    }
    end(memory, &chosen).await?;
    Ok(cancelled(&chosen, context))
}

/// Tells if an appointment rings on the day, if only as a repetition.
fn falls_on<'a>(
    date: &str,
    context: &'a ToolContext,
) -> Result<impl FnMut(&Appointment) -> bool + 'a, ToolResult> {
    let today = context.now.to_zoned(context.zone.clone()).date();
    let day = micros(&resolved(date, today)?, &context.zone);
    Ok(move |it: &Appointment| {
        let repeated = || it.next_after(day.start - 1).filter(|at| *at > it.due_at);
        day.contains(&it.due_at) || repeated().is_some_and(|at| day.contains(&at))
    })
}

fn none_set(kind: Option<Kind>, context: &ToolContext) -> ToolResult {
    let said = |wording: &'static Messages| wording.reminders_none_of(Kind::name(kind)).to_owned();
    told(ToolResult::failed(said(Messages::english())), context, id::REMINDERS_NONE_OF, said)
}

/// Nothing that is set fits; with what there is, so that the user can name it.
fn no_fit(kind: Option<Kind>, date: Option<&str>, set: &[Appointment], context: &ToolContext) -> ToolResult {
    let today = context.now.to_zoned(context.zone.clone()).date();
    let has_none = |date: &&str| falls_on(date, context).is_ok_and(|fits| !set.iter().any(fits));
    let one_day = date
        .filter(has_none)
        .and_then(|date| resolved(date, today).ok())
        .filter(|span| span.first == span.last)
        .map(|span| span.first);
    let said = |wording: &'static Messages| {
        let all = lines(set, wording, context);
        match one_day {
            Some(day) => wording.reminders_none_on(&wording.day(day), &all, Kind::name(kind)),
            None => wording.reminders_no_fit(&all, Kind::name(kind)),
        }
    };
    told(ToolResult::failed(said(Messages::english())), context, id::REMINDERS_NO_FIT, said)
}

/// One day of a repetition cannot be left out, and the others are still wanted.
fn repeating(only: &Appointment, context: &ToolContext) -> ToolResult {
    let said = |wording: &'static Messages| wording.reminder_repeats(&shown(only, wording, context));
    told(ToolResult::failed(said(Messages::english())), context, id::REMINDER_REPEATS, said)
}

fn several_fit(kind: Option<Kind>, several: &[Appointment], context: &ToolContext) -> ToolResult {
    let english = lines(several, Messages::english(), context);
    let failure = ToolResult::failed(format!("Several fit: {english}. Ask which one."))
        .choosing_among(several.iter().map(|it| (it.label.clone(), item(it))));
    told(failure, context, id::REMINDERS_SEVERAL, |wording| {
        wording.reminders_several(&lines(several, wording, context), Kind::name(kind))
    })
}

fn cancelled(chosen: &[Appointment], context: &ToolContext) -> ToolResult {
    let english = lines(chosen, Messages::english(), context);
    let result = ToolResult::done(format!("Cancelled: {english}.")).touching(chosen.iter().map(item));
    told(result, context, id::REMINDERS_CANCELLED, |wording| match chosen {
        [only] => wording.reminder_cancelled(&shown(only, wording, context)),
        several => wording.reminders_cancelled(&lines(several, wording, context)),
    })
}

#[async_trait]
impl Tool for CancelReminder {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.cancel(arguments, context)).await
    }
}
