//! What each part runs on, made from the settings anew whenever they change.

use std::sync::Arc;
use std::time::Duration;

use settings::{BadValue, Settings, SettingsFile};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble};

use crate::conductor::Command;
use crate::language_model::ProviderKey;

/// What a part runs on, following the settings.
///
/// A setting that cannot work leaves the part as it was and is reported.
pub(crate) struct SettingsObserver<C> {
    make: fn(&Settings) -> Result<C, String>,
    config: watch::Sender<C>,
}

impl<C: PartialEq + Send + Sync + 'static> SettingsObserver<C> {
    /// Follows with `make`; `default` is what holds when even the first settings do not work.
    pub fn new(settings: &Settings, make: fn(&Settings) -> Result<C, String>) -> (Self, Option<Trouble>) {
        let (config, trouble) = match make(settings) {
            Ok(config) => (config, None),
            Err(error) => {
                let config = make(&Settings::default()).expect("the default settings work");
                (config, Some(in_trouble(&error)))
            }
        };
        (Self { make, config: watch::Sender::new(config) }, trouble)
    }

    /// What it runs on, now and later.
    pub fn subscribe(&self) -> watch::Receiver<C> {
        self.config.subscribe()
    }

    fn follow(&self, settings: &Settings) -> Result<(), Trouble> {
        let config = (self.make)(settings).map_err(|error| in_trouble(&error))?;
        self.config.send_if_modified(|current| {
            let is_new = *current != config;
            *current = config;
            is_new
        });
        Ok(())
    }
}

fn in_trouble(error: &str) -> Trouble {
    Trouble::new(
        Stage::Settings,
        format!("{error}."),
        "Until it is mended, the part it belongs to runs as before.",
    )
}

/// Something that follows the settings.
pub(crate) trait ObserveSettings: Send + Sync {
    /// Runs on these settings from now on.
    fn follow(&self, settings: &Settings) -> Result<(), Trouble>;
}

impl<C: PartialEq + Send + Sync + 'static> ObserveSettings for SettingsObserver<C> {
    fn follow(&self, settings: &Settings) -> Result<(), Trouble> {
        Self::follow(self, settings)
    }
}

impl<F: Fn(&Settings) + Send + Sync> ObserveSettings for F {
    fn follow(&self, settings: &Settings) -> Result<(), Trouble> {
        self(settings);
        Ok(())
    }
}

/// What other programs write into the file of the settings is taken in so soon. Asking costs some microseconds.
const LOOKS: Duration = Duration::from_secs(1);

/// A keychain that is locked asks its user, for whom other settings should not wait longer.
const KEYCHAIN_PATIENCE: Duration = Duration::from_secs(20);

/// Who follows, and what besides the settings they follow.
pub(crate) struct SettingsObservers {
    pub followers: Vec<Box<dyn ObserveSettings>>,
    /// The secret that some of them need.
    pub key: ProviderKey,
    /// Models came or went.
    pub models_changed: Arc<Notify>,
    /// A secret was changed.
    pub secret_changed: Arc<Notify>,
}

/// Passes every change of the settings on until `stop` is cancelled.
pub(crate) async fn run(
    file: Arc<SettingsFile>,
    of: SettingsObservers,
    commands: mpsc::Sender<Command>,
    stop: CancellationToken,
) {
    let (mut settings, mut bad_values) = (file.subscribe(), file.bad_values());
    let mut llm = settings.borrow().llm.clone();
    let mut looks = tokio::time::interval(LOOKS);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let mut is_key_changed = false;
        tokio::select! {
            () = stop.cancelled() => return,
            changed = settings.changed() => if changed.is_err() { return },
            changed = bad_values.changed() => if changed.is_err() { return },
            () = of.models_changed.notified() => {}
            () = of.secret_changed.notified() => is_key_changed = true,
            _ = looks.tick() => {
                let file = Arc::clone(&file);
                match tokio::task::spawn_blocking(move || file.reread()).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "the settings file was not read again"),
                    Err(panic) => tracing::error!(%panic, "the settings file was not read again"),
                }
                continue;
            }
        }
        let now = settings.borrow_and_update().clone();
        if llm != now.llm || is_key_changed {
            llm.clone_from(&now.llm);
            let asking = tokio::time::timeout(KEYCHAIN_PATIENCE, of.key.refresh(&now));
            match stop.run_until_cancelled(asking).await {
                None => return,
                Some(Err(_)) => tracing::warn!("the keychain did not give the provider's key in time"),
                Some(Ok(())) => {}
            }
        }
        let mut trouble = trouble_of_values(&bad_values.borrow_and_update());
        for follower in &of.followers {
            trouble = follower.follow(&now).err().or(trouble);
        }
        let command = trouble.map_or(Command::Recovered(Stage::Settings), Command::Trouble);
        // A conductor that is gone needs to know nothing.
        let _ = commands.send(command).await;
    }
}

/// Says of values that cannot be used which ones they are.
pub(crate) fn trouble_of_values(bad: &[BadValue]) -> Option<Trouble> {
    let sentences: Vec<String> = bad.iter().map(|bad| format!("{bad}.")).collect();
    let defaults = if bad.len() == 1 { "Its default holds" } else { "Their defaults hold" };
    (!bad.is_empty())
        .then(|| Trouble::new(Stage::Settings, sentences.join(" "), format!("{defaults} until then.")))
}
