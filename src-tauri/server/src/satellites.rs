//! Satellites: microphones and loudspeakers in other rooms, which speak the Wyoming protocol.
//!
//! They are servers, and we connect to those that the settings name. The protocol has no keys, so a satellite may do what a voice
//! at this machine may, and no more: what is said there is a spoken query, and its answer is heard there.

mod connection; // one satellite: start here
mod away; // those that cannot be reached

use std::time::Duration;

use assistant::Assistant;
use futures::future::join_all;
use settings::ProgramsSettings;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use away::Away;

/// Most satellites. Source: the rooms of a large house; each costs a thread of recognition.
const MAX_SATELLITES: usize = 8;

/// The first wait before a satellite is connected to again. It doubles up to the longest one.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The wait before a satellite that has been away for a while is connected to again.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Serves the satellites of the settings, as long as there are settings.
pub(crate) async fn serve(assistant: &Assistant, mut settings: watch::Receiver<ProgramsSettings>) {
    loop {
        let named = settings.borrow_and_update().satellites.clone();
        let away = Away::default();
        let serving = async {
            let mut addresses: Vec<&String> = Vec::new();
            for address in &named {
                if !addresses.contains(&address) {
                    addresses.push(address);
                }
            }
            if addresses.len() > MAX_SATELLITES {
                tracing::warn!(most = MAX_SATELLITES, "there are more satellites than are served");
                addresses.truncate(MAX_SATELLITES);
            }
            join_all(addresses.into_iter().map(|address| keep_connected(assistant, address, &away))).await;
            // Without satellites there is nothing to do until the settings name one.
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = serving => {}
            other = settings.wait_for(|new| new.satellites != named) => {
                if other.is_err() {
                    return;
                }
            }
        }
        away.forget_all(assistant).await;
    }
}

/// Serves a satellite, and connects to it again whenever it is away.
async fn keep_connected(assistant: &Assistant, address: &str, away: &Away) {
    let mut wait = FIRST_WAIT;
    loop {
        let began = Instant::now();
        let ended = connection::serve(assistant, address, || away.is_back(assistant, address)).await;
        tracing::info!(address, error = &ended as &dyn std::error::Error, "a satellite is away");
        if began.elapsed() > LONGEST_WAIT {
            wait = FIRST_WAIT;
        }
        away.is_away(assistant, address, &ended).await;
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}
