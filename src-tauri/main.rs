//! The program `jarvis`: arguments in, a door opened.

use std::process::ExitCode;

fn main() -> ExitCode {
    loopback::main()
}
