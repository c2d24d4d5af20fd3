//! `cargo xtask screenshots DIR`: pictures of every window, to be looked at.

use std::path::PathBuf;

use clap::Args;

use crate::front_end;
use crate::models::{self, Set};
use crate::process::{cargo, run};
use crate::system;
use crate::terminal::step;

/// Pictures of every window, in light and dark, narrow and wide.
#[derive(Args)]
pub struct Screenshots {
    /// The folder they are written to
    dir: PathBuf,
    /// Install and download without asking
    #[arg(long)]
    yes: bool,
}

impl Screenshots {
    /// Builds, opens every window on a virtual display, and takes screenshots.
    ///
    /// # Errors
    ///
    /// A step failed.
    pub fn run(self) -> anyhow::Result<()> {
        step("system packages", || system::ensure_packages(true, self.yes))?;
        step("models", || models::fetch(Set::Tests, self.yes))?;
        step("windows", front_end::build)?;
        let mut pictures =
            cargo(&["test", "-p", "jarvis", "--test", "journeys", "--", "--ignored", "--exact"]);
        pictures.arg("journeys::screenshots::of_every_window");
        pictures.env("JARVIS_MODELS", models::folder()?);
        // Cargo runs it in another folder, so the path is made absolute.
        pictures.env("JARVIS_SCREENSHOTS", std::path::absolute(self.dir)?);
        step("pictures", || run(&mut pictures))
    }
}
