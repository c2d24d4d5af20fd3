//! The place where this computer is, as the desktop tells it, while the settings name no place and allow to ask.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use places::Place;
use replying::ReplyingConfig;
use settings::Settings;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::desktop::{LocationError, LocationService, Position};
use tools::web::weather::{Coordinates, UserPlace};

use crate::views::LocationView;

/// The pause between two questions to the desktop. Source: docs/behaviour/tools.md#place-and-time.
const ASK_EVERY: Duration = Duration::from_secs(60 * 60);

/// The longest time that a weather question waits for the first position. Our own choice: as long as a service may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Knowledge about the place of this computer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FoundPlace {
    /// The desktop is not to be asked.
    NotAsked,
    /// It has been asked for the first time.
    Looking,
    /// A position, and the town near it.
    Found(Position, Option<Place>),
    /// It told none.
    Failed(LocationError),
}

impl FoundPlace {
    /// The town, as a model is told.
    fn label(&self) -> Option<String> {
        match self {
            Self::Found(_, Some(place)) => Some(place.label()),
            Self::Found(_, None) | Self::NotAsked | Self::Looking | Self::Failed(_) => None,
        }
    }
}

impl From<FoundPlace> for LocationView {
    fn from(found: FoundPlace) -> Self {
        match found {
            FoundPlace::NotAsked => Self::NotAsked,
            FoundPlace::Looking => Self::Looking,
            FoundPlace::Found(_, Some(place)) => Self::Found { place: place.label() },
            FoundPlace::Found(_, None) => Self::Failed {
                reason: "There is no town near this computer. Weather works; choose a place for the rest."
                    .to_owned(),
            },
            FoundPlace::Failed(error) => Self::Failed { reason: error.to_string() },
        }
    }
}

/// The place of this computer. Clones share it.
#[derive(Clone)]
pub(crate) struct UserLocation {
    found: watch::Receiver<FoundPlace>,
    again: Arc<Notify>,
}

/// The settings that decide whether the desktop is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    Nothing,
    Offline,
    Ask,
}

impl From<&Settings> for Wish {
    fn from(settings: &Settings) -> Self {
        if !settings.location.from_desktop || !settings.location.place.trim().is_empty() {
            Self::Nothing
        } else if settings.web.offline {
            Self::Offline
        } else {
            Self::Ask
        }
    }
}

impl UserLocation {
    /// Begins to follow the settings, until `stop` is cancelled.
    pub fn follow(
        service: Arc<dyn LocationService>,
        settings: watch::Receiver<Settings>,
        tasks: &TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        let wish = Wish::from(&*settings.borrow());
        let (sender, found) = watch::channel(before_asking(wish));
        let again = Arc::new(Notify::new());
        let task = Task { service, settings, found: sender, again: Arc::clone(&again) };
        tasks.spawn(async move { stop.run_until_cancelled(task.run()).await });
        Self { found, again }
    }

    /// Knowledge as it is now.
    pub fn current(&self) -> FoundPlace {
        self.found.borrow().clone()
    }

    /// Asks the desktop once more, if it may be asked.
    pub fn ask_again(&self) {
        self.again.notify_one();
    }

    /// The configuration of replies with the town that was found, now and after each change, until `stop` is cancelled.
    pub fn complete_all(
        &self,
        mut config: watch::Receiver<ReplyingConfig>,
        tasks: &TaskTracker,
        stop: CancellationToken,
    ) -> watch::Receiver<ReplyingConfig> {
        let mut found = self.found.clone();
        let completed =
            |config: &ReplyingConfig, found: &FoundPlace| config.clone().with_found_place(found.label());
        let (sender, receiver) = watch::channel(completed(&config.borrow(), &found.borrow()));
        let follow = async move {
            loop {
                let changed = tokio::select! {
                    changed = config.changed() => changed,
                    changed = found.changed() => changed,
                };
                if changed.is_err() {
                    return;
                }
                let now = completed(&config.borrow_and_update(), &found.borrow_and_update());
                sender.send_if_modified(|current| {
                    let is_new = *current != now;
                    *current = now;
                    is_new
                });
            }
        };
        tasks.spawn(async move { stop.run_until_cancelled(follow).await });
        receiver
    }

    /// `config` with the town that was found.
    pub fn complete(&self, config: ReplyingConfig) -> ReplyingConfig {
        config.with_found_place(self.found.borrow().label())
    }
}

#[async_trait]
impl UserPlace for UserLocation {
    async fn coordinates(&self) -> Option<Coordinates> {
        let mut found = self.found.clone();
        let looked = found.wait_for(|found| *found != FoundPlace::Looking);
        let found = tokio::time::timeout(PATIENCE, looked).await.ok()?.ok()?.clone();
        let FoundPlace::Found(Position { latitude, longitude }, place) = found else {
            return None;
        };
        let named = |name: fn(&Place) -> &str| place.as_ref().map(name).unwrap_or_default().to_owned();
        Some(Coordinates {
            latitude: as_precise_as_a_town(latitude),
            longitude: as_precise_as_a_town(longitude),
            city: named(|place| place.name),
            region: named(|place| place.region),
            country: named(|place| place.country),
        })
    }
}

/// The angle in tenths of a degree, about 11 km: a weather service needs no more and learns no more.
fn as_precise_as_a_town(degrees: f64) -> f64 {
    (degrees * 10.0).round() / 10.0
}

fn before_asking(wish: Wish) -> FoundPlace {
    match wish {
        Wish::Nothing => FoundPlace::NotAsked,
        Wish::Offline => FoundPlace::Failed(LocationError::Offline),
        Wish::Ask => FoundPlace::Looking,
    }
}

struct Task {
    service: Arc<dyn LocationService>,
    settings: watch::Receiver<Settings>,
    found: watch::Sender<FoundPlace>,
    again: Arc<Notify>,
}

impl Task {
    async fn run(mut self) {
        loop {
            let wish = Wish::from(&*self.settings.borrow_and_update());
            let asking = async {
                match wish {
                    Wish::Ask => self.ask_for_ever().await,
                    Wish::Nothing | Wish::Offline => {
                        self.found.send_replace(before_asking(wish));
                        std::future::pending().await
                    }
                }
            };
            let mut settings = self.settings.clone();
            tokio::select! {
                // An error means that there are no settings any more: the assistant ends.
                changed = settings.wait_for(|settings| Wish::from(settings) != wish) => if changed.is_err() { return },
                () = asking => {}
            }
        }
    }

    /// Asks now, every hour, and whenever it is wanted.
    async fn ask_for_ever(&self) {
        loop {
            self.found.send_if_modified(|found| {
                let is_unknown = !matches!(found, FoundPlace::Found(..));
                if is_unknown {
                    *found = FoundPlace::Looking;
                }
                is_unknown
            });
            match self.service.position().await {
                Ok(position) => self.found_at(position).await,
                Err(error) => self.failed(error),
            }
            let wanted = self.again.notified();
            // No time for the next question has come, or the user could not wait for it: both mean to ask again.
            let _ = tokio::time::timeout(ASK_EVERY, wanted).await;
        }
    }

    async fn found_at(&self, position: Position) {
        // The first search reads the list of places.
        let searching =
            tokio::task::spawn_blocking(move || places::nearest(position.latitude, position.longitude));
        let place = searching.await.ok().flatten();
        self.found.send_replace(FoundPlace::Found(position, place));
    }

    /// A place that was found stays, unless the user does not allow it any more.
    fn failed(&self, error: LocationError) {
        tracing::info!(%error, "the desktop tells no location");
        self.found.send_if_modified(|found| {
            let stays = matches!(found, FoundPlace::Found(..)) && error != LocationError::Refused;
            if !stays {
                *found = FoundPlace::Failed(error);
            }
            !stays
        });
    }
}

#[cfg(test)]
mod tests;
