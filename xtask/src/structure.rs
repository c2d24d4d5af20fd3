//! `cargo xtask structure`: checks the dependencies between crates and between the files of a crate.
//!
//! Six rules: a crate depends on the crates that the table in `src-tauri/README.md` allows, the files of a crate do
//! not use each other in a circle, no module is a `mod.rs`, each promise of the README has a test, docs begin with a
//! noun or a verb, and links between files lead somewhere.

mod dependencies; // crates
mod circles; // files of a crate: start here
mod modules; // the modules of a crate and the names in them
mod arrows; // which file uses an item of which other file
mod promises; // sentences of the README and their tests
mod docs; // docs of items
mod links; // links between files

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;

use circles::below;

use crate::process::{cargo, checkout, run_quietly};
use crate::terminal::say;

/// The place where the table of allowed dependencies stands, below the root of the checkout.
const MAP: &str = "src-tauri/README.md";

/// Folders that hold what was built or installed.
const OUTPUT_FOLDERS: [&str; 5] = ["target", "gen", "node_modules", "packages", "dist"];

/// Check the dependencies between crates and between the files of a crate.
///
/// The crates' dependencies are compared with the table "Dependencies" of src-tauri/README.md.
#[derive(Args)]
pub struct Structure {}

impl Structure {
    /// Prints every violation.
    ///
    /// # Errors
    ///
    /// There is a violation, or a source file cannot be parsed.
    pub fn run(self) -> anyhow::Result<()> {
        let metadata = run_quietly(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata: Value = serde_json::from_str(&metadata).context("reading `cargo metadata`")?;
        let map = std::fs::read_to_string(checkout().join(MAP)).with_context(|| format!("reading {MAP}"))?;
        let mut violations = dependencies::violations(&metadata, &map)?;
        for root in crate_roots(&metadata) {
            for circle in circles::find(&root)? {
                violations.push(circle.describe(&checkout()));
            }
        }
        violations.extend(promises::violations(&checkout())?);
        violations.extend(violations_of_files(&checkout())?);
        for violation in &violations {
            say(violation);
        }
        match violations.len() {
            0 => Ok(()),
            1 => bail!("1 violation of the structure"),
            count => bail!("{count} violations of the structure"),
        }
    }
}

/// The root files of all libraries and programs of the workspace.
fn crate_roots(metadata: &Value) -> Vec<PathBuf> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let is_product = |target: &&Value| {
        let mut kinds = target["kind"].as_array().into_iter().flatten();
        kinds.any(|kind| kind == "bin" || kind.as_str().is_some_and(|kind| kind.ends_with("lib")))
    };
    targets.filter(is_product).filter_map(|target| target["src_path"].as_str()).map(PathBuf::from).collect()
}

/// Violations of the rules for single files: names of modules, docs and links.
fn violations_of_files(checkout: &Path) -> anyhow::Result<Vec<String>> {
    let mut violations = Vec::new();
    let mut known_links = links::Links::default();
    for file in files(checkout)? {
        let path = checkout.join(&file);
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        if file.ends_with("mod.rs") {
            let file = file.display();
            violations.push(format!(
                "{file}: use the file `foo.rs` beside the folder `foo` instead of `foo/mod.rs`"
            ));
        }
        if file.extension().is_some_and(|extension| extension == "rs") {
            violations.extend(docs::violations(&file, &text)?);
        }
        violations.extend(known_links.violations(checkout, &file, &text)?);
    }
    Ok(violations)
}

/// Our own Rust and Markdown files, as paths below `checkout`.
fn files(checkout: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![checkout.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
            let entry = entry?;
            let (name, path) = (entry.file_name(), entry.path());
            if entry.file_type()?.is_dir() {
                let is_ours = !OUTPUT_FOLDERS.iter().any(|output| name == *output);
                folders.extend((is_ours && !name.to_string_lossy().starts_with('.')).then_some(path));
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
                found.push(below(checkout, &path));
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn own_files_are_found_outside_build_output() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["src-tauri/a/src/b", "src-tauri/target/c", ".git"] {
            std::fs::create_dir_all(folder.path().join(path)).unwrap();
            std::fs::write(folder.path().join(path).join("mod.rs"), "").unwrap();
        }

        assert_eq!(files(folder.path()).unwrap(), [PathBuf::from("src-tauri/a/src/b/mod.rs")]);
        assert!(violations_of_files(folder.path()).unwrap()[0].contains("use the file `foo.rs`"));
    }

    #[test]
    fn libraries_and_programs_are_checked_but_tests_are_not() {
        let target = |kind: &str| json!({ "kind": [kind], "src_path": kind });
        let metadata = json!({ "packages": [{ "targets": [target("lib"), target("bin"), target("test")] }] });

        assert_eq!(crate_roots(&metadata), ["lib", "bin"].map(PathBuf::from));
    }
}
