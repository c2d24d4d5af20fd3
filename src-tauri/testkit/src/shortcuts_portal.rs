//! A fake of the desktop portal for global shortcuts on Wayland.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use zbus::blocking::{Connection, connection};
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, Value};

use crate::desktop_portal::{NAME, Options, PORTAL, path_of, respond, text_in};

/// The time to wait until a program requests a shortcut.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The shortcut that a program has requested.
#[derive(Debug, Clone)]
struct BoundShortcut {
    session: OwnedObjectPath,
    id: String,
    trigger: String,
}

/// The fake portal.
pub struct ShortcutsPortal {
    bus: Connection,
    bound: Arc<Mutex<Option<BoundShortcut>>>,
}

struct Shortcuts {
    bound: Arc<Mutex<Option<BoundShortcut>>>,
}

#[zbus::interface(name = "org.freedesktop.portal.GlobalShortcuts")]
impl Shortcuts {
    async fn create_session(
        &self,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &zbus::Connection,
    ) -> zbus::fdo::Result<OwnedObjectPath> {
        let session = path_of("session", &header, &options, "session_handle_token")?;
        let results = HashMap::from([("session_handle", Value::from(session.to_string()))]);
        respond(bus, &header, &options, (0, results)).await
    }

    async fn bind_shortcuts(
        &self,
        session: OwnedObjectPath,
        shortcuts: Vec<(String, Options)>,
        _parent: String,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &zbus::Connection,
    ) -> zbus::fdo::Result<OwnedObjectPath> {
        let Some((id, requested)) = shortcuts.into_iter().next() else {
            return Err(zbus::fdo::Error::InvalidArgs("no shortcut".to_owned()));
        };
        let trigger = text_in(&requested, "preferred_trigger");
        let details = HashMap::from([
            ("description", Value::from(text_in(&requested, "description"))),
            ("trigger_description", Value::from(format!("Press {trigger}"))),
        ]);
        let results = HashMap::from([("shortcuts", Value::from(vec![(id.clone(), details)]))]);
        *self.bound.lock() = Some(BoundShortcut { session, id, trigger });
        respond(bus, &header, &options, (0, results)).await
    }

    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        1
    }

    #[zbus(signal)]
    async fn activated(
        emitter: &SignalEmitter<'_>,
        session: ObjectPath<'_>,
        id: &str,
        at_millis: u64,
        options: HashMap<&str, Value<'_>>,
    ) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn deactivated(
        emitter: &SignalEmitter<'_>,
        session: ObjectPath<'_>,
        id: &str,
        at_millis: u64,
        options: HashMap<&str, Value<'_>>,
    ) -> zbus::Result<()>;
}

impl ShortcutsPortal {
    /// Starts the portal on the bus at `address`.
    ///
    /// # Errors
    ///
    /// An error of the bus.
    pub fn start(address: &str) -> zbus::Result<Self> {
        let bound = Arc::default();
        let bus = connection::Builder::address(address)?
            .serve_at(PORTAL, Shortcuts { bound: Arc::clone(&bound) })?
            .name(NAME)?
            .build()?;
        Ok(Self { bus, bound })
    }

    /// The requested shortcut in the notation of the portal. Waits for the request.
    ///
    /// # Errors
    ///
    /// No program requested a shortcut in time.
    pub fn requested_trigger(&self) -> zbus::Result<String> {
        Ok(self.wait()?.trigger)
    }

    /// Simulates pressing the shortcut.
    ///
    /// # Errors
    ///
    /// An error of the bus, or no program requested a shortcut in time.
    pub fn press(&self) -> zbus::Result<()> {
        let bound = self.wait()?;
        let emitter = self.emitter()?;
        let signal = Shortcuts::activated(&emitter, bound.session.as_ref(), &bound.id, 0, HashMap::new());
        futures::executor::block_on(signal)
    }

    /// Simulates releasing the shortcut.
    ///
    /// # Errors
    ///
    /// An error of the bus, or no program requested a shortcut in time.
    pub fn release(&self) -> zbus::Result<()> {
        let bound = self.wait()?;
        let emitter = self.emitter()?;
        let signal = Shortcuts::deactivated(&emitter, bound.session.as_ref(), &bound.id, 0, HashMap::new());
        futures::executor::block_on(signal)
    }

    fn emitter(&self) -> zbus::Result<SignalEmitter<'_>> {
        SignalEmitter::new(self.bus.inner(), PORTAL)
    }

    fn wait(&self) -> zbus::Result<BoundShortcut> {
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            if let Some(bound) = self.bound.lock().clone() {
                return Ok(bound);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(zbus::Error::Failure("no program requested a shortcut".to_owned()))
    }
}
