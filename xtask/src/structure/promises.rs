//! The README's promises, each with a test: the table in `tests/promises.md`.

use std::path::Path;

use anyhow::Context;

/// The place where the table is, below the root of the checkout.
const TABLE: &str = "tests/promises.md";

/// Rows whose sentence is not in the README, or whose test does not exist.
///
/// # Errors
///
/// The table or the README cannot be read.
pub fn violations(checkout: &Path) -> anyhow::Result<Vec<String>> {
    let read =
        |file: &str| std::fs::read_to_string(checkout.join(file)).with_context(|| format!("reading {file}"));
    let (table, readme) = (read(TABLE)?, on_one_line(&read("README.md")?));
    let rows = rows(&table);
    anyhow::ensure!(!rows.is_empty(), "{TABLE} has no rows");
    let violation = |[sentence, file, test]: [&str; 3]| {
        if !readme.contains(&on_one_line(sentence)) {
            return Some(format!("{TABLE}: the README does not say {sentence:?}"));
        }
        let has_test = read(file).is_ok_and(|source| contains_test(&source, test));
        (!has_test).then(|| format!("{TABLE}: there is no test {test:?} in {file}"))
    };
    Ok(rows.into_iter().filter_map(violation).collect())
}

/// The rows below the heading of the table.
fn rows(table: &str) -> Vec<[&str; 3]> {
    let lines = table.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    lines
        .skip(2)
        .filter_map(|line| line.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok())
        .collect()
}

/// A function with the attribute of a test within the lines before it, or a test of vitest.
fn contains_test(source: &str, test: &str) -> bool {
    let function = format!("fn {test}(");
    let is_attribute = |line: &str| {
        let line = line.trim();
        line == "#[test]" || line == "#[rstest]" || line.starts_with("#[tokio::test")
    };
    let has_function = source.split_once(&function).is_some_and(|(before, _)| {
        // The cases of a table stand between the attribute and the function.
        let item = before.rsplit_once("\n}").map_or(before, |(_, item)| item);
        item.lines().any(is_attribute)
    });
    has_function || source.contains(&format!("it(\"{test}\""))
}

/// Lines of a paragraph are broken anywhere.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const README: &str = "Jarvis is private. It forgets\nwhat you want.";
    const TESTS: &str = "fn helper() {\n}\n\n#[rstest]\n#[case(1)]\nfn it_forgets(#[case] one: u8) {\n}\n\nfn remembers() {\n}\n";

    #[rstest]
    #[case::kept("It forgets what you want.", "tests.rs", "it_forgets", None)]
    #[case::another_sentence(
        "It forgets all.",
        "tests.rs",
        "it_forgets",
        Some("does not say \"It forgets all.\"")
    )]
    #[case::no_such_test(
        "Jarvis is private.",
        "tests.rs",
        "it_stays",
        Some("no test \"it_stays\" in tests.rs")
    )]
    #[case::a_helper(
        "Jarvis is private.",
        "tests.rs",
        "remembers",
        Some("no test \"remembers\" in tests.rs")
    )]
    #[case::no_such_file("Jarvis is private.", "gone.rs", "it_forgets", Some("in gone.rs"))]
    fn promise_needs_its_sentence_and_its_test(
        #[case] sentence: &str,
        #[case] file: &str,
        #[case] test: &str,
        #[case] expected: Option<&str>,
    ) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("tests")).unwrap();
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
        write("README.md", README);
        write("tests.rs", TESTS);
        write(
            TABLE,
            &format!(
                "# Promises\n\n| sentence | file | test |\n|---|---|---|\n| {sentence} | {file} | {test} |\n"
            ),
        );

        let violations = violations(folder.path()).unwrap();

        match expected {
            None => assert_eq!(violations, Vec::<String>::new()),
            Some(part) => assert!(violations[0].contains(part), "{violations:?}"),
        }
    }
}
