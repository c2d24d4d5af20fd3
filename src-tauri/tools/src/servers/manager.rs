//! All servers of tools: started, stopped and described as the settings and the servers change.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use settings::ServerSettings;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::config::{ServerConfig, ServerConfigError, ServerValues, check};
use super::listing::Listing;
use super::pins::{Fingerprint, Pin, PinStore};
use super::prompts::ServerPrompt;
use super::remote_tool::prompts_declaration;
use super::request::ServerRequest;
use super::server_task::{FIRST_LIST_LIMIT, ServerLines, ServerTask};
use super::session::Connections;
use super::sign_in::{self, SignInError, StoredSignIn};
use super::status::{ServerPhase, ServerStatus};
use super::stderr::LastLines;
use super::tool_list::{Surroundings, ToolList};
use crate::name::squashed;
use crate::permissions::Permissions;
use crate::registry::ToolRegistry;

/// Calls that wait for a server. A model asks for a few at once.
const REQUESTS: usize = 16;
/// Lists of tools that wait to be taken over.
const LISTS: usize = 8;

/// All servers of tools.
#[derive(Clone)]
pub struct ToolServers {
    shared: Arc<ManagerState>,
}

/// The ports of the servers.
pub struct ServerPorts {
    /// Remembers how tools are described.
    pub pins: Arc<dyn PinStore>,
    /// Fills what stands in `${…}`.
    pub values: Arc<dyn ServerValues>,
    /// The way to servers.
    pub connections: Connections,
}

struct ManagerState {
    registry: Arc<ToolRegistry>,
    permissions: Arc<Permissions>,
    ports: ServerPorts,
    servers: Mutex<BTreeMap<String, RunningServer>>,
    /// Servers whose settings cannot be used, with the reason.
    refused: Mutex<BTreeMap<String, String>>,
    started: AtomicU64,
    listed: mpsc::Sender<(Listing, oneshot::Sender<()>)>,
    /// Told whenever a status may have changed.
    changed: watch::Sender<()>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

struct RunningServer {
    settings: ServerSettings,
    generation: u64,
    requests: mpsc::Sender<ServerRequest>,
    values_changed: Arc<Notify>,
    phase: watch::Receiver<ServerPhase>,
    lines: LastLines,
    is_signed_in: Arc<AtomicBool>,
    wanted_rights: Arc<Mutex<Vec<String>>>,
    prompts: watch::Receiver<Vec<ServerPrompt>>,
    stop: CancellationToken,
    tools: ToolList,
}

impl ToolServers {
    /// No servers yet. They end when `stop` is cancelled; `tasks` waits for that.
    pub fn new(
        registry: Arc<ToolRegistry>,
        permissions: Arc<Permissions>,
        ports: ServerPorts,
        tasks: &TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        let (listed, lists) = mpsc::channel(LISTS);
        let shared = Arc::new(ManagerState {
            registry,
            permissions,
            ports,
            servers: Mutex::default(),
            refused: Mutex::default(),
            started: AtomicU64::default(),
            listed,
            changed: watch::Sender::new(()),
            tasks: tasks.clone(),
            stop: stop.clone(),
        });
        let agreements = shared.permissions.agreements();
        tasks.spawn(take_over_lists(Arc::clone(&shared), lists, agreements, stop));
        Self { shared }
    }

    /// Takes over the servers of the settings: new and changed ones are started to list their tools, others are left alone,
    /// missing and switched-off ones are ended.
    pub fn configure(&self, settings: &BTreeMap<String, ServerSettings>) {
        let (mut wanted, mut refused) = (BTreeMap::new(), BTreeMap::new());
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        for (name, server) in settings.iter().filter(|(_, server)| server.enabled) {
            // A model mixes up names that differ in case and signs alone.
            let checked = check(name, server).and_then(|()| match names.get(&squashed(name)) {
                Some(other) => {
                    Err(ServerConfigError::SameName { name: name.clone(), other: (*other).to_owned() })
                }
                None => Ok(()),
            });
            match checked {
                Ok(()) => {
                    names.insert(squashed(name), name);
                    wanted.insert(name.clone(), server.clone());
                }
                Err(error) => {
                    tracing::warn!(server = name, %error, "the settings of a server of tools cannot be used");
                    refused.insert(name.clone(), error.to_string());
                }
            }
        }
        *self.shared.refused.lock() = refused;
        self.shared.remove_servers(|name, server| wanted.get(name) != Some(server));
        for (name, server) in wanted {
            if !self.shared.servers.lock().contains_key(&name) {
                self.shared.start(name, server);
            }
        }
        self.shared.changed.send_replace(());
    }

    /// Makes the servers read the values anew that their settings name. Those whose values changed are started anew. Sessions
    /// with servers that may not be contacted any more end.
    pub fn values_changed(&self) {
        for server in self.shared.servers.lock().values() {
            server.values_changed.notify_one();
        }
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

    /// Those of the tools that the user has not allowed again, or forbidden.
    fn still_changed(&self, tools: &[String]) -> Vec<String> {
        let permissions = &self.shared.permissions;
        let waits =
            |tool: &&String| permissions.new_description(tool).is_some_and(|it| !permissions.denies(&it));
        tools.iter().filter(waits).cloned().collect()
    }

    /// All servers, in the order of their names.
    pub fn statuses(&self) -> Vec<ServerStatus> {
        let refused = self.shared.refused.lock().clone();
        let refused = refused.into_iter().map(|(name, reason)| ServerStatus {
            name,
            phase: ServerPhase::Failed(reason),
            is_signed_in: false,
            tools: Vec::new(),
            changed_tools: Vec::new(),
            last_lines: Vec::new(),
        });
        let servers = self.shared.servers.lock();
        let running = servers.iter().map(|(name, server)| ServerStatus {
            name: name.clone(),
            phase: server.phase.borrow().clone(),
            is_signed_in: server.is_signed_in.load(Ordering::Relaxed),
            tools: server.tools.names(),
            changed_tools: self.still_changed(&server.tools.changed),
            last_lines: server.lines.all(),
        });
        let mut all: Vec<ServerStatus> = refused.chain(running).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    }

    /// The prompts that the user can ask for, in the order of the names of their servers. They are known from the last list of
    /// each server, so that no server is asked or started for it. A server whose prompts may not be used has none.
    pub fn prompts(&self) -> Vec<ServerPrompt> {
        let servers = self.shared.servers.lock();
        let may_be_used = |name: &str| !self.shared.permissions.denies(&prompts_declaration(name));
        let usable = servers.iter().filter(|(name, _)| may_be_used(name));
        usable.flat_map(|(_, server)| server.prompts.borrow().clone()).collect()
    }

    /// Signs in at a server with an address: `open` shows its page to the user, who is waited for some minutes. Then its tools
    /// are listed.
    ///
    /// # Errors
    ///
    /// The user is not signed in.
    pub async fn sign_in(
        &self,
        name: &str,
        open: &(dyn Fn(&Url) -> Result<(), String> + Send + Sync),
    ) -> Result<(), SignInError> {
        let stored = self.sign_in_of(name).await?;
        let wanted_rights = {
            let servers = self.shared.servers.lock();
            Arc::clone(&servers.get(name).ok_or(SignInError::NoServer)?.wanted_rights)
        };
        let wanted = wanted_rights.lock().clone();
        let http = &self.shared.ports.connections.http;
        let signing_in = sign_in::sign_in(http, stored, &wanted, open);
        let ended = || SignInError::Failed("Jarvis ends".to_owned());
        self.shared.stop.run_until_cancelled(signing_in).await.unwrap_or_else(|| Err(ended()))?;
        self.value_changed(name);
        Ok(())
    }

    /// Forgets the sign-in at a server, and ends its session.
    ///
    /// # Errors
    ///
    /// The store does not forget it.
    pub async fn sign_out(&self, name: &str) -> Result<(), SignInError> {
        let stored = self.sign_in_of(name).await?;
        let forgotten = tokio::task::spawn_blocking(move || stored.forget()).await;
        forgotten.unwrap_or_else(|panic| Err(panic.to_string())).map_err(SignInError::Failed)?;
        self.value_changed(name);
        Ok(())
    }

    /// The place of a server in the store.
    async fn sign_in_of(&self, name: &str) -> Result<StoredSignIn, SignInError> {
        let settings = self.shared.servers.lock().get(name).map(|server| server.settings.clone());
        let settings = settings.ok_or(SignInError::NoServer)?;
        let (asked, values) = (name.to_owned(), Arc::clone(&self.shared.ports.values));
        let filling = tokio::task::spawn_blocking(move || ServerConfig::new(&asked, &settings, &*values));
        let config = filling.await.map_err(|panic| SignInError::Settings(panic.to_string()))?;
        let config = config.map_err(|error| SignInError::Settings(error.to_string()))?;
        let url = config.sign_in_address().ok_or(SignInError::NoServer)?;
        let store = Arc::clone(&self.shared.ports.connections.sign_ins);
        Ok(StoredSignIn::new(name, url, config.client.clone(), store))
    }

    fn value_changed(&self, name: &str) {
        if let Some(server) = self.shared.servers.lock().get(name) {
            server.values_changed.notify_one();
        }
    }

    /// Changes whenever a status may have changed. No change is missed between two looks at the statuses.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.shared.changed.subscribe()
    }
}

impl ManagerState {
    /// Ends the servers that are out of date, and takes their tools out of the registry.
    fn remove_servers(&self, is_outdated: impl Fn(&str, &ServerSettings) -> bool) {
        // Held to the end: a list of one of them must not come between.
        let mut servers = self.servers.lock();
        servers.retain(|name, server| {
            let keep = !is_outdated(name, &server.settings);
            if !keep {
                server.stop.cancel();
                server.tools.leave(&self.registry);
            }
            keep
        });
    }

    fn start(&self, name: String, settings: ServerSettings) {
        let (requests, asked) = mpsc::channel(REQUESTS);
        let (phase, phases) = watch::channel(ServerPhase::Asleep);
        let (stop, lines) = (self.stop.child_token(), LastLines::default());
        let (values_changed, is_signed_in) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
        let wanted_rights = Arc::<Mutex<Vec<String>>>::default();
        let (prompts, offered) = watch::channel(Vec::new());
        let generation = self.started.fetch_add(1, Ordering::Relaxed);
        let outside = ServerLines {
            requests: asked,
            values_changed: Arc::clone(&values_changed),
            phase,
            lines: lines.clone(),
            is_signed_in: Arc::clone(&is_signed_in),
            wanted_rights: Arc::clone(&wanted_rights),
            prompts,
            listed: self.listed.clone(),
        };
        let (values, connections) = (Arc::clone(&self.ports.values), self.ports.connections.clone());
        let identity = (name.clone(), generation);
        let task = ServerTask::new(identity, settings.clone(), values, connections, outside);
        self.tasks.spawn(task.run(stop.clone()));
        let (changed, watched, ended) =
            (self.changed.clone(), (phases.clone(), offered.clone()), stop.clone());
        self.tasks.spawn(async move {
            ended.run_until_cancelled(tell_changes(watched, changed)).await;
        });
        // The first list starts the server; nobody waits for it.
        let (answer, _) = oneshot::channel();
        let _ = requests.try_send(ServerRequest::List { answer });
        let (phase, tools) = (phases, ToolList::default());
        let server = RunningServer {
            settings,
            generation,
            requests,
            values_changed,
            phase,
            lines,
            is_signed_in,
            wanted_rights,
            prompts: offered,
            stop,
            tools,
        };
        self.servers.lock().insert(name, server);
    }

    /// Puts the tools of a server into the registry, in place of those it had. A list of a server that was ended meanwhile is
    /// dropped, also if another one has its name now.
    fn take_over(&self, listing: Listing) {
        let mut servers = self.servers.lock();
        let Some(server) = servers.get_mut(&listing.server) else { return };
        if server.generation != listing.generation {
            return;
        }
        let RunningServer { tools, requests, .. } = server;
        let to_pin = tools.enter(listing, self.around(requests));
        // A file is written: nobody must wait for the lock meanwhile.
        drop(servers);
        self.pin(to_pin);
    }

    /// Puts tools into the registry as their servers describe them now, if the user agreed to that.
    fn offer_agreed(&self) {
        let mut servers = self.servers.lock();
        let lists = servers.values_mut().map(|RunningServer { tools, requests, .. }| (tools, requests));
        let to_pin = lists.flat_map(|(tools, requests)| tools.enter_again(self.around(requests))).collect();
        drop(servers);
        self.pin(to_pin);
    }

    fn around<'s>(&'s self, requests: &'s mpsc::Sender<ServerRequest>) -> Surroundings<'s> {
        let (registry, permissions, pins) = (&*self.registry, &*self.permissions, &*self.ports.pins);
        Surroundings { registry, permissions, pins, requests }
    }

    /// Remembers descriptions, and tells that statuses may have changed.
    fn pin(&self, descriptions: Vec<(String, Pin)>) {
        if !descriptions.is_empty() {
            self.ports.pins.pin(descriptions);
        }
        self.changed.send_replace(());
    }
}

/// Tells of each change until the task of the server is gone.
async fn tell_changes(
    (mut phase, mut prompts): (watch::Receiver<ServerPhase>, watch::Receiver<Vec<ServerPrompt>>),
    changed: watch::Sender<()>,
) {
    loop {
        let change = tokio::select! {
            change = phase.changed() => change,
            change = prompts.changed() => change,
        };
        if change.is_err() {
            return;
        }
        changed.send_replace(());
    }
}

/// Takes over lists, and descriptions that the user agreed to, until `stop` is cancelled.
async fn take_over_lists(
    shared: Arc<ManagerState>,
    mut lists: mpsc::Receiver<(Listing, oneshot::Sender<()>)>,
    mut agreements: watch::Receiver<BTreeMap<String, Fingerprint>>,
    stop: CancellationToken,
) {
    loop {
        let listed = tokio::select! {
            biased; // An agreement just before the end must not be lost; then the end.
            agreed = agreements.changed() => match agreed {
                Ok(()) => None,
                Err(_) => return,
            },
            () = stop.cancelled() => return,
            listed = lists.recv() => match listed {
                Some(listed) => Some(listed),
                None => return,
            },
        };
        let (shared, (listing, taken)) = (Arc::clone(&shared), listed.unzip());
        // Descriptions are remembered in a file, which must not hold up the runtime.
        let taking_over = tokio::task::spawn_blocking(move || match listing {
            Some(listing) => shared.take_over(listing),
            None => shared.offer_agreed(),
        });
        if let Err(panic) = taking_over.await {
            tracing::error!(%panic, "the tools of a server were not taken over");
        }
        if let Some(taken) = taken {
            // A server that was ended waits no more.
            let _ = taken.send(());
        }
    }
}

#[cfg(test)]
mod tests;
