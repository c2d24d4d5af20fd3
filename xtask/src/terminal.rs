//! The dialogue with a developer.
#![allow(clippy::print_stdout, reason = "this is the one place of a terminal program that prints")]

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// Asks for permission once. With `--yes` or `CI=true` it goes on without asking.
///
/// # Errors
///
/// The user says no, or there is no terminal to ask at.
pub fn confirm(question: &str, yes: bool) -> anyhow::Result<()> {
    if yes || is_ci() {
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        bail!("{question} There is no terminal to ask at: say --yes.");
    }
    print!("{question} [Y/n] ");
    io::stdout().flush().context("writing to the terminal")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).context("reading the answer")?;
    match answer.trim().to_lowercase().as_str() {
        "" | "y" | "yes" => Ok(()),
        _ => bail!("stopped, nothing was changed"),
    }
}

/// Returns `true` if this is a build server.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1")
}

/// Prints a line.
pub fn say(words: impl AsRef<str>) {
    println!("{}", words.as_ref());
}

/// Prints an error with its causes.
pub fn complain(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}

/// Runs one step, and prints its name and how long it took.
///
/// # Errors
///
/// Those of the step, with its name.
pub fn step<T>(name: &str, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    say(format!("== {name}"));
    let started = Instant::now();
    let done = work();
    let verdict = if done.is_ok() { "ok" } else { "FAILED" };
    say(format!("== {name}: {verdict} ({})", in_words(started.elapsed())));
    done.with_context(|| name.to_owned())
}

/// A duration for people: `2 min 5 s`, `3.2 s`.
fn in_words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}
