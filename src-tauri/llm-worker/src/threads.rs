//! How many threads to compute with.

use sysinfo::System;

/// More threads than this gain nothing for the small models that run embedded: reading weights from memory is what
/// takes the time. Source: our bench on small machines; the same bound as for speech recognition.
const MAX_THREADS: usize = 4;

/// What was asked for, else one thread for each physical core: logical ones share the units that multiply.
pub(crate) fn threads(asked: u32) -> i32 {
    let usable = std::thread::available_parallelism().map_or(1, usize::from);
    let best = System::physical_core_count().unwrap_or(usable).min(usable).clamp(1, MAX_THREADS);
    let threads = if asked == 0 { best } else { (asked as usize).min(usable) };
    i32::try_from(threads).unwrap_or(1)
}
