//! The life of one server: started when it is needed, one call after the other, ended when it is idle.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolResult, Tool as Described};
use serde_json::{Map, Value};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::config::ServerConfig;
use super::session::{Connections, Session, SessionError};
use super::stderr::LastLines;

/// What is asked of a server.
pub(super) enum ServerRequest {
    /// Call a tool.
    Call {
        tool: String,
        arguments: Map<String, Value>,
        /// The call only reads, so that it may be made once more when the server ended meanwhile.
        can_repeat: bool,
        answer: oneshot::Sender<Result<CallToolResult, SessionError>>,
    },
    /// List the tools anew.
    List { answer: oneshot::Sender<()> },
}

/// Where a server stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerPhase {
    /// It is not running, and starts when a tool of it is called.
    Asleep,
    /// It is being started.
    Starting,
    /// It runs.
    Running,
    /// The last attempt failed, with this reason.
    Failed(String),
}

/// A server, as its user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub phase: ServerPhase,
    /// Full names of its tools.
    pub tools: Vec<String>,
    /// Tools that it describes otherwise than when they were allowed. They ask again.
    pub changed_tools: Vec<String>,
    /// The last lines it wrote beside the protocol.
    pub last_lines: Vec<String>,
}

/// What a server tells of itself.
pub(super) struct ServerTask {
    pub config: ServerConfig,
    pub connections: Connections,
    pub requests: mpsc::Receiver<ServerRequest>,
    /// Where it stands, for the manager.
    pub phase: watch::Sender<ServerPhase>,
    pub lines: LastLines,
    /// Takes the tools whenever they were listed.
    pub listed: mpsc::Sender<(String, Vec<Described>)>,
    tools_changed: Arc<Notify>,
    session: Option<Session>,
}

enum Event {
    Request(ServerRequest),
    ToolsChanged,
    Idle,
    Stopped,
}

impl ServerTask {
    pub fn new(
        config: ServerConfig,
        connections: Connections,
        requests: mpsc::Receiver<ServerRequest>,
        phase: watch::Sender<ServerPhase>,
        lines: LastLines,
        listed: mpsc::Sender<(String, Vec<Described>)>,
    ) -> Self {
        let tools_changed = Arc::default();
        Self { config, connections, requests, phase, lines, listed, tools_changed, session: None }
    }

    /// Runs until `stop` is cancelled or nobody can ask any more.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            match self.next_event(&stop).await {
                Event::Request(ServerRequest::Call { tool, arguments, can_repeat, mut answer }) => {
                    let called = tokio::select! {
                        biased; // A call that waited may have lost its caller: it must not begin.
                        () = stop.cancelled() => break,
                        // The reply was stopped: the drop tells the server.
                        () = answer.closed() => continue,
                        called = self.call(&tool, &arguments, can_repeat) => called,
                    };
                    // The caller may have gone meanwhile.
                    let _ = answer.send(called);
                }
                Event::Request(ServerRequest::List { answer }) => {
                    tokio::select! {
                        () = self.list() => {}
                        () = stop.cancelled() => break,
                    }
                    let _ = answer.send(());
                }
                Event::ToolsChanged => self.list().await,
                Event::Idle => {
                    self.end().await;
                    self.phase.send_replace(ServerPhase::Asleep);
                }
                Event::Stopped => break,
            }
        }
        self.end().await;
    }

    async fn next_event(&mut self, stop: &CancellationToken) -> Event {
        let idle_at =
            self.config.idle_timeout.filter(|_| self.session.is_some()).map(|idle| Instant::now() + idle);
        tokio::select! {
            biased; // The end first: it must not wait behind calls.
            () = stop.cancelled() => Event::Stopped,
            request = self.requests.recv() => request.map_or(Event::Stopped, Event::Request),
            () = self.tools_changed.notified() => Event::ToolsChanged,
            () = sleep_until(idle_at) => Event::Idle,
        }
    }

    /// Calls a tool. A server that ends meanwhile is started once more.
    async fn call(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        can_repeat: bool,
    ) -> Result<CallToolResult, SessionError> {
        let was_running = self.session.is_some();
        match self.call_once(tool, arguments).await {
            Err(SessionError::Ended | SessionError::Unreachable(_)) if was_running && !can_repeat => {
                Err(SessionError::Unknown)
            }
            Err(SessionError::Ended | SessionError::Unreachable(_)) if was_running => {
                tracing::info!(server = self.config.name, "a server of tools ended; it is started once more");
                self.call_once(tool, arguments).await
            }
            called => called,
        }
    }

    async fn call_once(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<CallToolResult, SessionError> {
        let called = self.opened().await?.call(tool.to_owned(), arguments.clone()).await;
        self.keep_or_end(called).await
    }

    /// Lists the tools. A failure stands in the phase.
    async fn list(&mut self) {
        let listed = match self.opened().await {
            Ok(session) => session.tools().await,
            Err(_) => return,
        };
        match self.keep_or_end(listed).await {
            // The manager ends before its servers when everything ends.
            Ok(tools) => drop(self.listed.send((self.config.name.clone(), tools)).await),
            Err(error) => drop(self.phase.send_replace(ServerPhase::Failed(error.to_string()))),
        }
    }

    /// The open session; opens one if there is none.
    async fn opened(&mut self) -> Result<&Session, SessionError> {
        if self.session.as_ref().is_some_and(Session::is_closed) {
            self.end().await;
        }
        if let Err(error) = Session::check_reach(&self.config, &self.connections).await {
            self.end().await;
            self.phase.send_replace(ServerPhase::Failed(error.to_string()));
            return Err(error);
        }
        if self.session.is_none() {
            self.phase.send_replace(ServerPhase::Starting);
            let changed = Arc::clone(&self.tools_changed);
            match Session::open(&self.config, &self.connections, &self.lines, changed).await {
                Ok(session) => {
                    self.session = Some(session);
                    self.phase.send_replace(ServerPhase::Running);
                }
                Err(error) => {
                    tracing::warn!(server = self.config.name, %error, "a server of tools could not be started");
                    self.phase.send_replace(ServerPhase::Failed(error.to_string()));
                    return Err(error);
                }
            }
        }
        self.session.as_ref().ok_or(SessionError::Ended)
    }

    /// Passes an answer on; ends the session if the error says that it is of no more use.
    async fn keep_or_end<T>(&mut self, answer: Result<T, SessionError>) -> Result<T, SessionError> {
        if let Err(error) = &answer
            && error.ends_session()
        {
            self.end().await;
            self.phase.send_replace(ServerPhase::Failed(error.to_string()));
        }
        answer
    }

    async fn end(&mut self) {
        if let Some(session) = self.session.take() {
            session.close().await;
        }
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Waits for a server at the start of the program before its tools are offered without being described.
pub(super) const FIRST_LIST_LIMIT: Duration = Duration::from_secs(45);

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;

    use super::super::config::Transport;
    use super::*;

    #[tokio::test]
    async fn call_whose_caller_is_gone_does_not_start_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("started");
        let transport = Transport::Program {
            command: "touch".into(),
            arguments: vec![mark.to_string_lossy().into_owned()],
            environment: BTreeMap::new(),
        };
        let config = ServerConfig { name: "files".into(), transport, idle_timeout: None };
        let (requests, asked) = mpsc::channel(16);
        for _ in 0..16 {
            let (answer, _) = oneshot::channel();
            let call =
                ServerRequest::Call { tool: "write".into(), arguments: Map::new(), can_repeat: true, answer };
            assert!(requests.try_send(call).is_ok());
        }
        drop(requests);
        let (phase, phases) = watch::channel(ServerPhase::Asleep);
        let (listed, _lists) = mpsc::channel(1);
        let connections = Connections { http: net::Http::new().unwrap() };
        let task = ServerTask::new(config, connections, asked, phase, LastLines::default(), listed);

        task.run(CancellationToken::new()).await;

        assert_eq!((mark.exists(), phases.borrow().clone()), (false, ServerPhase::Asleep));
    }
}
