//! A separate message bus for tests of desktop integration.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running message bus. Dropping it ends it.
pub struct SessionBus {
    daemon: Child,
    address: String,
}

impl SessionBus {
    /// Starts a bus without services.
    ///
    /// # Errors
    ///
    /// `dbus-daemon` is missing or does not start.
    pub fn start() -> io::Result<Self> {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut address = String::new();
        let out = daemon.stdout.take().ok_or_else(|| io::Error::other("the bus has no output"))?;
        BufReader::new(out).read_line(&mut address)?;
        Ok(Self { daemon, address: address.trim().to_owned() })
    }

    /// The value of `DBUS_SESSION_BUS_ADDRESS` for programs under test.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for SessionBus {
    fn drop(&mut self) {
        // An error means that it has already ended.
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
