//! The memory and the processor cores of a machine.

use serde::Deserialize;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Memory and processor cores: of a machine, or the minimum that a model needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Machine {
    /// Total main memory in bytes.
    pub ram_bytes: u64,
    /// Number of logical processor cores.
    pub cores: usize,
}

impl Machine {
    /// The machine this program runs on.
    pub fn this() -> Self {
        let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        Self {
            // Unknown memory counts as none, so the smallest model is recommended.
            ram_bytes: System::new_with_specifics(memory).map_or(0, |system| system.total_memory()),
            // The error means that the number is unknown; every machine has at least one core.
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Returns `true` if this machine has at least the memory and the cores of `minimum`.
    pub fn meets(&self, minimum: &Self) -> bool {
        self.ram_bytes >= minimum.ram_bytes && self.cores >= minimum.cores
    }
}
