//! What all steps of the start share.

use models::ModelStore;
use net::Http;
use settings::Settings;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::Trouble;

use crate::command::Command;
use crate::provider_key::ProviderKey;
use crate::settings_observer::SettingsObserver;

/// What all steps of the start share, and what they collect.
pub(super) struct Startup {
    /// The settings as they are at the start.
    pub settings: Settings,
    /// The settings from now on.
    pub changes: watch::Receiver<Settings>,
    pub http: Http,
    pub store: ModelStore,
    pub key: ProviderKey,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
    pub commands: mpsc::Sender<Command>,
    /// Collected: what follows the settings.
    pub observers: Vec<SettingsObserver>,
    /// Collected: what does not work from the start.
    pub troubles: Vec<Trouble>,
}

impl Startup {
    /// A checked configuration that follows the settings.
    pub fn follow<C: Clone + PartialEq + Send + Sync + 'static>(
        &mut self,
        make: fn(&Settings) -> Result<C, String>,
    ) -> watch::Receiver<C> {
        let (observer, config, trouble) = SettingsObserver::config(&self.settings, make);
        self.troubles.extend(trouble);
        self.observers.push(observer);
        config
    }
}
