//! The listener, opened and closed as the settings say.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use assistant::Assistant;
use settings::ProgramsSettings;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::door::Door;
use crate::routes::router;

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
    let mut changes = assistant.settings().subscribe();
    let (sender, settings) = watch::channel(changes.borrow_and_update().programs.clone());
    let door = Door::new(assistant.clone(), settings.clone());
    let follow = async {
        while changes.changed().await.is_ok() {
            let now = changes.borrow_and_update().programs.clone();
            if sender.send_if_modified(|known| std::mem::replace(known, now.clone()) != now) {
                door.configure();
            }
        }
    };
    let listen = async {
        let mut settings = settings;
        loop {
            let now = settings.borrow_and_update().clone();
            let address = address(&now);
            let is_other =
                |new: &ProgramsSettings| (new.enabled, self::address(new)) != (now.enabled, address);
            let other = settings.wait_for(is_other);
            if !now.enabled {
                if other.await.is_err() {
                    return;
                }
                continue;
            }
            match bind(address).await {
                Ok(listener) => {
                    tokio::select! {
                        result = axum::serve(listener, router(Arc::clone(&door))) => {
                            if let Err(error) = result {
                                tracing::error!(%error, "the door for other programs was closed");
                            }
                        }
                        _ = other => {}
                    }
                }
                Err(error) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "other programs cannot ask");
                    if other.await.is_err() {
                        return;
                    }
                }
            }
        }
    };
    tokio::select! {
        () = assistant.ending() => {}
        () = follow => {}
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
    let mut changes = assistant.settings().subscribe();
    let first = changes.borrow_and_update().programs.clone();
    let mut address = address(&first);
    address.set_port(port.unwrap_or(address.port()));
    let listener = bind(address).await?;
    let (sender, settings) = watch::channel(first);
    let door = Door::new(assistant.clone(), settings);
    is_open(listener.local_addr().unwrap_or(address));
    let follow = async {
        while changes.changed().await.is_ok() {
            sender.send_replace(changes.borrow_and_update().programs.clone());
            door.configure();
        }
    };
    tokio::select! {
        () = assistant.ending() => Ok(()),
        () = follow => Ok(()),
        served = axum::serve(listener, router(Arc::clone(&door))) => {
            served.map_err(|source| DoorError { port: address.port(), source })
        }
    }
}

fn address(settings: &ProgramsSettings) -> SocketAddr {
    let host = match settings.from_network {
        true => Ipv4Addr::UNSPECIFIED,
        false => Ipv4Addr::LOCALHOST,
    };
    SocketAddr::from((host, u16::try_from(settings.port).unwrap_or_default()))
}

async fn bind(address: SocketAddr) -> Result<TcpListener, DoorError> {
    let bound = TcpListener::bind(address).await;
    let listener = bound.map_err(|source| DoorError { port: address.port(), source })?;
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
