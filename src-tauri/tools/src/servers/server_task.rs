//! The life of one server: started when it is needed, one call after the other, ended when it is idle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use settings::ServerSettings;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::config::{ServerConfig, ServerValues, idle_timeout};
use super::elicitation::Asker;
use super::listing::Listing;
use super::prompts::ServerPrompt;
use super::request::{AskedOperation, ServerRequest};
use super::secrets::Secrets;
use super::session::{Connections, Session};
use super::session_error::SessionError;
use super::sign_in::StoredSignIn;
use super::status::ServerPhase;
use super::stderr::LastLines;

/// The pause before the tools are listed again when a server says that they changed. A server may say so after each list.
const LIST_PAUSE: Duration = Duration::from_secs(1);

/// The inputs and outputs of a server's task.
pub(super) struct ServerLines {
    pub requests: mpsc::Receiver<ServerRequest>,
    /// Told when a value that the settings name may have changed.
    pub values_changed: Arc<Notify>,
    /// Its state, for the manager.
    pub phase: watch::Sender<ServerPhase>,
    /// The lines that it writes beside the protocol.
    pub lines: LastLines,
    /// Set while the user is signed in there.
    pub is_signed_in: Arc<AtomicBool>,
    /// The rights that a call lacked, for the next sign-in.
    pub wanted_rights: Arc<Mutex<Vec<String>>>,
    /// Its prompts, as it listed them last.
    pub prompts: watch::Sender<Vec<ServerPrompt>>,
    /// Takes the tools whenever they were listed, and answers once they can be called.
    pub listed: mpsc::Sender<(Listing, oneshot::Sender<()>)>,
}

/// A server with its settings, and its session while it has one.
pub(super) struct ServerTask {
    name: String,
    /// Tells its lists from those of an earlier server of this name.
    generation: u64,
    settings: ServerSettings,
    values: Arc<dyn ServerValues>,
    connections: Connections,
    outside: ServerLines,
    session: Option<Session>,
    /// The settings with the values that the last session was opened with.
    config: Option<ServerConfig>,
    used_at: Instant,
    listed_at: Option<Instant>,
    /// Asks for the prompts while calls go on.
    prompt_listing: Option<AbortOnDropHandle<()>>,
}

enum ServerEvent {
    Request(ServerRequest),
    ToolsChanged,
    ValuesChanged,
    Idle,
    Stopped,
}

impl ServerTask {
    pub fn new(
        (name, generation): (String, u64),
        settings: ServerSettings,
        values: Arc<dyn ServerValues>,
        connections: Connections,
        outside: ServerLines,
    ) -> Self {
        Self {
            name,
            generation,
            settings,
            values,
            connections,
            outside,
            session: None,
            config: None,
            used_at: Instant::now(),
            listed_at: None,
            prompt_listing: None,
        }
    }

    /// Runs until `stop` is cancelled or nobody can ask any more.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            let event = self.next_event(&stop).await;
            let working = self.work_on(event);
            match stop.run_until_cancelled(working).await {
                Some(Proceed::On) => {}
                Some(Proceed::End) | None => break,
            }
        }
        self.end().await;
    }

    async fn work_on(&mut self, event: ServerEvent) -> Proceed {
        match event {
            ServerEvent::Request(ServerRequest::Call { asked, asker, can_repeat, mut answer }) => {
                let called = tokio::select! {
                    biased; // A call that waited may have lost its caller: it must not begin.
                    // The reply was stopped: the drop tells the server.
                    () = answer.closed() => return Proceed::On,
                    called = self.call(&asked, &asker, can_repeat) => called,
                };
                self.used_at = Instant::now();
                // The caller may have gone meanwhile.
                let _ = answer.send(called);
            }
            ServerEvent::Request(ServerRequest::List { answer }) => {
                self.end_if_values_changed().await;
                self.list().await;
                self.used_at = Instant::now();
                // Nobody waits for the first list.
                let _ = answer.send(());
            }
            ServerEvent::ToolsChanged => self.list().await,
            ServerEvent::ValuesChanged => {
                self.end_if_out_of_reach().await;
                let failed = matches!(
                    *self.outside.phase.borrow(),
                    ServerPhase::Failed(_) | ServerPhase::SignInNeeded
                );
                if self.end_if_values_changed().await || failed {
                    self.list().await;
                } else if self.session.is_none() {
                    // Whether the user is signed in may be one of them. A value that is missing is told at the next start.
                    let _ = self.filled().await;
                    self.outside.phase.send_modify(|_| ());
                }
            }
            ServerEvent::Idle => {
                self.end().await;
                self.outside.phase.send_replace(ServerPhase::Asleep);
            }
            ServerEvent::Stopped => return Proceed::End,
        }
        Proceed::On
    }

    async fn next_event(&mut self, stop: &CancellationToken) -> ServerEvent {
        // Only calls keep a server awake: it may send notices without end. A time beyond the clock never comes.
        let idle_at = idle_timeout(&self.settings)
            .filter(|_| self.session.is_some())
            .and_then(|timeout| self.used_at.checked_add(timeout));
        let tools_changed = self.session.as_ref().map(Session::tools_changed);
        let list_at = self.listed_at.map(|at| at + LIST_PAUSE);
        tokio::select! {
            biased; // The end first: it must not wait behind calls.
            () = stop.cancelled() => ServerEvent::Stopped,
            request = self.outside.requests.recv() => request.map_or(ServerEvent::Stopped, ServerEvent::Request),
            () = self.outside.values_changed.notified() => ServerEvent::ValuesChanged,
            () = sleep_until(idle_at) => ServerEvent::Idle,
            () = notified_after(list_at, tools_changed) => ServerEvent::ToolsChanged,
        }
    }

    /// Asks the server for something. A server that ends meanwhile is started once more.
    async fn call(
        &mut self,
        asked: &AskedOperation,
        asker: &Asker,
        can_repeat: bool,
    ) -> Result<Value, SessionError> {
        let was_running = self.session.is_some();
        // Nothing was sent if this fails.
        self.opened().await?;
        match self.call_once(asked, asker).await {
            Err(SessionError::Ended | SessionError::Unreachable(_)) if !can_repeat => {
                Err(SessionError::Unknown)
            }
            Err(SessionError::Ended | SessionError::Unreachable(_)) if was_running => {
                tracing::info!(server = self.name, "a server of tools ended; it is started once more");
                self.call_once(asked, asker).await
            }
            called => called,
        }
    }

    async fn call_once(&mut self, asked: &AskedOperation, asker: &Asker) -> Result<Value, SessionError> {
        let called = self.opened().await?.ask(asked.clone(), asker.clone()).await;
        let mut answer = self.kept_or_ended(called).await?;
        self.secrets().hide_in(&mut answer);
        Ok(answer)
    }

    /// Lists the tools. A failure stands in the phase.
    async fn list(&mut self) {
        let (listed, has_resources, has_prompts) = match self.opened().await {
            Ok(session) => (session.tools().await, session.has_resources(), session.has_prompts()),
            Err(_) => return,
        };
        self.listed_at = Some(Instant::now());
        // The phase has the error.
        let Ok(tools) = self.kept_or_ended(listed).await else { return };
        let (server, generation) = (self.name.clone(), self.generation);
        let listing = Listing { server, generation, tools, has_resources, has_prompts };
        let (taken, is_taken) = oneshot::channel();
        // The manager ends before its servers when everything ends.
        if self.outside.listed.send((listing, taken)).await.is_ok() {
            let _ = is_taken.await;
        }
        self.list_prompts();
    }

    /// Lists the prompts for the user, who may type one while the server sleeps. Nobody waits for it: a server that does not
    /// answer must hold up no call.
    fn list_prompts(&mut self) {
        let offered = self.outside.prompts.clone();
        let listing = self.session.as_ref().filter(|session| session.has_prompts());
        let Some(listing) = listing.map(|session| session.prompts(&self.name)) else {
            self.prompt_listing = None;
            offered.send_if_modified(|known| !std::mem::take(known).is_empty());
            return;
        };
        let name = self.name.clone();
        self.prompt_listing = Some(AbortOnDropHandle::new(tokio::spawn(async move {
            match listing.await {
                Ok(listed) => drop(offered.send_replace(listed.prompts)),
                // The server may know tools better than prompts; what it listed before stays.
                Err(error) => tracing::info!(server = name, %error, "the prompts of a server are not known"),
            }
        })));
    }

    /// The open session; opens one if there is none.
    async fn opened(&mut self) -> Result<&Session, SessionError> {
        if self.session.as_ref().is_some_and(Session::is_closed) {
            self.end().await;
        }
        if self.session.is_none() {
            self.outside.phase.send_replace(ServerPhase::Starting);
        }
        match self.open().await {
            Ok(()) => self.session.as_ref().ok_or(SessionError::Ended),
            Err(error) => {
                let error = self.told(error);
                tracing::warn!(server = self.name, %error, "a server of tools cannot be used");
                self.end().await;
                self.outside.phase.send_replace(phase_after(&error));
                Err(error)
            }
        }
    }

    async fn open(&mut self) -> Result<(), SessionError> {
        if self.session.is_none() || self.config.is_none() {
            // Values are read at each start: a secret may have been stored meanwhile.
            let config = self.filled().await?;
            self.outside.lines.hide(config.secrets.clone());
            self.config = Some(config);
        }
        let Some(config) = &self.config else { return Err(SessionError::Ended) };
        Session::check_reach(config, &self.connections).await?;
        if self.session.is_none() {
            let opening = Session::open(&self.name, config, &self.connections, &self.outside.lines);
            self.session = Some(opening.await?);
            self.used_at = Instant::now();
            self.outside.phase.send_replace(ServerPhase::Running);
        }
        Ok(())
    }

    /// The settings with the values that they name, now. Off the runtime, because a keychain may take long.
    async fn filled(&self) -> Result<ServerConfig, SessionError> {
        let (name, settings, values) = (self.name.clone(), self.settings.clone(), Arc::clone(&self.values));
        let sign_ins = Arc::clone(&self.connections.sign_ins);
        let filling = tokio::task::spawn_blocking(move || {
            let mut config = ServerConfig::new(&name, &settings, &*values)?;
            if let Some(url) = config.sign_in_address() {
                let stored = StoredSignIn::new(&name, url, config.client.clone(), sign_ins);
                config.is_signed_in = stored.is_there();
            }
            Ok::<_, SessionError>(config)
        });
        match filling.await {
            Ok(config) => {
                let config = config?;
                self.outside.is_signed_in.store(config.is_signed_in, Ordering::Relaxed);
                Ok(config)
            }
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }

    /// Ends the session if it was opened with other values than those of now. Returns `true` if it did.
    async fn end_if_values_changed(&mut self) -> bool {
        if self.session.is_none() {
            return false;
        }
        // A value that is missing now ends the session too, and the next start says which one.
        let is_current = self.filled().await.ok().is_some_and(|config| self.config.as_ref() == Some(&config));
        if !is_current {
            tracing::info!(server = self.name, "a value in the settings of a server changed");
            self.end().await;
            self.outside.phase.send_replace(ServerPhase::Asleep);
        }
        !is_current
    }

    /// Ends the session at a server that may not be contacted any more.
    async fn end_if_out_of_reach(&mut self) {
        if let (Some(_), Some(config)) = (&self.session, &self.config)
            && let Err(error) = Session::check_reach(config, &self.connections).await
        {
            tracing::info!(server = self.name, %error, "a session with a server of tools was ended");
            self.end().await;
            self.outside.phase.send_replace(ServerPhase::Asleep);
        }
    }

    /// Passes an answer on; ends the session if the error says that it is of no more use.
    async fn kept_or_ended<T>(&mut self, answer: Result<T, SessionError>) -> Result<T, SessionError> {
        let error = match answer {
            Ok(answer) => return Ok(answer),
            Err(error) => self.told(error),
        };
        if let SessionError::MoreRights(rights) = &error {
            let mut wanted = self.outside.wanted_rights.lock();
            for right in rights.split_whitespace() {
                if !wanted.iter().any(|known| known == right) {
                    wanted.push(right.to_owned());
                }
            }
        }
        if error.ends_session() {
            self.end().await;
            self.outside.phase.send_replace(phase_after(&error));
        }
        Err(error)
    }

    /// The error without secrets. Where the user can sign in by a browser, it says so.
    fn told(&self, error: SessionError) -> SessionError {
        let can_sign_in = self.config.as_ref().is_some_and(|config| config.sign_in_address().is_some());
        match error {
            SessionError::SignInNeeded if can_sign_in => SessionError::NotSignedIn,
            error => error.cleaned(&self.secrets()),
        }
    }

    fn secrets(&self) -> Secrets {
        self.config.as_ref().map(|config| config.secrets.clone()).unwrap_or_default()
    }

    async fn end(&mut self) {
        self.prompt_listing = None;
        if let Some(session) = self.session.take() {
            session.close().await;
        }
    }
}

/// The state after an error that ended the session.
fn phase_after(error: &SessionError) -> ServerPhase {
    match error {
        SessionError::NotSignedIn | SessionError::MoreRights(_) => ServerPhase::SignInNeeded,
        error => ServerPhase::Failed(error.to_string()),
    }
}

/// The decision to go on.
enum Proceed {
    On,
    End,
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Waits for this time, then for a notice. A notice that comes before is kept, so that a drop loses none.
async fn notified_after(at: Option<Instant>, notice: Option<Arc<Notify>>) {
    let Some(notice) = notice else { return std::future::pending().await };
    if let Some(at) = at {
        tokio::time::sleep_until(at).await;
    }
    notice.notified().await;
}

/// Waits for a server at the start of the program before its tools are offered without being described.
pub(super) const FIRST_LIST_LIMIT: Duration = Duration::from_secs(45);

#[cfg(all(test, unix))]
mod tests;
