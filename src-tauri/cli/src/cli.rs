//! The command line: the verbs and what they call.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use ::settings::Folders;
use clap::{Parser, Subcommand};

use crate::doors::Doors;
use crate::terminal::MicrophoneChoice;
use crate::{
    ask, bridge, doctor, listen, mcp, memory, models, policy_replay, programs, serve, settings, talk,
    terminal, tools, voices,
};

/// The end of the help: what to do first.
const AFTER_HELP: &str = "Without a command, the window opens. `jarvis doctor` checks that everything works and says what \
    to do if not; `jarvis help COMMAND` explains a command.";

/// A private voice assistant: everything runs on your machine.
#[derive(Parser)]
#[command(name = "jarvis", version, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Start in the tray, without opening the window.
    #[arg(long)]
    hidden: bool,
    /// Write every step to standard error, besides the log file; `JARVIS_VOICE_DEBUG=1` does the same.
    #[arg(long, global = true)]
    debug: bool,
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
        /// Keep nothing of the question and the answer.
        #[arg(long)]
        temporary: bool,
    },
    /// Chat with a model of an Ollama server that may use the tool servers of a configuration file.
    Bridge(bridge::BridgeArguments),
    /// Chat by typing; the microphone stays closed.
    Chat {
        /// Keep nothing of the conversation after you quit.
        #[arg(long)]
        temporary: bool,
    },
    /// Listen and chat in the terminal, without a window.
    Terminal {
        /// Keep nothing of the conversation after you quit.
        #[arg(long)]
        temporary: bool,
    },
    /// Make the running Jarvis listen now, without its name. Bind a key of your desktop to this command.
    Talk,
    /// Listen to a recording instead of the microphone, and write the spoken answer to a file.
    Listen {
        /// The recording to listen to, as WAV.
        #[arg(long)]
        wav: PathBuf,
        /// The file for the spoken answer, as WAV.
        #[arg(long)]
        out: PathBuf,
    },
    /// Check microphone, speaker, models, providers, memory and keychain, and say what to do.
    Doctor {
        #[command(subcommand)]
        verb: Option<doctor::DoctorVerb>,
        /// One JSON object a line, for programs.
        #[arg(long, global = true)]
        json: bool,
    },
    /// Search, show, correct, forget, export and maintain what is remembered.
    Memory {
        #[command(subcommand)]
        verb: memory::MemoryVerb,
    },
    /// List, download and delete model files.
    Models {
        #[command(subcommand)]
        verb: models::ModelsVerb,
    },
    /// Print what your permissions would say to the tool calls in a file: `allow`, `ask` or `deny` for each line.
    PolicyReplay {
        /// One call a line, as JSON: `tool` and `effect` (`read_only`, `network`, `writes`, `destructive`, `executes`), and
        /// perhaps `most_serious`, `tainted`, `unsure`, `arguments`, `request`, `private` and `settings`.
        file: PathBuf,
    },
    /// List, give and revoke the keys of other programs.
    Programs {
        #[command(subcommand)]
        verb: programs::ProgramsVerb,
    },
    /// Let the program that starts this command ask Jarvis and search its memory (Model Context Protocol).
    Mcp,
    /// Answer other programs over HTTP, without a window, a microphone or a speaker.
    Serve {
        /// The port in place of the one in the settings; 0 finds a free one.
        #[arg(long)]
        port: Option<u16>,
        /// Print the description of the interface, as OpenAPI, and serve nothing.
        #[arg(long, conflicts_with = "port")]
        print_openapi: bool,
    },
    /// List and change settings.
    Settings {
        #[command(subcommand)]
        verb: settings::SettingsVerb,
    },
    /// Show which tools were called, and why each call ran or did not.
    Tools {
        #[command(subcommand)]
        verb: tools::ToolsVerb,
    },
    /// List, add and remove the people whose voice Jarvis knows.
    Voices {
        #[command(subcommand)]
        verb: voices::VoicesVerb,
    },
}

/// Runs the command line of this process. Without a verb, the window opens; without a window or a display, the terminal.
pub fn main(doors: Doors) -> ExitCode {
    let arguments = Arguments::parse();
    let is_verbose = arguments.debug || std::env::var_os("JARVIS_VOICE_DEBUG").is_some_and(|on| on == "1");
    // A log that cannot be written is no reason not to start.
    let _logging = Folders::from_environment()
        .ok()
        .and_then(|folders| assistant::begin_logging(&folders.logs, is_verbose).ok());
    match run(arguments, is_verbose, doors) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output ended, as in `jarvis ask … | head`: that is no error.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no place to say it.
            let _ = writeln!(io::stderr(), "jarvis: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments, is_verbose: bool, doors: Doors) -> anyhow::Result<()> {
    match arguments.verb {
        Some(Verb::Models { verb }) => within_runtime(models::run(verb)),
        Some(Verb::Programs { verb }) => within_runtime(programs::run(verb)),
        Some(Verb::Mcp) => within_runtime(mcp::run(doors)),
        Some(Verb::Serve { print_openapi: true, .. }) => serve::print_openapi(doors),
        Some(Verb::Serve { port, .. }) => within_runtime(serve::run(port, doors)),
        Some(Verb::Settings { verb }) => within_runtime(settings::run(verb)),
        Some(Verb::Tools { verb }) => within_runtime(tools::run(verb)),
        Some(Verb::Voices { verb }) => within_runtime(voices::run(verb)),
        Some(Verb::PolicyReplay { file }) => policy_replay::run(&file),
        Some(Verb::Doctor { verb, json }) => {
            let form = if json { doctor::Form::Json } else { doctor::Form::Text };
            within_runtime(doctor::run(verb, form))
        }
        Some(Verb::Memory { verb }) => within_runtime(memory::run(verb)),
        Some(Verb::Ask { question, json, temporary }) => {
            within_runtime(ask::run(question.join(" "), json, temporary))
        }
        Some(Verb::Bridge(arguments)) => within_runtime(bridge::run(arguments)),
        Some(Verb::Listen { wav, out }) => within_runtime(listen::run(wav, out)),
        Some(Verb::Chat { temporary }) => {
            within_runtime(terminal::run(MicrophoneChoice::Closed, temporary, is_verbose, doors))
        }
        Some(Verb::Terminal { temporary }) => {
            within_runtime(terminal::run(MicrophoneChoice::Open, temporary, is_verbose, doors))
        }
        Some(Verb::Talk) => within_runtime(talk::run()),
        None => open(arguments.hidden, is_verbose, doors),
    }
}

/// Opens the window; without a window or a display, the terminal.
fn open(hidden: bool, is_verbose: bool, doors: Doors) -> anyhow::Result<()> {
    match doors.window.filter(|_| has_display()) {
        Some(window) => window(hidden),
        None => {
            if doors.window.is_some() {
                // Without standard error there is no place to say it.
                let _ = writeln!(io::stderr(), "No display was found, so here is the terminal.");
            }
            within_runtime(terminal::run(MicrophoneChoice::Open, false, is_verbose, doors))
        }
    }
}

/// Returns `true` if a window could be shown.
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// The time that the exit waits for work that is still going on: a read of the encrypted database that meets the exit
/// handlers of OpenSSL crashes. Such work takes milliseconds; a read of standard input cannot be cancelled and must
/// not delay the exit.
const EXIT_LIMIT: Duration = Duration::from_millis(300);

fn within_runtime(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_timeout(EXIT_LIMIT);
    outcome
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn verbs_and_flags_do_not_conflict() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_begins_with_what_jarvis_is() {
        let help = Arguments::command().render_help().to_string();

        assert_eq!(help.lines().next(), Some("A private voice assistant: everything runs on your machine"));
    }

    #[test]
    fn help_ends_with_the_first_steps() {
        let help = Arguments::command().render_help().to_string();

        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.ends_with(AFTER_HELP), "{help}");
    }

    #[test]
    fn readme_has_every_command_in_its_table() {
        let readme = include_str!("../../../README.md");
        let rows: String = readme.lines().filter(|line| line.starts_with("| `jarvis")).collect();
        let mut missing = Vec::new();
        for verb in Arguments::command().get_subcommands() {
            let row = format!("`jarvis {}", verb.get_name());
            let is_there = rows.split(&row).skip(1).any(|rest| rest.starts_with([' ', '`']));
            missing.extend((!is_there).then(|| verb.get_name().to_owned()));
        }

        assert_eq!(missing, Vec::<String>::new());
    }
}
