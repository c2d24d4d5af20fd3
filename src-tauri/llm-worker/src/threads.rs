//! How many threads to compute with.

use sysinfo::System;

/// More threads than this gain little for the small models that run embedded: reading weights from memory is what
/// takes the time. The same bound as for speech recognition.
const MAX_THREADS: usize = 4;

/// What was asked for, else one less than there are physical cores, at most four.
///
/// The engine's threads wait for each other by spinning, several hundred times a token, so a thread that has to share
/// its core stops all others. The voice speaks while the model still writes, so one core is never ours.
/// Source: SmolLM2 135M on two cores. With nothing else running a second thread makes it about 1.5 times as fast; with both cores
/// busy two threads write 3 tokens a second, one thread 41.
pub(crate) fn threads(asked: u32) -> i32 {
    let usable = std::thread::available_parallelism().map_or(1, usize::from);
    let physical = System::physical_core_count().unwrap_or(usable).min(usable);
    let threads = match asked {
        0 => physical.saturating_sub(1).clamp(1, MAX_THREADS),
        asked => (asked as usize).min(usable),
    };
    i32::try_from(threads).unwrap_or(1)
}
