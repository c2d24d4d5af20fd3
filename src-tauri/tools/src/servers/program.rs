//! A server that is a program of this machine: starting it, speaking to it line by line, ending it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::process::{ChildStdin, ChildStdout};

use super::command::{Surroundings, find_program, path_beside};
use super::lines::{BoundedLines, MAX_LINE_BYTES, Overlong};
use super::session_error::SessionError;
use super::stderr::LastLines;

/// The time in which a program has to end once its input is closed, and once more after it was told to end.
const END_LIMIT: Duration = Duration::from_secs(2);
/// The signal that asks a program to end. Its number is the same on all systems that have it.
#[cfg(unix)]
const TERMINATE: i32 = 15;

/// A running program. A drop kills it, with the programs that it started.
pub(super) struct Program {
    child: Box<dyn ChildWrapper>,
    lines: AsyncRwTransport<RoleClient, BoundedLines<ChildStdout>, ChildStdin>,
    has_ended: bool,
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.has_ended
            && let Err(error) = self.child.start_kill()
        {
            tracing::debug!(%error, "the program of a server of tools was not killed");
        }
    }
}

/// The command line of a program, and its variables.
pub(super) struct CommandLine<'a> {
    pub command: &'a str,
    pub arguments: &'a [String],
    pub environment: &'a BTreeMap<String, String>,
    /// `None` is our own.
    pub folder: Option<&'a Path>,
}

impl Program {
    /// Starts a program with our environment and more. What it writes beside the protocol goes to `lines`.
    pub async fn start(
        line: &CommandLine<'_>,
        overlong: Overlong,
        lines: &LastLines,
    ) -> Result<Self, SessionError> {
        let surroundings = Surroundings::from_environment();
        let program = find_program(line.command, &surroundings)
            .await
            .ok_or_else(|| SessionError::NoProgram(line.command.to_owned()))?;
        let mut process = tokio::process::Command::new(&program);
        process.args(line.arguments).kill_on_drop(true);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(path) = path_beside(&program, &surroundings) {
            process.env("PATH", path);
        }
        process.envs(line.environment);
        if let Some(folder) = line.folder {
            process.current_dir(folder);
        }
        let mut wrapped = CommandWrap::from(process);
        // The programs that it starts end with it: `npx` starts `node`.
        #[cfg(unix)]
        wrapped.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::tokio::JobObject);
        let mut child = wrapped.spawn().map_err(|error| SessionError::NotStarted(error.to_string()))?;
        let pipes = (child.stdout().take(), child.stdin().take(), child.stderr().take());
        let (Some(stdout), Some(stdin), Some(stderr)) = pipes else {
            return Err(SessionError::NotStarted("it has no input and output".to_owned()));
        };
        // Ends with the server, which closes its side.
        tokio::spawn(lines.clone().read(stderr));
        let lines = AsyncRwTransport::new(BoundedLines::new(stdout, overlong), stdin);
        // Our own limit is reached first: it ends the session, and theirs only drops the line.
        let lines = lines.with_max_line_length(MAX_LINE_BYTES * 2);
        Ok(Self { child, lines, has_ended: false })
    }
}

impl Program {
    async fn ends_in_time(&mut self) -> bool {
        tokio::time::timeout(END_LIMIT, self.child.wait()).await.is_ok()
    }
}

impl Transport<RoleClient> for Program {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.lines.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.lines.receive()
    }

    /// Closes its input, then tells it to end, then kills it, as the specification asks for.
    async fn close(&mut self) -> io::Result<()> {
        self.lines.close().await?;
        if !self.ends_in_time().await {
            #[cfg(unix)]
            {
                // A program that is gone meanwhile takes no signal.
                let _ = self.child.signal(TERMINATE);
            }
            if !cfg!(unix) || !self.ends_in_time().await {
                Box::into_pin(self.child.kill()).await?;
            }
        }
        self.has_ended = true;
        Ok(())
    }
}
