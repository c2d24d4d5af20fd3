//! The servers of tools, as the settings name them.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use settings::{SecretStore, Settings};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tools::servers::{ServerValues, SignInError, SignInStore, ToolServers};
use url::Url;
use vocabulary::Private;

use crate::secrets::long_secrets;
use crate::secrets::secret_names::{SECRET_PREFIX, secret_name, sign_in_name};
use crate::views::{ServerPromptView, ToolServerView};

/// Requests that wait to be taken over: one for each window or program that looks again.
const REQUESTS: usize = 8;

/// The servers of tools that the settings name. Clones share them.
#[derive(Clone)]
pub(crate) struct ConfiguredServers {
    servers: ToolServers,
    requests: mpsc::Sender<oneshot::Sender<()>>,
}

/// The task that hands the settings to the servers.
pub(crate) struct ServersFollower {
    servers: ToolServers,
    settings: watch::Receiver<Settings>,
    requests: mpsc::Receiver<oneshot::Sender<()>>,
}

impl ConfiguredServers {
    /// The servers, and the task that configures them once it runs.
    pub fn new(servers: ToolServers, settings: watch::Receiver<Settings>) -> (Self, ServersFollower) {
        let (requests, asked) = mpsc::channel(REQUESTS);
        let follower = ServersFollower { servers: servers.clone(), settings, requests: asked };
        (Self { servers, requests }, follower)
    }

    /// Those that are switched on, in the order of their names.
    pub fn views(&self) -> Vec<ToolServerView> {
        self.servers.statuses().into_iter().map(ToolServerView::from).collect()
    }

    /// The prompts that the user can ask for, as the servers listed them last.
    pub fn prompts(&self) -> Vec<ServerPromptView> {
        self.servers.prompts().into_iter().map(ServerPromptView::from).collect()
    }

    /// Reads the values anew that the settings name, lists the tools of all servers, and waits for them.
    pub async fn refresh(&self) -> Vec<ToolServerView> {
        let (done, is_done) = oneshot::channel();
        if self.requests.send(done).await.is_ok() {
            // A task that ended configures nothing any more.
            let _ = is_done.await;
        }
        self.servers.refresh().await.into_iter().map(ToolServerView::from).collect()
    }

    /// Starts the servers anew whose settings name a secret that was changed.
    pub fn secret_changed(&self) {
        self.servers.values_changed();
    }

    /// Signs in at a server: `open` shows its page to the user, who is waited for.
    pub async fn sign_in(
        &self,
        name: &str,
        open: &(dyn Fn(&Url) -> Result<(), String> + Send + Sync),
    ) -> Result<(), SignInError> {
        self.servers.sign_in(name, open).await
    }

    /// Forgets the sign-in at a server.
    pub async fn sign_out(&self, name: &str) -> Result<(), SignInError> {
        self.servers.sign_out(name).await
    }

    /// Changes whenever a view may have changed.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.servers.subscribe()
    }
}

impl ServersFollower {
    /// Configures the servers at each change of the settings and whenever it is asked to, until `stop` is cancelled.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut answer: Option<oneshot::Sender<()>> = None;
        let mut was_offline = self.settings.borrow().web.offline;
        loop {
            let (wanted, is_offline) = {
                let settings = self.settings.borrow_and_update();
                (settings.mcp.servers.clone(), settings.web.offline)
            };
            self.servers.configure(&wanted);
            if is_offline && !was_offline {
                self.servers.values_changed();
            }
            was_offline = is_offline;
            if let Some(answer) = answer.take() {
                // A window that was closed does not wait any more.
                let _ = answer.send(());
            }
            answer = tokio::select! {
                biased; // The end first.
                () = stop.cancelled() => return,
                changed = self.settings.changed() => match changed {
                    Ok(()) => None,
                    Err(_) => return,
                },
                Some(answer) = self.requests.recv() => Some(answer),
            };
        }
    }
}

/// The sign-ins at servers, in the keychain.
pub(crate) struct StoredSignIns(pub Arc<dyn SecretStore>);

impl SignInStore for StoredSignIns {
    fn load(&self, server: &str) -> Result<Option<Private<String>>, String> {
        let stored = long_secrets::get(&*self.0, &sign_in_name(server)).map_err(|error| error.to_string())?;
        Ok(stored.map(|text| Private(text.expose_secret().to_owned())))
    }

    fn save(&self, server: &str, sign_in: Option<Private<String>>) -> Result<(), String> {
        let name = sign_in_name(server);
        let saved = match sign_in {
            Some(Private(text)) => long_secrets::set(&*self.0, &name, &SecretString::from(text)),
            None => long_secrets::delete(&*self.0, &name),
        };
        saved.map_err(|error| error.to_string())
    }
}

/// The values for `${…}` in the settings of a server.
pub(crate) struct StoredValues(pub Arc<dyn SecretStore>);

impl ServerValues for StoredValues {
    fn value(&self, name: &str) -> Option<String> {
        match name.strip_prefix(SECRET_PREFIX) {
            Some(secret) => {
                self.0.get(&secret_name(secret)).ok()?.map(|value| value.expose_secret().to_owned())
            }
            None => std::env::var(name).ok(),
        }
    }
}
