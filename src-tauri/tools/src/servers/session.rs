//! An open connection to a server.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use net::Http;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    Tool as RemoteTool,
};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient, ServiceError, ServiceExt};
use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::command::{Surroundings, path_beside, resolve_command};
use super::config::{ServerConfig, Transport};
use super::stderr::LastLines;

/// How long a server may take to start. Source: behaviour reference, section 4.12.
const START_LIMIT: Duration = Duration::from_secs(30);
/// How long a call may take, without the start. Same source.
pub(super) const CALL_LIMIT: Duration = Duration::from_secs(120);
/// How long a server may take to end when it is asked to.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);

/// How servers are reached.
#[derive(Clone)]
pub struct Connections {
    /// For servers with an address.
    pub http: Http,
}

/// Why a server could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SessionError {
    #[error("the program {0} was not found: install it, or write its full path")]
    NoProgram(String),
    #[error("the program could not be started: {0}")]
    NotStarted(String),
    #[error("the server did not answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    #[error("the server ended")]
    Ended,
    /// A call that changes something was under way, so that it is not made again.
    #[error(
        "the server ended during the call, and it is not known if it was done; ask the user before you repeat it"
    )]
    Unknown,
    #[error("the server could not be reached: {0}")]
    Unreachable(String),
    /// An error that the server reports itself; it is still there.
    #[error("the server reported: {0}")]
    Reported(String),
}

impl SessionError {
    /// Returns `true` if the session is of no more use.
    pub fn ends_session(&self) -> bool {
        !matches!(self, Self::Reported(_))
    }
}

/// What the server is told of us, and what it may tell us.
struct Handler {
    tools_changed: Arc<Notify>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("Jarvis", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }
}

/// An open connection.
pub(super) struct Session {
    service: RunningService<RoleClient, Handler>,
}

impl Session {
    /// Starts the server or connects to it, within half a minute.
    pub async fn open(
        config: &ServerConfig,
        connections: &Connections,
        lines: &LastLines,
        tools_changed: Arc<Notify>,
    ) -> Result<Self, SessionError> {
        let opening = async {
            let handler = Handler { tools_changed };
            let service = match &config.transport {
                Transport::Program { command, arguments, environment } => {
                    let process = start(command, arguments, environment.iter(), lines)?;
                    handler.serve(process).await
                }
                Transport::Http { url, headers } => {
                    let transport = connect(&connections.http, url, headers).await?;
                    handler.serve(transport).await
                }
            };
            let service = service.map_err(|error| SessionError::Unreachable(error.to_string()))?;
            Ok(Self { service })
        };
        tokio::time::timeout(START_LIMIT, opening).await.map_err(|_| SessionError::TimedOut(START_LIMIT))?
    }

    /// All tools of the server.
    pub async fn tools(&self) -> Result<Vec<RemoteTool>, SessionError> {
        let listing = self.service.list_all_tools();
        within(START_LIMIT, listing).await
    }

    /// Calls a tool. A drop tells the server that nobody waits any more.
    pub async fn call(
        &self,
        tool: String,
        arguments: Map<String, Value>,
    ) -> Result<CallToolResult, SessionError> {
        let parameters = CallToolRequestParams::new(tool).with_arguments(arguments);
        within(CALL_LIMIT, self.service.call_tool(parameters)).await
    }

    /// Checks that the server may still be contacted: the user may have switched the network off meanwhile.
    pub async fn check_reach(config: &ServerConfig, connections: &Connections) -> Result<(), SessionError> {
        match &config.transport {
            Transport::Program { .. } => Ok(()),
            Transport::Http { url, .. } => allowed_client(&connections.http, url).await.map(|_| ()),
        }
    }

    /// Returns `true` if the server is gone.
    pub fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.is_transport_closed()
    }

    /// Ends the server: asks it first, then kills it.
    pub async fn close(mut self) {
        if let Err(error) = self.service.close_with_timeout(CLOSE_LIMIT).await {
            tracing::debug!(%error, "a server of tools did not end cleanly");
        }
    }
}

async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, ServiceError>>,
) -> Result<T, SessionError> {
    match tokio::time::timeout(limit, answer).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(ServiceError::McpError(error))) => Err(SessionError::Reported(error.message.into_owned())),
        Ok(Err(ServiceError::TransportClosed)) => Err(SessionError::Ended),
        Ok(Err(error)) => Err(SessionError::Unreachable(error.to_string())),
        Err(_) => Err(SessionError::TimedOut(limit)),
    }
}

/// Starts a program with our environment and more. What it writes beside the protocol goes to `lines`.
fn start<'e>(
    command: &str,
    arguments: &[String],
    environment: impl Iterator<Item = (&'e String, &'e String)>,
    lines: &LastLines,
) -> Result<TokioChildProcess, SessionError> {
    let surroundings = Surroundings::of_this_process();
    let program =
        resolve_command(command, &surroundings).ok_or_else(|| SessionError::NoProgram(command.to_owned()))?;
    let mut process = tokio::process::Command::new(&program);
    process.args(arguments).kill_on_drop(true);
    if let Some(path) = path_beside(&program, surroundings.path) {
        process.env("PATH", path);
    }
    process.envs(environment);
    let mut wrapped = process_wrap::tokio::CommandWrap::from(process);
    // The programs that it starts end with it: `npx` starts `node`.
    #[cfg(unix)]
    wrapped.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    wrapped.wrap(process_wrap::tokio::JobObject);
    let (process, stderr) = TokioChildProcess::builder(wrapped)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| SessionError::NotStarted(error.to_string()))?;
    if let Some(stderr) = stderr {
        // Ends with the server, which closes its side.
        tokio::spawn(lines.clone().read(stderr));
    }
    Ok(process)
}

/// A client for this address; an error if it may not be contacted.
async fn allowed_client(http: &Http, url: &url::Url) -> Result<reqwest::Client, SessionError> {
    let client = http.for_purpose(net::Purpose::ToolServer).raw_client(url).await;
    client.map_err(|error| SessionError::Unreachable(error.to_string()))
}

async fn connect(
    http: &Http,
    url: &url::Url,
    headers: &std::collections::BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, SessionError> {
    // The user named this address, so it may be a private one.
    http.allow_origin(url);
    let client = allowed_client(http, url).await?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    for (name, value) in headers {
        let bad = || SessionError::Unreachable(format!("the header {name} cannot be sent"));
        let name = reqwest::header::HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let value = reqwest::header::HeaderValue::from_str(value).map_err(|_| bad())?;
        config.custom_headers.insert(name, value);
    }
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
