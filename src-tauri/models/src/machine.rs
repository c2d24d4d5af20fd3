//! What this machine can carry.

use serde::Deserialize;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Memory and cores of a machine, or the least that something needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Machine {
    /// Main memory in bytes, used or not.
    pub ram_bytes: u64,
    /// Cores that work at the same time.
    pub cores: usize,
}

impl Machine {
    /// The machine this program runs on.
    pub fn this() -> Self {
        let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        Self {
            // A system that does not tell its memory is taken for a small one.
            ram_bytes: System::new_with_specifics(memory).map_or(0, |system| system.total_memory()),
            // An error means that the system does not tell; one core is always there.
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Does it have at least what `minimum` asks for?
    pub fn fits(&self, minimum: &Self) -> bool {
        self.ram_bytes >= minimum.ram_bytes && self.cores >= minimum.cores
    }
}
