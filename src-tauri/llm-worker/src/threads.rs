//! The number of threads of the engine.

use sysinfo::System;

/// More threads gain little for small models, because the time is spent on reading weights from memory. Speech
/// recognition has the same limit.
const MAX_THREADS: usize = 4;

/// The requested number; for 0, one less than the number of physical cores, at most four.
///
/// The threads of the engine wait for each other by spinning, several hundred times per token, so a thread that shares
/// its core delays all others. One core stays free, because speech synthesis runs during the generation.
/// Source: SmolLM2 135M on two cores. On an idle machine, a second thread is about 1.5 times as fast; with both cores
/// busy, two threads generate 3 tokens per second and one thread 41.
pub(crate) fn threads(requested: u32) -> i32 {
    let usable = std::thread::available_parallelism().map_or(1, usize::from);
    let physical = System::physical_core_count().unwrap_or(usable).min(usable);
    let threads = match requested {
        0 => physical.saturating_sub(1).clamp(1, MAX_THREADS),
        requested => (requested as usize).min(usable),
    };
    i32::try_from(threads).unwrap_or(1)
}
