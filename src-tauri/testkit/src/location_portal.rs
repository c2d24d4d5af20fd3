//! A fake of the desktop portal for the location.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use zbus::blocking::{Connection, connection};
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, Value};

use crate::desktop_portal::{NAME, Options, PORTAL, path_of, respond};

/// The answer of the portal to a program that asks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PortalAnswer {
    /// Degrees north and east.
    Position(f64, f64),
    /// The user says no.
    Refused,
    /// The service knows nothing.
    Failed,
}

#[derive(Default)]
struct Counts {
    asked: AtomicU32,
    closed: AtomicU32,
}

/// The fake portal.
pub struct LocationPortal {
    answer: Arc<Mutex<PortalAnswer>>,
    counts: Arc<Counts>,
    _bus: Connection,
}

impl LocationPortal {
    /// Starts the portal on the bus at `address`.
    ///
    /// # Errors
    ///
    /// An error of the bus.
    pub fn start(address: &str, answer: PortalAnswer) -> zbus::Result<Self> {
        let (answer, counts) = (Arc::new(Mutex::new(answer)), Arc::<Counts>::default());
        let service = Location { answer: Arc::clone(&answer), counts: Arc::clone(&counts) };
        let bus = connection::Builder::address(address)?.serve_at(PORTAL, service)?.name(NAME)?.build()?;
        Ok(Self { answer, counts, _bus: bus })
    }

    /// Answers otherwise from now on.
    pub fn answer_with(&self, answer: PortalAnswer) {
        *self.answer.lock() = answer;
    }

    /// The number of times that a program asked.
    pub fn asked(&self) -> u32 {
        self.counts.asked.load(Ordering::SeqCst)
    }

    /// The number of sessions that were ended.
    pub fn closed(&self) -> u32 {
        self.counts.closed.load(Ordering::SeqCst)
    }
}

struct Location {
    answer: Arc<Mutex<PortalAnswer>>,
    counts: Arc<Counts>,
}

#[zbus::interface(name = "org.freedesktop.portal.Location")]
impl Location {
    async fn create_session(
        &self,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &zbus::Connection,
    ) -> zbus::fdo::Result<OwnedObjectPath> {
        let session = path_of("session", &header, &options, "session_handle_token")?;
        let served = Session { counts: Arc::clone(&self.counts) };
        bus.object_server().at(&session, served).await.map_err(zbus::fdo::Error::ZBus)?;
        Ok(session)
    }

    async fn start(
        &self,
        session: OwnedObjectPath,
        _parent: String,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &zbus::Connection,
        #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
    ) -> zbus::fdo::Result<OwnedObjectPath> {
        self.counts.asked.fetch_add(1, Ordering::SeqCst);
        let answer = *self.answer.lock();
        let code = match answer {
            PortalAnswer::Position(..) => 0,
            PortalAnswer::Refused => 1,
            PortalAnswer::Failed => 2,
        };
        let request = respond(bus, &header, &options, (code, HashMap::new())).await?;
        if let PortalAnswer::Position(latitude, longitude) = answer {
            Self::location_updated(&emitter, session.as_ref(), details(latitude, longitude)).await?;
        }
        Ok(request)
    }

    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        1
    }

    #[zbus(signal)]
    async fn location_updated(
        emitter: &SignalEmitter<'_>,
        session: ObjectPath<'_>,
        location: HashMap<&str, Value<'_>>,
    ) -> zbus::Result<()>;
}

/// A position as the portal of GNOME sends it.
fn details(latitude: f64, longitude: f64) -> HashMap<&'static str, Value<'static>> {
    HashMap::from([
        ("Latitude", Value::from(latitude)),
        ("Longitude", Value::from(longitude)),
        ("Altitude", Value::from(-f64::MAX)),
        ("Accuracy", Value::from(25_000.0)),
        ("Speed", Value::from(-1.0)),
        ("Heading", Value::from(-1.0)),
        ("Description", Value::from("GeoIP")),
        ("Timestamp", Value::from((1_790_000_000_u64, 0_u64))),
    ])
}

struct Session {
    counts: Arc<Counts>,
}

#[zbus::interface(name = "org.freedesktop.portal.Session")]
impl Session {
    fn close(&self) {
        self.counts.closed.fetch_add(1, Ordering::SeqCst);
    }
}
