//! Notifications of the desktop about what rings, for people who look elsewhere.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use assistant::Assistant;
use tokio::sync::broadcast;
use vocabulary::{AssistantEvent, Ring, RingKind};
use zbus::zvariant::Value;

/// The service, and its interface.
const SERVICE: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// The time that the session bus may take to answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Shows a notification for whatever rings, and takes it back when that is settled, until the assistant ends. A desktop
/// without notifications shows none: the windows and the sound say the same.
pub async fn follow(assistant: Assistant) {
    let mut events = assistant.subscribe();
    // What was missed rings before this task begins.
    let mut waiting: VecDeque<Ring> = assistant.rings().into();
    let mut shown = HashMap::new();
    loop {
        let event = match waiting.pop_front() {
            Some(ring) => Ok(AssistantEvent::AppointmentRang(ring)),
            None => events.recv().await,
        };
        let done = match event {
            Ok(AssistantEvent::AppointmentRang(ring)) => {
                let replaced = shown.get(&ring.appointment).copied().unwrap_or(0);
                let showing = async { show(&zbus::Connection::session().await?, &ring, replaced).await };
                in_time(showing).await.map(|id| _ = shown.insert(ring.appointment, id))
            }
            Ok(AssistantEvent::AppointmentSettled { appointment, .. }) => match shown.remove(&appointment) {
                Some(id) => in_time(async { close(&zbus::Connection::session().await?, id).await }).await,
                None => Ok(()),
            },
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        if let Err(error) = done {
            tracing::info!(error, "the desktop showed no notification");
        }
    }
}

async fn in_time<T>(asking: impl Future<Output = zbus::Result<T>>) -> Result<T, String> {
    match tokio::time::timeout(TIMEOUT, asking).await {
        Ok(answered) => answered.map_err(|error| error.to_string()),
        Err(_) => Err("it did not answer in time".to_owned()),
    }
}

/// Shows it in place of the notification `replaced`; 0 is none. Returns its number.
async fn show(bus: &zbus::Connection, ring: &Ring, replaced: u32) -> zbus::Result<u32> {
    let title = match ring.kind {
        RingKind::Timer => "Timer",
        RingKind::Alarm => "Alarm",
        RingKind::Reminder => "Reminder",
    };
    // It stays until the user has seen it; the sound is ours.
    let hints = HashMap::from([
        ("urgency", Value::from(2_u8)),
        ("desktop-entry", Value::from("jarvis")),
        ("suppress-sound", Value::from(true)),
    ]);
    let no_actions: &[&str] = &[];
    let (text, never_expires) = (without_markup(&ring.text), 0);
    let arguments = ("Jarvis", replaced, "jarvis", title, text, no_actions, hints, never_expires);
    bus.call_method(Some(SERVICE), PATH, Some(SERVICE), "Notify", &arguments).await?.body().deserialize()
}

async fn close(bus: &zbus::Connection, id: u32) -> zbus::Result<()> {
    bus.call_method(Some(SERVICE), PATH, Some(SERVICE), "CloseNotification", &(id,)).await?;
    Ok(())
}

/// Many desktops read the text as markup.
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use std::sync::Arc;

    use testkit::SessionBus;
    use vocabulary::Language;

    use super::*;

    /// A desktop that writes down what it is asked to show.
    struct Desktop(Arc<Mutex<Vec<String>>>);

    #[zbus::interface(name = "org.freedesktop.Notifications")]
    impl Desktop {
        #[allow(clippy::too_many_arguments, reason = "the interface of the desktop")]
        fn notify(
            &self,
            app: &str,
            replaced: u32,
            _icon: &str,
            title: &str,
            text: &str,
            _actions: Vec<String>,
            _hints: HashMap<String, zbus::zvariant::OwnedValue>,
            _timeout: i32,
        ) -> u32 {
            self.0.lock().push(format!("{app}: {title}: {text} (replaces {replaced})"));
            7
        }

        fn close_notification(&self, id: u32) {
            self.0.lock().push(format!("closed {id}"));
        }
    }

    #[tokio::test]
    async fn ring_is_shown_as_plain_text_and_taken_back() {
        let bus = SessionBus::start().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let desktop = zbus::connection::Builder::address(bus.address()).unwrap();
        let desktop = desktop.name(SERVICE).unwrap().serve_at(PATH, Desktop(Arc::clone(&seen))).unwrap();
        let _desktop = desktop.build().await.unwrap();
        let connection = zbus::connection::Builder::address(bus.address()).unwrap().build().await.unwrap();
        let ring = Ring {
            appointment: 1,
            kind: RingKind::Timer,
            text: "Your <b>tea</b> & egg timer is done.".to_owned().into(),
            language: Language::new("en").unwrap(),
            due_at: jiff::Timestamp::UNIX_EPOCH,
            is_missed: false,
        };

        let id = show(&connection, &ring, 3).await.unwrap();
        close(&connection, id).await.unwrap();

        let expected =
            ["Jarvis: Timer: Your &lt;b&gt;tea&lt;/b&gt; &amp; egg timer is done. (replaces 3)", "closed 7"];
        assert_eq!(*seen.lock(), expected);
    }
}
