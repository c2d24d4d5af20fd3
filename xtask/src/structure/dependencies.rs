//! Checks that every crate depends only on the crates that the map allows.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, ensure};
use serde_json::Value;

/// The heading of the table in the map.
const HEADING: &str = "## Dependencies";

/// Fakes and fixtures: only tests may depend on it.
const TEST_CRATE: &str = "testkit";

/// A crate, and those of the workspace it depends on or may depend on.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// Lists the differences between the dependencies in `cargo metadata` and the table of the map.
pub(super) fn violations(metadata: &Value, map: &str) -> anyhow::Result<Vec<String>> {
    let allowed = allowed(map)?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let names: BTreeSet<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut violations = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package without a name")?;
        let Some(may_use) = allowed.get(name) else {
            violations.push(format!("{name} is missing from the table \"Dependencies\" of the map"));
            continue;
        };
        for used in production_dependencies(package).filter(|used| names.contains(used)) {
            if used == TEST_CRATE {
                violations.push(format!("{name} depends on {used} outside of its tests"));
            } else if !may_use.contains(used) {
                violations.push(format!("{name} depends on {used}, which the map does not allow"));
            }
        }
    }
    let unknown = allowed.keys().filter(|name| !names.contains(&name[..]));
    violations.extend(unknown.map(|name| format!("the map's table names {name}, which is no crate")));
    violations.extend(circle_of(&allowed).map(|names| format!("the map allows a circle: {names}")));
    Ok(violations)
}

/// Names of what the library, programs and build script of a package need.
fn production_dependencies(package: &Value) -> impl Iterator<Item = &str> {
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let dependencies = dependencies.filter(|dependency| dependency["kind"] != "dev");
    let names: BTreeSet<&str> = dependencies.filter_map(|dependency| dependency["name"].as_str()).collect();
    names.into_iter()
}

/// The table of the map: a row for each crate, with the names in backticks.
fn allowed(map: &str) -> anyhow::Result<Edges> {
    let mut lines = map.lines().skip_while(|line| line.trim() != HEADING).skip(1);
    let section: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("## ")).collect();
    let mut edges = Edges::new();
    for row in section.iter().filter(|line| line.trim_start().starts_with("| `")) {
        let mut cells = row.trim().trim_matches('|').split('|');
        let names = |cell: Option<&str>| -> Vec<String> {
            cell.unwrap_or_default().split('`').skip(1).step_by(2).map(str::to_owned).collect()
        };
        let crates = names(cells.next());
        let may_use = names(cells.next());
        for name in crates {
            let is_new = edges.insert(name.clone(), may_use.iter().cloned().collect()).is_none();
            ensure!(is_new, "the map's table has two rows for {name}");
        }
    }
    ensure!(!edges.is_empty(), "the map has no table under \"{HEADING}\"");
    Ok(edges)
}

/// Cargo refuses circles of crates, but the table could still allow either direction.
fn circle_of(edges: &Edges) -> Option<String> {
    let mut left: Edges = edges.clone();
    loop {
        let leaf = left.iter().find(|(_, used)| used.iter().all(|name| !left.contains_key(name)));
        let Some(leaf) = leaf.map(|(name, _)| name.clone()) else { break };
        left.remove(&leaf);
    }
    (!left.is_empty()).then(|| left.into_keys().collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    const MAP: &str = "# Map\n\n| `other` | table |\n\n## Dependencies\n\nText.\n\n| crate | may depend on |\n|---|---|\n\
        | `door` | `path`, `leaf` |\n| `path` | `leaf` |\n| `leaf`, `testkit` | |\n\n## Next\n\n| `door` | x |\n";

    fn metadata(used_by_path: &[(&str, Option<&str>)]) -> Value {
        let used = used_by_path.iter().map(|(name, kind)| json!({ "name": name, "kind": kind }));
        json!({ "packages": [
            { "name": "door", "dependencies": [{ "name": "path", "kind": null }] },
            { "name": "path", "dependencies": used.collect::<Vec<_>>() },
            { "name": "leaf", "dependencies": [] },
            { "name": "testkit", "dependencies": [] },
        ] })
    }

    #[rstest]
    #[case::allowed(&[("leaf", None)], &[])]
    #[case::registry_crates_are_free(&[("serde", None)], &[])]
    #[case::tests_are_free(&[("door", Some("dev")), ("testkit", Some("dev"))], &[])]
    #[case::not_in_the_table(&[("door", None)], &["path depends on door, which the map does not allow"])]
    #[case::build_script(&[("door", Some("build"))], &["path depends on door, which the map does not allow"])]
    #[case::testkit(&[("testkit", None)], &["path depends on testkit outside of its tests"])]
    fn dependencies_are_compared_with_the_table(
        #[case] used: &[(&str, Option<&str>)],
        #[case] expected: &[&str],
    ) {
        assert_eq!(violations(&metadata(used), MAP).unwrap(), expected);
    }

    #[test]
    fn rows_without_crate_and_crates_without_row_are_reported() {
        let map = MAP.replace("| `path` | `leaf` |", "| `gone` | `leaf` |");

        let expected = [
            "path is missing from the table \"Dependencies\" of the map",
            "the map's table names gone, which is no crate",
        ];
        assert_eq!(violations(&metadata(&[]), &map).unwrap(), expected);
    }

    #[test]
    fn a_table_that_allows_both_directions_is_reported() {
        let map = MAP.replace("| `path` | `leaf` |", "| `path` | `leaf`, `door` |");

        assert_eq!(violations(&metadata(&[]), &map).unwrap(), ["the map allows a circle: door, path"]);
    }

    #[test]
    fn a_map_without_table_is_an_error() {
        assert!(violations(&metadata(&[]), "# Map").is_err());
    }
}
