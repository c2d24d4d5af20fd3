//! A fake of the desktop portal for pictures of the screen.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use zbus::blocking::{Connection, connection};
use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, Value};

use crate::desktop_portal::{NAME, Options, PORTAL, respond};

/// The answer of the portal to a program that wants a picture.
#[derive(Debug, Clone, PartialEq)]
pub enum PictureAnswer {
    /// The picture is in this file.
    Saved(PathBuf),
    /// The user says no.
    Refused,
    /// It ends without a reason, as it does after a no that was stored.
    Ended,
}

/// The fake portal.
pub struct ScreenshotPortal {
    asked: Arc<AtomicU32>,
    _bus: Connection,
}

impl ScreenshotPortal {
    /// Starts the portal on the bus at `address`.
    ///
    /// # Errors
    ///
    /// An error of the bus.
    pub fn start(address: &str, answer: PictureAnswer) -> zbus::Result<Self> {
        let asked = Arc::<AtomicU32>::default();
        let service = Screenshot { answer, asked: Arc::clone(&asked) };
        let bus = connection::Builder::address(address)?.serve_at(PORTAL, service)?.name(NAME)?.build()?;
        Ok(Self { asked, _bus: bus })
    }

    /// The number of times that a program asked.
    pub fn asked(&self) -> u32 {
        self.asked.load(Ordering::SeqCst)
    }
}

struct Screenshot {
    answer: PictureAnswer,
    asked: Arc<AtomicU32>,
}

#[zbus::interface(name = "org.freedesktop.portal.Screenshot")]
impl Screenshot {
    async fn screenshot(
        &self,
        _parent: String,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] bus: &zbus::Connection,
    ) -> zbus::fdo::Result<OwnedObjectPath> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let response = match &self.answer {
            PictureAnswer::Saved(picture) => {
                let uri = format!("file://{}", picture.to_string_lossy().replace(' ', "%20"));
                (0, HashMap::from([("uri", Value::from(uri))]))
            }
            PictureAnswer::Refused => (1, HashMap::new()),
            PictureAnswer::Ended => (2, HashMap::new()),
        };
        respond(bus, &header, &options, response).await
    }

    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        2
    }
}
