//! The worker program as a child process.

use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::protocol::{WorkerEvent, WorkerRequest};
use crate::LlmError;

/// A running worker. Dropping it kills the process.
pub(super) struct WorkerProcess {
    child: Child,
    requests: ChildStdin,
    events: Lines<BufReader<ChildStdout>>,
    log: Option<Lines<BufReader<ChildStderr>>>,
}

impl WorkerProcess {
    /// Starts the worker program.
    ///
    /// # Errors
    ///
    /// [`LlmError::WorkerMissing`] if it cannot be started.
    pub(super) fn start(path: &Path) -> Result<Self, LlmError> {
        let missing = |source| LlmError::WorkerMissing { path: path.to_owned(), source };
        let mut command = Command::new(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        detach_from_console(&mut command);
        let mut child = command.spawn().map_err(missing)?;
        let requests = child.stdin.take().expect("the standard input is piped");
        let events = child.stdout.take().expect("the standard output is piped");
        let log = child.stderr.take().expect("the standard error is piped");
        Ok(Self {
            child,
            requests,
            events: BufReader::new(events).lines(),
            log: Some(BufReader::new(log).lines()),
        })
    }

    /// Sends a request. If the process has ended, [`WorkerProcess::next`] returns `None`.
    pub(super) async fn send(&mut self, request: &WorkerRequest) {
        let mut line = serde_json::to_vec(request).expect("all requests can be written as JSON");
        line.push(b'\n');
        if let Err(error) = self.requests.write_all(&line).await {
            tracing::debug!(%error, "the request cannot be sent to the worker");
        }
    }

    /// The next event; `None` after the process has closed its output. The log of the process is added to ours.
    ///
    /// Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<WorkerEvent> {
        loop {
            let logged = async {
                match &mut self.log {
                    Some(log) => log.next_line().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = self.events.next_line() => {
                    let line = event.ok().flatten()?;
                    match serde_json::from_str(&line) {
                        Ok(event) => return Some(event),
                        // The line is not logged, because it may contain words of the user.
                        Err(_) => tracing::warn!("the worker sent an invalid event, which is ignored"),
                    }
                }
                line = logged => match line {
                    Ok(Some(line)) => tracing::debug!("worker: {line}"),
                    Ok(None) | Err(_) => self.log = None,
                },
            }
        }
    }

    /// Waits until the process has ended, and returns its exit status.
    pub(super) async fn ended(mut self) -> String {
        // The process has closed its output, so it is not needed any more.
        if let Err(error) = self.child.start_kill() {
            tracing::debug!(%error, "the worker had already ended");
        }
        match self.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// Ctrl-C in a terminal is sent to the whole process group. The worker gets its own group, because the first Ctrl-C
/// only ends a reply.
#[cfg(unix)]
fn detach_from_console(command: &mut Command) {
    command.process_group(0);
}

/// Prevents a console window, and keeps Ctrl-C from the worker.
#[cfg(windows)]
fn detach_from_console(command: &mut Command) {
    /// `CREATE_NO_WINDOW`. Source: the documentation of `CreateProcess`.
    const NO_WINDOW: u32 = 0x0800_0000;
    /// `CREATE_NEW_PROCESS_GROUP`: the worker does not receive Ctrl-C.
    const NEW_GROUP: u32 = 0x0000_0200;
    command.creation_flags(NO_WINDOW | NEW_GROUP);
}
