//! A session bus of our own, with the parts of a desktop on it that a program in the tray looks for.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running message bus. Dropping it ends it.
pub struct SessionBus {
    daemon: Child,
    address: String,
}

impl SessionBus {
    /// Starts a bus on which nobody is yet.
    ///
    /// # Errors
    ///
    /// When `dbus-daemon` is not installed or does not come up.
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

    /// Where programs find it: the value of `DBUS_SESSION_BUS_ADDRESS`.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for SessionBus {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
