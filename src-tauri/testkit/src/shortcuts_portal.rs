//! A Wayland desktop that gives programs keys, as far as they can tell: its portal for global shortcuts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use zbus::blocking::{Connection, connection};
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};

const PORTAL: &str = "/org/freedesktop/portal/desktop";

/// How long a program may take to ask for its key.
const PATIENCE: Duration = Duration::from_secs(60);

/// The key that a program asked for.
#[derive(Debug, Clone)]
struct Bound {
    session: OwnedObjectPath,
    id: String,
    trigger: String,
}

/// The portal.
pub struct ShortcutsPortal {
    bus: Connection,
    bound: Arc<Mutex<Option<Bound>>>,
}

struct Shortcuts {
    bound: Arc<Mutex<Option<Bound>>>,
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
        answer(bus, &header, &options, results).await
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
        let Some((id, wanted)) = shortcuts.into_iter().next() else {
            return Err(zbus::fdo::Error::InvalidArgs("no shortcut".to_owned()));
        };
        let trigger = text_in(&wanted, "preferred_trigger");
        let told = HashMap::from([
            ("description", Value::from(text_in(&wanted, "description"))),
            ("trigger_description", Value::from(format!("Press {trigger}"))),
        ]);
        let results = HashMap::from([("shortcuts", Value::from(vec![(id.clone(), told)]))]);
        *self.bound.lock().unwrap_or_else(PoisonError::into_inner) = Some(Bound { session, id, trigger });
        answer(bus, &header, &options, results).await
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
    /// Puts the portal on the bus at `address`.
    ///
    /// # Errors
    ///
    /// What the bus says.
    pub fn start(address: &str) -> zbus::Result<Self> {
        let bound = Arc::default();
        let bus = connection::Builder::address(address)?
            .serve_at(PORTAL, Shortcuts { bound: Arc::clone(&bound) })?
            .name("org.freedesktop.portal.Desktop")?
            .build()?;
        Ok(Self { bus, bound })
    }

    /// The key that was asked for, in the portal's words. Waits until one is.
    ///
    /// # Errors
    ///
    /// Nobody asked.
    pub fn asked_for(&self) -> zbus::Result<String> {
        Ok(self.wait()?.trigger)
    }

    /// The user presses the key.
    ///
    /// # Errors
    ///
    /// What the bus says, or that nobody asked for a key.
    pub fn press(&self) -> zbus::Result<()> {
        let bound = self.wait()?;
        let emitter = self.emitter()?;
        let telling = Shortcuts::activated(&emitter, bound.session.as_ref(), &bound.id, 0, HashMap::new());
        futures::executor::block_on(telling)
    }

    /// The user lets go of it.
    ///
    /// # Errors
    ///
    /// What the bus says, or that nobody asked for a key.
    pub fn release(&self) -> zbus::Result<()> {
        let bound = self.wait()?;
        let emitter = self.emitter()?;
        let telling = Shortcuts::deactivated(&emitter, bound.session.as_ref(), &bound.id, 0, HashMap::new());
        futures::executor::block_on(telling)
    }

    fn emitter(&self) -> zbus::Result<SignalEmitter<'_>> {
        SignalEmitter::new(self.bus.inner(), PORTAL)
    }

    fn wait(&self) -> zbus::Result<Bound> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(bound) = self.bound.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                return Ok(bound);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(zbus::Error::Failure("nobody asked for a key".to_owned()))
    }
}

/// The path that the portal and its caller agree on beforehand.
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

/// Answers as portals do: with the path of a request, which then tells its results.
async fn answer(
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
