//! Sound from elsewhere than the microphone of this machine: streams of programs, and satellites.

use net::{NetError, Purpose};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use vocabulary::{Stage, Trouble};

use super::Assistant;
use crate::command::Command;
use crate::sound_paths::name_spotter::NameSpotter;
use crate::sound_paths::satellite::{SatelliteEvent, SatelliteInput};
use crate::sound_paths::stream_hearing::StreamRefused;

/// The port of a satellite that is named without one. Source: the usual port of satellites in the Wyoming protocol.
const SATELLITE_PORT: u16 = 10_700;

impl Assistant {
    /// Listens for these names of the assistant in a stream of sound, for a program; for all of them if there are none.
    ///
    /// # Errors
    ///
    /// [`StreamRefused`]; then nothing is heard.
    pub fn spot_names(&self, names: &[String], rate_hz: u32) -> Result<NameSpotter, StreamRefused> {
        NameSpotter::open(&self.shared.streams, names, rate_hz)
    }

    /// Opens the way for the sound of a satellite: what is said there is answered there. The events are for the satellite, and
    /// come until the input is dropped.
    ///
    /// # Errors
    ///
    /// [`StreamRefused`]; then nothing is heard.
    pub fn open_satellite(&self) -> Result<(SatelliteInput, mpsc::Receiver<SatelliteEvent>), StreamRefused> {
        self.shared.satellites.open()
    }

    /// Connects to a satellite of the settings: a name or an address, and a port.
    ///
    /// # Errors
    ///
    /// [`NetError`] if it cannot be reached, or nothing may be sent to other machines.
    pub async fn connect_satellite(&self, address: &str) -> Result<TcpStream, NetError> {
        let (host, port) = address_parts(address);
        self.shared.http.for_purpose(Purpose::Satellite).connect(&host, port).await
    }

    /// Tells the user about a trouble of a door.
    pub async fn report(&self, trouble: Trouble) {
        let _ = self.shared.commands.send(Command::Trouble(trouble)).await;
    }

    /// Tells the user that this works again.
    pub async fn report_recovery(&self, stage: Stage) {
        let _ = self.shared.commands.send(Command::Recovered(stage)).await;
    }

    /// The wake word and its other spellings, in lower case; the wake word comes first.
    pub fn wake_names(&self) -> Vec<String> {
        let listening = self.shared.streams.listening.borrow();
        let name = listening.wake_word.name().to_owned();
        let aliases = listening.wake_word.names().iter().filter(|alias| **alias != name).cloned();
        std::iter::once(name.clone()).chain(aliases).collect()
    }
}

/// The host and the port of an address as it is written in the settings.
fn address_parts(address: &str) -> (String, u16) {
    let address = address.trim();
    let is_one_host = |host: &str| !host.contains(':') || host.starts_with('[') && host.ends_with(']');
    let parts = address.rsplit_once(':').filter(|(host, _)| is_one_host(host));
    if let Some((host, port)) = parts
        && let Ok(port) = port.parse()
    {
        return (host.to_owned(), port);
    }
    let is_bare_v6 = address.parse::<std::net::Ipv6Addr>().is_ok();
    (if is_bare_v6 { format!("[{address}]") } else { address.to_owned() }, SATELLITE_PORT)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name(" kitchen.local:10701 ", "kitchen.local", 10701)]
    #[case::usual_port("kitchen.local", "kitchen.local", 10700)]
    #[case::address("192.168.1.7:80", "192.168.1.7", 80)]
    #[case::sixth_version("[fe80::1]:80", "[fe80::1]", 80)]
    #[case::sixth_version_without_a_port("fe80::1", "[fe80::1]", 10700)]
    fn address_has_a_host_and_a_port(#[case] address: &str, #[case] host: &str, #[case] port: u16) {
        assert_eq!(address_parts(address), (host.to_owned(), port));
    }
}
