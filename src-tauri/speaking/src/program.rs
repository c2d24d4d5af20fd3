//! Runs a program for one text: the text goes to its standard input, what it makes comes from its standard output.
//!
//! The text is never an argument: arguments can be read by everybody on the machine, and may be taken for options.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::VoiceError;

/// How often a running program is checked on: a stop takes effect within it.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What went wrong with a program that was found.
#[derive(Debug, thiserror::Error)]
enum ProgramError {
    #[error("it ended with {status}: {said}")]
    Refused { status: std::process::ExitStatus, said: String },
    #[error("it did not end within {limit:?}")]
    TooSlow { limit: Duration },
}

/// Runs `command` on `text` and returns what it wrote.
///
/// # Errors
///
/// [`VoiceError::ProgramMissing`], [`VoiceError::Program`] when it fails or takes longer than `limit`, and
/// [`VoiceError::Stopped`]; the program is killed then.
pub(crate) fn run(
    command: Command,
    text: &str,
    limit: Duration,
    stop: &CancellationToken,
) -> Result<Vec<u8>, VoiceError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| VoiceError::Program {
        program: program.clone(),
        source: error,
    };
    let mut child = Running(spawn(command).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => VoiceError::ProgramMissing { program: program.clone() },
        _ => failed(error.into()),
    })?);
    let made = converse(&mut child.0, text);
    let began = Instant::now();
    let (output, said) = loop {
        match made.recv_timeout(LOOK_EVERY) {
            Ok(made) => break made.map_err(|error| failed(error.into()))?,
            Err(RecvTimeoutError::Timeout) if stop.is_cancelled() => return Err(VoiceError::Stopped),
            Err(RecvTimeoutError::Timeout) if began.elapsed() > limit => {
                return Err(failed(ProgramError::TooSlow { limit }.into()));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(failed("the thread that read from it ended".into()));
            }
        }
    };
    let status = child.0.wait().map_err(|error| failed(error.into()))?;
    if status.success() { Ok(output) } else { Err(failed(ProgramError::Refused { status, said }.into())) }
}

/// Ends the program when nobody waits for it any more.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is gone after this.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(mut command: Command) -> io::Result<Child> {
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        /// `CREATE_NO_WINDOW`: no console flashes up.
        const NO_WINDOW: u32 = 0x0800_0000;
        command.creation_flags(NO_WINDOW);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

type Made = io::Result<(Vec<u8>, String)>;

/// Writes `text` to the program and reads what it makes, on a thread that ends with the program.
fn converse(child: &mut Child, text: &str) -> mpsc::Receiver<Made> {
    let (done, made) = mpsc::sync_channel(1);
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let text = text.to_owned();
    std::thread::spawn(move || {
        let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) = pipes else { return };
        // These texts are short, far below what a pipe holds: writing all before reading cannot block.
        let result = stdin.write_all(text.as_bytes()).and_then(|()| {
            drop(stdin);
            let (mut output, mut said) = (Vec::new(), String::new());
            stdout.read_to_end(&mut output)?;
            stderr.read_to_string(&mut said)?;
            Ok((output, said.trim().to_owned()))
        });
        // Nobody waits any more when the program was stopped.
        let _ = done.send(result);
    });
    made
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_makes_of_the_text_comes_back() {
        let made = run(shell("tr a-z A-Z"), "hello", PATIENCE, &CancellationToken::new()).unwrap();

        assert_eq!(made, b"HELLO");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let refused = run(Command::new("no-such-program"), "x", PATIENCE, &CancellationToken::new());

        assert!(
            matches!(refused, Err(VoiceError::ProgramMissing { program }) if program == "no-such-program")
        );
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        let refused = run(shell("cat >&2; exit 3"), "out of voices", PATIENCE, &CancellationToken::new());

        let message = refused.unwrap_err().trouble().message;
        assert!(message.contains("out of voices") && message.contains('3'), "{message}");
    }

    #[test]
    fn a_program_is_killed_when_stopped_and_when_it_takes_too_long() {
        let stopped = CancellationToken::new();
        stopped.cancel();

        let was_stopped = run(shell("exec sleep 600"), "x", PATIENCE, &stopped);
        let was_slow = run(shell("exec sleep 600"), "x", Duration::ZERO, &CancellationToken::new());

        assert!(matches!(was_stopped, Err(VoiceError::Stopped)));
        assert!(matches!(was_slow, Err(VoiceError::Program { .. })));
    }
}
