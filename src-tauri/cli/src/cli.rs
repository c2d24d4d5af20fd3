//! The command line: verbs and what they call.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use ::settings::Folders;
use clap::{Parser, Subcommand};

use crate::{ask, doctor, memory, models, recording, settings, talk, terminal};

/// A private voice assistant: everything runs on your machine.
#[derive(Parser)]
#[command(name = "jarvis", version, about)]
struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Start in the tray, without opening the window.
    #[arg(long)]
    hidden: bool,
}

#[derive(Subcommand)]
enum Verb {
    /// Print the answer to one question as it comes.
    Ask {
        /// The question; `-` reads it from standard input.
        #[arg(required = true, num_args = 1..)]
        question: Vec<String>,
        /// One JSON object a line, for programs.
        #[arg(long)]
        json: bool,
        /// Keep nothing of it.
        #[arg(long)]
        temporary: bool,
    },
    /// Converse by typing; the microphone stays closed.
    Chat {
        /// Keep nothing of it: it is known until you quit.
        #[arg(long)]
        temporary: bool,
    },
    /// Listen and converse in the terminal, without a window.
    Terminal {
        /// Keep nothing of it: it is known until you quit.
        #[arg(long)]
        temporary: bool,
    },
    /// Make the running Jarvis listen: the next words need no name. For a key of the desktop.
    Talk,
    /// Take a recording for the microphone and write the spoken answer to a file.
    Listen {
        /// The recording to listen to, as WAV.
        #[arg(long)]
        wav: PathBuf,
        /// Where the voice goes, as WAV.
        #[arg(long)]
        out: PathBuf,
    },
    /// Check microphone, speaker, models, providers, keychain, and say what to do.
    Doctor {
        #[command(subcommand)]
        part: Option<doctor::Part>,
        /// One JSON object a line, for programs.
        #[arg(long, global = true)]
        json: bool,
    },
    /// Find, show, put right, forget and export what is remembered.
    Memory {
        #[command(subcommand)]
        what: memory::What,
    },
    /// List, fetch and delete model files.
    Models {
        #[command(subcommand)]
        what: models::What,
    },
    /// List and change settings.
    Settings {
        #[command(subcommand)]
        what: settings::What,
    },
    /// Ask single stages with given values: JSON lines in, JSON lines out.
    Probe,
}

/// Runs with the windows, of which none opens at first if it is hidden, and returns when the user quits.
pub type Window = fn(is_hidden: bool) -> anyhow::Result<()>;

/// Runs the command line of this process. Without a verb `window` opens, where there is one and a display to show it;
/// otherwise the terminal is the door.
pub fn main(window: Option<Window>) -> ExitCode {
    let arguments = Arguments::parse();
    // The probe touches nothing of the user's; a log that cannot be written keeps nobody from talking.
    let _logging = match arguments.verb {
        Some(Verb::Probe) => None,
        _ => Folders::of_this_user().ok().and_then(|folders| assistant::begin_logging(&folders.logs).ok()),
    };
    let outcome = match arguments.verb {
        Some(Verb::Probe) => probe::run(io::stdin().lock(), io::stdout().lock()).map_err(Into::into),
        Some(Verb::Models { what }) => within_runtime(models::run(what)),
        Some(Verb::Settings { what }) => settings::run(what),
        Some(Verb::Doctor { part, json }) => {
            let form = if json { doctor::Form::Json } else { doctor::Form::Text };
            within_runtime(doctor::run(part, form))
        }
        Some(Verb::Memory { what }) => within_runtime(memory::run(what)),
        Some(Verb::Ask { question, json, temporary }) => {
            within_runtime(ask::run(question.join(" "), json, temporary))
        }
        Some(Verb::Listen { wav, out }) => within_runtime(recording::run(wav, out)),
        Some(Verb::Chat { temporary }) => within_runtime(terminal::run(terminal::Ears::Closed, temporary)),
        Some(Verb::Terminal { temporary }) => within_runtime(terminal::run(terminal::Ears::Open, temporary)),
        Some(Verb::Talk) => within_runtime(talk::run()),
        None => match window.filter(|_| has_display()) {
            Some(window) => window(arguments.hidden),
            None => {
                if window.is_some() {
                    // Nobody is left to tell if standard error is gone.
                    let _ = writeln!(io::stderr(), "No display was found, so here is the terminal.");
                }
                within_runtime(terminal::run(terminal::Ears::Open, false))
            }
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output went away, as `jarvis ask … | head` does: nothing is wrong.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if standard error is gone too.
            let _ = writeln!(io::stderr(), "jarvis: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Could a window be shown?
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

fn within_runtime(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(work);
    // Reading standard input cannot be called off: it must not keep us from going.
    runtime.shutdown_background();
    outcome
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Is a person watching standard output?
pub(crate) fn is_watched() -> bool {
    io::stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_verbs_and_their_flags_go_together() {
        Arguments::command().debug_assert();
    }
}
