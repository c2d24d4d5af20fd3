//! The port to what rings: timers, alarms and reminders that are due.

use std::error::Error;

use async_trait::async_trait;
use jiff::SignedDuration;

use crate::ToolContext;

/// The time until a snoozed appointment rings again, if nobody says how long: by button and by voice.
pub const SNOOZE: SignedDuration = SignedDuration::from_mins(5);

/// Ends or delays what rings. Appointments are named by their rows in memory.
#[async_trait]
pub trait RingControl: Send + Sync {
    /// Returns everything that rings or waits for the user, oldest first. One that repeats is among them.
    fn ringing(&self) -> Vec<i64>;

    /// The user has heard it.
    ///
    /// # Errors
    ///
    /// It does not ring, or the memory could not be changed.
    async fn stop(&self, appointment: i64) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// It rings again after this time, unless the request of `context` is undone. One that repeats keeps its later times.
    ///
    /// # Errors
    ///
    /// It does not ring, or the memory could not be changed.
    async fn snooze(
        &self,
        appointment: i64,
        after: SignedDuration,
        context: &ToolContext,
    ) -> Result<(), Box<dyn Error + Send + Sync>>;
}
