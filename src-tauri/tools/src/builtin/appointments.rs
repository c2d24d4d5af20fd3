//! What the tools for timers, alarms and reminders share.

use jiff::Timestamp;
use memory::{Appointment, AppointmentKind, AppointmentStatus, ItemId, Kind, Memory};

use super::declaring::broken;
use crate::ToolResult;

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
    now: Timestamp,
) -> Result<ItemId, ToolResult> {
    let waiting = open(memory, &[appointment.kind]).await?.len();
    if waiting >= MAX_WAITING {
        return Err(ToolResult::failed(format!(
            "There are {waiting} of them already, and {MAX_WAITING} is the most. Cancel one first."
        )));
    }
    let id = memory.appoint(appointment, now.as_microsecond()).await.map_err(broken)?;
    Ok(ItemId::new(Kind::Appointment, id))
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
        created_at: 0,
    }
}

pub(super) fn item(appointment: &Appointment) -> ItemId {
    ItemId::new(Kind::Appointment, appointment.id)
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

/// Seconds until it is due, rounded up; 0 once it is.
pub(super) fn seconds_left(appointment: &Appointment, now: Timestamp) -> i64 {
    let micros = appointment.due_at.saturating_sub(now.as_microsecond()).max(0);
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
