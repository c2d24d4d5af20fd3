//! All servers of tools: started, stopped and described as the settings and the servers change.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::Tool as Described;
use settings::ServerSettings;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::config::{Lookup, ServerConfig};
use super::pins::{PinStore, fingerprint};
use super::remote_tool::{ServerTool, declaration_of};
use super::server_task::{FIRST_LIST_LIMIT, ServerPhase, ServerRequest, ServerStatus, ServerTask};
use super::session::Connections;
use super::stderr::LastLines;
use crate::permissions::Permissions;
use crate::registry::ToolRegistry;
use crate::tool::Tool;

/// Calls that wait for a server. A model asks for a few at once.
const REQUESTS: usize = 16;
/// Lists of tools that wait to be taken over.
const LISTS: usize = 8;

/// All servers of tools.
#[derive(Clone)]
pub struct ToolServers {
    shared: Arc<Shared>,
}

struct Shared {
    registry: Arc<ToolRegistry>,
    permissions: Arc<Permissions>,
    pins: Arc<dyn PinStore>,
    connections: Connections,
    servers: Mutex<BTreeMap<String, RunningServer>>,
    /// Servers whose settings cannot be used, with the reason.
    refused: Mutex<BTreeMap<String, String>>,
    listed: mpsc::Sender<(String, Vec<Described>)>,
    /// Told whenever a status may have changed.
    changed: watch::Sender<()>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

struct RunningServer {
    config: ServerConfig,
    requests: mpsc::Sender<ServerRequest>,
    phase: watch::Receiver<ServerPhase>,
    lines: LastLines,
    stop: CancellationToken,
    /// Full names of its tools in the registry.
    tools: Vec<String>,
    changed_tools: Vec<String>,
}

impl ToolServers {
    /// No servers yet. They end when `stop` is cancelled; `tasks` waits for that.
    pub fn new(
        registry: Arc<ToolRegistry>,
        permissions: Arc<Permissions>,
        pins: Arc<dyn PinStore>,
        connections: Connections,
        tasks: &TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        let (listed, lists) = mpsc::channel(LISTS);
        let shared = Arc::new(Shared {
            registry,
            permissions,
            pins,
            connections,
            servers: Mutex::default(),
            refused: Mutex::default(),
            listed,
            changed: watch::Sender::new(()),
            tasks: tasks.clone(),
            stop: stop.clone(),
        });
        tasks.spawn(take_over_lists(Arc::clone(&shared), lists, stop));
        Self { shared }
    }

    /// Takes over the servers of the settings: new and changed ones are started to list their tools, others are left alone,
    /// missing and switched-off ones are ended. `lookup` fills what stands in `${…}`.
    pub fn configure(&self, settings: &BTreeMap<String, ServerSettings>, lookup: Lookup<'_>) {
        let mut wanted = BTreeMap::new();
        let mut refused = BTreeMap::new();
        for (name, server) in settings.iter().filter(|(_, server)| server.enabled) {
            match ServerConfig::new(name, server, lookup) {
                Ok(config) => drop(wanted.insert(name.clone(), config)),
                Err(error) => {
                    tracing::warn!(server = name, %error, "the settings of a server of tools cannot be used");
                    refused.insert(name.clone(), error.to_string());
                }
            }
        }
        *self.shared.refused.lock() = refused;
        let gone = self.shared.remove_servers(|name, config| wanted.get(name) != Some(config));
        let names: Vec<&str> = gone.iter().map(String::as_str).collect();
        self.shared.registry.remove(&names);
        for (name, config) in wanted {
            if !self.shared.servers.lock().contains_key(&name) {
                self.shared.start(config);
            }
        }
        self.shared.changed.send_replace(());
    }

    /// Lists the tools of all servers anew, and waits for them.
    pub async fn refresh(&self) -> Vec<ServerStatus> {
        let senders: Vec<_> =
            self.shared.servers.lock().values().map(|server| server.requests.clone()).collect();
        let listing = senders.into_iter().map(async |requests| {
            let (answer, answered) = oneshot::channel();
            if requests.send(ServerRequest::List { answer }).await.is_ok() {
                // A server that does not answer shows in its status.
                let _ = tokio::time::timeout(FIRST_LIST_LIMIT, answered).await;
            }
        });
        futures::future::join_all(listing).await;
        self.statuses()
    }

    /// All servers, in the order of their names.
    pub fn statuses(&self) -> Vec<ServerStatus> {
        let refused = self.shared.refused.lock().clone();
        let refused = refused.into_iter().map(|(name, reason)| ServerStatus {
            name,
            phase: ServerPhase::Failed(reason),
            tools: Vec::new(),
            changed_tools: Vec::new(),
            last_lines: Vec::new(),
        });
        let servers = self.shared.servers.lock();
        let running = servers.iter().map(|(name, server)| ServerStatus {
            name: name.clone(),
            phase: server.phase.borrow().clone(),
            tools: server.tools.clone(),
            changed_tools: server.changed_tools.clone(),
            last_lines: server.lines.all(),
        });
        let mut all: Vec<ServerStatus> = refused.chain(running).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    }

    /// Changes whenever a status may have changed. No change is missed between two looks at the statuses.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.shared.changed.subscribe()
    }
}

impl Shared {
    /// Ends the servers that are out of date. Returns the names of their tools.
    fn remove_servers(&self, is_outdated: impl Fn(&str, &ServerConfig) -> bool) -> Vec<String> {
        let mut tools = Vec::new();
        self.servers.lock().retain(|name, server| {
            let keep = !is_outdated(name, &server.config);
            if !keep {
                server.stop.cancel();
                tools.append(&mut server.tools);
            }
            keep
        });
        tools
    }

    fn start(&self, config: ServerConfig) {
        let (requests, asked) = mpsc::channel(REQUESTS);
        let (phase, phases) = watch::channel(ServerPhase::Asleep);
        let (stop, lines, name) = (self.stop.child_token(), LastLines::default(), config.name.clone());
        let task = ServerTask::new(
            config.clone(),
            self.connections.clone(),
            asked,
            phase,
            lines.clone(),
            self.listed.clone(),
        );
        self.tasks.spawn(task.run(stop.clone()));
        let (changed, mut watched, ended) = (self.changed.clone(), phases.clone(), stop.clone());
        self.tasks.spawn(async move {
            while let Some(Ok(())) = ended.run_until_cancelled(watched.changed()).await {
                changed.send_replace(());
            }
        });
        // The first list starts the server; nobody waits for it.
        let (answer, _) = oneshot::channel();
        let _ = requests.try_send(ServerRequest::List { answer });
        let server = RunningServer {
            config,
            requests,
            phase: phases,
            lines,
            stop,
            tools: Vec::new(),
            changed_tools: Vec::new(),
        };
        self.servers.lock().insert(name, server);
    }

    /// Puts the tools of a server into the registry, in place of those it had.
    fn take_over(&self, server: &str, described: &[Described]) {
        let declarations: Vec<_> =
            described.iter().filter_map(|tool| Some((declaration_of(server, tool)?, tool))).collect();
        let mut servers = self.servers.lock();
        let Some(running) = servers.get_mut(server) else { return };
        let mut changed_tools = Vec::new();
        let mut tools: BTreeMap<String, Arc<dyn Tool>> = BTreeMap::new();
        for (declaration, tool) in declarations {
            let (name, now) = (declaration.name.clone(), fingerprint(&declaration));
            match self.pins.pinned(&name) {
                Some(before) if before != now => {
                    tracing::warn!(
                        tool = name,
                        "a server describes its tool otherwise than before; it asks again"
                    );
                    self.permissions.suspend(&name);
                    changed_tools.push(name.clone());
                }
                Some(_) => {}
                None => self.pins.pin(&name, now),
            }
            let tool = ServerTool::new(declaration, tool.name.to_string(), running.requests.clone());
            // Of two tools with one name the first counts.
            tools.entry(name).or_insert_with(|| Arc::new(tool));
        }
        let before: Vec<&str> = running.tools.iter().map(String::as_str).collect();
        self.registry.remove(&before);
        running.tools = tools.keys().cloned().collect();
        running.changed_tools = changed_tools;
        if let Err(error) = self.registry.add(tools.into_values()) {
            tracing::warn!(server, %error, "the tools of a server were not registered");
            running.tools.clear();
        }
        drop(servers);
        self.changed.send_replace(());
    }
}

async fn take_over_lists(
    shared: Arc<Shared>,
    mut lists: mpsc::Receiver<(String, Vec<Described>)>,
    stop: CancellationToken,
) {
    while let Some(Some((server, tools))) = stop.run_until_cancelled(lists.recv()).await {
        shared.take_over(&server, &tools);
    }
}
