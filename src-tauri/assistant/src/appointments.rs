//! Timers, alarms and reminders at the time when they are due.

pub(crate) mod appointment_ringer; // timers, alarms and reminders ring
pub(crate) mod late_rings; // the same for the tools
