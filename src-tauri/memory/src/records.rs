//! Records by table: SQL, row types, reads and writes of each.

pub(crate) mod messages; // everything that was said
pub(crate) mod traces; // how replies were made
pub(crate) mod calls; // of tools
pub(crate) mod diary; // a summary of each day
pub(crate) mod days;
pub(crate) mod meals;
pub(crate) mod appointments; // timers, alarms, reminders
pub(crate) mod todos;
pub(crate) mod voices; // that people enrolled
