//! Calls through the one choke point, and the index of tools.
#![expect(clippy::unwrap_used, reason = "a failing test should show where")]

mod calls;
mod logging;
mod registering;
mod selecting;
mod support;
