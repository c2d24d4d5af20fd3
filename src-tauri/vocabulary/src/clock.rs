//! The time, as a port.

use jiff::Timestamp;

/// Tells the time. The real clock is `assistant::SystemClock`, tests pass one that stands still.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}
