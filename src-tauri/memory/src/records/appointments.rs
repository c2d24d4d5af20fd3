//! Timers, alarms and reminders. They survive restarts; what was missed meanwhile is due at once.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::MemoryError;
use crate::error::{Outcome, Refusal};
use crate::memory::Memory;

/// The kind of an appointment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AppointmentKind {
    /// Rings after a duration.
    Timer,
    /// Rings at a time of day.
    Alarm,
    /// Reminds the user of something.
    Reminder,
}

/// The way an appointment repeats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// It does not repeat.
    #[default]
    Once,
    /// Every day.
    Daily,
    /// Monday to Friday.
    Weekdays,
    /// On the same weekday.
    Weekly,
    /// On the same day of the month, or the last day of a shorter month.
    Monthly,
    /// On the same date.
    Yearly,
}

/// The state of an appointment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AppointmentStatus {
    /// It will ring.
    #[default]
    Waiting,
    /// It rang, and the user has not answered yet.
    Rung,
    /// The user acknowledged it.
    Done,
    /// The user cancelled it.
    Cancelled,
}

/// A timer, an alarm or a reminder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appointment {
    /// Its id in commands; ignored when it is added.
    #[serde(default)]
    pub id: i64,
    /// The kind of an appointment.
    pub kind: AppointmentKind,
    /// Purpose; may be empty.
    #[serde(default)]
    pub label: String,
    /// When it is due: microseconds since 1970 UTC.
    pub due_at: i64,
    /// When it was due the first time; `None` means `due_at`.
    #[serde(default)]
    pub first_at: Option<i64>,
    /// The rule by which it rings again.
    #[serde(default)]
    pub repeats: Repeats,
    /// Time zone of the repetitions, such as `Europe/London`; empty is the zone of the system.
    #[serde(default)]
    pub zone: String,
    /// Waiting, ringing or over.
    #[serde(default)]
    pub status: AppointmentStatus,
    /// When its time was stopped: microseconds since 1970 UTC. `None` while it runs. A paused one does not ring.
    #[serde(default)]
    pub paused_at: Option<i64>,
    /// When it was entered: microseconds since 1970 UTC; set when it is added.
    #[serde(default)]
    pub created_at: i64,
}

impl Appointment {
    /// The time until it is due, in microseconds; for a paused one the time when it was paused counts. Negative once it is
    /// past due.
    pub fn micros_left(&self, now_micros: i64) -> i64 {
        self.due_at.saturating_sub(self.paused_at.unwrap_or(now_micros))
    }

    /// When it is due after `after_micros`, in local time: seven in the morning stays seven when summer time begins. `None`
    /// when it does not repeat.
    pub fn next_after(&self, after_micros: i64) -> Option<i64> {
        let (step, weekdays_only) = match self.repeats {
            Repeats::Once => return None,
            Repeats::Daily => (Span::new().days(1), false),
            Repeats::Weekdays => (Span::new().days(1), true),
            Repeats::Weekly => (Span::new().weeks(1), false),
            Repeats::Monthly => (Span::new().months(1), false),
            Repeats::Yearly => (Span::new().years(1), false),
        };
        let zone = if self.zone.is_empty() { TimeZone::system() } else { TimeZone::get(&self.zone).ok()? };
        let first = Timestamp::from_microsecond(self.first_at.unwrap_or(self.due_at)).ok()?.to_zoned(zone);
        // Counted from the first time, so that the 31st does not become the 28th for good.
        for count in 1..=MAX_STEPS {
            let next = first.checked_add(step.checked_mul(count).ok()?).ok()?;
            let is_weekend = next.date().weekday().to_monday_zero_offset() >= 5;
            if next.timestamp().as_microsecond() > after_micros && !(weekdays_only && is_weekend) {
                return Some(next.timestamp().as_microsecond());
            }
        }
        None
    }
}

/// Limits the search for the next repetition: 300 years of a daily appointment.
const MAX_STEPS: i64 = 110_000;

impl Memory {
    /// Stores an appointment. Returns its id.
    pub async fn appoint(&self, appointment: Appointment, now_micros: i64) -> Result<i64, MemoryError> {
        self.change(move |changing| {
            let id = insert(changing, &appointment, now_micros)?;
            Ok(changing.added(TABLE, id))
        })
        .await
    }

    /// Appointments that are waiting, or rang without an answer, earliest first.
    pub async fn appointments(&self) -> Result<Vec<Appointment>, MemoryError> {
        self.read(|connection| {
            let sql = format!("{APPOINTMENTS} WHERE status IN ('waiting', 'rung') ORDER BY due_at, id");
            connection.prepare_cached(&sql)?.query_map([], read)?.collect()
        })
        .await
    }

    /// Takes the appointments that are due, oldest first: each rings once. A repeating one waits for its next time.
    pub async fn take_due(&self, now_micros: i64) -> Result<Vec<Appointment>, MemoryError> {
        self.change(move |changing| {
            let sql = format!(
                "{APPOINTMENTS} WHERE status = 'waiting' AND paused_at IS NULL AND due_at <= ?1 ORDER BY due_at, id"
            );
            let due = changing
                .prepare_cached(&sql)?
                .query_map([now_micros], read)?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            for appointment in &due {
                let (status, due_at) = match appointment.next_after(now_micros) {
                    Some(next) => ("waiting", next),
                    None => ("rung", appointment.due_at),
                };
                changing.execute(
                    "UPDATE appointments SET status = ?2, due_at = ?3 WHERE id = ?1",
                    params![appointment.id, status, due_at],
                )?;
            }
            Ok(due)
        })
        .await
    }

    /// Changes the state of an appointment.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when the id is unknown.
    pub async fn settle_appointment(&self, id: i64, status: AppointmentStatus) -> Result<(), MemoryError> {
        self.change(move |changing| {
            changing.before_change(TABLE, id)?;
            let sql = "UPDATE appointments SET status = ?2 WHERE id = ?1";
            known(id, changing.execute(sql, params![id, name(&status)])?)
        })
        .await
    }

    /// The user has heard an appointment that rang. One that repeats, or that is not ringing, stays as it is.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when the id is unknown.
    pub async fn acknowledge_appointment(&self, id: i64) -> Result<(), MemoryError> {
        let sql = "UPDATE appointments SET status = iif(status = 'rung', 'done', status) WHERE id = ?1";
        self.change(move |changing| known(id, changing.execute(sql, [id])?)).await
    }

    /// Lets an appointment ring again at `due_at_micros`. One that repeats keeps its later times.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when the id is unknown.
    pub async fn snooze_appointment(&self, id: i64, due_at_micros: i64) -> Result<(), MemoryError> {
        let waits = "UPDATE appointments SET status = 'waiting' WHERE id = ?1 AND status = 'rung'";
        let sql = "UPDATE appointments SET status = 'waiting', due_at = ?2, paused_at = NULL WHERE id = ?1";
        self.change(move |changing| {
            // Undone, it is due again, so it rings.
            changing.execute(waits, [id])?;
            changing.before_change(TABLE, id)?;
            known(id, changing.execute(sql, [id, due_at_micros])?)
        })
        .await
    }

    /// Stops the time of an appointment that waits. One that is paused already stays as it is.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when no such appointment waits.
    pub async fn pause_appointment(&self, id: i64, now_micros: i64) -> Result<(), MemoryError> {
        let sql = "UPDATE appointments SET paused_at = coalesce(paused_at, ?2) WHERE id = ?1 AND status = 'waiting'";
        self.change(move |changing| {
            changing.before_change(TABLE, id)?;
            known(id, changing.execute(sql, [id, now_micros])?)
        })
        .await
    }

    /// Lets a paused appointment run again: it is due as much later as it was paused. One that runs stays as it is.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when no such appointment waits.
    pub async fn resume_appointment(&self, id: i64, now_micros: i64) -> Result<(), MemoryError> {
        let sql = "UPDATE appointments SET due_at = due_at + coalesce(?2 - paused_at, 0), paused_at = NULL
                   WHERE id = ?1 AND status = 'waiting'";
        self.change(move |changing| {
            changing.before_change(TABLE, id)?;
            known(id, changing.execute(sql, [id, now_micros])?)
        })
        .await
    }

    /// Lets an appointment that waits be due so much later, or earlier if it is negative, in microseconds.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when no such appointment waits.
    pub async fn shift_appointment(&self, id: i64, by_micros: i64) -> Result<(), MemoryError> {
        let sql = "UPDATE appointments SET due_at = due_at + ?2 WHERE id = ?1 AND status = 'waiting'";
        self.change(move |changing| {
            changing.before_change(TABLE, id)?;
            known(id, changing.execute(sql, [id, by_micros])?)
        })
        .await
    }

    /// When the next one is due: microseconds since 1970 UTC.
    pub async fn next_due(&self) -> Result<Option<i64>, MemoryError> {
        self.read(|connection| {
            let sql = "SELECT due_at FROM appointments WHERE status = 'waiting' AND paused_at IS NULL
                       ORDER BY due_at LIMIT 1";
            connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()
        })
        .await
    }
}

/// Refuses an id of which no row was updated.
fn known(id: i64, updated: usize) -> Outcome<()> {
    if updated == 0 { Err(Refusal::NoSuchAppointment(id).into()) } else { Ok(()) }
}

/// The name of the table in the database.
const TABLE: &str = "appointments";

const APPOINTMENTS: &str = "SELECT id, kind, label, due_at, repeats, zone, status, first_at, created_at, paused_at FROM appointments";

pub(crate) fn insert(
    connection: &Connection,
    appointment: &Appointment,
    now_micros: i64,
) -> rusqlite::Result<i64> {
    connection.execute(
        "INSERT INTO appointments (kind, label, due_at, repeats, zone, status, created_at, first_at, paused_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            name(&appointment.kind),
            appointment.label,
            appointment.due_at,
            name(&appointment.repeats),
            appointment.zone,
            name(&appointment.status),
            now_micros,
            appointment.first_at.unwrap_or(appointment.due_at),
            appointment.paused_at,
        ],
    )?;
    Ok(connection.last_insert_rowid())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Appointment> {
    Ok(Appointment {
        id: row.get(0)?,
        kind: named(row, 1)?,
        label: row.get(2)?,
        due_at: row.get(3)?,
        repeats: named(row, 4)?,
        zone: row.get(5)?,
        status: named(row, 6)?,
        first_at: Some(row.get(7)?),
        created_at: row.get(8)?,
        paused_at: row.get(9)?,
    })
}

/// All appointments, in any state.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Appointment>> {
    connection.prepare_cached(&format!("{APPOINTMENTS} ORDER BY id"))?.query_map([], read)?.collect()
}

/// The name of a variant in files and tables.
fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

fn named<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let name: String = row.get(column)?;
    serde_json::from_value(serde_json::Value::String(name)).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}
