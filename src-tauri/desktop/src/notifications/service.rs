//! The notification service of the desktop.

use std::collections::HashMap;
use std::time::Duration;

use futures::StreamExt;
use zbus::proxy::SignalStream;
use zbus::zvariant::Value;

/// The service, and its interface.
pub(super) const SERVICE: &str = "org.freedesktop.Notifications";
pub(super) const PATH: &str = "/org/freedesktop/Notifications";

/// The time that the session bus may take to answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The action of a click on the notification itself. Source: the Desktop Notifications Specification.
const CLICK: &str = "default";

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub title: &'static str,
    pub text: String,
    /// It stays until the user has seen it.
    pub is_urgent: bool,
    /// A click on it opens something.
    pub opens: bool,
}

/// The way to the service. Connects when it is used for the first time.
#[derive(Default)]
pub(super) struct NotificationService {
    bus: Option<Bus>,
    /// The address of the bus; `None` is that of the session.
    pub address: Option<String>,
}

struct Bus {
    connection: zbus::Connection,
    clicks: SignalStream<'static>,
}

impl NotificationService {
    /// Shows a note, in place of the one with the number `replaced`. Returns its number.
    ///
    /// # Errors
    ///
    /// The reason why the desktop shows none.
    pub async fn show(&mut self, note: &Note, replaced: Option<u32>) -> Result<u32, String> {
        // The sound is ours.
        let hints = HashMap::from([
            ("urgency", Value::from(if note.is_urgent { 2_u8 } else { 1_u8 })),
            ("desktop-entry", Value::from("jarvis")),
            ("suppress-sound", Value::from(true)),
        ]);
        let actions: &[&str] = if note.opens { &[CLICK, "Open"] } else { &[] };
        // Zero never expires; below zero the desktop decides.
        let expires = if note.is_urgent { 0 } else { -1 };
        let text = without_markup(&note.text);
        let arguments =
            ("Jarvis", replaced.unwrap_or(0), "jarvis", note.title, text, actions, hints, expires);
        let shown = self.call("Notify", &arguments).await?;
        shown.body().deserialize().map_err(|error| error.to_string())
    }

    /// Takes a notification back.
    ///
    /// # Errors
    ///
    /// The reason why the desktop does not.
    pub async fn close(&mut self, id: u32) -> Result<(), String> {
        self.call("CloseNotification", &(id,)).await.map(|_| ())
    }

    /// Waits until the user clicks on a notification. Cancel-safe.
    pub async fn clicked(&mut self) -> u32 {
        while let Some(bus) = &mut self.bus
            && let Some(signal) = bus.clicks.next().await
        {
            match signal.body().deserialize::<(u32, String)>() {
                Ok((id, action)) if action == CLICK => return id,
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "a signal of the notification service was malformed"),
            }
        }
        // Nothing was shown that could be clicked on, or the bus is gone.
        self.bus = None;
        std::future::pending().await
    }

    async fn call<B>(&mut self, method: &str, arguments: &B) -> Result<zbus::Message, String>
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
    {
        let asking = async {
            let bus = match self.bus.take() {
                Some(bus) => bus,
                None => self.connect().await?,
            };
            let answer =
                bus.connection.call_method(Some(SERVICE), PATH, Some(SERVICE), method, arguments).await?;
            self.bus = Some(bus);
            Ok::<_, zbus::Error>(answer)
        };
        match tokio::time::timeout(TIMEOUT, asking).await {
            Ok(answered) => answered.map_err(|error| error.to_string()),
            Err(_) => Err("it did not answer in time".to_owned()),
        }
    }

    async fn connect(&self) -> zbus::Result<Bus> {
        let builder = match &self.address {
            Some(address) => zbus::connection::Builder::address(address.as_str())?,
            None => zbus::connection::Builder::session()?,
        };
        let connection = builder.build().await?;
        let proxy = zbus::Proxy::new(&connection, SERVICE, PATH, SERVICE).await?;
        let clicks = proxy.receive_signal("ActionInvoked").await?;
        Ok(Bus { connection, clicks })
    }
}

/// Many desktops read the text as markup.
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
