//! A test keychain: an unlocked gnome-keyring Secret Service on a separate message bus.

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use zbus::blocking::connection;
use zbus::blocking::fdo::DBusProxy;

use crate::SessionBus;

/// The bus name of the Secret Service.
const NAME: &str = "org.freedesktop.secrets";

/// A running keychain. Dropping it ends it and deletes its secrets.
pub struct SecretService {
    bus: SessionBus,
    daemon: Child,
    _folder: TempDir,
}

impl SecretService {
    /// Starts an empty keychain, and waits until it is on the bus.
    ///
    /// # Errors
    ///
    /// `dbus-daemon` or `gnome-keyring-daemon` is missing or does not start.
    pub fn start() -> io::Result<Self> {
        let bus = SessionBus::start()?;
        let folder = tempfile::tempdir()?;
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700))?;
        let listener = connection::Builder::address(bus.address()).and_then(connection::Builder::build);
        let listener = listener.map_err(io::Error::other)?;
        let names = DBusProxy::new(&listener).map_err(io::Error::other)?;
        let mut owners = names.receive_name_owner_changed().map_err(io::Error::other)?;
        let mut daemon = Command::new("gnome-keyring-daemon")
            .args(["--foreground", "--unlock", "--components=secrets", "--control-directory"])
            .arg(folder.path())
            .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
            .env("HOME", folder.path())
            .env("XDG_DATA_HOME", folder.path())
            .env("XDG_RUNTIME_DIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut password) = daemon.stdin.take() {
            password.write_all(b"open sesame")?;
        }
        let has_started = owners.any(|change| change.args().is_ok_and(|change| change.name() == NAME));
        if !has_started {
            return Err(io::Error::other("the keychain did not start"));
        }
        Ok(Self { bus, daemon, _folder: folder })
    }

    /// The value of `DBUS_SESSION_BUS_ADDRESS` for programs under test.
    pub fn address(&self) -> &str {
        self.bus.address()
    }
}

impl Drop for SecretService {
    fn drop(&mut self) {
        // An error means that it has already ended.
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
