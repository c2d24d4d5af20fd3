//! Sets an alarm or a reminder for a time of day.

use async_trait::async_trait;
use jiff::civil::{Date, Time};
use jiff::{Timestamp, ToSpan};
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, AppointmentStatus, Memory, Repeats};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::appointments::{appoint, end, new, open, time_of, times};
use super::days::resolved;
use super::declaration::{changing, declaration, run, words};
use super::wording::{id, told, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Time of day as HH:MM, with 24 hours.
    time: String,
    /// The day in the user's words or as YYYY-MM-DD. Leave it out for the next time that the clock shows this.
    date: Option<String>,
    /// How it repeats: once, daily, weekdays, weekly, monthly or yearly.
    #[serde(default)]
    repeats: Repetition,
    /// What the user is to be reminded of; an alarm needs none.
    label: Option<String>,
    /// Only to move one that is set: its time as HH:MM, or "any" if there is only one.
    replaces: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Repetition {
    #[default]
    Once,
    Daily,
    Weekdays,
    Weekly,
    Monthly,
    Yearly,
}

impl From<Repetition> for Repeats {
    fn from(repetition: Repetition) -> Self {
        match repetition {
            Repetition::Once => Self::Once,
            Repetition::Daily => Self::Daily,
            Repetition::Weekdays => Self::Weekdays,
            Repetition::Weekly => Self::Weekly,
            Repetition::Monthly => Self::Monthly,
            Repetition::Yearly => Self::Yearly,
        }
    }
}

/// The argument that means the only one there is.
const ANY: &str = "any";

/// The tool `setAlarm` or `setReminder`.
pub(super) struct SetAlarm {
    declaration: Declaration,
    kind: AppointmentKind,
    memory: watch::Receiver<Option<Memory>>,
}

impl SetAlarm {
    pub fn alarm(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "setAlarm",
            Effect::Writes,
            "Sets an alarm that rings at a time of day, once or again and again.",
            "alarm wake clock morning ring early weekdays",
            &[
                ("wake me at half past six", json!({"time": "06:30"})),
                ("alarm at 7 on weekdays", json!({"time": "07:00", "repeats": "weekdays"})),
                ("wake me tomorrow at 8", json!({"time": "08:00", "date": "tomorrow"})),
            ],
        );
        Self { declaration, kind: AppointmentKind::Alarm, memory }
    }

    pub fn reminder(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "setReminder",
            Effect::Writes,
            "Reminds the user of something at a time of day.",
            "remind reminder remember forget appointment notify",
            &[
                ("remind me at 5 pm to call Ann", json!({"time": "17:00", "label": "call Ann"})),
                (
                    "remind me every Monday at nine to water the plants",
                    json!({"time": "09:00", "date": "Monday", "repeats": "weekly", "label": "water the plants"}),
                ),
            ],
        );
        Self { declaration, kind: AppointmentKind::Reminder, memory }
    }

    async fn set(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let replaced = match words(arguments.replaces) {
            Some(which) => self.replaced(&which, &memory, context).await?,
            None => None,
        };
        let known_label = || replaced.as_ref().and_then(|it| words(Some(it.label.clone())));
        let label = words(arguments.label).or_else(known_label);
        if self.kind == AppointmentKind::Reminder && label.is_none() {
            return Err(ToolResult::failed("A reminder needs words. Ask what to remind the user of."));
        }
        let time = time_nearest_to(&times(&arguments.time)?, replaced.as_ref(), context);
        let repeats = match (Repeats::from(arguments.repeats), &replaced) {
            (Repeats::Once, Some(known)) => known.repeats,
            (repeats, _) => repeats,
        };
        let known_day = replaced.as_ref().and_then(|known| day_to_come(known, time, context));
        let date = words(arguments.date).or(known_day);
        let needs_its_day = !matches!(repeats, Repeats::Once | Repeats::Daily | Repeats::Weekdays);
        if replaced.is_some() && date.is_none() && needs_its_day {
            return Err(ToolResult::failed("That time is over on its day. Ask which day is meant."));
        }
        let due_at = due(time, date, repeats, context)?;
        end(&memory, replaced.as_slice()).await?;
        let zone = context.zone.iana_name().unwrap_or_default().to_owned();
        let appointment = Appointment { repeats, zone, ..new(self.kind, label.clone(), due_at) };
        let id = appoint(&memory, appointment, context).await?;
        let result = ToolResult::done(format!(
            "{id} rings on {}.",
            moment(due_at, repeats, Messages::english(), context)
        ))
        .touching([id]);
        let Some(wording) = wording(context, id::ALARM_SET) else { return Ok(result) };
        let time = moment(due_at, repeats, wording, context);
        Ok(result.answering(match label {
            Some(label) => wording.reminder_set(&label, &time),
            None => wording.alarm_set(&time),
        }))
    }

    /// The one that is moved, at one of these times; `None` if there is none at all. A failure leaves the choice to a model.
    async fn replaced(
        &self,
        which: &str,
        memory: &Memory,
        context: &ToolContext,
    ) -> Result<Option<Appointment>, ToolResult> {
        let named = if which == ANY { Vec::new() } else { times(which)? };
        let mut fit = open(memory, &[self.kind]).await?;
        // What rang without an answer is over, unless it repeats.
        fit.retain(|it| it.status == AppointmentStatus::Waiting || it.repeats != Repeats::Once);
        fit.retain(|it| named.is_empty() || named.contains(&time_of(it, context)));
        match fit.len() {
            0 if named.is_empty() => Ok(None),
            0 => Err(ToolResult::failed(format!("None is set for {which}. Look which ones there are."))),
            1 => Ok(fit.pop()),
            several => Err(ToolResult::failed(format!("{several} of them are set. Ask which one is meant."))),
        }
    }
}

/// The first of the times, or the one that is nearest to that of what it replaces: at 11 "to 1" means 13.
fn time_nearest_to(times: &[Time], replaced: Option<&Appointment>, context: &ToolContext) -> Time {
    const DAY: i32 = 24 * 60;
    let minutes = |time: &Time| i32::from(time.hour()) * 60 + i32::from(time.minute());
    let nearest = replaced.and_then(|known| {
        let known = minutes(&time_of(known, context));
        times.iter().min_by_key(|time| {
            let apart = (minutes(time) - known).rem_euclid(DAY);
            apart.min(DAY - apart)
        })
    });
    nearest.or(times.first()).copied().unwrap_or_default()
}

/// The day for which it is set, as an argument has it; `None` if the time is over on that day.
fn day_to_come(set: &Appointment, time: Time, context: &ToolContext) -> Option<String> {
    let due_at = Timestamp::from_microsecond(set.due_at).ok()?;
    let day = due_at.to_zoned(context.zone.clone()).date();
    let at = day.to_datetime(time).to_zoned(context.zone.clone()).ok()?;
    (at.timestamp() > context.now).then(|| day.to_string())
}

/// The day and time in words, and how they repeat.
pub(super) fn moment(
    at: Timestamp,
    repeats: Repeats,
    wording: &'static Messages,
    context: &ToolContext,
) -> String {
    let at = at.to_zoned(context.zone.clone());
    let once = format!("{}, {}", wording.day(at.date()), wording.time(at.time()));
    let repetition = match repeats {
        Repeats::Once => return once,
        Repeats::Daily => wording.repeats_daily(),
        Repeats::Weekdays => wording.repeats_weekdays(),
        Repeats::Weekly => wording.repeats_weekly(),
        Repeats::Monthly => wording.repeats_monthly(),
        Repeats::Yearly => wording.repeats_yearly(),
    };
    format!("{once}, {repetition}")
}

/// When it is due first: on the day named, else the next time the clock shows this time.
fn due(
    time: Time,
    date: Option<String>,
    repeats: Repeats,
    context: &ToolContext,
) -> Result<Timestamp, ToolResult> {
    let now = context.now.to_zoned(context.zone.clone());
    let at = |day: Date| {
        let zoned = day.to_datetime(time).to_zoned(context.zone.clone());
        zoned.map_err(|_| ToolResult::failed("This day is out of range."))
    };
    let first = match date {
        // Words that name no day were read wrongly: a model reads them again.
        Some(date) => at(resolved(&date, now.date())?.first)?,
        None => {
            let today = at(now.date())?;
            if today > now { today } else { at(now.date().saturating_add(1.day()))? }
        }
    };
    let is_weekend = |day: Date| day.weekday().to_monday_zero_offset() >= 5;
    let mut first = first;
    while repeats == Repeats::Weekdays && is_weekend(first.date()) {
        first = at(first.date().saturating_add(1.day()))?;
    }
    if first <= now && repeats == Repeats::Weekly {
        first = at(first.date().saturating_add(7.days()))?;
    }
    if first <= now {
        let failure = ToolResult::failed("That time is over. Ask for a time to come.");
        return Err(told(failure, context, id::ALARM_OVER, |it| it.alarm_over().to_owned()));
    }
    Ok(first.timestamp())
}

#[async_trait]
impl Tool for SetAlarm {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.set(arguments, context)).await
    }
}
