//! Descriptions of tools of servers, in memory.

use std::collections::BTreeMap;
use std::thread::ThreadId;

use parking_lot::Mutex;
use tools::servers::{Pin, PinStore};

/// Remembers descriptions in memory, and on which threads it was told of them.
#[derive(Default)]
pub struct InMemoryPins {
    pins: Mutex<BTreeMap<String, Pin>>,
    threads: Mutex<Vec<ThreadId>>,
}

impl InMemoryPins {
    /// The threads on which descriptions were pinned, in order.
    pub fn threads(&self) -> Vec<ThreadId> {
        self.threads.lock().clone()
    }
}

impl PinStore for InMemoryPins {
    fn pinned(&self, tool: &str) -> Option<Pin> {
        self.pins.lock().get(tool).cloned()
    }

    fn pin(&self, tools: Vec<(String, Pin)>) {
        self.threads.lock().push(std::thread::current().id());
        self.pins.lock().extend(tools);
    }
}
