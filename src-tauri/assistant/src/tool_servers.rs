//! The servers of tools, as the settings name them.

use std::collections::BTreeMap;
use std::sync::Arc;

use secrecy::ExposeSecret;
use settings::{SecretStore, ServerSettings, Settings};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tools::servers::ToolServers;

use crate::secret_names::{SECRET_PREFIX, secret_name};
use crate::views::ToolServerView;

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
    secrets: Arc<dyn SecretStore>,
    requests: mpsc::Receiver<oneshot::Sender<()>>,
}

impl ConfiguredServers {
    /// The servers, and the task that configures them once it runs.
    pub fn new(
        servers: ToolServers,
        settings: watch::Receiver<Settings>,
        secrets: Arc<dyn SecretStore>,
    ) -> (Self, ServersFollower) {
        let (requests, asked) = mpsc::channel(REQUESTS);
        let follower = ServersFollower { servers: servers.clone(), settings, secrets, requests: asked };
        (Self { servers, requests }, follower)
    }

    /// Those that are switched on, in the order of their names.
    pub fn views(&self) -> Vec<ToolServerView> {
        self.servers.statuses().into_iter().map(ToolServerView::from).collect()
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

    /// Changes whenever a view may have changed.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.servers.subscribe()
    }
}

impl ServersFollower {
    /// Configures the servers at each change of the settings and whenever it is asked to, until `stop` is cancelled.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut answer: Option<oneshot::Sender<()>> = None;
        loop {
            let wanted = self.settings.borrow_and_update().mcp.servers.clone();
            self.configure(wanted).await;
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

    /// Hands the servers over, with the values that they name. Off the runtime, because a keychain may take long.
    async fn configure(&self, wanted: BTreeMap<String, ServerSettings>) {
        let (servers, secrets) = (self.servers.clone(), Arc::clone(&self.secrets));
        let configured = tokio::task::spawn_blocking(move || {
            servers.configure(&wanted, &|name| match name.strip_prefix(SECRET_PREFIX) {
                Some(secret) => {
                    secrets.get(&secret_name(secret)).ok()?.map(|value| value.expose_secret().to_owned())
                }
                None => std::env::var(name).ok(),
            });
        });
        if let Err(panic) = configured.await {
            std::panic::resume_unwind(panic.into_panic());
        }
    }
}
