//! The parts that the tools for timers, alarms and reminders share.

use jiff::Timestamp;
use jiff::civil::Time;
use languages::messages::Messages;
use memory::{Appointment, AppointmentKind, AppointmentStatus, ItemId, Memory, RecordKind};

use super::declaration::broken;
use super::wording::{id, told};
use crate::{ToolContext, ToolResult};

/// Most appointments of one kind that wait at the same time.
const MAX_WAITING: usize = 32;

/// The appointments of these kinds that wait or ring, earliest first.
pub(super) async fn open(memory: &Memory, kinds: &[AppointmentKind]) -> Result<Vec<Appointment>, ToolResult> {
    let mut all = memory.appointments().await.map_err(broken)?;
    all.retain(|appointment| kinds.contains(&appointment.kind));
    Ok(all)
}

/// Stores an appointment, unless there are too many of its kind.
pub(super) async fn appoint(
    memory: &Memory,
    appointment: Appointment,
    context: &ToolContext,
) -> Result<ItemId, ToolResult> {
    let waiting = open(memory, &[appointment.kind]).await?.len();
    if waiting >= MAX_WAITING {
        let failure = ToolResult::failed(format!(
            "There are {waiting} of them already, and {MAX_WAITING} is the most. Cancel one first."
        ));
        return Err(told(failure, context, id::APPOINTMENTS_FULL, |wording| {
            wording.appointments_full(&wording.number(&waiting.to_string()))
        }));
    }
    let id = memory.appoint(appointment, context.now.as_microsecond()).await.map_err(broken)?;
    Ok(ItemId::new(RecordKind::Appointment, id))
}

/// A new appointment that does not repeat.
pub(super) fn new(kind: AppointmentKind, label: Option<String>, due_at: Timestamp) -> Appointment {
    Appointment {
        id: 0,
        kind,
        label: label.unwrap_or_default(),
        due_at: due_at.as_microsecond(),
        first_at: None,
        repeats: memory::Repeats::Once,
        zone: String::new(),
        status: AppointmentStatus::Waiting,
        paused_at: None,
        created_at: 0,
    }
}

pub(super) fn item(appointment: &Appointment) -> ItemId {
    ItemId::new(RecordKind::Appointment, appointment.id)
}

/// The appointments with this label, or with a label that contains it; all of them without a label.
pub(super) fn labelled(appointments: &[Appointment], label: Option<&str>) -> Vec<Appointment> {
    let Some(label) = label.map(memory::normalise) else { return appointments.to_vec() };
    let with = |fits: &dyn Fn(&str) -> bool| -> Vec<Appointment> {
        appointments.iter().filter(|it| fits(&memory::normalise(&it.label))).cloned().collect()
    };
    let exact = with(&|known| known == label);
    if exact.is_empty() { with(&|known| known.contains(&label)) } else { exact }
}

/// Those with these ids, which earlier results named, or the failure that says that none is left or that a text is no id.
pub(super) fn left_of(
    items: &[String],
    appointments: &[Appointment],
    context: &ToolContext,
) -> Result<Vec<Appointment>, ToolResult> {
    if let Some(text) = items.iter().find(|text| text.trim().parse::<ItemId>().is_err()) {
        return Err(ToolResult::failed(format!("{text:?} is no id of a timer, an alarm or a reminder.")));
    }
    let is_named = |it: &&Appointment| items.iter().any(|id| id.trim() == item(it).to_string());
    let left: Vec<Appointment> = appointments.iter().filter(is_named).cloned().collect();
    if left.is_empty() { Err(nothing_left(context)) } else { Ok(left) }
}

/// The failure for things that are all over, done or cancelled already.
pub(super) fn nothing_left(context: &ToolContext) -> ToolResult {
    let failure = ToolResult::failed("Nothing of that is left: it is over, done or cancelled already.");
    told(failure, context, id::TAKEN_BACK_NOTHING, |wording| wording.taken_back_nothing().to_owned())
}

/// The timers that a request may mean.
#[derive(Debug, Default)]
pub(super) struct TimerChoice {
    /// The name of a timer.
    pub label: Option<String>,
    /// The duration that a timer was set for.
    pub seconds: Option<u32>,
    /// The id of one timer, as results name it. It alone counts.
    pub item: Option<String>,
}

impl TimerChoice {
    /// Those of the timers that are meant. Of several, one may be called by what is left on it, as we call it ourselves.
    pub(super) fn of(&self, timers: &[Appointment], context: &ToolContext) -> Vec<Appointment> {
        if let Some(id) = &self.item {
            return timers.iter().filter(|timer| item(timer).to_string() == *id).cloned().collect();
        }
        let mut chosen = labelled(timers, self.label.as_deref());
        if let Some(seconds) = self.seconds.map(i64::from) {
            let is_set_for = |timer: &Appointment| set_for(timer) == seconds;
            // "The eight minute one" has some seconds more or less, "the one minute one" fewer.
            let tolerance = (seconds / 4).min(60);
            let distance = |timer: &Appointment| (seconds_left(timer, context.now) - seconds).abs();
            let nearest = chosen.iter().map(distance).min().filter(|nearest| *nearest < tolerance);
            let is_called_by_left = chosen.len() > 1 && !chosen.iter().any(is_set_for);
            match nearest.filter(|_| is_called_by_left) {
                Some(nearest) => chosen.retain(|timer| distance(timer) == nearest),
                None => chosen.retain(is_set_for),
            }
        }
        chosen
    }

    /// The only timer that is meant, or the failure that tells which ones there are.
    pub(super) fn only(
        &self,
        timers: &[Appointment],
        context: &ToolContext,
    ) -> Result<Appointment, ToolResult> {
        match self.of(timers, context).as_slice() {
            [only] => Ok(only.clone()),
            [] if self.item.is_some() => Err(ended_timer(context)),
            [] if timers.is_empty() => Err(no_timer(context)),
            [] => Err(unknown_timer(timers, context)),
            several => Err(several_timers(several, context)),
        }
    }
}

/// The seconds that a timer was set for.
fn set_for(timer: &Appointment) -> i64 {
    (timer.first_at.unwrap_or(timer.due_at) - timer.created_at) / 1_000_000
}

pub(super) fn no_timer(context: &ToolContext) -> ToolResult {
    let failure = ToolResult::failed("No timer is running.");
    told(failure, context, id::TIMER_NONE, |wording| wording.timer_none().to_owned())
}

/// The failure for one timer that a result or a question named, and that is no longer there.
fn ended_timer(context: &ToolContext) -> ToolResult {
    let failure = ToolResult::failed("That timer has ended: it rang, or was cancelled. Say so.");
    told(failure, context, id::TIMER_ENDED, |wording| wording.timer_ended().to_owned())
}

pub(super) fn unknown_timer(timers: &[Appointment], context: &ToolContext) -> ToolResult {
    let names = names(timers, context, Messages::english());
    let failure = ToolResult::failed(format!("No timer is called so. Running: {names}."));
    told(failure, context, id::TIMER_UNKNOWN, |wording| {
        wording.timer_unknown(&self::names(timers, context, wording))
    })
}

fn several_timers(timers: &[Appointment], context: &ToolContext) -> ToolResult {
    let names = names(timers, context, Messages::english());
    let failure =
        ToolResult::failed(format!("Several timers are running: {names}. Ask which one, or say all."))
            .choosing_among(timers.iter().map(|timer| (timer.label.clone(), item(timer))));
    told(failure, context, id::TIMERS_SEVERAL, |wording| {
        wording.timers_several(&self::names(timers, context, wording))
    })
}

/// The names of timers; one without a name is called by what is left on it.
fn names(timers: &[Appointment], context: &ToolContext, wording: &'static Messages) -> String {
    let name = |timer: &Appointment| match timer.label.as_str() {
        "" => wording.duration(seconds_left(timer, context.now)),
        label => label.to_owned(),
    };
    timers.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Seconds until it is due, rounded up; 0 once it is. On a paused one they stay the same.
pub(super) fn seconds_left(appointment: &Appointment, now: Timestamp) -> i64 {
    let micros = appointment.micros_left(now.as_microsecond()).max(0);
    micros / 1_000_000 + i64::from(micros % 1_000_000 > 0)
}

/// Ends appointments: those that ring are done, those that wait are cancelled.
pub(super) async fn end(memory: &Memory, appointments: &[Appointment]) -> Result<(), ToolResult> {
    for appointment in appointments {
        let status = match appointment.status {
            AppointmentStatus::Rung => AppointmentStatus::Done,
            _ => AppointmentStatus::Cancelled,
        };
        memory.settle_appointment(appointment.id, status).await.map_err(broken)?;
    }
    Ok(())
}

/// Between the two times of a clock of which nobody said the half of the day: "07:00 or 19:00".
const OR: &str = " or ";

/// The times that an argument names.
pub(super) fn times(text: &str) -> Result<Vec<Time>, ToolResult> {
    let parsed: Result<Vec<Time>, _> = text.split(OR).map(|time| time.trim().parse()).collect();
    parsed.map_err(|_| ToolResult::failed(format!("{text:?} is no time of day. Write it as HH:MM.")))
}

/// The time of day at which it rings, without seconds.
pub(super) fn time_of(appointment: &Appointment, context: &ToolContext) -> Time {
    let due_at = Timestamp::from_microsecond(appointment.due_at).unwrap_or_default();
    let time = due_at.to_zoned(context.zone.clone()).time();
    Time::constant(time.hour(), time.minute(), 0, 0)
}
