//! The listener, opened and closed as the settings say.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use assistant::Assistant;
use settings::ProgramsSettings;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::connections;
use crate::door::Door;
use crate::routes::router;
use crate::{satellites, wyoming};

/// Time between two rounds of forgetting. Source: a tenth of the life of a conversation.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// The port cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("port {port} cannot be opened for other programs: choose another one as {setting} in the settings")]
pub struct DoorError {
    port: u16,
    setting: &'static str,
    source: io::Error,
}

/// Serves other programs as long as the assistant runs, whenever the settings let them ask. A port that cannot be opened is
/// logged and tried again at the next change of the settings.
pub async fn serve(assistant: Assistant) {
    let (sender, settings) = known_settings(&assistant);
    let door = Door::new(assistant.clone(), settings.clone());
    let http =
        keep_open(settings.clone(), HTTP, |listener| connections::serve(listener, router(Arc::clone(&door))));
    let wyoming = keep_open(settings.clone(), WYOMING, |listener| wyoming::serve(listener, &assistant));
    tokio::select! {
        () = assistant.ending() => {}
        () = follow(&assistant, &door, &sender) => {}
        () = forget_old(&door) => {}
        () = satellites::serve(&assistant, settings) => {}
        () = http => {}
        () = wyoming => {}
    }
}

/// A port, as the settings describe it.
#[derive(Clone, Copy)]
struct Port {
    /// The setting of its number.
    setting: &'static str,
    /// The address; `None` while it is closed.
    address: fn(&ProgramsSettings) -> Option<SocketAddr>,
}

const HTTP: Port = Port {
    setting: "programs.port",
    address: |settings| settings.enabled.then(|| address(settings, settings.port)),
};

const WYOMING: Port = Port {
    setting: "programs.wyoming_port",
    address: |settings| settings.wyoming.then(|| address(settings, settings.wyoming_port)),
};

/// Serves at a port whenever the settings open it, as long as there are settings.
async fn keep_open<F: Future<Output = ()>>(
    mut settings: watch::Receiver<ProgramsSettings>,
    port: Port,
    serve: impl Fn(TcpListener) -> F,
) {
    loop {
        let address = (port.address)(&settings.borrow_and_update());
        let served = async {
            match address.map(|address| bind(address, port.setting)) {
                Some(Ok(listener)) => serve(listener).await,
                None => std::future::pending().await,
                Some(Err(error)) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "other programs cannot ask");
                    std::future::pending().await
                }
            }
        };
        tokio::select! {
            () = served => {}
            other = settings.wait_for(|new| (port.address)(new) != address) => {
                if other.is_err() {
                    return;
                }
            }
        }
    }
}

/// Serves other programs at this port of this machine until the assistant ends, whether the settings let them ask or not; the
/// port for speech is open if they say so. Port 0 finds a free one. `is_open` is told the address.
///
/// # Errors
///
/// [`DoorError`] when the port cannot be opened.
pub async fn serve_at(
    assistant: Assistant,
    port: Option<u16>,
    is_open: impl FnOnce(SocketAddr),
) -> Result<(), DoorError> {
    let (sender, settings) = known_settings(&assistant);
    let address = {
        let settings = settings.borrow();
        address(&settings, port.map_or(settings.port, u64::from))
    };
    let listener = bind(address, HTTP.setting)?;
    let door = Door::new(assistant.clone(), settings.clone());
    let wyoming = keep_open(settings.clone(), WYOMING, |listener| wyoming::serve(listener, &assistant));
    is_open(listener.local_addr().unwrap_or(address));
    tokio::select! {
        () = assistant.ending() => {}
        () = follow(&assistant, &door, &sender) => {}
        () = forget_old(&door) => {}
        () = satellites::serve(&assistant, settings) => {}
        () = connections::serve(listener, router(Arc::clone(&door))) => {}
        () = wyoming => {}
    }
    Ok(())
}

/// The settings of the door as they are now.
fn known_settings(
    assistant: &Assistant,
) -> (watch::Sender<ProgramsSettings>, watch::Receiver<ProgramsSettings>) {
    watch::channel(assistant.settings().subscribe().borrow().programs.clone())
}

/// Takes over changes of the settings as long as there may be some.
async fn follow(assistant: &Assistant, door: &Door, known: &watch::Sender<ProgramsSettings>) {
    let mut changes = assistant.settings().subscribe();
    loop {
        // The first round takes over what changed since the door was made.
        let now = changes.borrow_and_update().programs.clone();
        if known.send_if_modified(|known| std::mem::replace(known, now.clone()) != now) {
            door.configure();
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// Forgets what no program came back for, as long as there is a door.
async fn forget_old(door: &Door) {
    let mut rounds = tokio::time::interval(FORGET_EVERY);
    loop {
        door.forget_old(rounds.tick().await);
    }
}

fn address(settings: &ProgramsSettings, port: u64) -> SocketAddr {
    let host = match settings.from_network {
        true => Ipv4Addr::UNSPECIFIED,
        false => Ipv4Addr::LOCALHOST,
    };
    SocketAddr::from((host, u16::try_from(port).unwrap_or_default()))
}

fn bind(address: SocketAddr, setting: &'static str) -> Result<TcpListener, DoorError> {
    let listener = connections::listen(address);
    let listener = listener.map_err(|source| DoorError { port: address.port(), setting, source })?;
    tracing::info!(address = ?listener.local_addr().ok(), "other programs may ask");
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_follows_the_settings() {
        let closed = ProgramsSettings::default();
        let here = ProgramsSettings { enabled: true, wyoming: true, ..ProgramsSettings::default() };
        let network = ProgramsSettings { from_network: true, port: 8000, ..here.clone() };
        let both = |settings: &ProgramsSettings| ((HTTP.address)(settings), (WYOMING.address)(settings));
        let at = |host: Ipv4Addr, port: u16| Some(SocketAddr::from((host, port)));

        assert_eq!(both(&closed), (None, None));
        assert_eq!(both(&here), (at(Ipv4Addr::LOCALHOST, 7703), at(Ipv4Addr::LOCALHOST, 10300)));
        assert_eq!(both(&network), (at(Ipv4Addr::UNSPECIFIED, 8000), at(Ipv4Addr::UNSPECIFIED, 10300)));
    }
}
