//! What each part runs on, made from the settings anew whenever they change.

use settings::Settings;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble};

use crate::conductor::Command;

/// What a part runs on, following the settings.
///
/// A setting that cannot work leaves the part as it was and is reported.
pub(crate) struct Following<C> {
    make: fn(&Settings) -> Result<C, String>,
    config: watch::Sender<C>,
}

impl<C: PartialEq + Send + Sync + 'static> Following<C> {
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
pub(crate) trait Follower: Send + Sync {
    /// Runs on these settings from now on.
    fn follow(&self, settings: &Settings) -> Result<(), Trouble>;
}

impl<C: PartialEq + Send + Sync + 'static> Follower for Following<C> {
    fn follow(&self, settings: &Settings) -> Result<(), Trouble> {
        Self::follow(self, settings)
    }
}

impl<F: Fn(&Settings) + Send + Sync> Follower for F {
    fn follow(&self, settings: &Settings) -> Result<(), Trouble> {
        self(settings);
        Ok(())
    }
}

/// Passes every change of the settings on until `stop` is cancelled.
pub(crate) async fn run(
    mut settings: watch::Receiver<Settings>,
    followers: Vec<Box<dyn Follower>>,
    commands: mpsc::Sender<Command>,
    stop: CancellationToken,
) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = settings.changed() => if changed.is_err() { return },
        }
        let now = settings.borrow_and_update().clone();
        let mut is_well = true;
        for follower in &followers {
            if let Err(trouble) = follower.follow(&now) {
                is_well = false;
                let _ = commands.send(Command::Trouble(trouble)).await;
            }
        }
        if is_well {
            let _ = commands.send(Command::Recovered(Stage::Settings)).await;
        }
    }
}
