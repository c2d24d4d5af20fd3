//! The crates that the shipped programs are built from.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde_json::Value;

use super::component::{Component, ComponentId, Kind};
use crate::process::{cargo, run_quietly};
use crate::tools::{self, Tool};

/// The tool that finds the licence texts. Its program is behind a feature.
const CARGO_ABOUT: Tool = Tool { name: "cargo-about", version: "0.9.3", features: &["cli"] };

/// The programs that are shipped.
const PROGRAMS: [&str; 2] = ["jarvis", "llm-worker"];

/// The systems they are built for. The same as in `.about.toml` and `.deny.toml`.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
];

/// Makes sure that cargo-about is installed.
///
/// # Errors
///
/// It cannot be installed.
pub fn ensure_cargo_about(yes: bool) -> anyhow::Result<()> {
    tools::ensure(&CARGO_ABOUT, yes)
}

/// The crates of other people in the shipped programs.
///
/// # Errors
///
/// Cargo cannot be asked.
pub fn ids() -> anyhow::Result<BTreeSet<ComponentId>> {
    let mut arguments = vec!["tree", "--locked", "--prefix", "none", "--format", "{p}"];
    // Macros and build scripts run while Jarvis is built; nothing of them is shipped.
    arguments.extend(["--edges", "normal,no-proc-macro"]);
    arguments.extend(PROGRAMS.iter().flat_map(|program| ["--package", program]));
    arguments.extend(TARGETS.iter().flat_map(|target| ["--target", target]));
    Ok(parse_tree(&run_quietly(&mut cargo(&arguments))?))
}

/// Lines such as `serde v1.0.229` and `serde_derive v1.0.229 (proc-macro)`. Our own crates have their folder at the end.
fn parse_tree(tree: &str) -> BTreeSet<ComponentId> {
    let component = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        let is_ours = words.any(|word| word.starts_with("(/") || word.contains(":\\"));
        let id = || ComponentId { kind: Kind::Crate, name: name.to_owned(), version: version.to_owned() };
        (!is_ours).then(id)
    };
    tree.lines().filter_map(component).collect()
}

/// The crates with their licences, as cargo-about finds them beside their sources.
///
/// # Errors
///
/// cargo-about fails, or finds no licence for one.
pub fn components() -> anyhow::Result<Vec<Component>> {
    let about = ["about", "generate", "--workspace", "--offline", "--locked", "--fail", "--format", "json"];
    let mut about = cargo(&about);
    about.args(["--config", ".about.toml"]);
    let found: Value =
        serde_json::from_str(&run_quietly(&mut about)?).context("reading what cargo-about found")?;
    let mut texts = texts_by_crate(&found)?;
    ids()?
        .into_iter()
        .map(|id| {
            let own = texts.remove(&(id.name.clone(), id.version.clone()));
            let own = own.with_context(|| format!("no licence of {} {}", id.name, id.version))?;
            let licences: BTreeSet<&str> = own.iter().map(|(licence, _)| licence.as_str()).collect();
            let licence = licences.into_iter().collect::<Vec<_>>().join(" AND ");
            Ok(Component { id, licence, texts: own.iter().map(|(_, text)| text.clone()).collect() })
        })
        .collect()
}

/// Name and version of a crate.
type NameAndVersion = (String, String);

/// SPDX identifier and text of each licence, by name and version of the crate.
fn texts_by_crate(found: &Value) -> anyhow::Result<BTreeMap<NameAndVersion, Vec<(String, String)>>> {
    let text = |value: &Value| value.as_str().map(str::to_owned).context("a text is missing");
    let mut by_crate: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for licence in found["licenses"].as_array().context("there are no licences")? {
        let known = (text(&licence["id"])?, text(&licence["text"])?.replace("\r\n", "\n").trim().to_owned());
        for used_by in licence["used_by"].as_array().into_iter().flatten() {
            let user = &used_by["crate"];
            by_crate.entry((text(&user["name"])?, text(&user["version"])?)).or_default().push(known.clone());
        }
    }
    for texts in by_crate.values_mut() {
        texts.sort();
        texts.dedup();
    }
    Ok(by_crate)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn own_crates_are_left_out_of_the_tree() {
        let tree = "jarvis v0.1.0 (/home/me/jarvis)\nserde v1.0.229\nserde v1.0.229 (*)\n\n\
                    serde_derive v1.0.229 (proc-macro)\nllm v0.1.0 (C:\\jarvis\\src-tauri\\llm)\n";

        let names: Vec<_> = parse_tree(tree).into_iter().map(|id| (id.name, id.version)).collect();

        let expected = [("serde", "1.0.229"), ("serde_derive", "1.0.229")];
        assert_eq!(names, expected.map(|(name, version)| (name.to_owned(), version.to_owned())));
    }

    #[test]
    fn crate_with_two_licences_has_both_texts() {
        let user = |name: &str| json!({ "crate": { "name": name, "version": "1.0.0" } });
        let found = json!({ "licenses": [
            { "id": "MIT", "text": "free\r\n", "used_by": [user("ring"), user("serde")] },
            { "id": "ISC", "text": "isc", "used_by": [user("ring")] },
        ] });

        let texts = texts_by_crate(&found).unwrap();

        let both = vec![("ISC".to_owned(), "isc".to_owned()), ("MIT".to_owned(), "free".to_owned())];
        assert_eq!(texts[&("ring".to_owned(), "1.0.0".to_owned())], both);
        assert_eq!(texts[&("serde".to_owned(), "1.0.0".to_owned())], both[1..]);
    }
}
