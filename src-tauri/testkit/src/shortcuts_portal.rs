//! A fake of the desktop portal for global shortcuts on Wayland.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use zbus::blocking::{Connection, connection};
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};

const PORTAL: &str = "/org/freedesktop/portal/desktop";

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

type Options = HashMap<String, OwnedValue>;

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
        respond(bus, &header, &options, results).await
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
        respond(bus, &header, &options, results).await
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
            .name("org.freedesktop.portal.Desktop")?
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

/// The object path that the portal and its caller derive from the token.
fn path_of(
    kind: &str,
    header: &Header<'_>,
    options: &Options,
    token: &str,
) -> zbus::fdo::Result<OwnedObjectPath> {
    let sender = header.sender().map(ToString::to_string).unwrap_or_default();
    let sender = sender.trim_start_matches(':').replace('.', "_");
    let path = format!("{PORTAL}/{kind}/{sender}/{}", text_in(options, token));
    OwnedObjectPath::try_from(path).map_err(|error| zbus::fdo::Error::InvalidArgs(error.to_string()))
}

/// Responds like a portal: returns the path of a request object, which then emits the results.
async fn respond(
    bus: &zbus::Connection,
    header: &Header<'_>,
    options: &Options,
    results: HashMap<&str, Value<'_>>,
) -> zbus::fdo::Result<OwnedObjectPath> {
    let request = path_of("request", header, options, "handle_token")?;
    let to = header.sender().map(ToString::to_string);
    bus.emit_signal(to.as_deref(), &request, "org.freedesktop.portal.Request", "Response", &(0_u32, results))
        .await?;
    Ok(request)
}

fn text_in(options: &Options, name: &str) -> String {
    options.get(name).and_then(|value| String::try_from(value.clone()).ok()).unwrap_or_default()
}
