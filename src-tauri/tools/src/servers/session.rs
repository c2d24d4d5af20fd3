//! An open connection to a server.

use std::sync::Arc;
use std::time::Duration;

use llm::ChatModel;
use net::Http;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientRequest,
    PaginatedRequestParams, ReadResourceRequestParams, RequestId, Tool as RemoteTool,
};
use rmcp::service::{ClientCacheConfig, Peer, PeerRequestOptions, RunningService};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::config::{ServerConfig, Transport};
use super::elicitation::Asker;
use super::handler::Handler;
use super::http::connect;
use super::lines::{MAX_LINE_BYTES, Overlong};
use super::ongoing::OngoingCall;
use super::program::{CommandLine, Program};
use super::prompts::PromptList;
use super::reach::allowed_client;
use super::request::AskedOperation;
use super::session_error::SessionError;
use super::sign_in::{self, SignInStore, StoredSignIn, Tokens};
use super::stderr::LastLines;
use super::{prompts, resources};

/// The time that a server may take to start. Source: docs/behaviour/tools.md#servers.
const START_LIMIT: Duration = Duration::from_secs(30);
/// The time that a call may take without a sign of life, without the start. Same source.
const CALL_LIMIT: Duration = Duration::from_secs(120);
/// The longest time of a call that reports progress. A server that reports without end must not hold its user up for ever.
pub(super) const LONGEST_CALL: Duration = Duration::from_secs(600);
/// The time that a server may take to end when it is asked to.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);
/// The most tools of one server. More only fill the index; the largest servers known have about two hundred.
const MAX_TOOLS: usize = 1_000;
/// The most pages of a list. A server that always names another page would be asked without end.
const MAX_PAGES: usize = 100;

/// The connections to servers.
#[derive(Clone)]
pub struct Connections {
    /// For servers with an address.
    pub http: Http,
    /// The longest times of calls.
    pub limits: CallLimits,
    /// Keeps the sign-ins of the user.
    pub sign_ins: Arc<dyn SignInStore>,
    /// The language model for servers that may ask it. Without one, none may.
    pub model: Option<Arc<dyn ChatModel>>,
}

/// The time that a call may take, without the start of its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// Without a sign of life.
    pub silence: Duration,
    /// At all.
    pub longest: Duration,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { silence: CALL_LIMIT, longest: LONGEST_CALL }
    }
}

/// An open connection.
pub(super) struct Session {
    service: RunningService<RoleClient, Handler>,
    overlong: Overlong,
    tools_changed: Arc<Notify>,
    ongoing: OngoingCall,
    limits: CallLimits,
}

impl Session {
    /// Starts the server of this name or connects to it, within half a minute.
    pub async fn open(
        name: &str,
        config: &ServerConfig,
        connections: &Connections,
        lines: &LastLines,
    ) -> Result<Self, SessionError> {
        let (overlong, tools_changed) = (Overlong::default(), Arc::new(Notify::new()));
        let ongoing = OngoingCall::default();
        let handler = Handler {
            ongoing: ongoing.clone(),
            secrets: config.secrets.clone(),
            lent_model: connections.model.clone().filter(|_| config.may_ask_model),
            tools_changed: Arc::clone(&tools_changed),
        };
        let opening = async {
            let service = match &config.transport {
                Transport::Program { command, arguments, environment, folder } => {
                    let folder = folder.as_deref();
                    let line = CommandLine { command, arguments, environment, folder };
                    handler.serve(Program::start(&line, overlong.clone(), lines).await?).await
                }
                Transport::Http { url, headers } => {
                    let tokens = tokens(name, config, connections).await?;
                    let connecting = connect(&connections.http, url, headers, overlong.clone(), tokens);
                    handler.serve(connecting.await?).await
                }
            };
            service.map_err(SessionError::from)
        };
        let service = match tokio::time::timeout(START_LIMIT, opening).await {
            Ok(opened) => opened.map_err(|error| or_too_long(error, &overlong))?,
            Err(_) => return Err(SessionError::TimedOut(START_LIMIT)),
        };
        // A list is asked for because it may have changed, so an old one must not stand in for it.
        service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
        Ok(Self { service, overlong, tools_changed, ongoing, limits: connections.limits })
    }

    /// Wakes when the server says that its tools changed. Many such notices wake once.
    pub fn tools_changed(&self) -> Arc<Notify> {
        Arc::clone(&self.tools_changed)
    }

    /// Returns `true` if the server has resources.
    pub fn has_resources(&self) -> bool {
        self.service.peer().peer_info().is_some_and(|server| server.capabilities.resources.is_some())
    }

    /// Returns `true` if the server has prompts.
    pub fn has_prompts(&self) -> bool {
        self.service.peer().peer_info().is_some_and(|server| server.capabilities.prompts.is_some())
    }

    /// All tools of the server, up to a thousand.
    pub async fn tools(&self) -> Result<Vec<RemoteTool>, SessionError> {
        let listing = async {
            let (mut tools, mut cursor) = (Vec::new(), None);
            for _ in 0..MAX_PAGES {
                let page = PaginatedRequestParams::default().with_cursor(cursor);
                let listed = self.service.list_tools(Some(page)).await?;
                tools.extend(listed.tools);
                cursor = listed.next_cursor;
                if cursor.is_none() || tools.len() >= MAX_TOOLS {
                    break;
                }
            }
            tools.truncate(MAX_TOOLS);
            Ok(tools)
        };
        self.within(START_LIMIT, listing).await
    }

    /// The prompts of the server of this name, which may be asked for beside a call. An error has no secrets.
    pub fn prompts(
        &self,
        server: &str,
    ) -> impl Future<Output = Result<PromptList, SessionError>> + Send + use<> {
        let (peer, secrets) = (self.service.peer().clone(), self.service.service().secrets.clone());
        let server = server.to_owned();
        async move {
            let listing = prompts::listed(&server, &peer, &secrets);
            match tokio::time::timeout(START_LIMIT, listing).await {
                Ok(listed) => listed.map_err(|error| SessionError::from(error).cleaned(&secrets)),
                Err(_) => Err(SessionError::TimedOut(START_LIMIT)),
            }
        }
    }

    /// Asks the server for something; the answer has `content` as the result of a tool has. A drop tells the server that
    /// nobody waits any more. Questions and progress of the server go to `asker` meanwhile.
    pub async fn ask(&self, asked: AskedOperation, asker: Asker) -> Result<Value, SessionError> {
        let peer = self.service.peer();
        let server = asker.server.clone();
        let _over = self.ongoing.begin(asker);
        match asked {
            AskedOperation::Tool { name, arguments } => {
                let parameters = CallToolRequestParams::new(name).with_arguments(arguments);
                self.within(self.limits.longest, self.call(parameters)).await
            }
            AskedOperation::Prompts => {
                let listed = self.within(START_LIMIT, self.prompts(&server)).await?;
                Ok(json!({ "content": listed.text() }))
            }
            AskedOperation::Prompt { name, arguments } => {
                let filling = async { Ok(prompts::filled(peer, name, arguments).await?) };
                self.within(self.limits.silence, filling).await
            }
            AskedOperation::Resources => {
                let text = self.within(START_LIMIT, async { Ok(resources::listed(peer).await?) }).await?;
                Ok(json!({ "content": text }))
            }
            AskedOperation::Resource { uri } => {
                let reading = async { Ok(peer.read_resource(ReadResourceRequestParams::new(uri)).await?) };
                let read = self.within(self.limits.silence, reading).await?;
                let parts = read.contents.into_iter();
                let parts = parts.map(|part| json!({ "type": "resource", "resource": part }));
                Ok(json!({ "content": parts.collect::<Vec<_>>() }))
            }
        }
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

    /// Calls a tool. Progress keeps the call alive. The result is taken as it came: a server that breaks its format can still
    /// have said something.
    async fn call(&self, parameters: CallToolRequestParams) -> Result<Value, SessionError> {
        let peer = self.service.peer();
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(parameters));
        let options = PeerRequestOptions::with_timeout(self.limits.silence).reset_timeout_on_progress();
        let handle = peer.send_request_with_option(request, options).await?;
        self.ongoing.is_named(handle.progress_token.clone());
        let mut waiting = CancelOnDrop { peer: peer.clone(), request: Some(handle.id.clone()) };
        let answer = handle.await_response().await;
        waiting.request = None;
        serde_json::to_value(answer?).map_err(|_| SessionError::NoAnswer)
    }

    async fn within<T>(
        &self,
        limit: Duration,
        answer: impl Future<Output = Result<T, SessionError>>,
    ) -> Result<T, SessionError> {
        tokio::select! {
            answer = tokio::time::timeout(limit, answer) => match answer {
                Ok(answer) => answer.map_err(|error| or_too_long(error, &self.overlong)),
                Err(_) => Err(SessionError::TimedOut(limit)),
            },
            // Over HTTP the connection stays, and the answer never comes.
            () = self.overlong.noticed() => Err(SessionError::TooLong(MAX_LINE_BYTES)),
        }
    }
}

/// The tokens of the user at a server, if there are any.
async fn tokens(
    name: &str,
    config: &ServerConfig,
    connections: &Connections,
) -> Result<Option<Tokens>, SessionError> {
    let Some(url) = config.sign_in_address().filter(|_| config.is_signed_in) else { return Ok(None) };
    let stored = StoredSignIn::new(name, url, config.client.clone(), Arc::clone(&connections.sign_ins));
    let tokens = sign_in::tokens(&connections.http, stored).await;
    tokens.map_err(|error| SessionError::Unreachable(error.to_string()))
}

/// The error, or the one that a line was too long if that ended the connection.
fn or_too_long(error: SessionError, overlong: &Overlong) -> SessionError {
    if overlong.is_set() { SessionError::TooLong(MAX_LINE_BYTES) } else { error }
}

/// Tells the server that nobody waits any more for the answer to a request, when it is dropped before.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    request: Option<RequestId>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(request) = self.request.take() else { return };
        let reason = "nobody waits for the answer any more".to_owned();
        let cancelled = CancelledNotificationParam::new(Some(request), Some(reason));
        let notice = CancelledNotification::new(cancelled);
        let peer = self.peer.clone();
        // Ends with the connection at the latest. A server that is gone needs no notice.
        tokio::spawn(async move { drop(peer.send_notification(notice.into()).await) });
    }
}
