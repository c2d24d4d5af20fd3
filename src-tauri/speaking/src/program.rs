//! Runs a program on one text: the text goes to its standard input, and the result comes from its standard output.
//!
//! The text is never an argument: all users of the machine can read arguments, and the program may take it for an option.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::VoiceError;

/// The interval at which to check for a stop while the program runs.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Why a program failed after its start.
#[derive(Debug, thiserror::Error)]
enum ProgramError {
    #[error("it ended with {status}: {stderr_text}")]
    Failed { status: std::process::ExitStatus, stderr_text: String },
    #[error("it did not end within {limit:?}")]
    TooSlow { limit: Duration },
}

/// Runs `command` on `text` and returns its standard output.
///
/// # Errors
///
/// [`VoiceError::ProgramMissing`] when it is not installed, [`VoiceError::Program`] when it fails or takes longer than
/// `limit`, [`VoiceError::Stopped`] when `stop` is cancelled. The program is killed then.
pub(crate) fn run(
    command: Command,
    text: &str,
    limit: Duration,
    stop: &CancellationToken,
) -> Result<Vec<u8>, VoiceError> {
    // A quick program could end before the first check below.
    if stop.is_cancelled() {
        return Err(VoiceError::Stopped);
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| VoiceError::Program {
        program: program.clone(),
        source: error,
    };
    let mut child = KillOnDrop(spawn(command).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => VoiceError::ProgramMissing { program: program.clone() },
        _ => failed(error.into()),
    })?);
    let result = exchange(&mut child.0, text);
    let started_at = Instant::now();
    let (output, stderr_text) = loop {
        match result.recv_timeout(POLL_INTERVAL) {
            Ok(result) => break result.map_err(|error| failed(error.into()))?,
            Err(RecvTimeoutError::Timeout) if stop.is_cancelled() => return Err(VoiceError::Stopped),
            Err(RecvTimeoutError::Timeout) if started_at.elapsed() > limit => {
                return Err(failed(ProgramError::TooSlow { limit }.into()));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(failed("the thread that read from it ended".into()));
            }
        }
    };
    let status = child.0.wait().map_err(|error| failed(error.into()))?;
    if status.success() {
        Ok(output)
    } else {
        Err(failed(ProgramError::Failed { status, stderr_text }.into()))
    }
}

/// Kills the program when it is dropped.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        // Errors mean that the program has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(mut command: Command) -> io::Result<Child> {
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        /// `CREATE_NO_WINDOW`: no console window appears.
        const NO_WINDOW: u32 = 0x0800_0000;
        command.creation_flags(NO_WINDOW);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

type ExchangeResult = io::Result<(Vec<u8>, String)>;

/// Writes `text` to the program and reads its output, on a thread that ends with the program.
fn exchange(child: &mut Child, text: &str) -> mpsc::Receiver<ExchangeResult> {
    let (sender, result) = mpsc::sync_channel(1);
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let text = text.to_owned();
    std::thread::spawn(move || {
        let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) = pipes else { return };
        // The texts are shorter than the buffer of a pipe, so writing everything before reading cannot block.
        let result = stdin.write_all(text.as_bytes()).and_then(|()| {
            drop(stdin);
            let (mut output, mut stderr_text) = (Vec::new(), String::new());
            stdout.read_to_end(&mut output)?;
            stderr.read_to_string(&mut stderr_text)?;
            Ok((output, stderr_text.trim().to_owned()))
        });
        // The receiver is dropped when the program was stopped.
        let _ = sender.send(result);
    });
    result
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const TEST_TIMEOUT: Duration = Duration::from_secs(30);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_of_the_program_is_returned() {
        let result = run(shell("tr a-z A-Z"), "hello", TEST_TIMEOUT, &CancellationToken::new()).unwrap();

        assert_eq!(result, b"HELLO");
    }

    #[test]
    fn error_for_a_missing_program_contains_its_name() {
        let error = run(Command::new("no-such-program"), "x", TEST_TIMEOUT, &CancellationToken::new());

        assert!(matches!(error, Err(VoiceError::ProgramMissing { program }) if program == "no-such-program"));
    }

    #[test]
    fn program_is_not_started_after_a_stop() {
        let stopped = CancellationToken::new();
        stopped.cancel();

        let result = run(Command::new("no-such-program"), "x", TEST_TIMEOUT, &stopped);

        assert!(matches!(result, Err(VoiceError::Stopped)));
    }

    #[test]
    fn error_of_a_failed_program_contains_its_stderr() {
        let error = run(shell("cat >&2; exit 3"), "out of voices", TEST_TIMEOUT, &CancellationToken::new());

        let message = error.unwrap_err().trouble().message;
        assert!(message.contains("out of voices") && message.contains('3'), "{message}");
    }

    #[test]
    fn program_is_killed_when_stopped_or_over_the_limit() {
        let stop = CancellationToken::new();
        let running = {
            let stop = stop.clone();
            std::thread::spawn(move || run(shell("exec sleep 600"), "x", TEST_TIMEOUT, &stop))
        };
        std::thread::sleep(POLL_INTERVAL * 5);
        stop.cancel();

        let was_stopped = running.join().unwrap();
        let was_slow = run(shell("exec sleep 600"), "x", Duration::ZERO, &CancellationToken::new());

        assert!(matches!(was_stopped, Err(VoiceError::Stopped)));
        assert!(matches!(was_slow, Err(VoiceError::Program { .. })));
    }
}
