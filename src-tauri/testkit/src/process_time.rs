//! Processor time of a process, as the system counts it.

use std::time::Duration;

/// Linux counts processor time in hundredths of a second on every machine.
const TICK: Duration = Duration::from_millis(10);

/// The processor time of a process so far, all its threads together. `None` if there is no such process.
pub fn cpu_time(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program comes first, and may contain spaces and brackets.
    let fields: Vec<&str> = stat.rsplit(") ").next()?.split(' ').collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok();
    Some(TICK * (ticks(11)? + ticks(12)?))
}
