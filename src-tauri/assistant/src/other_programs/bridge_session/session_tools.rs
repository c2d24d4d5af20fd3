//! The servers of tools of a session.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use bridge::{ConfiguredServer, OfferedTools};
use net::Http;
use settings::{ServerSettings, Settings};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::servers::{
    CallLimits, Connections, ServerPhase, ServerPorts, ServerStatus, ServerValues, SignInStore, ToolServers,
};
use tools::{Declaration, PermissionStore, Permissions, ToolRegistry, ToolRunner, ToolsConfig};

use vocabulary::Private;

use super::owner_log::{FindOwner, OwnerLog};
use super::session_pins::SessionPins;

/// The servers of tools, and the choke point for calls.
pub(super) struct SessionTools {
    pub offered: OfferedTools,
    pub runner: ToolRunner,
    servers: ToolServers,
    tasks: TaskTracker,
    logging: JoinHandle<()>,
    stop: CancellationToken,
}

impl SessionTools {
    /// Starts the servers, and waits until each has listed its tools or failed.
    pub async fn open(
        configured: &[ConfiguredServer],
        settings: &Settings,
        http: Http,
        owner: FindOwner,
    ) -> Self {
        let registry = Arc::new(ToolRegistry::new());
        let mut config = ToolsConfig::from(settings);
        config.allowed.extend(always_allowed(configured));
        let permissions = Arc::new(Permissions::new(config, Arc::new(SessionOnly)));
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let ports = ServerPorts {
            pins: Arc::new(SessionPins::read(&owner().folders.data, configured)),
            values: Arc::new(Environment),
            connections: Connections {
                http,
                limits: CallLimits::default(),
                sign_ins: Arc::new(NoSignIns),
                model: None,
            },
        };
        let servers = ToolServers::new(
            Arc::clone(&registry),
            Arc::clone(&permissions),
            ports,
            &tasks,
            stop.child_token(),
        );
        configured.iter().filter(|server| server.is_default && server.is_started).for_each(make_folder);
        let wanted = configured.iter().map(|server| (server.name.clone(), settings_of(server))).collect();
        servers.configure(&wanted);
        servers.refresh().await;
        let offered = OfferedTools::from_catalogue(&registry.catalogue());
        let (log, logging) = OwnerLog::start(owner);
        let runner = ToolRunner::new(registry, permissions, Arc::new(log));
        Self { offered, runner, servers, tasks, logging, stop }
    }

    /// The servers that do not work, and those that describe tools otherwise than before, each as a sentence.
    pub fn problems(&self) -> Vec<String> {
        self.servers.statuses().iter().filter_map(problem).collect()
    }

    /// Ends the servers, and waits until all calls are logged.
    pub async fn close(self) {
        let Self { runner, tasks, logging, stop, .. } = self;
        stop.cancel();
        tasks.close();
        tasks.wait().await;
        // The log ends with the runner.
        drop(runner);
        if let Err(panic) = logging.await {
            tracing::error!(%panic, "the log of the calls did not end cleanly");
        }
    }
}

fn problem(status: &ServerStatus) -> Option<String> {
    let name = &status.name;
    match &status.phase {
        ServerPhase::Failed(reason) => Some(format!("The server {name} does not work: {reason}.")),
        ServerPhase::SignInNeeded => Some(format!(
            "The server {name} needs a sign-in. Give it a header with a key: a session signs in nowhere."
        )),
        _ if status.changed_tools.is_empty() => None,
        _ => Some(format!(
            "The server {name} describes these tools otherwise than before: {}. Each asks before it runs, and the model is told \
             of it in the words before, until you answer \"always\".",
            status.changed_tools.join(", ")
        )),
    }
}

/// The names in the registry of tools that the configuration lets run without a question.
fn always_allowed(configured: &[ConfiguredServer]) -> impl Iterator<Item = String> {
    configured
        .iter()
        .flat_map(|server| server.always_allowed.iter().map(move |tool| format!("{}__{tool}", server.name)))
}

fn settings_of(server: &ConfiguredServer) -> ServerSettings {
    ServerSettings {
        enabled: server.is_started,
        command: server.command.clone(),
        args: server.args.clone(),
        env: server.env.clone(),
        cwd: server.folder.clone().unwrap_or_default(),
        url: server.url.clone(),
        headers: server.headers.clone(),
        ..ServerSettings::default()
    }
}

/// Makes the folder of the default server, which nobody else makes. A failure shows when the server starts.
fn make_folder(server: &ConfiguredServer) {
    let made = server.folder.as_ref().map(std::fs::create_dir_all);
    if let Some(Err(error)) = made {
        tracing::warn!(%error, "the folder of the default server could not be made");
    }
}

/// An "always" holds for the session: the configuration is the user's own file.
struct SessionOnly;

#[async_trait]
impl PermissionStore for SessionOnly {
    async fn allow_always(&self, _: &Declaration) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }
}

/// The values of `${…}` in the user's file: variables of the environment.
struct Environment;

/// Keeps no sign-in: a session of the bridge has no keychain.
struct NoSignIns;

impl SignInStore for NoSignIns {
    fn load(&self, _: &str) -> Result<Option<Private<String>>, String> {
        Ok(None)
    }

    fn save(&self, _: &str, _: Option<Private<String>>) -> Result<(), String> {
        Err("a session of the bridge keeps no sign-in".to_owned())
    }
}

impl ServerValues for Environment {
    fn value(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}
