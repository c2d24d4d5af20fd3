//! Satellites that cannot be reached, as the user is told.

use std::collections::BTreeMap;

use assistant::Assistant;
use parking_lot::Mutex;
use vocabulary::{Stage, Trouble};

use super::connection::SatelliteEnded;

/// Satellites that are away, with the reason.
#[derive(Default)]
pub(super) struct Away(Mutex<BTreeMap<String, String>>);

impl Away {
    /// Tells the user that a satellite is away, once until it is back.
    pub async fn is_away(&self, assistant: &Assistant, address: &str, ended: &SatelliteEnded) {
        let trouble = {
            let mut away = self.0.lock();
            if away.insert(address.to_owned(), ended.to_string()).is_some() {
                return;
            }
            trouble_of(&away)
        };
        if let Some(trouble) = trouble {
            assistant.report(trouble).await;
        }
    }

    /// The satellite is connected.
    pub async fn is_back(&self, assistant: &Assistant, address: &str) {
        let trouble = {
            let mut away = self.0.lock();
            if away.remove(address).is_none() {
                return;
            }
            trouble_of(&away)
        };
        match trouble {
            Some(trouble) => assistant.report(trouble).await,
            None => assistant.report_recovery(Stage::Satellite).await,
        }
    }

    /// No satellite is waited for any more.
    pub async fn forget_all(&self, assistant: &Assistant) {
        if !std::mem::take(&mut *self.0.lock()).is_empty() {
            assistant.report_recovery(Stage::Satellite).await;
        }
    }
}

fn trouble_of(away: &BTreeMap<String, String>) -> Option<Trouble> {
    let (address, reason) = away.iter().next()?;
    let message = match away.len() {
        1 => format!("The satellite {address} is not connected: {reason}."),
        several => format!("{several} satellites are not connected, {address} among them: {reason}."),
    };
    let remedy = "Switch it on, or correct its address in the settings. Jarvis tries again by itself.";
    Some(Trouble::new(Stage::Satellite, message, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_names_a_satellite_and_counts_the_others() {
        let mut away = BTreeMap::from([("hall:10700".to_owned(), "it is off".to_owned())]);
        let one = trouble_of(&away).unwrap().message;
        away.insert("kitchen:10700".to_owned(), "it is off".to_owned());
        let several = trouble_of(&away).unwrap().message;

        assert_eq!(one, "The satellite hall:10700 is not connected: it is off.");
        assert!(several.starts_with("2 satellites are not connected, hall:10700 among them"), "{several}");
    }
}
