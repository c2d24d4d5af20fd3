//! The process `ollama serve`: started if the user agrees, and ended only if it was started here.

use std::process::Stdio;
use std::sync::Arc;

use async_trait::async_trait;
use bridge::{NoStart, ServerAddress, ServerProcess};
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tools::servers::{Surroundings, resolve_command};

use super::user::BridgeUser;

/// The program of the server.
const PROGRAM: &str = "ollama";

/// The process of an Ollama server.
pub(super) struct OllamaProcess {
    address: ServerAddress,
    user: Arc<dyn BridgeUser>,
    /// The decision of the user; `None` if nobody has asked yet.
    consent: Mutex<Option<bool>>,
    own: Mutex<Option<Child>>,
}

impl OllamaProcess {
    /// Nothing is started yet. With `has_consent` the user is not asked.
    pub fn new(address: ServerAddress, has_consent: bool, user: Arc<dyn BridgeUser>) -> Self {
        let consent = Mutex::new(has_consent.then_some(true));
        Self { address, user, consent, own: Mutex::default() }
    }

    /// The address to listen at, in the form of `OLLAMA_HOST`.
    fn listening_address(&self) -> String {
        let url = self.address.url();
        format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
    }
}

#[async_trait]
impl ServerProcess for OllamaProcess {
    async fn may_start(&self) -> Result<(), NoStart> {
        if !self.address.is_loopback() {
            return Err(NoStart::Remote);
        }
        if resolve_command(PROGRAM, &Surroundings::from_environment()).is_none() {
            return Err(NoStart::NotInstalled);
        }
        let mut consent = self.consent.lock().await;
        let allows = match *consent {
            Some(allows) => allows,
            None => self.user.allows_server_start().await,
        };
        *consent = Some(allows);
        if allows { Ok(()) } else { Err(NoStart::NotAllowed) }
    }

    async fn start(&self) -> Result<(), String> {
        let mut own = self.own.lock().await;
        // One that was started before and still loads holds the address.
        if own.as_mut().is_some_and(|child| child.try_wait().is_ok_and(|status| status.is_none())) {
            return Ok(());
        }
        let program = resolve_command(PROGRAM, &Surroundings::from_environment());
        let program = program.ok_or_else(|| NoStart::NotInstalled.to_string())?;
        let mut command = Command::new(program);
        command.arg("serve").env("OLLAMA_HOST", self.listening_address()).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(windows)]
        command.creation_flags(NO_WINDOW);
        *own = Some(command.spawn().map_err(|error| error.to_string())?);
        Ok(())
    }

    async fn end_own(&self) {
        if let Some(mut child) = self.own.lock().await.take()
            && let Err(error) = child.kill().await
        {
            tracing::warn!(%error, "Ollama could not be ended");
        }
    }
}

/// A console program of Windows opens no window. Source: `CREATE_NO_WINDOW` of the Windows API.
#[cfg(windows)]
const NO_WINDOW: u32 = 0x0800_0000;

#[cfg(test)]
mod tests {
    use tools::{ApprovalAnswer, ApprovalRequest};

    use super::*;

    /// Answers every question in the same way.
    struct Answers(bool);

    #[async_trait]
    impl BridgeUser for Answers {
        async fn allows_server_start(&self) -> bool {
            self.0
        }

        async fn allows_call(&self, _: ApprovalRequest) -> ApprovalAnswer {
            ApprovalAnswer::No
        }
    }

    fn process(address: &str) -> OllamaProcess {
        OllamaProcess::new(ServerAddress::read(address).unwrap(), false, Arc::new(Answers(false)))
    }

    #[tokio::test]
    async fn server_of_another_machine_is_never_started() {
        assert_eq!(process("http://192.168.1.5:11434").may_start().await, Err(NoStart::Remote));
    }

    #[test]
    fn server_listens_where_the_configuration_says() {
        let addresses = ["http://localhost:1234/v1", "http://[::1]:11434", "http://127.0.0.1"];

        let listening = addresses.map(|address| process(address).listening_address());

        assert_eq!(listening, ["127.0.0.1:1234", "[::1]:11434", "127.0.0.1:80"]);
    }
}
