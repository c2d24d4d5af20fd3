//! The worker program as a child process.

use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::protocol::{WorkerEvent, WorkerRequest};
use crate::LlmError;

/// A running worker. Dropping it kills the process.
pub(super) struct Process {
    child: Child,
    orders: ChildStdin,
    reports: Lines<BufReader<ChildStdout>>,
    log: Option<Lines<BufReader<ChildStderr>>>,
}

impl Process {
    /// Starts the worker program.
    ///
    /// # Errors
    ///
    /// [`LlmError::WorkerMissing`] when there is none.
    pub(super) fn start(path: &Path) -> Result<Self, LlmError> {
        let missing = |source| LlmError::WorkerMissing { path: path.to_owned(), source };
        let mut command = Command::new(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        stand_apart(&mut command);
        let mut child = command.spawn().map_err(missing)?;
        let orders = child.stdin.take().expect("the standard input was asked for");
        let reports = child.stdout.take().expect("the standard output was asked for");
        let log = child.stderr.take().expect("the standard error was asked for");
        Ok(Self {
            child,
            orders,
            reports: BufReader::new(reports).lines(),
            log: Some(BufReader::new(log).lines()),
        })
    }

    /// Hands an order over. Failing means that the process has ended, which [`Process::next`] will tell.
    pub(super) async fn tell(&mut self, order: &WorkerRequest) {
        let mut line = serde_json::to_vec(order).expect("orders hold nothing that JSON cannot");
        line.push(b'\n');
        if let Err(error) = self.orders.write_all(&line).await {
            tracing::debug!(%error, "the worker takes no orders any more");
        }
    }

    /// The next report; `None` once the process has closed its output. What it logs goes into our log.
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
                report = self.reports.next_line() => {
                    let line = report.ok().flatten()?;
                    match serde_json::from_str(&line) {
                        Ok(report) => return Some(report),
                        // Not shown: it may hold what was said.
                        Err(_) => tracing::warn!("the worker reported something unreadable, which is left out"),
                    }
                }
                line = logged => match line {
                    Ok(Some(line)) => tracing::debug!("worker: {line}"),
                    Ok(None) | Err(_) => self.log = None,
                },
            }
        }
    }

    /// Waits until the process has ended, and says how.
    pub(super) async fn ended(mut self) -> String {
        // It has closed its output, so there is nothing left to lose.
        if let Err(error) = self.child.start_kill() {
            tracing::debug!(%error, "the worker was gone already");
        }
        match self.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// Ctrl-C in a terminal reaches every process of its group; the first one ends a reply, not the worker.
#[cfg(unix)]
fn stand_apart(command: &mut Command) {
    command.process_group(0);
}

/// A console program would open a window of its own.
#[cfg(windows)]
fn stand_apart(command: &mut Command) {
    /// `CREATE_NO_WINDOW`. Source: the documentation of `CreateProcess`.
    const NO_WINDOW: u32 = 0x0800_0000;
    /// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C does not reach it.
    const NEW_GROUP: u32 = 0x0000_0200;
    command.creation_flags(NO_WINDOW | NEW_GROUP);
}
