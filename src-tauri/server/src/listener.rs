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

/// Time between two rounds of forgetting. Source: a tenth of the life of a conversation.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// The port cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error(
    "port {port} cannot be opened for other programs: choose another one as programs.port in the settings"
)]
pub struct DoorError {
    port: u16,
    source: io::Error,
}

/// Serves other programs as long as the assistant runs, whenever the settings let them ask. A port that cannot be opened is
/// logged and tried again at the next change of the settings.
pub async fn serve(assistant: Assistant) {
    let (sender, mut settings) = known_settings(&assistant);
    let door = Door::new(assistant.clone(), settings.clone());
    let listen = async {
        loop {
            let now = settings.borrow_and_update().clone();
            let address = address(&now);
            let is_other =
                |new: &ProgramsSettings| (new.enabled, self::address(new)) != (now.enabled, address);
            let listener = match now.enabled {
                true => bind(address).map(Some),
                false => Ok(None),
            };
            let served = async {
                match listener {
                    Ok(Some(listener)) => connections::serve(listener, router(Arc::clone(&door))).await,
                    Ok(None) => std::future::pending().await,
                    Err(error) => {
                        tracing::error!(
                            error = &error as &dyn std::error::Error,
                            "other programs cannot ask"
                        );
                        std::future::pending().await
                    }
                }
            };
            tokio::select! {
                () = served => {}
                other = settings.wait_for(is_other) => {
                    if other.is_err() {
                        return;
                    }
                }
            }
        }
    };
    tokio::select! {
        () = assistant.ending() => {}
        () = follow(&assistant, &door, &sender) => {}
        () = forget_old(&door) => {}
        () = listen => {}
    }
}

/// Serves other programs at this port of this machine until the assistant ends, whether the settings let them ask or not.
/// Port 0 finds a free one. `is_open` is told the address.
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
    let mut address = address(&settings.borrow());
    address.set_port(port.unwrap_or(address.port()));
    let listener = bind(address)?;
    let door = Door::new(assistant.clone(), settings);
    is_open(listener.local_addr().unwrap_or(address));
    tokio::select! {
        () = assistant.ending() => {}
        () = follow(&assistant, &door, &sender) => {}
        () = forget_old(&door) => {}
        () = connections::serve(listener, router(Arc::clone(&door))) => {}
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

fn address(settings: &ProgramsSettings) -> SocketAddr {
    let host = match settings.from_network {
        true => Ipv4Addr::UNSPECIFIED,
        false => Ipv4Addr::LOCALHOST,
    };
    SocketAddr::from((host, u16::try_from(settings.port).unwrap_or_default()))
}

fn bind(address: SocketAddr) -> Result<TcpListener, DoorError> {
    let listener = connections::listen(address);
    let listener = listener.map_err(|source| DoorError { port: address.port(), source })?;
    tracing::info!(address = ?listener.local_addr().ok(), "other programs may ask");
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_follows_the_settings() {
        let here = ProgramsSettings::default();
        let network = ProgramsSettings { from_network: true, port: 8000, ..ProgramsSettings::default() };

        assert_eq!(address(&here), SocketAddr::from(([127, 0, 0, 1], 7703)));
        assert_eq!(address(&network), SocketAddr::from((Ipv4Addr::UNSPECIFIED, 8000)));
    }
}
