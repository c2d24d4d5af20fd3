//! Parts follow the settings: each observer tells one part when its own settings changed.

use std::sync::Arc;
use std::time::Duration;

use settings::{BadValue, Settings, SettingsFile};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble};

use crate::command::Command;
use crate::secrets::provider_key::ProviderKey;
use crate::tool_access::tool_servers::ConfiguredServers;

type Observe = dyn FnMut(&Settings) -> Result<(), Trouble> + Send;

/// Follows one part of the settings.
pub(crate) struct SettingsObserver {
    observe: Box<Observe>,
}

impl SettingsObserver {
    /// Calls `apply` with what `select` takes from the settings, whenever that differs from the time before. What holds
    /// now counts as applied.
    pub fn new<T: PartialEq + Send + 'static>(
        now: &Settings,
        select: impl Fn(&Settings) -> T + Send + 'static,
        mut apply: impl FnMut(&T) + Send + 'static,
    ) -> Self {
        let mut last = select(now);
        let observe = move |settings: &Settings| {
            let selected = select(settings);
            if selected != last {
                apply(&selected);
                last = selected;
            }
            Ok(())
        };
        Self { observe: Box::new(observe) }
    }

    /// Follows with a checked configuration. A setting that cannot work leaves the configuration as it was and is
    /// reported; if even the present ones do not work, the defaults hold.
    pub fn config<C: Clone + PartialEq + Send + Sync + 'static>(
        now: &Settings,
        make: fn(&Settings) -> Result<C, String>,
    ) -> (Self, watch::Receiver<C>, Option<Trouble>) {
        let (config, trouble) = match make(now) {
            Ok(config) => (config, None),
            Err(error) => {
                let config = make(&Settings::default()).expect("the default settings work");
                (config, Some(unusable(&error)))
            }
        };
        let (sender, receiver) = watch::channel(config);
        let observe = move |settings: &Settings| {
            let config = make(settings).map_err(|error| unusable(&error))?;
            sender.send_if_modified(|current| {
                let is_new = *current != config;
                *current = config;
                is_new
            });
            Ok(())
        };
        (Self { observe: Box::new(observe) }, receiver, trouble)
    }

    /// Passes the settings on, if they concern this part.
    ///
    /// # Errors
    ///
    /// A setting cannot work; the part runs as before.
    pub fn observe(&mut self, now: &Settings) -> Result<(), Trouble> {
        (self.observe)(now)
    }
}

fn unusable(error: &str) -> Trouble {
    Trouble::new(
        Stage::Settings,
        format!("{error}."),
        "Until it is corrected, the part it belongs to runs as before.",
    )
}

/// The pause between two checks whether another program changed the settings file. A check costs some microseconds.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// A locked keychain asks its user; other settings do not wait longer for it than this.
const KEYCHAIN_TIMEOUT: Duration = Duration::from_secs(20);

/// All observers, and what else makes them look again.
pub(crate) struct SettingsObservers {
    pub observers: Vec<SettingsObserver>,
    /// Read again before the observers run when the provider's settings changed.
    pub key: ProviderKey,
    /// Model files came or went.
    pub models_changed: Arc<Notify>,
    /// A secret was changed.
    pub secret_changed: Arc<Notify>,
    /// Told of changed secrets.
    pub tool_servers: ConfiguredServers,
}

/// Passes every change of the settings on until `stop` is cancelled.
pub(crate) async fn run(
    file: Arc<SettingsFile>,
    mut all: SettingsObservers,
    commands: mpsc::Sender<Command>,
    stop: CancellationToken,
) {
    let (mut settings, mut bad_values) = (file.subscribe(), file.bad_values());
    let mut llm = settings.borrow().llm.clone();
    let mut checks = tokio::time::interval(CHECK_EVERY);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let mut is_key_changed = false;
        tokio::select! {
            () = stop.cancelled() => return,
            changed = settings.changed() => if changed.is_err() { return },
            changed = bad_values.changed() => if changed.is_err() { return },
            () = all.models_changed.notified() => {}
            () = all.secret_changed.notified() => {
                is_key_changed = true;
                all.tool_servers.secret_changed();
            }
            _ = checks.tick() => {
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
            let refreshing = tokio::time::timeout(KEYCHAIN_TIMEOUT, all.key.refresh(&now));
            match stop.run_until_cancelled(refreshing).await {
                None => return,
                Some(Err(_)) => tracing::warn!("the keychain did not give the provider's key in time"),
                Some(Ok(())) => {}
            }
        }
        let mut trouble = trouble_of_values(&bad_values.borrow_and_update());
        for observer in &mut all.observers {
            trouble = observer.observe(&now).err().or(trouble);
        }
        let command = trouble.map_or(Command::Recovered(Stage::Settings), Command::Trouble);
        // A coordinator that has ended needs no news.
        let _ = commands.send(command).await;
    }
}

/// Names the values that cannot be used.
pub(crate) fn trouble_of_values(bad: &[BadValue]) -> Option<Trouble> {
    let sentences: Vec<String> = bad.iter().map(|bad| format!("{bad}.")).collect();
    let remedy = match bad.len() {
        1 => "Correct it in the settings; until then its default is used.",
        _ => "Correct them in the settings; until then their defaults are used.",
    };
    (!bad.is_empty()).then(|| Trouble::new(Stage::Settings, sentences.join(" "), remedy))
}
