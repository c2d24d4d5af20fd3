//! Running programs of the desktop.

use std::io::ErrorKind;
use std::process::Stdio;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use super::command::{DesktopCommand, Output};

/// The most bytes that are read of an output.
const MAX_OUTPUT: u64 = 1 << 20;

/// A program did not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// It is not on the search path.
    #[error("{0} is not installed")]
    Missing(String),
    /// It ended with an error.
    #[error("{program} says: {reason}")]
    Failed {
        /// Its name.
        program: String,
        /// Its words, or its code.
        reason: String,
    },
    /// It gave no answer.
    #[error("{0} did not answer in time")]
    TimedOut(String),
}

/// The port that runs programs of the desktop.
#[async_trait]
pub trait Programs: Send + Sync {
    /// Runs a program and returns its output; an empty one where nobody reads it.
    ///
    /// # Errors
    ///
    /// [`ProgramError`].
    async fn run(&self, command: &DesktopCommand) -> Result<String, ProgramError>;
}

/// Runs the first of these that is installed.
///
/// # Errors
///
/// [`ProgramError`] of that one, or of the last if none is installed.
pub async fn run_first(programs: &dyn Programs, commands: &[DesktopCommand]) -> Result<String, ProgramError> {
    let mut missing = Vec::new();
    for command in commands {
        match programs.run(command).await {
            Err(ProgramError::Missing(name)) => missing.push(name),
            other => return other,
        }
    }
    Err(ProgramError::Missing(missing.join(" or ")))
}

/// Runs these until one succeeds: one may be installed and not fit the desktop.
///
/// # Errors
///
/// [`ProgramError`] of the last one that failed, or that none is installed.
pub async fn run_first_working(
    programs: &dyn Programs,
    commands: &[DesktopCommand],
) -> Result<String, ProgramError> {
    let (mut missing, mut failure) = (Vec::new(), None);
    for command in commands {
        match programs.run(command).await {
            Ok(output) => return Ok(output),
            Err(ProgramError::Missing(name)) => missing.push(name),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or_else(|| ProgramError::Missing(missing.join(" or "))))
}

/// The programs of this system.
pub struct SystemPrograms;

#[async_trait]
impl Programs for SystemPrograms {
    async fn run(&self, command: &DesktopCommand) -> Result<String, ProgramError> {
        let mut child = start(command)?;
        match tokio::time::timeout(command.limit, finish(&mut child, command)).await {
            Ok(output) => output,
            Err(_) if command.output == Output::Ignore => Ok(String::new()),
            Err(_) => {
                // What was started is ours; nobody waits for it any more.
                let _ = child.start_kill();
                Err(ProgramError::TimedOut(command.program.clone()))
            }
        }
    }
}

fn start(command: &DesktopCommand) -> Result<Child, ProgramError> {
    // A program that holds the clipboard keeps its outputs open for as long.
    let (out, errors) = match command.output {
        Output::Read => (Stdio::piped(), Stdio::piped()),
        Output::Ignore => (Stdio::null(), Stdio::null()),
    };
    let input = if command.input.is_some() { Stdio::piped() } else { Stdio::null() };
    let spawned = Command::new(&command.program)
        .args(&command.arguments)
        .stdin(input)
        .stdout(out)
        .stderr(errors)
        // A program that nobody reads from may have to stay: it holds the clipboard.
        .kill_on_drop(command.output == Output::Read)
        .spawn();
    spawned.map_err(|error| match error.kind() {
        ErrorKind::NotFound => ProgramError::Missing(command.program.clone()),
        _ => ProgramError::Failed { program: command.program.clone(), reason: error.to_string() },
    })
}

async fn finish(child: &mut Child, command: &DesktopCommand) -> Result<String, ProgramError> {
    let failed = |reason: String| ProgramError::Failed { program: command.program.clone(), reason };
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), &command.input) {
        // A program may end without reading it all.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let reads_out = async {
        if let Some(stdout) = child.stdout.take() {
            let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut out).await;
        }
    };
    let reads_errors = async {
        if let Some(stderr) = child.stderr.take() {
            let _ = stderr.take(MAX_OUTPUT).read_to_end(&mut errors).await;
        }
    };
    tokio::join!(reads_out, reads_errors);
    let status = child.wait().await.map_err(|error| failed(error.to_string()))?;
    // A program whose output is not read to its end fails, but what was read is there.
    let is_full = out.len() as u64 == MAX_OUTPUT;
    if status.success() || is_full {
        return Ok(String::from_utf8_lossy(&out).into_owned());
    }
    let words = String::from_utf8_lossy(&errors).trim().to_owned();
    Err(failed(if words.is_empty() { format!("it ended with {status}") } else { words }))
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::*;

    fn command(program: &str, arguments: &[&str], output: Output) -> DesktopCommand {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let limit = Duration::from_secs(5);
        DesktopCommand {
            program: program.to_owned(),
            arguments,
            input: Some("tea".to_owned()),
            output,
            limit,
        }
    }

    #[tokio::test]
    async fn output_is_read_and_errors_are_told() {
        let echo = SystemPrograms.run(&command("cat", &[], Output::Read)).await;
        let fails = SystemPrograms.run(&command("cat", &["/nowhere/at/all"], Output::Read)).await;
        let missing = SystemPrograms.run(&command("no-such-program-here", &[], Output::Read)).await;

        assert_eq!(echo, Ok("tea".to_owned()));
        assert!(matches!(fails, Err(ProgramError::Failed { program, .. }) if program == "cat"));
        assert_eq!(missing, Err(ProgramError::Missing("no-such-program-here".to_owned())));
    }

    #[tokio::test]
    async fn beginning_of_a_long_output_is_read() {
        let long = SystemPrograms.run(&command("head", &["-c", "3000000", "/dev/zero"], Output::Read)).await;

        assert_eq!(long.map(|text| text.len() as u64), Ok(MAX_OUTPUT));
    }

    #[tokio::test]
    async fn first_installed_program_is_run() {
        let commands =
            [command("no-such-program-here", &[], Output::Read), command("cat", &[], Output::Read)];

        assert_eq!(run_first(&SystemPrograms, &commands).await, Ok("tea".to_owned()));
        assert_eq!(
            run_first(&SystemPrograms, &commands[..1]).await,
            Err(ProgramError::Missing("no-such-program-here".into()))
        );
    }
}
