//! The context that all steps of the start share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use models::ModelStore;
use net::Http;
use settings::{LoadedSettings, Settings, SettingsFile};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{Stage, Trouble};

use crate::appointments::late_rings::LateRings;
use crate::builder::AssistantBuilder;
use crate::command::Command;
use crate::secrets::provider_key::ProviderKey;
use crate::settings_observer::{SettingsObserver, trouble_of_values};
use crate::start_error::StartError;

/// The context that all steps of the start share, and the results that they collect.
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
    /// The rings, once the ringer is there.
    pub rings: Arc<LateRings>,
    /// The number of models that servers have fetched for us.
    pub pulled: Arc<AtomicU64>,
    /// Collected: what follows the settings.
    pub observers: Vec<SettingsObserver>,
    /// Collected: what does not work from the start.
    pub troubles: Vec<Trouble>,
}

/// Commands waiting for the coordinator: doors wait when it is full.
const COMMANDS: usize = 32;

impl Startup {
    /// Reads the settings and makes what all steps share. Also returns the settings file, and the commands to obey.
    ///
    /// # Errors
    ///
    /// [`StartError`] if the settings cannot be read or there can be no HTTP client.
    pub async fn new(
        builder: &AssistantBuilder,
    ) -> Result<(Self, Arc<SettingsFile>, mpsc::Receiver<Command>), StartError> {
        let LoadedSettings { file, bad_values, quarantined } =
            SettingsFile::load(&builder.folders.config.join("settings.json"))?;
        let file = Arc::new(file);
        let settings = file.current();
        let mut troubles: Vec<Trouble> = trouble_of_values(&bad_values).into_iter().collect();
        troubles.extend(quarantined.iter().map(|kept| {
            Trouble::new(
                Stage::Settings,
                "The settings file could not be understood, so the defaults hold.",
                format!("It is kept at {}; correct it and put it back.", kept.display()),
            )
        }));
        let (commands, commands_to_obey) = mpsc::channel(COMMANDS);
        let http = builder.http()?;
        // Before any part can send something.
        http.set_offline(settings.web.offline);
        let switched = http.clone();
        let follows_offline = SettingsObserver::new(
            &settings,
            |settings| settings.web.offline,
            move |is_offline| switched.set_offline(*is_offline),
        );
        let startup = Self {
            http,
            store: match &builder.model_files {
                Some(store) => store.clone(),
                None => ModelStore::following_settings(file.subscribe(), builder.folders.models.clone()),
            },
            key: ProviderKey::read(&builder.secrets, &settings).await,
            changes: file.subscribe(),
            settings,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            commands,
            rings: Arc::default(),
            pulled: Arc::default(),
            observers: vec![follows_offline],
            troubles,
        };
        Ok((startup, file, commands_to_obey))
    }

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
