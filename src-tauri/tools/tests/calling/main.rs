//! Calls through the one choke point, and the index of tools.
#![expect(clippy::unwrap_used, reason = "a failing test should show where")]

mod auditing;
mod fixture;
mod calls;
mod desktop;
mod computer_volume;
mod conformance;
mod eating;
mod file_changes;
mod file_permissions;
mod files;
mod lending;
mod logging;
mod long_calls;
mod prompting;
mod redescribed;
mod registering;
mod remembering;
mod requirements;
mod ringing;
mod taking_back;
mod signing_in;
mod speaking;
mod selecting;
mod server_bench;
mod servers;
mod strange_servers;
mod web_servers;
mod support;
mod web;
