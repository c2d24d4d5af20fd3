//! The login shell of the user, which knows folders that only its profile adds to `PATH`.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use process_wrap::tokio::{CommandWrap, ProcessGroup};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// The longest time that a profile may take. Source: docs/behaviour/tools.md#servers.
const LIMIT: Duration = Duration::from_secs(5);
/// The most bytes that are read of what a shell prints.
const MAX_OUTPUT: u64 = 64 * 1024;
/// The lines before and after the answer: profiles print, too.
const BEGIN: &str = "jarvis-command-begin";
/// As above.
const END: &str = "jarvis-command-end";

/// The answer of a login shell to where a command is: a path, or words about an alias or a function. `None` if it has none.
pub(super) async fn look_up(command: &str, shell: &Path) -> Option<String> {
    let script = script(command)?;
    let mut process = tokio::process::Command::new(shell);
    process.args(["-l", "-c", &script]).kill_on_drop(true);
    process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut wrapped = CommandWrap::from(process);
    wrapped.wrap(ProcessGroup::leader());
    let spawned = wrapped.spawn();
    let mut child =
        spawned.inspect_err(|error| tracing::debug!(%error, "the login shell did not start")).ok()?;
    let stdout = child.stdout().take()?;
    let lines = tokio::time::timeout(LIMIT, answer(stdout)).await.ok().flatten();
    if lines.is_none() {
        // The shell may be waiting for something that its profile started. An error means that all of it has ended.
        let _ = child.start_kill();
    }
    lines?.pop()
}

/// The lines of the answer. `None` if there is no end of it in what may be read.
async fn answer(stdout: impl AsyncRead + Unpin) -> Option<Vec<String>> {
    let mut printed = BufReader::new(stdout.take(MAX_OUTPUT)).split(b'\n');
    let mut answer = None;
    while let Ok(Some(line)) = printed.next_segment().await {
        let line = String::from_utf8_lossy(&line).into_owned();
        match (&mut answer, &*line) {
            (_, END) => return answer,
            (None, BEGIN) => answer = Some(Vec::new()),
            (None, _) => {}
            (Some(lines), _) => lines.push(line),
        }
    }
    None
}

/// The script that all usual shells read alike. `None` if the command cannot be quoted alike for them.
fn script(command: &str) -> Option<String> {
    let is_plain = |c: char| c != '\'' && c != '\\' && !c.is_control();
    let can_quote = !command.is_empty() && !command.starts_with('-') && command.chars().all(is_plain);
    can_quote.then(|| format!("echo {BEGIN}; command -v '{command}'; echo {END}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use rstest::rstest;

    use super::*;

    /// A shell that does this with the script in `$3`.
    fn shell(folder: &Path, lines: &str) -> PathBuf {
        let path = folder.join("shell");
        std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[rstest]
    #[case::profile_that_prints("echo Welcome; echo /bin/false; PATH=/bin; eval \"$3\"", Some("/bin/sh"))]
    #[case::function("sh() { :; }; eval \"$3\"", Some("sh"))]
    #[case::not_there("PATH=/nowhere; eval \"$3\"", None)]
    #[case::no_login("exit 1", None)]
    #[case::endless_output("exec yes", None)]
    #[tokio::test]
    async fn answer_is_told_from_what_a_profile_prints(#[case] lines: &str, #[case] expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let shell = shell(folder.path(), lines);

        assert_eq!(look_up("sh", &shell).await.as_deref(), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn profile_that_hangs_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let shell = shell(folder.path(), "sleep 1000");

        assert_eq!(look_up("sh", &shell).await, None);
    }

    #[tokio::test]
    async fn shell_of_this_system_reads_the_script() {
        assert!(look_up("ls", Path::new("/bin/sh")).await.is_some_and(|path| path.ends_with("/ls")));
    }

    #[rstest]
    #[case::blank("my tool", true)]
    #[case::order("a;rm -rf ~", true)]
    #[case::quote("it's", false)]
    #[case::backslash("a\\b", false)]
    #[case::option("-p", false)]
    #[case::two_lines("a\nb", false)]
    #[case::nothing("", false)]
    fn command_is_quoted_or_not_looked_up(#[case] command: &str, #[case] expected: bool) {
        let script = script(command);

        assert_eq!(script.is_some(), expected);
        assert!(script.is_none_or(|script| script.contains(&format!("-v '{command}';"))));
    }
}
