//! Other programs that keep every core busy.

use std::process::{Child, Command};

/// One busy process of low priority per core, as when a compiler runs in another terminal. They end when this is dropped.
pub struct BusyCores(Vec<Child>);

impl BusyCores {
    /// Starts them. In sessions of their own: Linux compares priorities within a session only, so each of them gets about
    /// half a core.
    pub fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let busy = || {
            Command::new("setsid")
                .args(["nice", "-n", "19", "sh", "-c", "while :; do :; done"])
                .spawn()
                .expect("setsid, nice and sh are installed")
        };
        Self((0..cores).map(|_| busy()).collect())
    }
}

impl Drop for BusyCores {
    fn drop(&mut self) {
        for process in &mut self.0 {
            // A process that has ended needs no end.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
